//! The procedural macros of the crate `shmem`, which re-exports them: use them from there.
//!
//! Each macro parses what the user wrote, checks it, and expands it to calls of `shmem::__private`.
//! The meaning of the language is decided there. All mistakes of one call are reported at once.
//!
//! | file | what it is for |
//! |---|---|
//! | `place/` | `remote!` and `local!`; their selectors are `place/select.rs` |
//! | `collective/`, `wait.rs` | `collective!`; `wait!` and `poll!` |
//! | `symmetric.rs`, `derive.rs` | `#[symmetric]` on statics; `#[derive(Symmetric)]` on structs |
//! | `function.rs` | `#[shmem::main]`, `#[shmem::test]` and `#[shmem::kernel]` |
//! | `gpu_kernel/` | `#[shmem::gpu::kernel]` |
//! | `arguments.rs` | the arguments of attributes, such as `npes = 4` |
//! | `assignments.rs` | `remote!(place) = value`, in functions with one of these attributes |
//! | `reading.rs`, `expressions.rs` | what the parsers share; what the looks of an expression tell |
//! | `private.rs` | the paths and calls that expansions are made of |
//! | `diagnostics.rs` | collects and emits mistakes; their texts stand in the parsers |
//!
//! The folder `docs` has the documentation of the attributes and the derive. Its examples need the
//! crate `shmem`, so that crate runs them as tests of its own.

#![forbid(unsafe_code)]

mod arguments;
mod assignments;
mod collective;
mod derive;
mod diagnostics;
mod expressions;
mod function;
mod gpu_kernel;
#[cfg(test)]
mod grammar;
mod place;
mod private;
mod reading;
mod symmetric;
#[cfg(test)]
mod testing;
mod wait;

use proc_macro::{Literal, TokenStream, TokenTree};

use self::arguments::Attribute;
use self::diagnostics::Problems;
use self::place::PlaceMacro;

/// The most axes that an object can have.
const MAX_RANK: usize = 4;

/// The expansion, or the errors instead of it.
fn expression(result: Result<proc_macro2::TokenStream, Problems>) -> TokenStream {
    result.unwrap_or_else(Problems::into_expression).into()
}

/// The expansion, then the errors.
fn items((mut tokens, problems): (proc_macro2::TokenStream, Problems)) -> TokenStream {
    tokens.extend(problems.into_items());
    tokens.into()
}

/// Reads, writes and updates elements of a symmetric object on any PE.
///
/// The macro of the same name in the crate `shmem`, which has the documentation, writes `$crate ;`
/// before the user's tokens and calls this one. The grammar is in `place/mod.rs` and
/// `place/select.rs`.
#[proc_macro]
pub fn remote(input: TokenStream) -> TokenStream {
    expression(place::expand(PlaceMacro::Remote, input.into()))
}

/// Reads, writes and updates elements of this PE's own copy of a symmetric object, by value.
///
/// The grammar is that of [`remote!`](macro@remote) without the PE. A scalar has no brackets.
#[proc_macro]
pub fn local(input: TokenStream) -> TokenStream {
    expression(place::expand(PlaceMacro::Local, input.into()))
}

/// Makes a collective call of all PEs of a team.
///
/// ```text
/// call      = action [ ";" "on" team ]
/// action    = place "=" word place [ ( "from" | "to" ) root | "to" "ready" | "with" join ]
///           | word value [ ( "from" | "to" ) root | "with" join ]
///           | word
/// ```
///
/// A place is one of [`local!`](macro@local). The words and what each takes are in the table of
/// `shmem::collective!`.
#[proc_macro]
pub fn collective(input: TokenStream) -> TokenStream {
    expression(collective::expand(input.into()))
}

/// The table of the collectives as a string literal in Markdown, for the documentation of
/// `shmem::collective!`.
#[doc(hidden)]
#[proc_macro]
pub fn collective_forms(_: TokenStream) -> TokenStream {
    let forms = collective::table::forms(|method| format!("[`{method}`](crate::Team::{method})"));
    TokenTree::from(Literal::string(&forms)).into()
}

/// Waits until atomic cells of this PE compare with a value: `wait!(any FLAGS[..] != 0)`.
///
/// The grammar is in `wait.rs`. The place is that of [`local!`](macro@local). Without a word before
/// it, it is one cell, and there is no `except`.
#[proc_macro]
pub fn wait(input: TokenStream) -> TokenStream {
    expression(wait::expand(wait::WaitMacro::Wait, input.into()))
}

/// Tests whether atomic cells of this PE compare with a value: [`wait!`](macro@wait) without
/// waiting.
#[proc_macro]
pub fn poll(input: TokenStream) -> TokenStream {
    expression(wait::expand(wait::WaitMacro::Poll, input.into()))
}

// The examples of these pages are tests of shmem-core, which the macros expand to.
#[cfg_attr(not(doctest), doc = include_str!("../docs/symmetric.md"))]
#[proc_macro_attribute]
pub fn symmetric(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(symmetric::expand(arguments.into(), item.into()))
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/main.md"))]
#[doc(alias = "shmem_init")]
#[doc(alias = "shmem_finalize")]
#[doc(alias = "start_pes")]
#[proc_macro_attribute]
pub fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(function::start(Attribute::Main, arguments.into(), item.into()))
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/test.md"))]
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(function::start(Attribute::Test, arguments.into(), item.into()))
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/kernel.md"))]
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(function::kernel(arguments.into(), item.into()))
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/gpu_kernel.md"))]
#[proc_macro_attribute]
pub fn gpu_kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(gpu_kernel::expand(arguments.into(), item.into()))
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/derive.md"))]
#[proc_macro_derive(Symmetric, attributes(symmetric))]
pub fn derive_symmetric(input: TokenStream) -> TokenStream {
    derive::derive(input.into()).into()
}
