//! A run of measurements, on all PEs of a job.

use std::fs;
use std::process::ExitCode;

use shmem::prelude::*;

use crate::{Comparison, Options, calibrate, csv, in_turns, table};

/// The run: what to measure, and what was measured.
pub struct Bench<'a> {
    /// The PEs that measure.
    pub world: &'a World,
    options: Options,
    done: Vec<Comparison>,
}

/// An operation, and how to judge it.
#[derive(Clone, Debug)]
pub struct Case {
    operation: String,
    limit: &'static str,
    goal: Option<f64>,
    bytes: Option<usize>,
    /// How many operations one call of the closures performs.
    operations: usize,
}

impl Case {
    /// `operation` beside `limit`, with the largest ratio that is good enough, where there is a goal.
    #[must_use]
    pub fn new(operation: &str, limit: &'static str, goal: Option<f64>, operations: usize) -> Case {
        Case { operation: operation.to_owned(), limit, goal, bytes: None, operations }
    }

    /// The same, of which nothing is expected.
    #[must_use]
    pub fn without_goal(self) -> Case {
        Case { goal: None, ..self }
    }

    /// The bytes that one operation moves, where the speed in bytes says more than the time.
    #[must_use]
    pub fn bytes(self, bytes: usize) -> Case {
        Case { bytes: Some(bytes), ..self }
    }

    fn with(self, rounds: Vec<(f64, f64)>) -> Comparison {
        Comparison {
            operation: self.operation,
            limit: self.limit,
            goal: self.goal,
            bytes: self.bytes,
            rounds,
        }
    }
}

impl<'a> Bench<'a> {
    /// Nothing measured yet. Every PE reads the same arguments, so all can, or none: then PE 0 has said why.
    pub fn new(world: &'a World) -> Option<Bench<'a>> {
        match Options::parse(std::env::args().skip(1)) {
            Ok(options) => Some(Bench { world, options, done: Vec::new() }),
            Err(why) => {
                if world.my_pe() == 0 {
                    eprintln!("{why}");
                }
                None
            }
        }
    }

    /// Prints the results on PE 0, under `heading`, and writes them to the file that is asked for.
    pub fn report(&self, heading: &str) -> ExitCode {
        if self.world.my_pe() == 0 {
            println!("{heading}\n{}", table(&self.done));
            if let Some(file) = &self.options.csv
                && let Err(error) = fs::write(file, csv(&self.done, self.world.n_pes()))
            {
                eprintln!("cannot write {}: {error}", file.display());
                return ExitCode::FAILURE;
            }
        }
        ExitCode::SUCCESS
    }

    /// Measures what PE 0 does alone, while all others wait. Collective.
    pub fn one_sided(&mut self, case: Case, mut limit: impl FnMut(), ours: impl FnMut()) {
        if !self.options.wants(&case.operation) {
            return;
        }
        if self.world.my_pe() == 0 {
            let repeats = calibrate(&mut limit);
            let rounds = in_turns(self.options.rounds(), repeats, case.operations, || (), limit, ours);
            self.done.push(case.with(rounds));
        }
        self.world.barrier_all();
    }

    /// Measures what the PEs do together, with the clock of PE 0. Collective.
    pub fn together(&mut self, case: Case, limit: impl FnMut(), ours: impl FnMut()) {
        if !self.options.wants(&case.operation) {
            return;
        }
        let world = self.world;
        let rounds = in_turns(self.options.rounds(), 1, case.operations, || world.barrier_all(), limit, ours);
        self.done.push(case.with(rounds));
        world.barrier_all();
    }
}
