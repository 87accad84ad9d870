//! `collective!`: what all PEs of a team do together.
//!
//! ```text
//! call      = [ stream ";" ] action [ ";" "on" team ]
//! action    = place "=" words place [ ( "from" | "to" ) root | "to" "ready" | "with" join ]
//!           | words value [ ( "from" | "to" ) root | "with" join ]
//!           | word
//! words     = word | ( "pairwise" | "reduce_scatter" ) word
//! ```
//!
//! A place is one of `local!`. The [`table`] has the words and what each takes. [`parse`] turns
//! tokens into the types of this file and reports mistakes, [`expand`](mod@expand) writes the call
//! of a method of `Team`.

mod expand;
mod parse;
pub(crate) mod table;

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use syn::Expr;

use self::table::Collective;
use crate::diagnostics::{Problems, Region};
use crate::place::LocalPlace;
use crate::reading::split;

/// A whole call, such as `DST[..] = broadcast SRC[..] from 0; on team`.
struct Call {
    /// The stream of a GPU on which it is issued.
    stream: Option<Expr>,
    action: Action,
    /// Without it, the world.
    team: Option<Expr>,
    region: Region,
}

/// What stands before the semicolon.
struct Action {
    collective: &'static Collective,
    /// The type in `shmem::reduction` that the method takes first.
    operation: Option<&'static str>,
    /// Where the word is.
    at: Region,
    data: Data,
    /// The PE, or the function.
    root: Option<Expr>,
    /// Where the program says that all destinations are ready.
    ready: Option<Region>,
}

/// What a collective takes.
enum Data {
    /// It moves nothing.
    None,
    Value(Box<Expr>),
    /// The destination and the source.
    Places(Box<(LocalPlace, LocalPlace)>),
}

/// A whole call: `shmem ; tokens of the user`.
pub(crate) fn expand(input: TokenStream) -> Result<TokenStream, Problems> {
    let mut problems = Problems::default();
    let (private, user) = split(input);
    match parse::call(user, &mut problems) {
        Some(call) if problems.is_empty() => Ok(expand::call(&call, &private)),
        _ => Err(problems),
    }
}
