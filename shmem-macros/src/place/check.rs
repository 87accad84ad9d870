//! What is well written, but has no meaning.

use syn::Expr;

use super::select::{self, Selector};
use super::{Action, Call};
use crate::diagnostics::{Mistake, Problems, Region};

/// The most axes that an object can have.
pub(super) const MAX_RANK: usize = 4;

/// Checks what was understood of the brackets; called also when the rest of the call makes no sense, so that all
/// mistakes are reported at once.
pub(super) fn selection(pe: Option<&Expr>, selectors: &[Option<Selector>], problems: &mut Problems) {
    if let Some(pe) = pe
        && select::is_negative(pe)
    {
        problems.add(Region::of(pe), Mistake::NegativePe);
    }
    for selector in selectors.iter().flatten() {
        select::check(selector, problems);
    }
    if let Some(Some(fifth)) = selectors.get(MAX_RANK) {
        problems.add(fifth.region, Mistake::TooManySelectors);
    }
}

/// Checks what a whole call asks for.
pub(super) fn call(call: &Call, problems: &mut Problems) {
    let operator = match &call.action {
        Action::Read => return,
        Action::Write(operator, _) | Action::Update(_, operator, _) | Action::ReadInto(operator, _) => {
            operator
        }
    };
    if let Some(and) = call.reference {
        problems.add(and.span, Mistake::ReferenceWithOperator { operator: operator.text.to_owned() });
    }
}
