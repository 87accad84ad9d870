//! What is printed of a race: who did what and where, why the two are not ordered, and what would
//! order them.

use std::fmt::Write as _;

use shmem_races::{Kind, Missing, Race, Side, Synchronisation};

use super::names::Names;
use crate::transport::Ctx;

/// The report of a race on the elements from byte `start` to byte `end` of the heap.
pub(super) fn report(names: &Names, race: &Race, start: u64, end: u64) -> String {
    let is_on_a_device = names.object(race.offset).starts_with("device array #");
    let report = RaceReport { names, race, is_on_a_device };
    let Explanation { sides, whys, help } = report.explain();
    let lines = sides.map(|side| report.at(side));
    let whats = sides.map(|side| report.did(side));
    let longest = |texts: [&str; 2]| texts[0].len().max(texts[1].len());
    let (line, what) = (longest(lines), longest(whats));
    let pe = race.first.pe.max(race.second.pe).to_string().len();
    let on = match race.missing {
        // It has two names, that of the former object and that of the new one.
        Missing::QuietBeforeFree => "freed memory".to_owned(),
        _ => names.elements(start, end),
    };
    let mut text = format!("race on {on} of PE {}\n", race.pe);
    for number in 0..2 {
        let (side, why) = (sides[number], &whys[number]);
        let line =
            format!("  PE {:<pe$} {:<what$}  at {:<line$}  {why}", side.pe, whats[number], lines[number]);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let _ = writeln!(text, "  help: {help}");
    text
}

/// What is said of a race: of each side why it is not ordered, and what would order them.
struct Explanation<'a> {
    sides: [&'a Side; 2],
    whys: [String; 2],
    help: String,
}

struct RaceReport<'a> {
    names: &'a Names,
    race: &'a Race,
    /// Whether the object is an array of a GPU. These are accessed by streams, which are contexts, and by kernels,
    /// whose operations are those of the default context.
    is_on_a_device: bool,
}

/// What orders operations, where one of them was done.
struct OrderingCalls {
    barrier: &'static str,
    fence: &'static str,
    quiet: &'static str,
    /// What stands between a write and the update of a flag.
    between: &'static str,
}

static OF_WORLD: OrderingCalls = OrderingCalls {
    barrier: "barrier_all",
    fence: "world.fence()",
    quiet: "world.quiet()",
    between: "a fence",
};

static OF_CONTEXT: OrderingCalls =
    OrderingCalls { fence: "fence() of the context", quiet: "quiet() of its context", ..OF_WORLD };

/// A stream has no fence.
static OF_STREAM: OrderingCalls = OrderingCalls {
    barrier: "collective!(stream; barrier)",
    fence: "stream.quiet()",
    quiet: "stream.quiet()",
    between: "stream.quiet()",
};

static OF_KERNEL: OrderingCalls = OrderingCalls {
    barrier: "collective!(stream; barrier)",
    fence: "fence() in the kernel",
    quiet: "quiet() in the kernel",
    between: "fence() in the kernel",
};

impl<'a> RaceReport<'a> {
    fn at(&self, side: &Side) -> &'a str {
        self.names.place(side.pe, side.place).at
    }

    fn did(&self, side: &Side) -> &'static str {
        let is_own = side.pe == self.race.pe;
        match side.kind {
            Kind::Store if self.race.missing == Missing::QuietBeforeFree => "allocates",
            Kind::Load | Kind::Get | Kind::GetNbi => "reads",
            Kind::Store => "writes",
            Kind::Put if is_own => "writes",
            Kind::Put => "puts",
            Kind::AtomicFetch => "reads atomically",
            Kind::AtomicSet => "sets atomically",
            Kind::AtomicUpdate | Kind::AtomicFetchUpdate => "updates atomically",
        }
    }

    /// `line 24`, with the file if it is another one than that of the first access.
    fn line(&self, at: &str) -> String {
        let file = |at: &'_ str| at.rsplit_once(':').map_or("", |(file, _)| file).to_owned();
        match at.rsplit_once(':') {
            Some((here, line)) if here == file(self.at(&self.race.first)) => format!("line {line}"),
            _ => at.to_owned(),
        }
    }

    fn line_of(&self, side: &Side) -> String {
        self.line(self.at(side))
    }

    /// Between the lines of two accesses.
    fn between(&self, one: &Side, two: &Side) -> String {
        match (self.line_of(one), self.line_of(two)) {
            (one, two) if one == two => format!("between the two times that {one} is reached"),
            (one, two) => format!("between {one} and {two}"),
        }
    }

    /// What orders the operation of a side.
    fn ordering(&self, side: &Side) -> &'static OrderingCalls {
        match (self.is_on_a_device, side.ctx) {
            (true, 0) => &OF_KERNEL,
            (true, _) => &OF_STREAM,
            (false, 0) => &OF_WORLD,
            (false, _) => &OF_CONTEXT,
        }
    }

    /// A kernel has no context of its own, and no other one is to blame.
    fn missing(&self) -> Missing {
        let Race { first, news, pe, missing, .. } = self.race;
        match (missing, news) {
            (
                Missing::QuietOfContext,
                Some(Synchronisation::Read { pe: flag_pe, update: Some(update), .. }),
            ) if self.is_on_a_device && first.ctx == 0 => {
                if (*flag_pe, update.pe, update.ctx) == (*pe, first.pe, first.ctx) {
                    Missing::Fence
                } else {
                    Missing::QuietBeforeFlag
                }
            }
            (missing, _) => *missing,
        }
    }

    /// The quiet that completes the first access.
    fn quiet(&self) -> &'static str {
        match self.race.first {
            Side { kind: Kind::GetNbi, .. } => "the end of the nbi scope",
            side => self.ordering(&side).quiet,
        }
    }

    /// `sync_all (src/main.rs:24)`, or `it has seen FLAG (src/main.rs:46)`, and where that is.
    fn synchronised(&self, pe: u16, by: &Synchronisation, saw: &str) -> (String, String) {
        match *by {
            Synchronisation::Meeting { place, .. } => {
                let place = self.names.place(pe, place);
                (format!("after {} ({})", place.call, place.at), self.line(place.at))
            }
            Synchronisation::Read { place, offset, .. } => {
                let place = self.names.place(pe, place).at;
                (format!("after it has {saw} {} ({place})", self.names.object(offset)), self.line(place))
            }
        }
    }

    /// How the PE of the second access came to know of the first PE.
    fn news(&self) -> String {
        let Race { second, news, .. } = self.race;
        news.as_ref().map(|by| self.synchronised(second.pe, by, "seen").0).unwrap_or_default()
    }

    fn explain(&self) -> Explanation<'a> {
        let Race { first, second, pe, .. } = self.race;
        let (one, line, quiet) = (first.pe, self.line_of(first), self.quiet());
        let is_read = first.kind == Kind::GetNbi;
        let (why, after, help) = match self.missing() {
            Missing::Synchronisation => return self.nothing_orders(),
            _ if Ctx::is_of_batch(first.ctx) => return self.in_a_batch(),
            Missing::Quiet => return self.not_completed(),
            Missing::Fence | Missing::QuietBeforeFlag => return self.flag_overtakes(),
            Missing::QuietOfContext if first.ctx == 0 => (
                "and has completed another context only",
                self.news(),
                format!(
                    "world.quiet() on PE {one} after {line}: quiet() of a context completes that context alone"
                ),
            ),
            Missing::QuietOfContext if self.is_on_a_device => (
                "on a stream, which has not completed it",
                self.news(),
                format!(
                    "stream.quiet() on PE {one} after {line}: calls of the host complete no operation of a stream"
                ),
            ),
            Missing::QuietOfContext => (
                "by a context, and has completed another one only",
                self.news(),
                format!(
                    "quiet() of the context of {line}, on PE {one}: world.quiet() and barriers complete the default \
                     context alone"
                ),
            ),
            Missing::QuietOfPe => (
                "and has completed its operations on another PE only",
                self.news(),
                format!("pe_quiet(&[{pe}]) on PE {one}: {line} accesses PE {pe}; or {quiet}, for all PEs"),
            ),
            Missing::OwnQuiet if is_read => (
                "until its nbi scope ends",
                String::new(),
                format!(
                    "the end of the nbi scope before {}: until then the elements are read",
                    self.line_of(second)
                ),
            ),
            Missing::OwnQuiet => (
                "and has not completed it",
                String::new(),
                format!("{quiet} {}: a put may arrive after a later access", self.between(first, second)),
            ),
            Missing::OwnFence => {
                let fence = self.ordering(first).fence;
                (
                    "and a later put may arrive first",
                    String::new(),
                    format!("{fence} {}: without it, puts arrive in any order", self.between(first, second)),
                )
            }
            Missing::QuietBeforeFree => (
                "by a context, and has not completed it",
                "a new object there".to_owned(),
                format!(
                    "quiet() of the context of {line} on PE {one}, before the object is freed: calls on the heap complete \
                     the default context alone"
                ),
            ),
        };
        Explanation { sides: [first, second], whys: [why.to_owned(), after], help }
    }

    /// The first access is an operation of a batch that has not ended.
    fn in_a_batch(&self) -> Explanation<'a> {
        let Race { first, second, .. } = self.race;
        let why = "in a batch, and no order holds before its end";
        let help = match (first.pe == second.pe, self.line_of(first), self.line_of(second)) {
            (true, one, two) if first.ctx == second.ctx => {
                format!(
                    "two batches, one for {one} and one for {two}: the operations of a batch have no order"
                )
            }
            (_, one, two) => format!(
                "the end of the batch on PE {} between {one} and {two}: no fence, quiet or barrier inside of a batch \
                 completes its operations",
                first.pe
            ),
        };
        Explanation { sides: [first, second], whys: [why.to_owned(), self.news()], help }
    }

    /// The PEs have met, and the first access may be under way.
    fn not_completed(&self) -> Explanation<'a> {
        let Race { first, second, news, .. } = self.race;
        let (one, quiet) = (first.pe, self.quiet());
        let mut after = self.news();
        let help = match news {
            Some(Synchronisation::Meeting { place, .. }) => {
                after += if first.kind == Kind::GetNbi {
                    ", which completes no reads"
                } else {
                    ", which completes no puts"
                };
                let place = self.names.place(second.pe, *place);
                let line = self.line(place.at);
                match place.call {
                    "sync_all" if first.ctx == 0 => {
                        format!(
                            "world.barrier_all() in place of sync_all at {line}, or world.quiet() on PE {one} before it"
                        )
                    }
                    "sync" if first.ctx == 0 => {
                        format!(
                            "barrier() in place of sync() at {line}, or world.quiet() on PE {one} before it"
                        )
                    }
                    "sync_with" if first.ctx == 0 => {
                        format!(
                            "barrier_with in place of sync_with at {line}, or world.quiet() on PE {one} before it"
                        )
                    }
                    call => format!("{quiet} on PE {one} before {call} at {line}"),
                }
            }
            _ => format!("{quiet} on PE {one} after {}", self.line_of(first)),
        };
        let why = "and has not completed it: no quiet or barrier since".to_owned();
        Explanation { sides: [first, second], whys: [why, after], help }
    }

    /// A flag was set after the first access, which may arrive later than the flag.
    fn flag_overtakes(&self) -> Explanation<'a> {
        let Race { first, second, news, pe, .. } = self.race;
        let (one, line, quiet) = (first.pe, self.line_of(first), self.quiet());
        let (offset, flag_pe, update) = match news {
            Some(Synchronisation::Read { offset, pe, update, .. }) => (*offset, *pe, *update),
            _ => (0, *pe, None),
        };
        let flag = self.names.object(offset);
        let set_at = update.map(|update| self.line(self.names.place(update.pe, update.place).at));
        let why = match first.kind {
            Kind::GetNbi => "until its nbi scope ends, and has updated a flag before",
            _ => "and the flag that it has set since may arrive first",
        };
        let whys = [why.to_owned(), self.news()];
        let help = match (self.missing(), update) {
            (Missing::Fence, Some(_)) => {
                let fence = self.ordering(first).fence;
                let set_at = set_at.unwrap_or_default();
                format!(
                    "{fence} on PE {one} between {line} and {set_at}, where it updates {flag}; or one put_signal for both"
                )
            }
            (_, update) => {
                let because = match update {
                    _ if first.kind == Kind::GetNbi => "a fence does not order reads".to_owned(),
                    Some(update) if update.pe != one => {
                        format!(
                            "PE {} has updated {flag} since, and a fence orders the operations of one PE",
                            update.pe
                        )
                    }
                    Some(update) if update.ctx != first.ctx => {
                        format!(
                            "{flag} was updated by another context, and a fence orders the operations of one"
                        )
                    }
                    _ => format!("{flag} is on PE {flag_pe}, and a fence orders what goes to one PE"),
                };
                format!("{quiet} on PE {one} after {line}, before it updates a flag: {because}")
            }
        };
        Explanation { sides: [first, second], whys, help }
    }

    /// Neither PE knows of the other's access.
    fn nothing_orders(&self) -> Explanation<'a> {
        let Race { first, second, pe, .. } = self.race;
        // Only a call `to ready` stores to the memory of another PE.
        let is_of_call = |side: &Side| side.kind == Kind::Store && side.pe != *pe;
        let [one, two] = self.by_pe();
        if let Some((call, other)) = [(one, two), (two, one)].into_iter().find(|(side, _)| is_of_call(side)) {
            let is_pending = other.kind.is_pending(other.pe == *pe);
            let meeting = if is_pending { "barrier_all" } else { "sync_all" };
            let help = if self.line_of(other) == self.line_of(call) {
                format!("a {meeting} before {}, or two destinations in turn", self.line_of(call))
            } else {
                format!("a {meeting} {}", self.between(other, call))
            };
            return Explanation {
                sides: [other, call],
                whys: [String::new(), format!("and does not know that the destination of PE {pe} is ready")],
                help,
            };
        }
        let (writes, reads) = match (first.kind.writes(), second.kind.writes()) {
            (true, true) => return self.two_writes(),
            (true, false) => (first, second),
            (false, _) => (second, first),
        };
        let (writer, reader) = (writes.pe, reads.pe);
        let OrderingCalls { barrier, between: fence, .. } = self.ordering(writes);
        let between = self.between(writes, reads);
        if writes.is_again {
            let after = reads.after.as_ref().map(|by| self.synchronised(reader, by, "seen").0);
            return Explanation {
                sides: [reads, writes],
                whys: [
                    after.unwrap_or_default(),
                    format!("again, and does not know whether PE {reader} has read"),
                ],
                help: format!(
                    "an acknowledgement: PE {reader} sets a flag after {}, and PE {writer} waits for it before {}; or a \
                     {barrier} there",
                    self.line_of(reads),
                    self.line_of(writes)
                ),
            };
        }
        let line = self.line_of(writes);
        let why = self.why_not(reads, writer);
        let help = if writes.kind.is_atomic() != reads.kind.is_atomic() {
            format!(
                "atomic operations on both lines, or a {barrier} {between}: atomic operations race with plain access"
            )
        } else {
            match reads.after {
                Some(Synchronisation::Meeting { root: Some(root), .. }) if root != writer => {
                    format!("world.barrier_all() {between}: a broadcast tells of its root alone")
                }
                Some(Synchronisation::Meeting { is_common: false, place, .. }) => {
                    let place = self.names.place(reader, place);
                    format!(
                        "world.barrier_all() in place of {} at {}, or a team that PE {writer} is a member of",
                        place.call,
                        self.line(place.at)
                    )
                }
                Some(Synchronisation::Read { offset, update: Some(update), .. }) if update.pe != writer => {
                    let flag = self.names.object(offset);
                    format!(
                        "a flag that PE {writer} sets after {line} (with {fence} between the two), and another one than \
                         {flag}, which tells of PE {} alone; or a {barrier} {between}",
                        update.pe
                    )
                }
                Some(Synchronisation::Read { place, .. }) => format!(
                    "a wait! at {}, for a value that PE {writer} sets after {line} (with {fence} between the two); or a \
                     {barrier} {between}",
                    self.line(self.names.place(reader, place).at)
                ),
                _ => format!(
                    "a {barrier} {between}; or a flag that PE {writer} sets after {line} (with {fence} between the two) and \
                     PE {reader} waits for before {}",
                    self.line_of(reads)
                ),
            }
        };
        Explanation { sides: [writes, reads], whys: [String::new(), why], help }
    }

    /// Both, in the order of their PEs. The events of the PEs come in any order, and each run says the same.
    fn by_pe(&self) -> [&'a Side; 2] {
        let Race { first, second, .. } = self.race;
        if first.pe < second.pe { [first, second] } else { [second, first] }
    }

    fn two_writes(&self) -> Explanation<'a> {
        let Race { first, second, .. } = self.race;
        let sides = self.by_pe();
        let between = self.between(sides[0], sides[1]);
        let barrier = self.ordering(first).barrier;
        let are_atomic = sides.map(|side| side.kind.is_atomic());
        let help = match are_atomic {
            [true, true] => "one type for both: atomic operations of two sizes race".to_owned(),
            [false, false] if self.line_of(first) == self.line_of(second) => format!(
                "let one PE write at {}, or each PE its own elements, or use a lock or an Atomic: two writes race even if \
                 the values are the same",
                self.line_of(first)
            ),
            [false, false] => format!(
                "a {barrier} {between}, or a flag, or a lock: two writes race even if the values are the same"
            ),
            _ => format!(
                "atomic operations on both lines, or a {barrier} {between}: atomic operations race with plain access"
            ),
        };
        Explanation { sides, whys: [String::new(), self.why_not(sides[1], sides[0].pe)], help }
    }

    /// Why the last synchronisation of the PE of an access did not order what PE `other` did.
    fn why_not(&self, side: &Side, other: u16) -> String {
        let Some(by) = &side.after else { return "and nothing orders the two".to_owned() };
        let (after, _) = self.synchronised(side.pe, by, "read");
        match *by {
            Synchronisation::Meeting { root: Some(root), .. } if root != other => {
                format!("{after}, which tells of PE {root} alone")
            }
            Synchronisation::Meeting { is_common: false, .. } => {
                format!("{after}, in which PE {other} has no part")
            }
            Synchronisation::Meeting { .. } => {
                format!("and nothing orders the two since {}", &after["after ".len()..])
            }
            Synchronisation::Read { update: Some(update), .. } if update.pe != other => {
                format!("{after}, which PE {} has updated last", update.pe)
            }
            Synchronisation::Read { .. } => format!("{after}, which does not tell of it"),
        }
    }
}
