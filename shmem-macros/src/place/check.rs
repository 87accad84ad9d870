//! What is well written, but has no meaning.

use super::{Action, Call, select};
use crate::diagnostics::{Mistake, Problems, Region};

/// The most axes that an object can have.
pub(super) const MAX_RANK: usize = 4;

/// Checks a whole call.
pub(super) fn call(call: &Call, problems: &mut Problems) {
    if let Some(pe) = &call.place.pe
        && select::is_negative(pe)
    {
        problems.add(Region::of(pe), Mistake::NegativePe);
    }
    for selector in &call.place.selectors {
        select::check(selector, problems);
    }
    if let Some(fifth) = call.place.selectors.get(MAX_RANK) {
        problems.add(fifth.region, Mistake::TooManySelectors);
    }
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
