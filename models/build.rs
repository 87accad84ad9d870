//! Makes the mutants: copies of the algorithms' files with one mistake each, for the models to
//! find.

mod race_mutants;

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

/// The files, in `shmem-core/src`, and the modules that they are.
const FILES: [(&str, &str); 7] = [
    ("counter", "transport/node/counter.rs"),
    ("barrier", "transport/node/barrier.rs"),
    ("phase_change", "transport/node/phase_change.rs"),
    ("queue", "lock/queue.rs"),
    ("question", "transport/node/question.rs"),
    ("pairs", "partners/pairs.rs"),
    ("mailbox", "runtime/batch/mailbox.rs"),
];

/// Name, module, what is there once, and what stands there instead.
const MUTANTS: &[[&str; 4]] = &[
    [
        "clears_without_a_wake",
        "counter",
        "            system.wake_all(&self.0);\n        }\n        Ok(())",
        "            let _ = system;\n        }\n        Ok(())",
    ],
    [
        "clears_a_single_waiter_without_a_wake",
        "counter",
        "            system.wake_all(&self.0);\n        }\n    }",
        "            let _ = system;\n        }\n    }",
    ],
    [
        "sleeps_without_an_announcement",
        "counter",
        "self.0.compare_exchange(word, announced, Ordering::Relaxed, Ordering::Relaxed).is_ok()",
        "{ system.sleep_while(&self.0, word, &mut nap); false }",
    ],
    [
        "announces_by_a_store",
        "counter",
        "self.0.compare_exchange(word, announced, Ordering::Relaxed, Ordering::Relaxed).is_ok()",
        "{ self.0.store(announced, Ordering::Relaxed); true }",
    ],
    [
        "advances_without_release",
        "counter",
        "let before = self.0.fetch_add(ONE, Ordering::AcqRel);",
        "let before = self.0.fetch_add(ONE, Ordering::Acquire);",
    ],
    [
        "completes_without_acquire",
        "counter",
        "let before = self.0.fetch_add(ONE, Ordering::AcqRel);",
        "let before = self.0.fetch_add(ONE, Ordering::Release);",
    ],
    [
        "looks_without_acquire",
        "counter",
        "let word = self.0.load(Ordering::Acquire);\n            if reached(word)",
        "let word = self.0.load(Ordering::Relaxed);\n            if reached(word)",
    ],
    [
        "begins_a_slot_at_zero",
        "barrier",
        "BarrierForm::OneCounter { counter, base: base(counter), oversubscribed }",
        "BarrierForm::OneCounter { counter, base: { let _ = &base; 0 }, oversubscribed }",
    ],
    ["begins_exchanges_at_zero", "barrier", "base: mine.counter.count(),", "base: { let _ = mine; 0 },"],
    [
        "leaves_a_round_out",
        "barrier",
        "members.signalled(rank).map(round_counters)",
        "members.signalled(rank).take(1).map(round_counters)",
    ],
    ["has_one_exchange_buffer", "barrier", "let turn = number as usize % 2;", "let turn = 0;"],
    [
        "broadcasts_without_release",
        "counter",
        "if self.0.fetch_add(ONE, Ordering::AcqRel) & SLEEPER != 0 {",
        "if self.0.fetch_add(ONE, Ordering::Acquire) & SLEEPER != 0 {",
    ],
    [
        "receives_without_acquire",
        "counter",
        "let word = self.0.load(Ordering::Acquire);\n        (word",
        "let word = self.0.load(Ordering::Relaxed);\n        (word",
    ],
    ["overwrites_unread_cells", "barrier", "if in_use + count > CELLS {", "if false {"],
    [
        "counts_words_up_before_they_are_written",
        "barrier",
        "        copy_words(from, words);\n",
        "        self.publish(start, size_of_val(from));\n        copy_words(from, words);\n        if true { return; }\n",
    ],
    [
        "reads_words_without_waiting",
        "barrier",
        "        self.wait_for_cell(root, start, size_of_val(to));\n",
        "",
    ],
    ["begins_cells_at_zero", "barrier", "ring.sent.0.load(Ordering::Acquire)", "{ let _ = &ring; 0 }"],
    [
        "lets_threads_share_a_place",
        "queue",
        "if memory.load(me, LockWord::Serving) != ticket {",
        "if false {",
    ],
    [
        "grants_before_it_clears_next",
        "queue",
        "        memory.swap(me, LockWord::Next, 0);\n        memory.store(as_pe(next), LockWord::Granted, 1);\n    }\n    memory.store(me, LockWord::Serving, ticket.wrapping_add(1));",
        "        memory.store(as_pe(next), LockWord::Granted, 1);\n        memory.store(me, LockWord::Serving, ticket.wrapping_add(1));\n        memory.swap(me, LockWord::Next, 0);\n        return;\n    }\n    memory.store(me, LockWord::Serving, ticket.wrapping_add(1));",
    ],
    ["leaves_itself_granted", "queue", "        memory.swap(me, LockWord::Granted, 0);\n", ""],
    [
        "forgets_who_is_coming",
        "queue",
        "next = wait(memory, LockWord::Next, None, |next| next != 0);",
        "next = 0; memory.store(me, LockWord::Serving, ticket.wrapping_add(1) + next); return;",
    ],
    [
        "asks_without_release",
        "question",
        "self.asked.store(question, Ordering::Release);",
        "self.asked.store(question, Ordering::Relaxed);",
    ],
    [
        "is_asked_without_acquire",
        "question",
        "self.asked.load(Ordering::Acquire)",
        "self.asked.load(Ordering::Relaxed)",
    ],
    [
        "answers_what_was_asked_later",
        "question",
        "self.answered.store(question, Ordering::Release);",
        "{ let _ = question; self.answered.store(self.asked.load(Ordering::Acquire), Ordering::Release); }",
    ],
    [
        "hears_the_answers_last",
        "question",
        "    let answered = answered();\n    match (still(), answered) {",
        "    match (still(), answered()) {",
    ],
    ["counts_no_waits", "question", ".wrapping_add(1).max(1)", ".max(1)"],
    ["writes_without_a_fence", "question", "        fence(Ordering::Release);\n", ""],
    ["reads_without_a_fence", "question", "        fence(Ordering::Acquire);\n", ""],
    [
        "reads_once",
        "question",
        "(self.sequence.load(Ordering::Relaxed) == before).then_some(result)",
        "Some(result)",
    ],
    [
        "publishes_without_release",
        "question",
        "self.sequence.store(sequence.wrapping_add(2), Ordering::Release);",
        "self.sequence.store(sequence.wrapping_add(2), Ordering::Relaxed);",
    ],
    [
        "comes_to_the_only_one_and_tells_nobody",
        "pairs",
        "    memory.come(pe, visit);\n    memory.has_come();",
        "    memory.has_come();",
    ],
    [
        "comes_and_tells_nobody",
        "pairs",
        "        memory.come(pe, visit);\n",
        "        let _ = memory.look(pe, visit);\n",
    ],
    [
        "waits_for_the_visit_before",
        "pairs",
        "seen.wrapping_sub(visit).cast_signed() >= 0",
        "seen.wrapping_sub(visit).cast_signed() >= -2",
    ],
    ["compares_without_wrapping", "pairs", "seen.wrapping_sub(visit).cast_signed() >= 0", "seen >= visit"],
    ["has_one_half", "pairs", "((number % 2) as usize, number as u16)", "(0, number as u16)"],
    [
        "meets_one_after_the_other",
        "pairs",
        "        memory.come(pe, visit);\n",
        "        memory.come(pe, visit);\n        if !is_complete(memory.look(pe, visit), visit) { wait(memory, pe, visit); }\n",
    ],
    [
        "does_not_wait_for_the_only_one",
        "pairs",
        "    memory.has_come();\n    if !is_complete(memory.look(pe, visit), visit) {",
        "    if false {",
    ],
    [
        "tells_without_release",
        "pairs",
        "flag.store(visit, Ordering::Release)",
        "flag.store(visit, Ordering::Relaxed)",
    ],
    ["sees_without_acquire", "pairs", "flag.load(Ordering::Acquire)", "flag.load(Ordering::Relaxed)"],
    [
        "receives_without_taking",
        "mailbox",
        "(number != 0 && words.take_flag(number)).then_some(number)",
        "(number != 0).then_some(number)",
    ],
    [
        "takes_back_what_was_received",
        "mailbox",
        "number: u64) -> bool {\n    words.take_flag(number)\n}",
        "number: u64) -> bool {\n    words.take_flag(number);\n    true\n}",
    ],
    ["takes_an_older_answer", "mailbox", "words.credit() == number", "words.credit() != 0 && number != 0"],
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=race_mutants.rs");
    // A feature of `shmem-core`, which the models do without.
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"openshmem\"))");
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    let out = Path::new(&out);
    for (module, file) in FILES {
        let source = source("shmem-core/src", file);
        for [name, changed, from, to] in MUTANTS {
            let text = if *changed == module {
                once(name, file, &source, from);
                source.replace(from, to)
            } else {
                source.clone()
            };
            write(&out.join(name), module, &text);
        }
    }
    for (module, file) in race_mutants::FILES {
        let source = source("shmem-races/src", file);
        let source = source.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
        // By text, the mutants that replace it.
        let mut choices: BTreeMap<&str, String> = BTreeMap::new();
        for [name, _, from, to] in race_mutants::MUTANTS.iter().filter(|mutant| mutant[1] == module) {
            once(name, file, source, from);
            *choices.entry(from).or_default() += &format!("if crate::races::is({name:?}) {{ {to} }} else ");
        }
        let mut text = source.to_owned();
        for (number, from) in choices.keys().enumerate() {
            // A mark first, because a mutant may have the text of another one.
            text = text.replace(from, &format!("\u{1}{number}\u{2}"));
        }
        for (number, (from, choice)) in choices.iter().enumerate() {
            // A statement that begins with a block ends with it.
            let [open, close] = if from.ends_with(';') { ["{", "}"] } else { ["(", ")"] };
            let choice = format!("{open} {choice}{{ {from} }} {close}");
            text = text.replace(&format!("\u{1}{number}\u{2}"), &choice);
        }
        write(&out.join("races"), module, &text);
    }
}

/// A file of a folder of the workspace, without the documentation of the file itself, which `include!`
/// does not take.
fn source(folder: &str, file: &str) -> String {
    let root = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let path = Path::new(&root).join("..").join(folder).join(file);
    println!("cargo::rerun-if-changed={}", path.display());
    let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    source.lines().filter(|line| !line.starts_with("//!")).flat_map(|line| [line, "\n"]).collect()
}

/// Fails unless a file has the text that a mutant replaces once.
fn once(name: &str, file: &str, source: &str, from: &str) {
    let found = source.matches(from).count();
    assert!(
        found == 1,
        "models/build.rs: the mutant {name} replaces a text that {file} has {found} times, and not once; \
         say in MUTANTS what is there now:\n{from}"
    );
}

fn write(folder: &Path, module: &str, text: &str) {
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(folder.join(format!("{module}.rs")), text))
        .expect("the directory of outputs is writable");
}
