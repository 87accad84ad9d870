//! How a wait that lasts is described, for the table of what each PE does.

use std::cell::Cell;

use super::{Comparison, Waitable, Watch};
use crate::remote::Remote;
use crate::runtime::backoff::Awaited;
use crate::select::OnOnePe;
use crate::symmetric::{AtomicInteger, Item};
use crate::system::place;
use crate::system::told::AskedCells;
use crate::transport::node::waits::Seen;

/// A wait for one cell.
pub(super) struct AwaitedCell<'a, I: Item, F> {
    pub(super) cell: Remote<'a, I, F>,
    pub(super) comparison: Comparison,
    pub(super) value: I::Value,
}

impl<I: Waitable, F: OnOnePe> Awaited for AwaitedCell<'_, I, F> {
    fn text(&self) -> String {
        let name = name::<I>(self.cells(), || self.cell.label());
        format!("{name} {} {}", self.comparison.operator(), number(self.value))
    }

    fn seen(&self) -> Option<Seen> {
        Some(Seen { value: number(self.cell.look(0)), position: None })
    }

    fn cells(&self) -> Option<AskedCells> {
        self.cell.as_cells()
    }
}

/// A wait for several cells.
pub(super) struct AwaitedCells<'a, 'v, I: Item> {
    pub(super) watch: &'a Watch<'v, I>,
    /// `all`, `any` or `some`.
    pub(super) which: &'static str,
    /// The first cell for which the comparison has not held, in a wait for all.
    pub(super) next: Option<&'a Cell<usize>>,
}

impl<I: Waitable> Awaited for AwaitedCells<'_, '_, I> {
    fn text(&self) -> String {
        let AwaitedCells { watch, which, .. } = self;
        let values = match watch.every {
            true => watch.values.first().map(|value| number(*value).to_string()),
            false => None,
        };
        let values = values.unwrap_or_else(|| "the values of a list".to_owned());
        let name = name::<I>(self.cells(), || watch.cells.label());
        format!("{which} {name} {} {values}", watch.comparison.operator())
    }

    fn seen(&self) -> Option<Seen> {
        let next = self.next?.get();
        let is_there = next < self.watch.cells.len();
        is_there.then(|| Seen { value: number(self.watch.cells.look(next)), position: Some(next) })
    }

    fn cells(&self) -> Option<AskedCells> {
        self.watch.cells.as_cells()
    }
}

/// The name of the `cells` of this PE, for a text that is stored: that of another face's program where
/// they are its variable, and else the `label`.
fn name<I: Item>(cells: Option<AskedCells>, label: impl FnOnce() -> String) -> String {
    let elem = size_of::<I::Value>();
    let noted = cells.and_then(|cells| place::noted_object(cells.offset, elem, cells.len / elem));
    noted.unwrap_or_else(label)
}

impl Comparison {
    /// The operator in the program.
    fn operator(self) -> &'static str {
        match self {
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
        }
    }
}

/// The number that an integer is.
fn number<T: AtomicInteger + PartialOrd>(value: T) -> i128 {
    let bits = value.to_bits();
    let is_signed = T::from_bits(u64::MAX) < T::from_bits(0);
    if is_signed {
        // What is above the number's own bytes becomes its sign.
        let rest = 64 - 8 * size_of::<T>() as u32;
        i128::from((bits << rest).cast_signed() >> rest)
    } else {
        i128::from(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_their_sign() {
        assert_eq!((number(-3_i32), number(-3_i64), number(-3_isize)), (-3, -3, -3));
        assert_eq!((number(-3_i8), number(-3_i16), number(i8::MAX)), (-3, -3, 127));
        assert_eq!((number(u8::MAX), number(u16::MAX)), (255, 65535));
        assert_eq!((number(u32::MAX), number(u64::MAX)), (u32::MAX.into(), u64::MAX.into()));
    }
}
