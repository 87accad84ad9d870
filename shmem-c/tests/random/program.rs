//! Makes a random program, and does in the model what it does.
//!
//! A program is a row of phases with barriers between them. In a phase no two PEs write the same
//! bytes, and nobody reads what another one writes, but for sums, signals and locks, whose result does
//! not depend on the order. What one phase writes is what later ones read.

mod collectives;

use fastrand::Rng;

use super::super::table::Set;
use super::deck::{
    Atomic, Collective, Deck, REDUCTIONS, Transfer, Ty, atomic_deck, collective_deck, transfer_deck, types,
};
use super::model::{BYTES, Int, Pe, Piece, Place};

/// Teams and their contexts; the first is that of all PEs.
const TEAMS: usize = 6;
/// Most PEs of a job.
const MOST: usize = 7;
/// Transfers of a PE in a phase, and the bytes that each can write.
const TRANSFERS: usize = 4;
const STRIPE: usize = BYTES / MOST / TRANSFERS / 16 * 16;
/// The first cells, which all PEs share.
const SHARED: usize = 32;
/// Where the half of the private memory begins that is written.
const HALF: usize = BYTES / 2;

/// A program, and what it does by the model.
pub(super) struct Case {
    pub(super) seed: u64,
    pub(super) lines: Vec<String>,
    rng: Rng,
    pes: Vec<Pe>,
    /// The members of each team that each PE has, in the order of their numbers in it.
    teams: Vec<[Option<Vec<usize>>; TEAMS]>,
    /// The piece that transfers and collectives write; the other one they read.
    written: Piece,
}

impl Case {
    /// A program for `npes` PEs.
    pub(super) fn random(npes: usize, seed: u64) -> Case {
        let mut rng = Rng::with_seed(seed.wrapping_mul(1000) + npes as u64);
        let mut transfers = Deck::new(&mut rng, transfer_deck());
        let mut atomics = Deck::new(&mut rng, atomic_deck());
        let mut collectives = Deck::new(&mut rng, collective_deck());
        let mut signals = Deck::new(&mut rng, types(Set::Rma));
        let all: Vec<usize> = (0..npes).collect();
        let teams = (0..npes).map(|_| std::array::from_fn(|team| (team == 0).then(|| all.clone()))).collect();
        let pes = (0..npes).map(Pe::new).collect();
        let mut case = Case { seed, lines: Vec::new(), rng, pes, teams, written: Piece::Static };
        case.make_teams();
        while !(transfers.is_through()
            && atomics.is_through()
            && collectives.is_through()
            && signals.is_through())
        {
            case.transfers(&mut transfers);
            case.atomics(&mut atomics);
            case.signals(&mut signals);
            case.collectives(&mut collectives);
            if case.rng.u8(..8) == 0 {
                case.locks();
                case.translations();
            }
        }
        case.translations();
        for team in (1..TEAMS).rev() {
            for pe in case.members(team) {
                case.say(pe, "gone", &[team as i64]);
            }
        }
        case
    }

    pub(super) fn npes(&self) -> usize {
        self.pes.len()
    }

    /// Where what PE `pe` has written down first differs from the model.
    pub(super) fn difference(&self, pe: usize, found: &[i64]) -> Option<String> {
        let (what, line) = self.pes[pe].difference(found)?;
        let line = line.checked_sub(1).map_or("no line", |line| &self.lines[line]);
        Some(format!("{what}; by `{line}`"))
    }

    /// Adds a line, and returns its number, from 1 on.
    fn say(&mut self, pe: usize, operation: &str, numbers: &[i64]) -> usize {
        let numbers: String = numbers.iter().map(|number| format!(" {number}")).collect();
        self.lines.push(format!("{pe} {operation}{numbers}"));
        self.lines.len()
    }

    /// Adds the line of a transfer of elements or blocks of them, by a context, to or from the PE of a rank.
    /// `shape` is how many, the strides of both sides, and the elements of a block.
    fn say_transfer(
        &mut self,
        pe: usize,
        (kind, ty): (Transfer, Ty),
        (context, rank): (i64, i64),
        (to, from): (Place, Place),
        shape: [usize; 4],
    ) -> usize {
        let place = |(piece, at): Place| [piece as i64, at as i64];
        let ([to_piece, to_at], [from_piece, from_at]) = (place(to), place(from));
        let [count, to_stride, from_stride, block] = shape.map(|number| number as i64);
        let numbers = [
            kind as i64,
            ty.number as i64,
            context,
            to_piece,
            to_at,
            from_piece,
            from_at,
            rank,
            count,
            to_stride,
            from_stride,
            block,
        ];
        self.say(pe, "transfer", &numbers)
    }

    fn barrier(&mut self) {
        for pe in 0..self.npes() {
            self.say(pe, "barrier", &[]);
        }
    }

    /// The PEs that are in a team of this number. Those of a row and of a column are of several teams.
    fn members(&self, team: usize) -> Vec<usize> {
        (0..self.npes()).filter(|pe| self.teams[*pe][team].is_some()).collect()
    }

    /// A random team that the PE has.
    fn team_of(&mut self, pe: usize) -> usize {
        let teams: Vec<usize> = (0..TEAMS).filter(|team| self.teams[pe][*team].is_some()).collect();
        teams[self.rng.usize(..teams.len())]
    }

    /// A random target of an operation of `pe`: the context and the PE as the call has them, and the PE.
    /// With a context if `with_context` says so.
    fn target(&mut self, pe: usize, with_context: bool) -> (i64, i64, usize) {
        if !with_context {
            let target = self.rng.usize(..self.npes());
            return (-1, target as i64, target);
        }
        let team = self.team_of(pe);
        let members = self.teams[pe][team].clone().expect("a team that the PE has");
        let rank = self.rng.usize(..members.len());
        (team as i64, rank as i64, members[rank])
    }

    fn read(&self) -> Piece {
        if self.written == Piece::Heap { Piece::Static } else { Piece::Heap }
    }

    /// Splits teams until there are five, and makes a context of each.
    fn make_teams(&mut self) {
        let mut new = 1;
        while new < TEAMS {
            let parent = self.rng.usize(..new);
            let members = self.members(parent);
            let smallest =
                members.iter().map(|pe| self.teams[*pe][parent].as_ref().map_or(0, Vec::len)).min();
            let smallest = smallest.unwrap_or(0);
            // All that have such a parent split it alike.
            if new + 1 < TEAMS && self.rng.bool() {
                let width = self.rng.usize(1..=smallest + 1);
                for pe in members {
                    self.say(pe, "grid", &[parent as i64, width as i64, new as i64, new as i64 + 1]);
                    let all = self.teams[pe][parent].clone().expect("a member");
                    let rank = all.iter().position(|member| *member == pe).expect("a member");
                    let width = width.min(all.len());
                    let row = all.iter().copied().skip(rank / width * width).take(width).collect();
                    let column = all.iter().copied().skip(rank % width).step_by(width).collect();
                    (self.teams[pe][new], self.teams[pe][new + 1]) = (Some(row), Some(column));
                }
                new += 2;
            } else {
                let size = self.rng.usize(1..=smallest);
                let most = if size == 1 { 1 } else { (smallest - 1) / (size - 1) };
                let stride = self.rng.usize(1..=most) as i64;
                let span = (size as i64 - 1) * stride;
                let mut start = self.rng.i64(0..smallest as i64 - span);
                let mut stride = stride;
                if self.rng.bool() {
                    (start, stride) = (start + span, -stride);
                }
                for pe in members {
                    self.say(pe, "strided", &[parent as i64, start, stride, size as i64, new as i64]);
                    let all = self.teams[pe][parent].clone().expect("a member");
                    let chosen: Vec<usize> =
                        (0..size as i64).map(|i| all[(start + i * stride) as usize]).collect();
                    self.teams[pe][new] = chosen.contains(&pe).then_some(chosen);
                }
                new += 1;
            }
        }
        for pe in 0..self.npes() {
            for team in 1..TEAMS {
                let line = self.say(pe, "member", &[team as i64]);
                let (rank, size) = match &self.teams[pe][team] {
                    Some(all) => (all.iter().position(|member| *member == pe), all.len() as i64),
                    None => (None, -1),
                };
                self.pes[pe].tell(line, rank.map_or(-1, |rank| rank as i64));
                self.pes[pe].tell(line, size);
                if size > 0 {
                    self.say(pe, "context", &[team as i64]);
                }
            }
        }
        self.barrier();
    }

    fn translations(&mut self) {
        for pe in 0..self.npes() {
            for _ in 0..6 {
                let (from, to) = (self.rng.usize(..TEAMS), self.rng.usize(..TEAMS));
                let rank = self.rng.i64(-1..=self.npes() as i64);
                let line = self.say(pe, "translate", &[from as i64, rank, to as i64]);
                let translated = || {
                    let (from, to) = (self.teams[pe][from].as_ref()?, self.teams[pe][to].as_ref()?);
                    let world = from.get(usize::try_from(rank).ok()?)?;
                    to.iter().position(|member| member == world)
                };
                let translated = translated().map_or(-1, |rank| rank as i64);
                self.pes[pe].tell(line, translated);
            }
        }
    }

    /// Transfers of all kinds, from one piece of symmetric memory to the other, and from and to
    /// private memory.
    fn transfers(&mut self, deck: &mut Deck<(Transfer, Ty, bool)>) {
        let mut private = Vec::new();
        for pe in 0..self.npes() {
            for number in 0..TRANSFERS {
                let &(kind, ty, with_context) = deck.take();
                let (of, rank, target) = self.target(pe, with_context);
                let is_put = matches!(
                    kind,
                    Transfer::Put | Transfer::PutNbi | Transfer::Iput | Transfer::Ibput | Transfer::P
                );
                let own = (pe * TRANSFERS + number) * STRIPE;
                let is_private = self.rng.bool();
                let (from, to) = match (is_put, is_private) {
                    (true, true) => ((Piece::Private, self.at(HALF - STRIPE)), (self.written, own)),
                    (false, true) => {
                        ((self.read(), self.at(BYTES - STRIPE)), (Piece::Private, HALF + number * STRIPE))
                    }
                    _ => ((self.read(), self.at(BYTES - STRIPE)), (self.written, own)),
                };
                let to = (to.0, to.1 + self.at(64));
                if to.0 == Piece::Private {
                    private.push((pe, number));
                }
                let (block, count) = match kind {
                    Transfer::P | Transfer::G => (1, 1),
                    Transfer::Ibput | Transfer::Ibget => (self.rng.usize(1..=2), self.rng.usize(..=4)),
                    _ => (1, self.rng.usize(..=6)),
                };
                let (dst, sst) = match kind {
                    Transfer::Iput | Transfer::Iget | Transfer::Ibput | Transfer::Ibget => {
                        (self.rng.usize(block..=3), self.rng.usize(block..=3))
                    }
                    _ => (1, 1),
                };
                let line =
                    self.say_transfer(pe, (kind, ty), (of, rank), (to, from), [count, dst, sst, block]);
                let (reader, writer) = if is_put { (pe, target) } else { (target, pe) };
                for i in 0..count {
                    let place = |(piece, at): Place, stride: usize| (piece, at + i * stride * ty.size);
                    let bytes = self.pes[reader].read(place(from, sst), block * ty.size).to_vec();
                    self.pes[writer].write(place(to, dst), &bytes, line);
                }
                let is_later = matches!(kind, Transfer::PutNbi | Transfer::GetNbi);
                // A barrier completes what has no context.
                if of >= 0 || is_later && self.rng.bool() {
                    self.say(pe, "quiet", &[of]);
                }
            }
        }
        self.barrier();
        // What came to private memory is read from the next phase on.
        for (pe, number) in private {
            let (from, to) =
                ((Piece::Private, HALF + number * STRIPE), (Piece::Private, self.at(HALF - STRIPE)));
            self.copy(pe, to, from, STRIPE);
        }
        self.written = self.read();
    }

    /// A multiple of 16 below `end`.
    fn at(&mut self, end: usize) -> usize {
        self.rng.usize(..end / 16) * 16
    }

    fn copy(&mut self, pe: usize, to: Place, from: Place, len: usize) {
        let numbers = [to.0 as i64, to.1 as i64, from.0 as i64, from.1 as i64, len as i64];
        let line = self.say(pe, "copy", &numbers);
        let bytes = self.pes[pe].read(from, len).to_vec();
        self.pes[pe].write(to, &bytes, line);
    }

    /// Updates that do not depend on their order, of cells that all PEs share; and all others, of cells
    /// that one PE has on all of them.
    fn atomics(&mut self, deck: &mut Deck<(Atomic, Ty, bool, bool)>) {
        use Atomic::*;
        let adders = types(Set::Amo);
        let ty = adders[self.rng.usize(..adders.len())];
        for pe in 0..self.npes() {
            let target = self.target(pe, true);
            let (cell, value) = (self.rng.usize(..SHARED), self.rng.i64(..));
            self.atomic(pe, Add, ty, target, cell, (value, 0), false);
            for number in 0..8 {
                let &(kind, ty, with_context, is_later) = deck.take();
                let target = self.target(pe, with_context);
                let cell = SHARED + pe * 8 + number;
                let (mut x, mut y) = (self.rng.i64(..), 0);
                if kind == CompareSwap {
                    y = x;
                    let found = Int::of(ty.name).value(&self.pes[target.2].cells[cell]);
                    // Half of them succeed.
                    x = if self.rng.bool() { found } else { y ^ 1 };
                }
                self.atomic(pe, kind, ty, target, cell, (x, y), is_later);
            }
        }
        self.barrier();
    }

    #[allow(clippy::too_many_arguments, reason = "those of a line")]
    fn atomic(
        &mut self,
        pe: usize,
        kind: Atomic,
        ty: Ty,
        (of, rank, target): (i64, i64, usize),
        cell: usize,
        (x, y): (i64, i64),
        is_later: bool,
    ) {
        use Atomic::*;
        let numbers = [kind as i64, ty.number_of_amo(), of, cell as i64, x, y, rank, i64::from(is_later)];
        let line = self.say(pe, "atomic", &numbers);
        let int = Int::of(ty.name);
        let found = int.value(&self.pes[target].cells[cell]);
        let new = match kind {
            Fetch => found,
            SetTo | Swap => x,
            CompareSwap if found == int.value(&x.to_le_bytes()) => y,
            CompareSwap => found,
            Inc | FetchInc => found.wrapping_add(1),
            Add | FetchAdd => found.wrapping_add(x),
            And | FetchAnd => found & x,
            Or | FetchOr => found | x,
            Xor | FetchXor => found ^ x,
        };
        self.pes[target].cells[cell][..int.size].copy_from_slice(&int.bytes(new));
        if !matches!(kind, SetTo | Inc | Add | And | Or | Xor) {
            self.pes[pe].tell(line, found);
        }
        if of >= 0 {
            self.say(pe, "quiet", &[of]);
        }
    }

    /// Each member of a team sends to another one, which waits for the signal and reads what came.
    fn signals(&mut self, deck: &mut Deck<Ty>) {
        let team = self.rng.usize(..TEAMS);
        let ty = *deck.take();
        let (shift, count, way) = (self.rng.usize(..MOST), self.rng.usize(1..=6), self.rng.u8(..4));
        let members = self.members(team);
        // What is sent to each: from where, the place, the bytes, and the line.
        let mut sent = Vec::new();
        for &pe in &members {
            let all = self.teams[pe][team].clone().expect("a member");
            let rank = all.iter().position(|member| *member == pe).expect("a member");
            let rank = (rank + shift) % all.len();
            let target = all[rank];
            let from = (self.read(), self.at(BYTES - STRIPE));
            let to = (self.written, pe * TRANSFERS * STRIPE);
            let added = self.rng.u64(1..100);
            let value = self.pes[target].signals[team] + added;
            let with_context = self.rng.bool();
            let (of, rank) = if with_context { (team as i64, rank as i64) } else { (-1, target as i64) };
            let place = |(piece, at): Place| [piece as i64, at as i64];
            let ([to_piece, to_at], [from_piece, from_at]) = (place(to), place(from));
            let line = if way < 2 {
                let (operation, number) = if self.rng.bool() { (1, added) } else { (0, value) };
                let numbers = [
                    ty.number as i64,
                    of,
                    to_piece,
                    to_at,
                    from_piece,
                    from_at,
                    rank,
                    count as i64,
                    team as i64,
                    number as i64,
                    operation,
                    i64::from(way),
                ];
                self.say(pe, "signalled", &numbers)
            } else {
                // Without such a put: a put, what orders it, and an update.
                let kind = if way == 2 { Transfer::PutNbi } else { Transfer::Put };
                let line = self.say_transfer(pe, (kind, ty), (of, rank), (to, from), [count, 1, 1, 1]);
                self.say(pe, if way == 2 { "quiet" } else { "fence" }, &[of]);
                self.say(pe, "flag", &[of, team as i64, value as i64, rank]);
                line
            };
            let bytes = self.pes[pe].read(from, count * ty.size).to_vec();
            sent.push((target, to, bytes, line, value));
        }
        for (target, to, bytes, line, value) in sent {
            self.pes[target].write(to, &bytes, line);
            self.pes[target].signals[team] = value;
            let wait = self.rng.i64(0..8);
            let line = self.say(target, "arrived", &[wait, team as i64, value as i64]);
            match wait {
                0 => self.pes[target].tell(line, value as i64),
                3 => self.pes[target].tell(line, 0),
                4 => self.pes[target].tell(line, 1),
                _ => {}
            }
            self.pes[target].tell(line, value as i64);
            // It reads what came before any barrier.
            let got = (Piece::Private, HALF);
            let shape = [bytes.len() / ty.size, 1, 1, 1];
            let line = self.say_transfer(target, (Transfer::Get, ty), (-1, target as i64), (got, to), shape);
            self.pes[target].write(got, &bytes, line);
        }
        self.barrier();
    }

    /// All PEs update one counter by a put of what they have read.
    fn locks(&mut self) {
        let (turns, added, home) = (self.rng.u64(1..4), self.rng.u64(1..1000), self.rng.usize(..self.npes()));
        for pe in 0..self.npes() {
            self.say(pe, "locked", &[turns as i64, added as i64, home as i64]);
            self.pes[home].counter += turns * added;
        }
        self.barrier();
        let pe = self.rng.usize(..self.npes());
        let line = self.say(pe, "counted", &[home as i64]);
        let counter = self.pes[home].counter;
        self.pes[pe].tell(line, counter as i64);
        self.barrier();
    }
}
