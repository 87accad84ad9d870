//! The words of the language, and those of other libraries.

/// A collective, as it is written.
pub(super) struct Word {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// What a collective does; it decides what it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A reduction, with the type of its operation in `__private`.
    Reduce(&'static str),
    Broadcast,
    Collect,
    Fcollect,
    Alltoall,
    Scan,
    Exscan,
    Barrier,
    Sync,
}

impl Word {
    /// The word that is written so.
    pub(super) fn find(name: &str) -> Option<&'static Word> {
        WORDS.iter().find(|word| word.name == name)
    }

    /// A whole call with the word, for messages.
    pub(super) fn example(&self) -> &'static str {
        match self.kind {
            Kind::Reduce(_) => "`DST[..] = sum SRC[..]`, or `sum x` for one value of each PE",
            Kind::Broadcast => "`DST[..] = broadcast SRC[..] from 0`, or `broadcast x from 0` for one value",
            Kind::Collect => "`DST[..] = collect SRC[..]`, or `collect &values` for a slice of each PE",
            Kind::Fcollect => "`DST[..] = fcollect SRC[..]`, or `fcollect x` for one value of each PE",
            Kind::Alltoall => "`DST[..] = alltoall SRC[..]`",
            Kind::Scan => "`DST[..] = scan SRC[..]`, or `scan x` for one value of each PE",
            Kind::Exscan => "`DST[..] = exscan SRC[..]`, or `exscan x` for one value of each PE",
            Kind::Barrier => "`collective!(barrier)`",
            Kind::Sync => "`collective!(sync)`",
        }
    }

    /// Whether it moves nothing.
    pub(super) fn is_bare(&self) -> bool {
        matches!(self.kind, Kind::Barrier | Kind::Sync)
    }
}

/// The language.
pub(super) const WORDS: [Word; 15] = [
    Word { name: "sum", kind: Kind::Reduce("Sum") },
    Word { name: "prod", kind: Kind::Reduce("Prod") },
    Word { name: "min", kind: Kind::Reduce("Min") },
    Word { name: "max", kind: Kind::Reduce("Max") },
    Word { name: "and", kind: Kind::Reduce("And") },
    Word { name: "or", kind: Kind::Reduce("Or") },
    Word { name: "xor", kind: Kind::Reduce("Xor") },
    Word { name: "broadcast", kind: Kind::Broadcast },
    Word { name: "collect", kind: Kind::Collect },
    Word { name: "fcollect", kind: Kind::Fcollect },
    Word { name: "alltoall", kind: Kind::Alltoall },
    Word { name: "scan", kind: Kind::Scan },
    Word { name: "exscan", kind: Kind::Exscan },
    Word { name: "barrier", kind: Kind::Barrier },
    Word { name: "sync", kind: Kind::Sync },
];

/// What people write who know other libraries, and what to write instead.
const MEANT: [(&[&str], &str); 20] = [
    (&["add", "plus", "total", "sum_reduce", "sum_to_all"], "`sum`"),
    (&["product", "mul", "times", "prod_reduce", "prod_to_all"], "`prod`"),
    (&["minimum", "min_reduce", "min_to_all"], "`min`"),
    (&["maximum", "max_reduce", "max_to_all"], "`max`"),
    (&["band", "bitand", "all", "and_reduce", "and_to_all"], "`and`"),
    (&["bor", "bitor", "any", "or_reduce", "or_to_all"], "`or`"),
    (&["bxor", "bitxor", "xor_reduce", "xor_to_all"], "`xor`"),
    (
        &["reduce", "allreduce", "all_reduce", "reduction", "reduceall", "reduce_all"],
        "the operation itself, as in `sum x` or `DST[..] = max SRC[..]`",
    ),
    (&["bcast", "broadcastmem", "broadcast_value"], "`broadcast`, as in `broadcast x from 0`"),
    (
        &["gather", "allgather", "all_gather", "gather_all", "concat", "fcollectmem"],
        "`fcollect`, which gives what all PEs have to every PE",
    ),
    (
        &["gatherv", "allgatherv", "all_gatherv", "collectmem", "collectv"],
        "`collect`, which takes another number of elements from each PE",
    ),
    (&["all_to_all", "alltoalls", "all2all", "alltoallmem", "transpose"], "`alltoall`"),
    (&["alltoallv", "all_to_allv", "all_to_all_v"], "a call of the method, `team.alltoallv(...)`"),
    (&["reduce_scatter", "reducescatter"], "a call of the method, `team.reduce_scatter(...)`"),
    (&["prefix_sum", "prefix", "cumsum", "inscan", "sum_inscan", "inclusive_scan", "scan_sum"], "`scan`"),
    (&["sum_exscan", "exclusive_scan", "excl_scan", "exscan_sum"], "`exscan`"),
    (&["barrier_all", "fence", "quiet"], "`barrier`"),
    (&["sync_all", "synchronise", "synchronize"], "`sync`"),
    (
        &["scatter"],
        "`broadcast`, and let each PE take its part; `alltoall` hands a part from each PE to each",
    ),
    (&["on"], "the collective first, and the team behind it, as in `sum x; on team`"),
];

/// What to write instead of a word that there is not.
pub(super) fn meant(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    if let Some(word) = Word::find(&lower) {
        return Some(format!("`{}`", word.name));
    }
    let found = MEANT.iter().find(|(names, _)| names.contains(&lower.as_str()));
    found.map(|&(_, instead)| instead.to_owned())
}
