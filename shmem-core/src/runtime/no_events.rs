//! [`events`](super::events) without the feature `tracing`: nobody is told anything.

use std::panic::Location;

use super::agreement::Call;
use super::observe::{ObservedSpan, OperationKind};
use crate::transport::Members;

pub(super) fn watch() {}

#[inline(always)]
pub(super) fn wants_operations() -> bool {
    false
}

#[inline(always)]
pub(super) fn wants_order() -> bool {
    false
}

#[inline(always)]
pub(super) fn is_telling() -> bool {
    false
}

#[inline(always)]
pub(super) fn operation(
    _: OperationKind,
    _: usize,
    _: usize,
    _: &str,
    _: Option<&'static Location<'static>>,
) {
}

#[inline(always)]
pub(super) fn order(_: &'static str) {}

#[inline(always)]
pub(super) fn collective(_: &Call, _: &Members) -> ObservedSpan {
    ObservedSpan::none()
}

#[inline(always)]
pub(crate) fn wait(
    _: impl Fn() -> String,
    _: Option<usize>,
    _: Option<&'static Location<'static>>,
) -> ObservedSpan {
    ObservedSpan::none()
}

#[inline(always)]
pub(crate) fn phase(_: &'static str, _: &'static Location<'static>) -> ObservedSpan {
    ObservedSpan::none()
}

#[inline(always)]
pub(super) fn heap(_: &str, _: &str, _: Option<usize>, _: &'static Location<'static>) -> ObservedSpan {
    ObservedSpan::none()
}
