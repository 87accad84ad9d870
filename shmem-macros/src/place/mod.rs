//! `remote!` and `local!`: one place, and what is done with it.
//!
//! ```text
//! call      = [ context ";" ] [ "&" ] place [ OP expression | "=>" expression ]
//!           | context ";" place "=" "&" local
//! place     = base [ "[" PE { "," selector } "]" ] { "." field }
//!           | base "[" "@" selector { "," selector } "]" { "." field }
//! base      = path { "." field } | "(" expression ")"
//! OP        = "=" | "+=" | "-=" | "&=" | "|=" | "^="
//! ```
//!
//! `local!` has no context and no PE, and `local` is a place of `local!` with selectors and without
//! fields: elements of a device array on a stream, or of a slice. [`parse`] turns tokens into the types of this file and
//! reports mistakes, [`expand`](mod@expand) writes the call into `shmem::__private`. [`select`]
//! does both for selectors.

mod expand;
mod parse;
mod select;

#[cfg(test)]
mod tests;

use proc_macro2::{Span, TokenStream};
use syn::parse::ParseStream;
use syn::{Expr, Member, Path};

pub(crate) use self::expand::context;
use self::select::Selector;
use crate::diagnostics::{Problems, Region};
use crate::private::Private;
use crate::reading::split;

/// The function that reads. rustc shows its name for an assignment after the parenthesis of a macro
/// that no attribute has moved inside.
pub(crate) const READ: &str = "to_assign_mark_the_function_with_shmem_kernel_or_write_the_operator_inside";

/// Which macro was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaceMacro {
    Remote,
    Local,
    /// Takes places like `local!`.
    Collective,
}

impl PlaceMacro {
    /// The macro's name as it is written.
    fn name(self) -> &'static str {
        match self {
            PlaceMacro::Remote => "remote!",
            PlaceMacro::Local => "local!",
            PlaceMacro::Collective => "collective!",
        }
    }
}

/// A whole call, such as `GRID[pe, 0..8].x = 1.0`.
struct PlaceCall {
    kind: PlaceMacro,
    /// Whether `&` is written before the place: nothing moves.
    is_reference: bool,
    place: Place,
    access: Access,
}

/// The object and the part of it that is meant, such as `GRID[pe, 0..8].x`.
struct Place {
    /// The context whose team numbers the PEs. Only in `remote!`.
    context: Option<Expr>,
    base: Base,
    /// Only in `remote!`.
    pe: Option<Pe>,
    selectors: Vec<Selector>,
    /// Where the brackets are, or the object when it has none.
    brackets: Span,
    fields: Vec<Member>,
    region: Region,
}

/// What stands where the PE does.
enum Pe {
    /// The number of a PE.
    Number(Box<Expr>),
    /// `@`: the selectors are those of the whole of a global array, which knows the PEs.
    Whole,
}

/// The symmetric object.
enum Base {
    /// The path of a static, or of a constant reference to one. rustc checks its selectors.
    Static(Path),
    /// Any other expression that is an object.
    Expression(Expr),
}

/// What is done with the place.
enum Access {
    /// Nothing follows the place: the value is read.
    Read,
    /// `= value`
    Write(Expr),
    /// `= &E[..]`, on a context: only the type of `E` tells what it is.
    WriteFrom(Box<Place>),
    /// `+= value`, and so on; the name of the function in `__private`.
    Update(&'static str, Expr),
    /// `=> buffer`
    ReadInto(Expr),
}

/// A whole call of `remote!` or `local!`: `shmem ; tokens of the user`.
pub(crate) fn expand(kind: PlaceMacro, input: TokenStream) -> Result<TokenStream, Problems> {
    let mut problems = Problems::default();
    let (private, user) = split(input);
    match parse::call(kind, user, &mut problems) {
        Some(call) if problems.is_empty() => Ok(expand::call(&call, &private)),
        _ => Err(problems),
    }
}

/// A place of `local!` at the head of the input of another macro. `None` after a mistake.
pub(crate) fn local(input: ParseStream<'_>, problems: &mut Problems) -> Option<LocalPlace> {
    parse::place(PlaceMacro::Local, input, problems).map(LocalPlace)
}

/// As [`local`], with messages about `collective!`.
pub(crate) fn of_collective(input: ParseStream<'_>, problems: &mut Problems) -> Option<LocalPlace> {
    parse::place(PlaceMacro::Collective, input, problems).map(LocalPlace)
}

/// A place of `local!` inside another macro.
pub(crate) struct LocalPlace(Place);

impl LocalPlace {
    /// What a message about the place underlines.
    pub(crate) fn region(&self) -> Region {
        self.0.region
    }

    /// The expression `local!(&place)`.
    pub(crate) fn reference(&self, private: &Private) -> TokenStream {
        expand::reference(&self.0, PlaceMacro::Local, private)
    }

    /// The same on a stream.
    pub(crate) fn reference_on(&self, stream: &Expr, private: &Private) -> TokenStream {
        expand::reference_on(&self.0, stream, private)
    }
}
