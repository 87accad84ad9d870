//! The operations of reductions, as values and as types, and the collectives that move elements.
//! This file imports nothing, so that every layer can name an operation.

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

/// A collective that moves elements and computes nothing, among those that a library may have a
/// routine for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BlockMove {
    /// From the heap of each member to that member's block, in the heaps of all.
    #[cfg(feature = "openshmem")]
    Fcollect,
    /// From the block of member `m`, on each member, to that member's block, in the heap of `m`.
    Alltoall,
}

impl BlockMove {
    /// How many blocks of equal length the destination and the source have, among `n` members.
    #[cfg(feature = "openshmem")]
    pub(crate) fn blocks(self, n: usize) -> (usize, usize) {
        match self {
            BlockMove::Fcollect => (n, 1),
            BlockMove::Alltoall => (n, n),
        }
    }
}
