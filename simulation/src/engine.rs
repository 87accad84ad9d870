//! The events of a run, in the order of their times.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::machine::{Cores, Machine};
use crate::network::Time;
use crate::program::{Action, Call, FirstMessages, Pe, Word};
use crate::steps::{AT_ONCE, CELLS, LARGE_BRANCHES, SIGNALS, WORD_CELLS};

/// What a run has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// When the last PE has returned from its last call.
    pub end: Time,
    /// When PE 0 has.
    pub end_of_first: Time,
    /// How many messages the PEs have sent, within hosts and between them.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Has all PEs of a machine make these calls, one after the other, from the time 0 on. `sent` is
/// called for each message, with the two PEs and the number of bytes.
///
/// # Panics
///
/// When the PEs wait for each other.
pub fn run(machine: &Machine, calls: &[Call], sent: impl FnMut(usize, usize, usize)) -> Outcome {
    let mut run = Run::new(machine, calls, sent);
    while let Some(Reverse((now, _, event))) = run.events.pop() {
        match event {
            Event::Goes(pe) => run.go(pe, now),
            Event::Arrives { pe, word, value, receipt } => {
                run.write(pe, word, value);
                run.wake(pe, now, receipt);
            }
            Event::Turn(core) => run.turn(core, now),
        }
    }
    run.outcome()
}

/// What happens at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A PE goes on.
    Goes(usize),
    /// A word in the memory of a PE changes. Those who wait for it see that after the `receipt`.
    Arrives { pe: usize, word: Word, value: u32, receipt: Time },
    /// The next PE of a core gets it.
    Turn(usize),
}

/// The words of one PE.
#[derive(Clone)]
struct Memory {
    count: u32,
    signals: [u32; SIGNALS],
    cells: [u32; CELLS],
    word_cells: [u32; WORD_CELLS],
    given: [u32; AT_ONCE],
    told: u32,
    left: u32,
    met: u32,
    ready: [[u32; LARGE_BRANCHES]; WORD_CELLS],
}

impl Memory {
    const EMPTY: Memory = Memory {
        count: 0,
        signals: [0; SIGNALS],
        cells: [0; CELLS],
        word_cells: [0; WORD_CELLS],
        given: [0; AT_ONCE],
        told: 0,
        left: 0,
        met: 0,
        ready: [[0; LARGE_BRANCHES]; WORD_CELLS],
    };

    /// Whether a wait for this word ends.
    fn has(&self, word: Word, value: u32) -> bool {
        match word {
            Word::Count => self.count >= value,
            Word::Signal(word) => self.signals[usize::from(word)] >= value,
            Word::Cell(cell) => self.cells[usize::from(cell)] == value,
            Word::Given(pe) => self.given[usize::from(pe)] >= value,
            Word::Told => self.told >= value,
            Word::Left => self.left >= value,
            Word::Met => self.met >= value,
            Word::Short(cell) => self.word_cells[usize::from(cell)] == value,
            Word::Ready(cell, word) => self.ready[usize::from(cell)][usize::from(word)] == value,
        }
    }
}

/// Where a PE is.
struct State {
    knows: Pe,
    /// The rest of its call, from the last action to the first.
    actions: Vec<Action>,
    /// How many calls it has begun.
    calls: usize,
    /// In the memory of which PE it waits for which word.
    waits: Option<(usize, Word, u32)>,
    /// When it has returned from its last call.
    end: Option<Time>,
}

/// What the PEs of a host share.
#[derive(Clone, Default)]
struct Host {
    /// When its link to other hosts takes the next message.
    link_is_free: Time,
    /// When the next PE can count itself in, and how many have.
    counter_is_free: Time,
    counted: u32,
}

struct Run<'a, F> {
    machine: &'a Machine,
    calls: &'a [Call],
    sent: F,
    /// With a number, so that events of the same time are in the order in which they were made.
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    made: u64,
    pes: Vec<State>,
    memories: Vec<Memory>,
    hosts: Vec<Host>,
    /// The PEs that wait for each core, where they share cores.
    cores: Vec<VecDeque<usize>>,
    /// The last turn on each core where none of these can go on, until a word changes.
    idle: Vec<Option<Time>>,
    messages: u64,
    bytes: u64,
}

impl<'a, F: FnMut(usize, usize, usize)> Run<'a, F> {
    fn new(machine: &'a Machine, calls: &'a [Call], sent: F) -> Run<'a, F> {
        let state = |knows| State { knows, actions: Vec::new(), calls: 0, waits: None, end: None };
        let mut run = Run {
            machine,
            calls,
            sent,
            events: BinaryHeap::new(),
            made: 0,
            pes: Pe::all(machine).into_iter().map(state).collect(),
            memories: vec![Memory::EMPTY; machine.pes],
            hosts: vec![Host::default(); machine.hosts()],
            cores: vec![VecDeque::new(); machine.cores.map_or(0, |cores| cores.number)],
            idle: vec![None; machine.cores.map_or(0, |cores| cores.number)],
            messages: 0,
            bytes: 0,
        };
        for pe in 0..machine.pes {
            match run.core(pe) {
                Some(core) => run.cores[core].push_back(pe),
                None => run.at(0, Event::Goes(pe)),
            }
        }
        (0..run.cores.len()).for_each(|core| run.at(0, Event::Turn(core)));
        run
    }

    fn outcome(self) -> Outcome {
        let end = |(pe, state): (usize, &State)| {
            state.end.unwrap_or_else(|| panic!("PE {pe} waits for ever: {:?}", state.waits))
        };
        let ends: Vec<Time> = self.pes.iter().enumerate().map(end).collect();
        let last = ends.iter().copied().max().unwrap_or(0);
        Outcome { end: last, end_of_first: ends[0], messages: self.messages, bytes: self.bytes }
    }

    fn at(&mut self, time: Time, event: Event) {
        self.made += 1;
        self.events.push(Reverse((time, self.made, event)));
    }

    /// The core that a PE shares with others.
    fn core(&self, pe: usize) -> Option<usize> {
        self.machine.cores.map(|cores| pe % cores.number)
    }

    /// Whether what a PE waits for is there.
    fn is_there(&self, (at, word, value): (usize, Word, u32)) -> bool {
        self.memories[at].has(word, value)
    }

    /// A PE goes on until it waits, has returned from its last call, or something else happens
    /// before its next action.
    fn go(&mut self, pe: usize, mut now: Time) {
        loop {
            if self.events.peek().is_some_and(|Reverse((next, ..))| *next < now) {
                return self.at(now, Event::Goes(pe));
            }
            let state = &mut self.pes[pe];
            let Some(action) = state.actions.pop() else {
                let Some(&call) = self.calls.get(state.calls) else {
                    state.end = Some(now);
                    return self.leave_core(pe, now);
                };
                state.calls += 1;
                state.actions = state.knows.call(call);
                state.actions.reverse();
                now += self.machine.call;
                continue;
            };
            match action {
                Action::CountIn { visit, sends } => now = self.count_in(pe, visit, sends, now),
                Action::Put { pe: to, bytes } => (now, _) = self.send(pe, to, bytes, now),
                Action::Write { pe: to, bytes, word, value } => {
                    let (sent, arrives) = self.send(pe, to, bytes, now);
                    let receipt = self.machine.link(pe, to).receive;
                    self.at(arrives, Event::Arrives { pe: to, word, value, receipt });
                    now = sent;
                }
                Action::Take { bytes } => now += bytes as u64 * self.machine.within.byte,
                Action::Leave { word, value } => {
                    let receipt = self.machine.counter;
                    now += receipt;
                    self.at(now, Event::Arrives { pe, word, value, receipt });
                }
                Action::Await { at, word, value } => {
                    if !self.is_there((at, word, value)) {
                        self.pes[pe].waits = Some((at, word, value));
                        return self.leave_core(pe, now);
                    }
                    now += self.late_receipt(word);
                }
            }
        }
    }

    /// Sends a message, and returns when its sender goes on, and when it arrives.
    fn send(&mut self, from: usize, to: usize, bytes: usize, now: Time) -> (Time, Time) {
        let link = self.machine.link(from, to);
        let now = now + link.send;
        let transfer = bytes as u64 * link.byte;
        let mut departs = now;
        if self.machine.host(from) != self.machine.host(to) {
            let host = &mut self.hosts[self.machine.host(from)];
            departs = now.max(host.link_is_free);
            host.link_is_free = departs + transfer.max(link.gap);
        }
        self.messages += 1;
        self.bytes += bytes as u64;
        (self.sent)(from, to, bytes);
        (now, departs + transfer + link.latency)
    }

    /// How long it takes to read a word that has come before: PEs of the host leave some, and others come in messages.
    fn late_receipt(&self, word: Word) -> Time {
        match word {
            Word::Count | Word::Told | Word::Left | Word::Met => self.machine.counter,
            Word::Signal(_) | Word::Given(_) | Word::Cell(_) | Word::Short(_) | Word::Ready(..) => {
                self.machine.between.late
            }
        }
    }

    /// Counts a PE in on its host, and returns when it goes on.
    fn count_in(&mut self, pe: usize, visit: u32, sends: FirstMessages, now: Time) -> Time {
        let (update, state) = (self.machine.counter, &mut self.pes[pe]);
        let host = &mut self.hosts[self.machine.host(pe)];
        let now = now.max(host.counter_is_free) + update;
        host.counter_is_free = now;
        host.counted += 1;
        if host.counted == visit * state.knows.here() as u32 {
            // They are taken from the end.
            state.actions.extend(state.knows.first_messages(sends).into_iter().rev());
        }
        let pe = state.knows.lead();
        self.at(now, Event::Arrives { pe, word: Word::Count, value: 1, receipt: update });
        now
    }

    /// A word changes.
    fn write(&mut self, pe: usize, word: Word, value: u32) {
        let memory = &mut self.memories[pe];
        match word {
            Word::Count => memory.count += value,
            Word::Signal(word) => memory.signals[usize::from(word)] += value,
            Word::Cell(cell) => memory.cells[usize::from(cell)] = value,
            Word::Given(pe) => memory.given[usize::from(pe)] = value,
            Word::Told => memory.told = value,
            Word::Left => memory.left = value,
            Word::Met => memory.met = value,
            Word::Short(cell) => memory.word_cells[usize::from(cell)] = value,
            Word::Ready(cell, word) => memory.ready[usize::from(cell)][usize::from(word)] = value,
        }
    }

    /// Has those go on who wait for a word of this PE, after the receipt. Who shares a core sees it in its turn.
    fn wake(&mut self, pe: usize, now: Time, receipt: Time) {
        if let Some(Cores { turn, .. }) = self.machine.cores {
            return self.wake_cores(turn.max(1), now);
        }
        let is_shared = self.pes[pe].knows.shares();
        let readers = if is_shared { self.machine.pes_of(self.machine.host(pe)) } else { pe..pe + 1 };
        for reader in readers {
            self.end_wait(reader, now + receipt);
        }
    }

    /// Has a PE go on at a time if what it waits for is there.
    fn end_wait(&mut self, pe: usize, then: Time) -> bool {
        let ends = self.pes[pe].waits.is_some_and(|wait| self.is_there(wait));
        if ends {
            self.pes[pe].waits = None;
            self.at(then, Event::Goes(pe));
        }
        ends
    }

    /// A PE has nothing to do at this time: the next one gets its core.
    fn leave_core(&mut self, pe: usize, now: Time) {
        let Some(core) = self.core(pe) else { return };
        if self.pes[pe].end.is_none() {
            self.cores[core].push_back(pe);
        }
        self.next_turn(core, now);
    }

    fn next_turn(&mut self, core: usize, now: Time) {
        let turn = self.machine.cores.map_or(0, |cores| cores.turn);
        self.at(now + turn, Event::Turn(core));
    }

    /// The next PE of a core gets it, and looks whether what it waits for is there.
    fn turn(&mut self, core: usize, now: Time) {
        let Some(pe) = self.cores[core].pop_front() else { return };
        if self.pes[pe].waits.is_none() {
            return self.at(now, Event::Goes(pe));
        }
        if self.end_wait(pe, now) {
            return;
        }
        self.cores[core].push_back(pe);
        let goes_on = |&pe: &usize| self.pes[pe].waits.is_none_or(|wait| self.is_there(wait));
        if self.cores[core].iter().any(goes_on) {
            self.next_turn(core, now);
        } else {
            self.idle[core] = Some(now);
        }
    }

    /// A word has changed, so the turns go on where all were waiting. They went on before, for nothing.
    fn wake_cores(&mut self, turn: Time, now: Time) {
        for core in 0..self.cores.len() {
            let Some(last) = self.idle[core].take() else { continue };
            let turns = (now - last).div_ceil(turn).max(1);
            let pes = &mut self.cores[core];
            pes.rotate_left((turns - 1) as usize % pes.len());
            self.at(last + turns * turn, Event::Turn(core));
        }
    }
}
