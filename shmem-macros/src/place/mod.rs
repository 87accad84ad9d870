//! `remote!` and `local!`: one place, and what is done with it.
//!
//! ```text
//! call      = [ context ";" ] [ "&" ] place [ OP expression | "=>" expression ]        (no context in `local!`)
//! place     = base [ "[" PE { "," selector } "]" ] { "." field }        (no PE in `local!`)
//! base      = path { "." field } | "(" expression ")"
//! OP        = "=" | "+=" | "-=" | "&=" | "|=" | "^="
//! ```
//!
//! [`parse`] turns tokens into the types of this file, [`check`] finds what is well written but has no
//! meaning, [`expand`](mod@expand) writes the call into `shmem::__private`. Selectors are in [`select`].

mod check;
mod expand;
mod parse;
pub(crate) mod select;

#[cfg(test)]
mod tests;

use proc_macro2::{Ident, Span, TokenStream};
use syn::parse::ParseStream;
use syn::{Expr, Member, Path, Token};

use self::select::Selector;
use crate::diagnostics::{Problems, Region};
use crate::private::Private;

/// The function that reads. rustc shows the name where an assignment stands after the parenthesis of a macro and no attribute
/// has moved it inside.
pub(crate) const READ: &str = "to_assign_mark_the_function_with_shmem_kernel_or_write_the_operator_inside";

/// Which macro was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Remote,
    Local,
    /// Its places are those of `local!`.
    Collective,
}

impl Kind {
    /// The macro's name as it is written.
    fn name(self) -> &'static str {
        match self {
            Kind::Remote => "remote!",
            Kind::Local => "local!",
            Kind::Collective => "collective!",
        }
    }
}

/// A whole call, such as `GRID[pe, 0..8].x = 1.0`.
struct Call {
    private: Private,
    kind: Kind,
    reference: Option<Token![&]>,
    place: Place,
    action: Action,
}

/// The object and the part of it that is meant, such as `GRID[pe, 0..8].x`.
struct Place {
    /// The context whose team numbers the PEs. Only in `remote!`.
    context: Option<Expr>,
    base: Base,
    /// Only in `remote!`.
    pe: Option<Expr>,
    selectors: Vec<Selector>,
    /// Where the brackets are; where the object is, if it has none.
    brackets: Span,
    fields: Vec<Member>,
    region: Region,
}

/// The symmetric object.
enum Base {
    /// The path of a static (or of a constant reference to one): its selectors are checked at compile time.
    Static(Path),
    /// Any other expression that is an object.
    Expression(Expr),
}

/// What is done with the place.
enum Action {
    /// Nothing is written behind it: the value is read.
    Read,
    /// `= value`
    Write(Operator, Expr),
    /// `+= value` and its like; the name of the function in `__private`.
    Update(&'static str, Operator, Expr),
    /// `=> buffer`
    ReadInto(Operator, Expr),
}

/// An operator as it was written, for messages.
struct Operator {
    text: &'static str,
    region: Region,
}

/// The whole way of a call of `remote!` or `local!`: `shmem ; tokens of the user`.
pub(crate) fn expand(kind: Kind, input: TokenStream) -> Result<TokenStream, Problems> {
    let mut problems = Problems::default();
    let call = parse::call(kind, input, &mut problems);
    if let Some(call) = &call {
        check::call(call, &mut problems);
    }
    match call {
        Some(call) if problems.is_empty() => Ok(expand::call(&call)),
        _ => Err(problems),
    }
}

/// A place of `local!` at the head of the input, for the macros that have such a place inside: what it refers to.
///
/// `None` after a mistake, which is reported.
pub(crate) fn local(input: ParseStream<'_>, problems: &mut Problems) -> Option<LocalPlace> {
    parse::place(Kind::Local, input, problems).map(LocalPlace)
}

/// A place of `local!`, inside of another macro.
pub(crate) struct LocalPlace(Place);

impl LocalPlace {
    /// What the place underlines in a message.
    pub(crate) fn region(&self) -> Region {
        self.0.region
    }

    /// The expression `local!(&place)`.
    pub(crate) fn reference(&self, private: &Private) -> TokenStream {
        expand::reference(&self.0, Kind::Local, private)
    }
}

/// Whether a name is written like a constant's: `N`, `LEFT_HALO`, `B2`.
fn is_screaming(name: &Ident) -> bool {
    let name = name.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    name.chars().any(|c| c.is_alphabetic()) && !name.chars().any(char::is_lowercase)
}

/// As [`local`], with messages that speak of `collective!`.
pub(crate) fn of_collective(input: ParseStream<'_>, problems: &mut Problems) -> Option<LocalPlace> {
    parse::place(Kind::Collective, input, problems).map(LocalPlace)
}

/// A span for what has no token of its own.
fn nowhere() -> Span {
    Span::call_site()
}
