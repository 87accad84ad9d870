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
//! | `arguments.rs` | the arguments of attributes, such as `npes = 4` |
//! | `assignments.rs` | `remote!(place) = value`, in functions with one of these attributes |
//! | `reading.rs`, `expressions.rs` | what the parsers share; what the looks of an expression tell |
//! | `private.rs` | the paths and calls that expansions are made of |
//! | `diagnostics.rs` | collects and emits mistakes; their texts stand in the parsers |

#![forbid(unsafe_code)]

mod arguments;
mod assignments;
mod collective;
mod derive;
mod diagnostics;
mod expressions;
mod function;
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

/// What all PEs of a team do together.
///
/// ```text
/// call      = action [ ";" "on" team ]
/// action    = place "=" word place [ "from" root ]
///           | word value [ "from" root ]
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

/// Makes a static symmetric: every PE has its own copy, which all PEs can reach.
///
/// ```text
/// #[symmetric]
/// static GRID: [[f64; 64]; 32] = [[0.0; 64]; 32];
/// ```
///
/// The type is an element, an array, or nested arrays of up to 4 axes. `PerPe<T>` around it gives
/// one slot for each PE. Elements are integers, floats, arrays of them, structs with
/// `#[derive(Symmetric)]`, and `Atomic<T>` cells. The value is a constant expression, and the same
/// on every PE.
///
/// The name then stands for a handle, not for the data: read and write with `remote!` and `local!`.
///
/// | argument | means |
/// |---|---|
/// | `crate = path` | where the crate is found, if not as `::shmem` |
#[proc_macro_attribute]
pub fn symmetric(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(symmetric::expand(arguments.into(), item.into()))
}

/// Makes `main` an SPMD program: it runs on every PE.
///
/// ```text
/// #[shmem::main(npes = 4)]
/// fn main(world: &World) -> Result<(), shmem::Error> { ... }
/// ```
///
/// Without a launcher, the program starts copies of itself, one for each PE, and supervises them:
/// the first PE that panics, returns an error or ends early ends the whole job, with one report.
/// The parameter may be left out. The function returns what any `main` may return.
///
/// | argument | means | without it |
/// |---|---|---|
/// | `npes = 4` | how many PEs, from 1 to 4096; `SHMEM_NPES` overrides it | one for each core, at least 2 |
/// | `heap = "64M"` | the symmetric heap of each PE; `SHMEM_SYMMETRIC_SIZE` overrides it | large, taken as it is used |
/// | `crate = path` | where the crate is found | `::shmem` |
///
/// Inside the function, `remote!(place) = value` and `local!(place) = value` are assignments, and
/// `+=`, `-=`, `&=`, `|=` and `^=` work too.
#[doc(alias = "shmem_init")]
#[doc(alias = "shmem_finalize")]
#[doc(alias = "start_pes")]
#[proc_macro_attribute]
pub fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(function::start(Attribute::Main, arguments.into(), item.into()))
}

/// Makes a function a test that runs on several PEs, under plain `cargo test`.
///
/// ```text
/// #[shmem::test(npes = [1, 2, 4])]
/// fn sums(world: &World) { ... }
/// ```
///
/// The test fails when any PE panics or returns an error, with that PE's message. `#[should_panic]`
/// and `#[ignore]` work as usual.
///
/// | argument | means | without it |
/// |---|---|---|
/// | `npes = 4`, `npes = [1, 2, 4]` | how many PEs; with a list, one job after the other | 2 |
/// | `heap = "64M"` | the symmetric heap of each PE | large, taken as it is used |
/// | `crate = path` | where the crate is found | `::shmem` |
///
/// Inside the function, `remote!(place) = value` and `local!(place) = value` are assignments, and
/// `+=`, `-=`, `&=`, `|=` and `^=` work too.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(function::start(Attribute::Test, arguments.into(), item.into()))
}

/// Lets a function or method assign to `remote!(place)` and `local!(place)`.
///
/// ```text
/// #[shmem::kernel]
/// fn send(pe: usize, value: f64) {
///     remote!(HALO[pe, 0]) = value;
/// }
/// ```
///
/// Rust has no assignment to the result of a macro, so the attribute moves the operator inside the
/// parentheses: `remote!(HALO[pe, 0] = value)`, which works without the attribute. It reaches
/// closures, but neither other functions inside this one nor the arguments of other macros. It
/// takes no arguments.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    items(function::kernel(arguments.into(), item.into()))
}

/// Makes a struct an element of symmetric objects.
///
/// ```text
/// #[derive(Clone, Copy, Symmetric)]
/// #[repr(C)]
/// struct Body { pos: [f64; 3], mass: f64 }
/// ```
///
/// The struct is `Copy`, is `#[repr(C)]` or `#[repr(transparent)]`, has no generic parameters and
/// no padding, and every field is `Symmetric`. The compiler checks all of it, and says how many
/// bytes of padding there are and where.
///
/// `#[symmetric(crate = path)]` on the struct says where the crate is found, if not as `::shmem`.
#[proc_macro_derive(Symmetric, attributes(symmetric))]
pub fn derive_symmetric(input: TokenStream) -> TokenStream {
    derive::derive(input.into()).into()
}
