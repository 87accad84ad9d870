//! All thresholds, each with its measurement. Other files use these by name and have no thresholds
//! of their own.
//!
//! Measured with 2 PEs on 2 cores (Zen 5) unless stated otherwise; `cargo bench -p benches`
//! measures the operations again. A number is the same for all PEs of a job, so that they choose
//! alike.

/// Waiting for another PE.
pub(crate) mod wait {
    use std::time::Duration;

    /// How long a waiter spins when every PE has a core. A hand-over between running PEs takes well
    /// under a microsecond, so after this time the waiter is waiting for a PE that computes.
    pub(crate) const SPIN: Duration = Duration::from_micros(2);
    /// How long a waiter for a cell spins when PEs share cores, if it tries: about as long as it takes to
    /// give the core away, 500 ns, so that the wait takes at most twice as long as without the trial. Of 8
    /// PEs on 2 cores, two that answer each other while the others sleep take 100 to 500 ns for a round
    /// trip, and 600 to 900 without trials.
    pub(crate) const SPIN_OVERSUBSCRIBED: Duration = Duration::from_nanos(500);
    /// After a trial for nothing, so many waits pass until the next. `sync_with` with both neighbours, of 8
    /// PEs on 2 cores, takes as long as without trials at 256, and a tenth longer at 64.
    pub(crate) const TRIAL_EVERY: u32 = 256;
    /// How many looks at short distances precede the processor's own pause, which takes 16 ns on
    /// Zen 5 and more elsewhere; a hand-over between neighbouring cores takes 24.
    pub(crate) const SHORT_LOOKS: u32 = 16;
    /// How often a waiter in a meeting yields before it sleeps, when every PE has a core. A PE that it
    /// waits for may compute a little longer, and to be woken takes longer than all of these yields.
    pub(crate) const YIELDS: u32 = 64;
    /// The same, when PEs share cores. Each yield is a turn of all PEs of the core, so a PE that has not
    /// come by then computes. Who yields on delays those that do not wait: of 16 PEs on 2 cores, two that
    /// answer each other took 1 µs for a round trip, and 3 to 5 µs after 64 yields of the others, before
    /// waiters for a cell tried to spin. The barrier of 8 PEs on 2 cores takes five times as long if waiters
    /// sleep at once.
    pub(crate) const YIELDS_OVERSUBSCRIBED: u32 = 8;
    /// How long a waiter in a meeting sleeps at first before it looks for a deadlock. Each sleep is
    /// twice as long as the one before.
    pub(crate) const FIRST_SLEEP: Duration = Duration::from_millis(20);
    /// The longest sleep of a waiter in a meeting.
    pub(crate) const LONGEST_SLEEP: Duration = Duration::from_secs(1);

    /// How long a waiter for a cell yields between looks before it sleeps. No PE wakes it.
    pub(crate) const YIELDING: Duration = Duration::from_micros(200);
    /// How long a wait for a cell or a lock lasts before it is written down for others to read. In a
    /// meeting, that is the first sleep.
    pub(crate) const RECORD: Duration = FIRST_SLEEP;
    /// The longest sleep between two looks at a cell. A shorter sleep is an eighth of the wait so
    /// far.
    pub(crate) const LONGEST_NAP: Duration = Duration::from_millis(1);
    /// How long a waiter for a cell waits before it checks whether any PE is left that could end
    /// the wait.
    pub(crate) const ASK: Duration = Duration::from_millis(50);
}

/// Moves from symmetric memory to symmetric memory.
pub(crate) mod moves {
    /// The bytes of a move that go through a buffer at once: enough that the wait for the transport
    /// is short against the copies, and few enough for the second-level cache.
    pub(crate) const BUFFER: usize = 256 << 10;
}

/// Lists of indices.
pub(crate) mod lists {
    /// Up to so many words for each index of a list, indices are bits; if there are more, they are hashed.
    /// With the most words, a bit takes 2 ns in a list of 1024 indices, and 4 in one of 16,384. A hash
    /// takes 10 and 16.
    pub(crate) const WORDS_FOR_EACH: usize = 4;
    /// The words that any list may take besides, so that few indices below 4096 are bits too.
    pub(crate) const WORDS_FOR_ALL: usize = 64;
}

/// Batches of small operations.
pub(crate) mod batch {
    /// How many operations are issued between the prefetch of a cache line and the operation on it. A
    /// power of two.
    ///
    /// Random updates of 8 Mi words by 1 PE took 13.4 ns each at a distance of 8, 12.1 at 16, 8.4 at 32
    /// and at 64, and 8.5 at 128.
    pub(crate) const DISTANCE: usize = 32;
    /// How many updates wait for others of the same cell, where the transport carries them. A power of
    /// two, with 16 bytes for each: a quarter of the second-level cache.
    pub(crate) const COMBINED: usize = 16 << 10;
    /// How many elements a PE remembers that it has asked for, with 16 bytes for each. A power of two.
    pub(crate) const REMEMBERED: usize = 8 << 10;
    /// How many values a message may bring for each of its words: the elements that it asks for may
    /// be read several times. Each is asked for again in the next message. Reads of 1000 words of each
    /// of 2 PEs took 10.0 ns at 8, and 10.9 at 4.
    pub(crate) const READS: usize = 8;
    /// How many words of a message lie between the prefetch of an element and its turn.
    pub(crate) const AHEAD: usize = 16;
    /// How many operations are issued at most between two looks for messages of others.
    pub(crate) const LOOK: usize = 512;
    /// How long a PE waits for the answer to a message before it takes the message back and does the
    /// operations one by one: longer than a PE that shares its core is away from it.
    pub(crate) const PATIENCE: std::time::Duration = std::time::Duration::from_millis(20);
}

/// Small messages of a team.
pub(crate) mod eager {
    /// The most bytes for which eager (more copies, one synchronisation) beats in place, where all PEs are
    /// directly addressable and have cores of their own. Measured with 2 PEs that change their sources
    /// and read their destinations: then the lines that move take longer than a copy. Where nothing
    /// changes, 512 bytes are 0.1 us slower than in place.
    pub(crate) mod with_cores {
        /// The bytes of each PE up to which eager wins with any number of PEs. Some numbers below are of all PEs
        /// together: each PE then has its part of them, or as many bytes as this if that is more.
        pub(crate) const OF_EACH: usize = 128;
        /// A broadcast. 4 KiB took 0.45 of the time in place, 16 KiB 0.5, 64 KiB 0.8, and 1 MiB 1.1.
        pub(crate) const BROADCAST: usize = 64 << 10;
        /// The values of all PEs that are reduced. With 512 bytes of each the sum took 0.6 of the time in
        /// place, with 1 KiB 0.65, and with 2 KiB as long.
        pub(crate) const REDUCED: usize = 2 << 10;
        /// The values of each PE that all get. 256 bytes took 0.87 of the time in place, 512 took 0.86, and
        /// 1 KiB 0.95.
        pub(crate) const TO_ALL: usize = 512;
        /// The same, in a call in which destinations are ready before: in place, that synchronises once as well.
        pub(crate) const TO_ALL_READY: usize = OF_EACH;
        /// The blocks of one PE for all, or of all for one. Of 256 bytes for each, an alltoall took 0.7 of the time in
        /// place, a gather and a scatter 0.6; of 2 KiB, 0.9 and 1.0.
        pub(crate) const TO_EACH: usize = 4 << 10;
        /// The same, in a call in which destinations are ready before. 512 bytes took 0.9 of the time in place, and
        /// 1 KiB as long.
        pub(crate) const TO_EACH_READY: usize = 512;
    }
    /// The most bytes that each PE leaves in its slot in a call in which it gives as many elements as it likes, where
    /// each PE has a core. A collect of 16 bytes of 2 PEs took 0.7 of the time in place, of 128 bytes as long, and
    /// of 512 bytes 1.2.
    pub(crate) const GIVEN: usize = 128;
    /// The same, where PEs share cores. Of 8 PEs on 2 cores, a collect of up to 1 KiB took 0.65 of the time in place,
    /// and of 4 KiB 0.9.
    pub(crate) const GIVEN_OVERSUBSCRIBED: usize = 4 << 10;
    /// The most bytes that go with the number of elements to PEs on other hosts. With 8 PEs, a collect of 16 bytes
    /// took 0.6 of the time in place, and a longer one 1.05.
    pub(crate) const GIVEN_FAR: usize = 16;
    /// The same of two PEs, whose number goes with the word that synchronises them: so do the bytes. More take a
    /// longer message, and a longer collect 1.1 of its time.
    pub(crate) const GIVEN_TO_ONE: usize = 8;
    /// The most bytes that a PE reads from the slots of all PEs in an eager reduction.
    pub(crate) const REDUCTION_TOTAL: usize = 64 << 10;
    /// The number of bytes of each PE up to which a reduction is eager in any case.
    pub(crate) const REDUCTION_OF_EACH: usize = 64;
    /// The bytes that PEs of several nodes pass on at once in a broadcast that is not eager.
    pub(crate) const BROADCAST_PIECE: usize = 256 << 10;
    /// The most cells that one broadcast without a barrier may take, where each PE has a core. With 2 PEs and 2
    /// cells it took 0.9 of the time by the slot, if the root had changed what it gives, and with 3 cells 1.3.
    pub(crate) const BROADCAST_CELLS: usize = 2;
    /// The most cells of the ring that one broadcast without a barrier may take, where PEs share
    /// cores. Synchronising takes so long there that avoiding it is worth more.
    pub(crate) const BROADCAST_CELLS_OVERSUBSCRIBED: usize = super::super::sync::CELLS / 4;
    /// As [`with_cores::BROADCAST`], where PEs share cores. With 8 PEs on 2 cores, 4 KiB took 0.7 of the time in
    /// place, 32 KiB 0.9, and 64 KiB 1.2.
    pub(crate) const BROADCAST_OVERSUBSCRIBED: usize = 32 << 10;
    /// How many cells before its turn a root fetches a cell for writing: so that its lines have come
    /// when it is written, and the update of its count waits for nothing.
    pub(crate) const CELLS_AHEAD: u64 = 4;
    /// The size of a scratch room on the stack, which costs less than an allocation. Most
    /// collectives that are called often enough to matter move no more than this.
    pub(crate) const SCRATCH: usize = 128;
    /// The size of a larger one, which still costs less than an allocation, and is set to zero only where
    /// it is needed.
    pub(crate) const MORE_SCRATCH: usize = 1 << 10;
    /// The size of the largest room that a thread keeps for its next call, of which it keeps two. With pages that
    /// were new each time, an all-reduce of 256 KiB took five times as long.
    pub(crate) const KEPT_SCRATCH: usize = 1 << 20;
}

/// Reductions that go from host to host.
pub(crate) mod lanes {
    /// A reduction has a lane for so many bytes, or one.
    pub(crate) const SHORTEST_LANE: usize = 4 << 10;
    /// How many pieces a lane has, if none of them is too short or too long. With more, all hosts work at the same
    /// time sooner, and there are more messages.
    pub(crate) const PIECES: usize = 4;
    /// The bytes of a piece at the least and at the most.
    pub(crate) const SHORTEST_PIECE: usize = 64 << 10;
    pub(crate) const LONGEST_PIECE: usize = 256 << 10;
}

/// Copies. The documentation of [`transport::copy`](crate::transport::copy) has the measurements of
/// the methods for each size.
pub(crate) mod copy {
    /// Up to this size a call of `memcpy` is direct: choosing a method is not worth a second
    /// function call.
    pub(crate) const SHORT: usize = 2 << 10;
    /// Up to this size both sides fit the first-level cache, and the vector loop is 1.6 to 1.7
    /// times as fast as `memcpy`.
    pub(crate) const VECTORS: usize = 16 << 10;
    /// Above this size the caches cannot hold both sides, and stores that bypass them are 1.2 to
    /// 1.7 times as fast as `memcpy`; below 10 MiB they have 0.7 to 0.9 of its speed.
    pub(crate) const STREAM: usize = 12 << 20;
    /// If all PEs together touch more bytes than this in a reduction, results bypass the caches,
    /// which cannot hold them.
    pub(crate) const STREAM_REDUCTION: usize = 24 << 20;
    /// Larger elements are copied, not moved word by word.
    pub(crate) const LARGE_ELEMENT: usize = 128;
    /// The bytes that a dense fill writes at a time: enough to make the start-up cost of a copy
    /// small, and few enough to stay in the first-level cache.
    pub(crate) const FILL_BLOCK: usize = 4096;
    /// From how many elements on a fill writes blocks and not single elements.
    pub(crate) const FILL_BLOCK_FROM: usize = 16;
    /// The bytes that a collective moves through private memory at a time: enough to make the
    /// start-up cost of a copy small, and few enough that two such pieces stay in the cache.
    pub(crate) const PIECE: usize = 32 << 10;
}

/// Thresholds over a C library.
#[cfg(feature = "openshmem")]
pub(crate) mod library {
    use std::time::Duration;

    /// How long a wait for PEs of other hosts lasts, at the least, before this PE looks at them. It asks each of
    /// them over the network, behind all that is under way there.
    pub(crate) const FIRST_LOOK: Duration = Duration::from_millis(100);
    /// The most PEs that it looks at at a time.
    pub(crate) const LOOKED_AT: usize = 32;
    /// The most elements of a reduction that the library performs.
    pub(crate) const REDUCTION: usize = 2048;
    /// The bytes that are gathered at once. From more PEs than it has words for, a word of each is gathered
    /// at once.
    pub(crate) const GATHER: usize = 64 << 10;
    /// The bytes of each PE up to which many PEs gather them in pieces.
    pub(crate) const GATHER_OF_EACH: usize = 64;
    /// The size in bytes of the buffer in which a strided put repeats one element.
    pub(crate) const REPEATED: usize = 4096;
}
