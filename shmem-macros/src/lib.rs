//! The procedural macros of the crate `shmem`, which re-exports them: use them from there.
//!
//! Each macro parses what the user wrote, checks it, and expands it to calls of `shmem::__private`; nothing of
//! what the language means is decided here. All mistakes of one call are reported at once.

#![forbid(unsafe_code)]

mod arguments;
mod collective;
mod derive;
mod diagnostics;
mod function;
mod place;
mod private;
mod rewrite;
mod symmetric;
#[cfg(test)]
mod testing;

use proc_macro::TokenStream;

use self::arguments::Attribute;
use self::diagnostics::Problems;
use self::place::Kind;

/// The expansion, or the errors in its place.
fn expression(result: Result<proc_macro2::TokenStream, Problems>) -> TokenStream {
    result.unwrap_or_else(Problems::into_expression).into()
}

/// The expansion, and the errors behind it.
fn items((mut tokens, problems): (proc_macro2::TokenStream, Problems)) -> TokenStream {
    tokens.extend(problems.into_items());
    tokens.into()
}

/// Reads, writes and updates the copy of a symmetric object that another PE holds.
#[proc_macro]
pub fn remote(input: TokenStream) -> TokenStream {
    expression(place::expand(Kind::Remote, input.into()))
}

/// Reads, writes and updates this PE's own copy of a symmetric object, by value.
#[proc_macro]
pub fn local(input: TokenStream) -> TokenStream {
    expression(place::expand(Kind::Local, input.into()))
}

/// Combines one value of every PE to a value that every PE gets.
#[proc_macro]
pub fn collective(input: TokenStream) -> TokenStream {
    expression(collective::expand(input.into()))
}

/// Makes a static symmetric: every PE has its own copy, which the others reach with `remote!`.
#[proc_macro_attribute]
pub fn symmetric(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(symmetric::expand(arguments.into(), item.into()))
}

/// Starts the program on several PEs.
#[proc_macro_attribute]
pub fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(function::start(Attribute::Main, arguments.into(), item.into()))
}

/// Makes a function a test that runs on several PEs.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(function::start(Attribute::Test, arguments.into(), item.into()))
}

/// Lets a function assign to `remote!(...)` and `local!(...)`.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(function::kernel(arguments.into(), item.into()))
}

/// Makes a struct an element of symmetric objects.
#[proc_macro_derive(Symmetric, attributes(symmetric))]
pub fn derive_symmetric(input: TokenStream) -> TokenStream {
    match derive::expand(input.into()) {
        Ok(tokens) => tokens.into(),
        Err(problems) => problems.into_items().into(),
    }
}
