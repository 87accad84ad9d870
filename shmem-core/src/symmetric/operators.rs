//! Operators on a static as if it were its data: none exists, and the compiler says what to write
//! instead (see `remedies`).

use std::ops::{
    Add, AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, Div, Index, IndexMut, Mul, Sub, SubAssign,
};

use super::Static;
use crate::remedies::{Direct, Operand, never};

#[doc(hidden)]
impl<T: Direct, X> Index<X> for Static<T> {
    type Output = T::Data;
    fn index(&self, _: X) -> &T::Data {
        never()
    }
}

#[doc(hidden)]
impl<T: Direct, X> IndexMut<X> for Static<T> {
    fn index_mut(&mut self, _: X) -> &mut T::Data {
        never()
    }
}

// Not `IntoIterator`: the compiler would say that, and not what is missing.
#[doc(hidden)]
impl<T: Direct> Iterator for Static<T> {
    type Item = T::Data;
    fn next(&mut self) -> Option<T::Data> {
        never()
    }
}

#[doc(hidden)]
impl<T: Direct> std::fmt::Display for Static<T> {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        never()
    }
}

#[doc(hidden)]
impl<T, X: Operand<T>> PartialEq<X> for Static<T> {
    fn eq(&self, _: &X) -> bool {
        never()
    }
}

#[doc(hidden)]
impl<T, X: Operand<T>> PartialOrd<X> for Static<T> {
    fn partial_cmp(&self, _: &X) -> Option<std::cmp::Ordering> {
        never()
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident;)*) => {$(
        #[doc(hidden)]
        impl<T, X: Operand<T>> $operator<X> for Static<T> {
            type Output = X::Data;
            fn $method(self, _: X) -> X::Data {
                never()
            }
        }
    )*};
    (assign $($operator:ident $method:ident;)*) => {$(
        #[doc(hidden)]
        impl<T, X: Operand<T>> $operator<X> for Static<T> {
            fn $method(&mut self, _: X) {
                never()
            }
        }
    )*};
}

operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

operators! {
    assign
    AddAssign add_assign;
    SubAssign sub_assign;
    BitAndAssign bitand_assign;
    BitOrAssign bitor_assign;
    BitXorAssign bitxor_assign;
}
