//! `collective!`: what all PEs of a team do together.
//!
//! ```text
//! call      = action [ ";" "on" team ]
//! action    = place "=" word place [ "from" root ]
//!           | word value [ "from" root ]
//!           | "barrier" | "sync"
//! ```
//!
//! A place is one of `local!`, a word one of [`words`], and `from root` belongs to `broadcast`. [`parse`] turns tokens into the types
//! of this file and reports what has no meaning, [`expand`](mod@expand) writes the call of a method of `Team`.

mod expand;
mod parse;
mod words;

#[cfg(test)]
mod tests;

use proc_macro2::{TokenStream, TokenTree};
use syn::Expr;

use self::words::Word;
use crate::diagnostics::{Problems, Region};
use crate::place::LocalPlace;
use crate::private::Private;

/// A whole call, such as `DST[..] = broadcast SRC[..] from 0; on team`.
struct Call {
    action: Action,
    /// Without it, the world.
    team: Option<Expr>,
    region: Region,
}

/// What stands in front of the semicolon.
struct Action {
    word: &'static Word,
    /// Where the word is.
    at: Region,
    data: Data,
    root: Option<Expr>,
}

/// What a collective takes.
enum Data {
    /// It moves nothing.
    None,
    Value(Box<Expr>),
    /// The destination and the source.
    Places(Box<(LocalPlace, LocalPlace)>),
}

/// The whole way of a call: `shmem ; tokens of the user`.
pub(crate) fn expand(input: TokenStream) -> Result<TokenStream, Problems> {
    let mut problems = Problems::default();
    let mut tokens = input.into_iter();
    let private = Private::new(tokens.by_ref().take_while(|token| !is_semicolon(token)).collect());
    match parse::call(tokens.collect(), &mut problems) {
        Some(call) if problems.is_empty() => Ok(expand::call(&call, &private)),
        _ => Err(problems),
    }
}

fn is_semicolon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';')
}
