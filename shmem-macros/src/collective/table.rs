//! The table of the collectives. A new collective is a method of `Team` and a row of this table.
//!
//! A row makes a word of `collective!`, its expansion, the messages that list words, a line in the
//! documentation of `collective!`, and lines in the tables of the book. This file imports nothing:
//! the tests of the book have it as a module, too.

/// A collective.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Collective {
    /// How `collective!` writes it, and the name of its method; reductions have one method.
    pub(crate) word: &'static str,
    pub(crate) kind: Kind,
    /// The operation that the method takes first: a type in `shmem::reduction`.
    pub(crate) operation: Option<&'static str>,
    pub(crate) value: Value,
    /// Whether `from root`, `to root`, `to ready` or `with join` follows.
    pub(crate) root: Root,
    /// What every PE gets.
    pub(crate) gives: &'static str,
    /// What a PE moves from and to the others, with `n` elements in the source and `p` PEs, when
    /// messages are not eager.
    pub(crate) costs: &'static str,
    /// The routines of OpenSHMEM that it stands for, with spaces between them.
    pub(crate) routines: &'static str,
    /// The tests of these routines, in `shmem-core/tests`.
    #[allow(dead_code, reason = "the tests of the book read it")]
    pub(crate) tests: &'static str,
    /// What other libraries call it, in lower case.
    pub(crate) other_names: &'static str,
    /// What a message adds to the word for those who wrote one of the other names.
    pub(crate) hint: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Reduction,
    /// A reduction, of which each PE gets a block. Its operation is the next word.
    Blocks,
    /// A reduction that joins in pairs. Its operation is the next word.
    Pairwise,
    /// A scan of sums.
    Scan,
    Exchange,
    /// It moves nothing.
    Synchronisation,
}

/// What follows the source or the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    None,
    /// The PE that has the elements.
    From,
    /// The PE that gets them.
    To,
    /// The same, or nothing: then all PEs get them.
    MayTo,
    /// `to ready`, or nothing. It names no PE.
    MayToReady,
    /// No PE, but a function that joins two values.
    With,
}

impl Root {
    /// The word that precedes the PE, or the function.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Root::None | Root::MayToReady => "",
            Root::From => "from",
            Root::To | Root::MayTo => "to",
            Root::With => "with",
        }
    }

    /// The word and what follows it, in examples.
    pub(crate) fn example(self) -> String {
        match self {
            Root::None | Root::MayToReady => String::new(),
            Root::With => "with join".to_owned(),
            _ => format!("{} 0", self.word()),
        }
    }

    /// Whether there must be one.
    pub(crate) fn is_needed(self) -> bool {
        matches!(self, Root::From | Root::To | Root::With)
    }
}

/// What a collective takes where no destination is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Nothing, because of what it does.
    None { it: &'static str },
    /// One value. The method has `_value` at its end.
    One,
    /// One value, and there is no form with a destination. The method has `_value` at its end.
    Only,
    /// A slice. The method has `_values` at its end.
    Slice,
}

/// What the program writes where it knows that all destinations are ready.
pub(crate) const READY: &str = "to ready";

const REDUCTION: Collective = Collective {
    word: "",
    kind: Kind::Reduction,
    operation: None,
    value: Value::One,
    root: Root::MayTo,
    gives: "the reduction, place by place; with `to 0` at the end, PE 0 alone gets it",
    costs: "reads and writes n (p - 1) / p",
    routines: "",
    tests: "collectives/reductions.rs::of_i64 collective_macro.rs::reductions_of_places",
    other_names: "",
    hint: "",
};
const EXCHANGE: Collective =
    Collective { kind: Kind::Exchange, root: Root::None, gives: "", costs: "", tests: "", ..REDUCTION };
const SCAN: Collective = Collective {
    kind: Kind::Scan,
    root: Root::None,
    tests: "collectives/reductions.rs::apart collective_macro.rs::scans",
    ..REDUCTION
};
const SYNCHRONISATION: Collective = Collective {
    kind: Kind::Synchronisation,
    root: Root::None,
    value: Value::None { it: "moves nothing" },
    costs: "nothing",
    tests: "teams.rs::strided collective_macro.rs::barriers",
    ..REDUCTION
};

const fn reduction(
    word: &'static str,
    operation: &'static str,
    routines: &'static str,
    other_names: &'static str,
) -> Collective {
    Collective { word, operation: Some(operation), routines, other_names, ..REDUCTION }
}

/// All of them, in the order of the messages and the documentation.
pub(crate) const COLLECTIVES: &[Collective] = &[
    reduction("sum", "Sum", "shmem_sum_reduce", "add plus total sum_reduce sum_to_all"),
    reduction("prod", "Prod", "shmem_prod_reduce", "product mul times prod_reduce prod_to_all"),
    reduction("min", "Min", "shmem_min_reduce", "minimum min_reduce min_to_all"),
    reduction("max", "Max", "shmem_max_reduce", "maximum max_reduce max_to_all"),
    reduction("and", "And", "shmem_and_reduce", "band bitand all and_reduce and_to_all"),
    reduction("or", "Or", "shmem_or_reduce", "bor bitor any or_reduce or_to_all"),
    reduction("xor", "Xor", "shmem_xor_reduce", "bxor bitxor xor_reduce xor_to_all"),
    Collective {
        word: "pairwise",
        kind: Kind::Pairwise,
        root: Root::None,
        gives: "the reduction, joined in pairs of PEs, pairs of pairs and so on",
        tests: "collectives/pairwise.rs::sums collective_macro.rs::reductions_in_pairs",
        other_names: "pairs pairwise_sum tree_sum tree",
        hint: " and the operation, as in `pairwise sum x`",
        ..REDUCTION
    },
    Collective {
        word: "reduce_scatter",
        kind: Kind::Blocks,
        value: Value::None { it: "gives each PE a block of a reduction" },
        root: Root::None,
        gives: "its block of the reduction",
        costs: "reads n (p - 1) / p",
        tests: "collectives/reductions.rs::scattered collective_macro.rs::reductions_to_blocks",
        other_names: "reducescatter reduce_scatter_block psum_scatter",
        hint: " and the operation, as in `DST[..] = reduce_scatter sum SRC[..]`",
        ..REDUCTION
    },
    Collective {
        word: "reduce",
        kind: Kind::Exchange,
        root: Root::With,
        gives: "the elements of all PEs, joined by the function, place by place",
        tests: "collectives/rooted.rs::joined_by_a_function collective_macro.rs::own_functions",
        other_names: "fold reduce_with op_create",
        hint: " and the function, as in `reduce x with join`",
        ..REDUCTION
    },
    Collective {
        word: "minloc",
        value: Value::Only,
        gives: "the smallest value, and the first PE that has it",
        costs: "its value",
        tests: "collectives/rooted.rs::joined_by_a_function collective_macro.rs::own_functions",
        other_names: "argmin min_loc",
        ..EXCHANGE
    },
    Collective {
        word: "maxloc",
        value: Value::Only,
        gives: "the largest value, and the first PE that has it",
        costs: "its value",
        tests: "collectives/rooted.rs::joined_by_a_function collective_macro.rs::own_functions",
        other_names: "argmax max_loc",
        ..EXCHANGE
    },
    Collective {
        word: "scan",
        operation: Some("Sum"),
        gives: "the sum over the PEs up to this one",
        routines: "shmem_sum_inscan",
        other_names: "prefix_sum prefix cumsum inscan sum_inscan inclusive_scan scan_sum",
        ..SCAN
    },
    Collective {
        word: "exscan",
        gives: "the sum over the PEs before this one, 0 on PE 0",
        routines: "shmem_sum_exscan",
        other_names: "sum_exscan exclusive_scan excl_scan exscan_sum",
        ..SCAN
    },
    Collective {
        word: "broadcast",
        root: Root::From,
        gives: "the elements of PE 0",
        costs: "reads n",
        routines: "shmem_broadcast shmem_broadcastmem",
        tests: "collectives/exchanges.rs::broadcasts collective_macro.rs::broadcasts",
        other_names: "bcast broadcastmem broadcast_value",
        hint: ", as in `broadcast x from 0`",
        ..EXCHANGE
    },
    Collective {
        word: "collect",
        value: Value::Slice,
        gives: "the elements of all PEs, any number of each; the call returns how many",
        costs: "writes n (p - 1)",
        routines: "shmem_collect shmem_collectmem",
        tests: "collectives/exchanges.rs::collects collective_macro.rs::collects",
        other_names: "allgatherv all_gatherv collectmem collectv",
        hint: ", which takes another number of elements from each PE",
        ..EXCHANGE
    },
    Collective {
        word: "fcollect",
        root: Root::MayToReady,
        gives: "the elements of all PEs, equally many of each; with `to ready` at the end, without a wait for the destinations",
        costs: "writes n (p - 1)",
        routines: "shmem_fcollect shmem_fcollectmem",
        tests: "collectives/exchanges.rs::fcollects collective_macro.rs::collects",
        other_names: "allgather all_gather gather_all concat fcollectmem",
        hint: ", which gives what all PEs have to every PE",
        ..EXCHANGE
    },
    Collective {
        word: "alltoall",
        root: Root::MayToReady,
        value: Value::None { it: "moves parts of a symmetric object from each PE to each" },
        gives: "its block of each PE; with `to ready` at the end, without a wait for the destinations",
        costs: "writes n (p - 1) / p",
        routines: "shmem_alltoall shmem_alltoallmem shmem_alltoalls shmem_alltoallsmem",
        tests: "collectives/exchanges.rs::all_to_all collective_macro.rs::alltoalls",
        other_names: "all_to_all alltoalls all2all alltoallmem transpose",
        ..EXCHANGE
    },
    Collective {
        word: "gather",
        root: Root::To,
        gives: "nothing; PE 0 gets the elements of all PEs, equally many of each",
        costs: "writes n",
        tests: "collectives/rooted.rs::gathers collective_macro.rs::rooted",
        other_names: "gather_value gather_to",
        ..EXCHANGE
    },
    Collective {
        word: "gatherv",
        root: Root::To,
        value: Value::Slice,
        gives: "how many elements each PE has given; PE 0 gets the elements, any number of each",
        costs: "writes n",
        tests: "collectives/rooted.rs::gathers_of_any_length collective_macro.rs::rooted",
        other_names: "gatherv_values gather_v",
        ..EXCHANGE
    },
    Collective {
        word: "scatter",
        root: Root::From,
        value: Value::Slice,
        gives: "its block of the elements of PE 0",
        costs: "reads n / p",
        tests: "collectives/rooted.rs::scatters collective_macro.rs::rooted",
        other_names: "scatter_values scatter_from",
        ..EXCHANGE
    },
    Collective {
        word: "barrier",
        gives: "nothing: completes puts and updates, and waits for all",
        other_names: "barrier_all fence quiet",
        ..SYNCHRONISATION
    },
    Collective {
        word: "sync",
        gives: "nothing: waits for all",
        routines: "shmem_team_sync",
        other_names: "sync_all synchronise synchronize",
        ..SYNCHRONISATION
    },
];

/// What other libraries have and `collective!` has not, and what to write instead.
pub(crate) const OTHERS: &[(&str, &str)] = &[
    (
        "allreduce all_reduce reduction reduceall reduce_all",
        "the operation itself, as in `sum x` or `DST[..] = max SRC[..]`",
    ),
    ("alltoallv all_to_allv all_to_all_v", "a call of the method, `team.alltoallv(...)`"),
    ("scatterv scatter_v", "a call of the method, `team.scatterv(...)`"),
    ("on", "the collective first and the team after it, as in `sum x; on team`"),
];

impl Collective {
    /// The collective that is written so.
    pub(crate) fn find(word: &str) -> Option<&'static Collective> {
        COLLECTIVES.iter().find(|one| one.word == word)
    }

    /// Whether it moves nothing.
    pub(crate) fn is_bare(&self) -> bool {
        self.kind == Kind::Synchronisation
    }

    /// Whether a stream of a GPU has it.
    pub(crate) fn has_stream_form(&self) -> bool {
        match self.kind {
            Kind::Reduction | Kind::Blocks | Kind::Synchronisation => true,
            _ => ["broadcast", "fcollect", "alltoall"].contains(&self.word),
        }
    }

    /// The method of `Team` for selections; of what has no such form, the word.
    pub(crate) fn method(&self) -> &'static str {
        match self.word {
            "reduce" => "reduce_with",
            "pairwise" => "reduce_pairwise",
            word if self.kind != Kind::Reduction => word,
            _ => "reduce",
        }
    }

    /// The method of `Team` for values in private memory.
    pub(crate) fn method_of_values(&self) -> Option<String> {
        let end = match self.value {
            Value::None { .. } => return None,
            Value::One | Value::Only => "value",
            Value::Slice => "values",
        };
        Some(match self.root {
            Root::With => format!("reduce_{end}_with"),
            _ => format!("{}_{end}", self.method()),
        })
    }

    /// The methods of `Team` that it stands for.
    pub(crate) fn methods(&self) -> Vec<String> {
        let of_places = (self.value != Value::Only).then(|| self.method().to_owned());
        let mut methods: Vec<String> = of_places.into_iter().chain(self.method_of_values()).collect();
        if self.kind == Kind::Pairwise {
            methods.push("reduce_pairwise_values".to_owned());
        }
        match self.root {
            Root::MayTo => methods.extend(["reduce_to", "reduce_value_to"].map(str::to_owned)),
            Root::MayToReady => methods.push(format!("{}_to_ready", self.method())),
            _ => {}
        }
        methods
    }

    /// Whether its operation is the next word.
    pub(crate) fn takes_operation(&self) -> bool {
        matches!(self.kind, Kind::Blocks | Kind::Pairwise)
    }

    /// The word, and an operation where it takes one.
    pub(crate) fn words(&self) -> String {
        if self.takes_operation() { format!("{} sum", self.word) } else { self.word.to_owned() }
    }

    /// How it is written: with selections, as `DST[..] = broadcast SRC[..] from 0`, and with a
    /// value, as `broadcast x from 0`. What has no form with selections has the other one twice.
    pub(crate) fn written(&self, selection: &str) -> (String, Option<String>) {
        let word = self.words();
        let from = if self.root.is_needed() { format!(" {}", self.root.example()) } else { String::new() };
        let places = match self.kind {
            Kind::Synchronisation => word.clone(),
            _ if self.value == Value::Only => format!("{word} x"),
            _ => format!("DST[{selection}] = {word} SRC[{selection}]{from}"),
        };
        let value = match self.value {
            Value::None { .. } => None,
            Value::One | Value::Only => Some(format!("{word} x{from}")),
            Value::Slice => Some(format!("{word} &values{from}")),
        };
        (places, value)
    }

    /// Whole calls with the word, for messages.
    pub(crate) fn example(&self) -> String {
        let what = match self.value {
            Value::Slice if self.root == Root::From => "a slice of PE 0",
            Value::Slice => "a slice of each PE",
            _ if self.root == Root::From => "one value",
            _ => "one value of each PE",
        };
        match self.written("..") {
            (_, Some(value)) if self.value == Value::Only => format!("`{value}`"),
            (places, Some(value)) => {
                format!("`{places}`, or `{value}` for {what}")
            }
            (places, None) => format!("`{places}`"),
        }
    }
}

/// The words of the collectives that are `wanted`, for messages.
pub(crate) fn words(wanted: impl Fn(&Collective) -> bool) -> String {
    let words: Vec<&str> = COLLECTIVES.iter().filter(|one| wanted(one)).map(|one| one.word).collect();
    let all = code(words);
    match all.rsplit_once(", ") {
        Some((others, last)) => format!("{others} and {last}"),
        None => all,
    }
}

/// Texts as code, with commas between them.
pub(crate) fn code<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> String {
    texts.into_iter().map(|text| format!("`{}`", text.as_ref())).collect::<Vec<_>>().join(", ")
}

/// What to write instead of a word that there is not.
pub(crate) fn meant(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let has = |names: &str| names.split(' ').any(|other| other == name);
    if let Some(one) = Collective::find(&name) {
        Some(format!("`{}`", one.word))
    } else if let Some(one) = COLLECTIVES.iter().find(|one| has(one.other_names)) {
        Some(format!("`{}`{}", one.word, one.hint))
    } else {
        OTHERS.iter().find(|(names, _)| has(names)).map(|&(_, instead)| instead.to_owned())
    }
}

/// The table of all forms, in Markdown. `method` writes the name of a method of `Team`.
pub(crate) fn forms(method: impl Fn(&str) -> String) -> String {
    let mut table = "| written | every PE gets | with a value of each PE | methods of `Team` | OpenSHMEM \
                     | a PE moves |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for group in COLLECTIVES.chunk_by(|one, next| one.method() == next.method()) {
        let (first, others) = (&group[0], &group[1..]);
        let (places, value) = first.written("…");
        let (mut places, mut routines) = (code([places]), code(first.routines.split_whitespace()));
        if !others.is_empty() {
            places += &format!(", also {}", code(others.iter().map(|other| other.word)));
            routines += ", …";
        }
        let methods: Vec<String> = first.methods().iter().map(|name| method(name)).collect();
        let methods = methods.join(", ");
        let Collective { gives, costs, .. } = first;
        let value = code(value);
        table += &format!("| {places} | {gives} | {value} | {methods} | {routines} | {costs} |\n");
    }
    table
}
