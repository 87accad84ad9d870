//! The operations of reductions, as values and as types. This file imports nothing, so that every
//! layer can name an operation.

macro_rules! operations {
    ($($operation:ident $name:ident;)*) => {
        /// An operation of a reduction, as a value.
        ///
        /// ```
        /// use shmem::reduction::{Max, Operation, ReducedBy};
        ///
        /// let operation = <f64 as ReducedBy<Max>>::OPERATION;
        /// assert_eq!((operation, operation.name()), (Operation::Max, "max"));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Operation {
            $(
                #[doc = concat!("`", stringify!($name), "`")]
                $operation,
            )*
        }

        impl Operation {
            /// Returns the word that [`collective!`](crate::collective!) has for the operation.
            ///
            /// ```
            /// use shmem::reduction::Operation;
            ///
            /// assert_eq!(Operation::Xor.name(), "xor");
            /// ```
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Operation::$operation => stringify!($name),)*
                }
            }
        }

        $(
            #[doc = concat!("The operation `", stringify!($name), "` of a reduction.")]
            #[derive(Clone, Copy, Debug)]
            pub struct $operation;
        )*
    };
}

operations! {
    Sum sum;
    Prod prod;
    Min min;
    Max max;
    And and;
    Or or;
    Xor xor;
}
