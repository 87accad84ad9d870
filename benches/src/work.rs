//! The measured works: small operations that have the same name in every program.
//!
//! `peers/README.md` describes each of them, and the protocol.

use std::fmt;

/// The operation, which is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// One word, by value, to an index of a static that is known at run time.
    P,
    /// The same, to an index that the compiler knows.
    PConstant,
    /// The same, to an array whose extent is known at run time.
    PArray,
    /// The same as `P`, eight in each turn of the loop.
    PByEight,
    /// The same as `P`, each completed.
    PQuiet,
    /// One word, got by value.
    G,
    /// The same, from an index that the compiler knows.
    GConstant,
    /// Puts from private memory, one after the other, and the final quiet; strided at the target.
    Put,
    /// A get into private memory, strided at the target.
    Get,
    /// A strided put whose length and stride the compiler knows.
    PutConstant,
    /// A strided get whose length and stride the compiler knows.
    GetConstant,
    /// Non-blocking puts, and the final quiet.
    PutNbi,
    /// An atomic update of a word that returns the old value.
    FetchAdd,
    /// An atomic update of a word.
    Add,
    /// A compare-exchange of a word that succeeds.
    CompareSwap,
    /// A put with a signal to another PE and the same back.
    PingPong,
    /// An atomic update of a word of the PE that is as far away as the stride says, which waits for
    /// it, and the same back.
    Signal,
    /// A barrier of all PEs.
    Barrier,
    /// The same, without completion of puts.
    Sync,
    /// The same, of a team that is not that of the world.
    TeamSync,
    /// An all-reduce: the sum of arrays of doubles.
    Reduce,
    /// An all-reduce: the sum of one double, by value.
    ReduceValue,
    /// From the first PE to all.
    Broadcast,
    /// From each PE to all.
    Fcollect,
    /// From each PE to each.
    Alltoall,
    /// The same, where the program says that all destinations are ready.
    AlltoallToReady,
    /// From each PE to all, of which no other PE knows how much it gives.
    Collect,
    /// Gets the words of four indices that the compiler knows.
    GatherConstant,
    /// Gets the words of a list of indices.
    Gather,
    /// Puts to the words of a list of indices.
    Scatter,
    /// Gets the words of all combinations of two lists, of rows and of columns.
    Outer,
    /// Gets words from the last one downwards.
    Reversed,
    /// Puts a column of an array of rank 2.
    Column,
    /// Puts a block of an array of rank 2.
    Block,
    /// One word, by value, to an index of a static global array in blocks.
    GlobalP,
    /// The same, dealt in turn.
    GlobalPCyclic,
    /// The same, to an allocated array in blocks.
    GlobalPArray,
    /// The same, to an allocated array that is dealt in turn.
    GlobalPArrayCyclic,
    /// One word, got by value from a static global array in blocks.
    GlobalG,
    /// The same, from an allocated array in blocks.
    GlobalGArray,
    /// An atomic update, that returns the old value, of a static global array in blocks.
    GlobalFetchAdd,
    /// Puts to a range of a static global array in blocks, half of which is on each of two PEs.
    GlobalPut,
    /// The same, dealt in turn.
    GlobalPutCyclic,
    /// The same, to an allocated array in blocks.
    GlobalPutArray,
    /// The same, to an allocated array that is dealt in turn.
    GlobalPutArrayCyclic,
    /// Gets a range of an allocated global array in blocks.
    GlobalGetArray,
    /// Gets a list of indices of an allocated global array that is dealt in turn.
    GlobalGather,
    /// Atomic updates of random cells of a table on all PEs, by each PE, and a barrier.
    Updates,
    /// The same in a batch.
    UpdatesBatch,
    /// Reads of random cells of a table on all PEs, by each PE, and a barrier.
    Lookups,
    /// The same in a batch.
    LookupsBatch,
    /// Each PE synchronises with both neighbours in a ring.
    SyncWith,
    /// The same, with completion of puts.
    BarrierWith,
    /// Each PE gets the borders of its neighbours' blocks of an array of rank 2.
    Halo,
}

/// The names of the operations in the protocol.
const NAMES: [(Operation, &str); 54] = [
    (Operation::P, "p"),
    (Operation::PConstant, "p_constant"),
    (Operation::PArray, "p_array"),
    (Operation::PByEight, "p_by_eight"),
    (Operation::PQuiet, "p_quiet"),
    (Operation::G, "g"),
    (Operation::GConstant, "g_constant"),
    (Operation::Put, "put"),
    (Operation::Get, "get"),
    (Operation::PutConstant, "put_constant"),
    (Operation::GetConstant, "get_constant"),
    (Operation::PutNbi, "put_nbi"),
    (Operation::FetchAdd, "fetch_add"),
    (Operation::Add, "add"),
    (Operation::CompareSwap, "compare_swap"),
    (Operation::PingPong, "ping_pong"),
    (Operation::Signal, "signal"),
    (Operation::Barrier, "barrier"),
    (Operation::Sync, "sync"),
    (Operation::TeamSync, "team_sync"),
    (Operation::Reduce, "reduce"),
    (Operation::ReduceValue, "reduce_value"),
    (Operation::Broadcast, "broadcast"),
    (Operation::Fcollect, "fcollect"),
    (Operation::Alltoall, "alltoall"),
    (Operation::AlltoallToReady, "alltoall_to_ready"),
    (Operation::Collect, "collect"),
    (Operation::GatherConstant, "gather_constant"),
    (Operation::Gather, "gather"),
    (Operation::Scatter, "scatter"),
    (Operation::Outer, "outer"),
    (Operation::Reversed, "reversed"),
    (Operation::Column, "column"),
    (Operation::Block, "block"),
    (Operation::GlobalP, "global_p"),
    (Operation::GlobalPCyclic, "global_p_cyclic"),
    (Operation::GlobalPArray, "global_p_array"),
    (Operation::GlobalPArrayCyclic, "global_p_array_cyclic"),
    (Operation::GlobalG, "global_g"),
    (Operation::GlobalGArray, "global_g_array"),
    (Operation::GlobalFetchAdd, "global_fetch_add"),
    (Operation::GlobalPut, "global_put"),
    (Operation::GlobalPutCyclic, "global_put_cyclic"),
    (Operation::GlobalPutArray, "global_put_array"),
    (Operation::GlobalPutArrayCyclic, "global_put_array_cyclic"),
    (Operation::GlobalGetArray, "global_get_array"),
    (Operation::GlobalGather, "global_gather"),
    (Operation::Updates, "updates"),
    (Operation::UpdatesBatch, "updates_batch"),
    (Operation::Lookups, "lookups"),
    (Operation::LookupsBatch, "lookups_batch"),
    (Operation::SyncWith, "sync_with"),
    (Operation::BarrierWith, "barrier_with"),
    (Operation::Halo, "halo"),
];

impl Operation {
    /// Whether only PE 0 does it.
    #[must_use]
    pub fn is_one_sided(self) -> bool {
        use Operation::{
            Alltoall, AlltoallToReady, Barrier, Broadcast, Collect, Fcollect, PingPong, Reduce, ReduceValue,
            Signal, Sync, TeamSync,
        };
        let meets = matches!(self, PingPong | Signal | Barrier | Sync | TeamSync);
        let moves = matches!(
            self,
            Reduce | ReduceValue | Broadcast | Fcollect | Alltoall | AlltoallToReady | Collect
        );
        !meets && !moves && !self.is_of_many() && !self.is_with_neighbours()
    }

    /// Whether it is many small operations of all PEs.
    #[must_use]
    pub fn is_of_many(self) -> bool {
        use Operation::{Lookups, LookupsBatch, Updates, UpdatesBatch};
        matches!(self, Updates | UpdatesBatch | Lookups | LookupsBatch)
    }

    /// Whether each PE does it with its neighbours.
    #[must_use]
    pub fn is_with_neighbours(self) -> bool {
        matches!(self, Operation::SyncWith | Operation::BarrierWith | Operation::Halo)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name) =
            NAMES.iter().find(|(operation, _)| operation == self).expect("every operation has a name");
        f.write_str(name)
    }
}

/// The way in which this project's own program does a work. Other programs have one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Way {
    /// By the language.
    #[default]
    Language,
    /// By a call of the transport.
    Raw,
    /// By plain memory operations on the same mappings.
    Limit,
}

impl Way {
    fn prefix(self) -> &'static str {
        match self {
            Way::Language => "",
            Way::Raw => "raw:",
            Way::Limit => "limit:",
        }
    }
}

/// An operation and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Work {
    /// What is done.
    pub operation: Operation,
    /// The bytes of one message.
    pub bytes: usize,
    /// The distance of two elements on the symmetric side, in elements.
    pub stride: usize,
}

impl Work {
    /// A contiguous work.
    #[must_use]
    pub const fn new(operation: Operation, bytes: usize) -> Work {
        Work { operation, bytes, stride: 1 }
    }

    /// The same, strided.
    #[must_use]
    pub const fn stride(self, stride: usize) -> Work {
        Work { stride, ..self }
    }
}

/// A line of the protocol: the work, the way, and the number of repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// What to do.
    pub work: Work,
    /// How.
    pub way: Way,
    /// How often.
    pub repeats: usize,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Order { work: Work { operation, bytes, stride }, way, repeats } = self;
        write!(f, "{}{operation} {bytes} {stride} {repeats}", way.prefix())
    }
}

impl Order {
    /// Reads a line; `None` for an unknown work.
    ///
    /// # Errors
    ///
    /// When it is not a line of the protocol.
    pub fn parse(line: &str) -> Result<Option<Order>, String> {
        let wrong = || format!("not an order: {line:?}");
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, bytes, stride, repeats] = words[..] else { return Err(wrong()) };
        let [bytes, stride, repeats] =
            [bytes, stride, repeats].map(|number| number.parse().map_err(|_| wrong()));
        let (bytes, stride, repeats) = (bytes?, stride?, repeats?);
        let way = [Way::Raw, Way::Limit].into_iter().find(|way| name.starts_with(way.prefix()));
        let way = way.unwrap_or_default();
        let name = &name[way.prefix().len()..];
        let known = NAMES.iter().find(|(_, known)| *known == name);
        Ok(known.map(|&(operation, _)| Order { work: Work { operation, bytes, stride }, way, repeats }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_are_written() {
        for (operation, _) in NAMES {
            for way in [Way::Language, Way::Raw, Way::Limit] {
                let order = Order { work: Work::new(operation, 8).stride(2), way, repeats: 3 };
                assert_eq!(Order::parse(&order.to_string()), Ok(Some(order)));
            }
        }
        let line = "limit:put 4096 1 100";
        assert_eq!(Order::parse(line).unwrap().unwrap().to_string(), line);
        for unknown in ["throw 1 2 3", "fast:put 1 2 3"] {
            assert_eq!(Order::parse(unknown), Ok(None));
        }
        for wrong in ["", "put", "put 1 2", "put 1 2 3 4", "put a 2 3", "throw 1 2 c"] {
            assert!(Order::parse(wrong).is_err(), "{wrong}");
        }
    }
}
