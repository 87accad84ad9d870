//! Atomic operations and plain access to the same bytes, which the language does not have.

use std::process::ExitCode;

use shmem::Comparison;
use shmem::untyped::{Amo, ObjectInfo, Width};

use crate::cases::launched;
use crate::programs::{arguments, join};
use crate::watch::run;

static INFO: ObjectInfo = ObjectInfo::new("words", "", "", 0, 0, "");

/// What PE 0 does to a cell: the PE whose copy it is, whether it writes, and whether only a quiet completes
/// it.
const FIRST: [(&str, usize, bool, bool); 5] = [
    ("own-update", 0, true, false),
    ("own-fetch", 0, false, false),
    ("fetch-update", 1, true, false),
    ("fetch", 1, false, false),
    ("update", 1, true, true),
];

/// When it does that: before or after it updates a flag that PE 1 waits for.
const WHEN: [&str; 3] = ["before", "before-quiet", "after"];

/// What PE 1 does to the same bytes after it has seen the flag: whether it writes, and whether it is an atomic
/// operation of the same size.
const SECOND: [(&str, bool, bool); 4] =
    [("get", false, false), ("put", true, false), ("half", true, false), ("add", true, true)];

/// Two atomic operations of PE 0 on different cells, and an access of PE 1 to one of them.
pub(crate) fn flag_and_cell() -> ExitCode {
    const CELL: usize = 8;
    let words: Vec<_> = arguments().into_iter().map(|word| word.into_string().expect("a word")).collect();
    let [first, when, second] = &words[..] else { panic!("three words, not {words:?}") };
    let member = join();
    let memory = member.claim_zeros(16, 8).expect("there is room");
    let (flag, cell) = (memory.offset(), memory.offset() + CELL);
    let (_, owner, ..) = *FIRST.iter().find(|(name, ..)| name == first).expect("a first access");
    member.barrier_all();
    let access = || {
        // SAFETY: a cell of the block, which lives to the end. Other accesses to it may be plain, which
        // this program is about.
        unsafe {
            match &first[..] {
                "own-update" | "update" => {
                    member.update(None, owner, cell, Width::W8, Amo::Add(1), &"the cell");
                }
                "fetch-update" => _ = member.amo(None, owner, cell, Width::W8, Amo::Add(1), &"the cell"),
                _ => _ = member.amo(None, owner, cell, Width::W8, Amo::Fetch, &"the cell"),
            }
        }
    };
    if member.my_pe() == 0 {
        if when.starts_with("before") {
            access();
        }
        if when == "before-quiet" {
            member.world().quiet();
        }
        // SAFETY: as above, and the flag has atomic operations alone.
        unsafe { member.update(None, 1, flag, Width::W8, Amo::Set(1), &"the flag") };
        if when == "after" {
            access();
        }
    } else {
        // SAFETY: as above.
        unsafe {
            member.cell::<u64>(flag, &INFO).wait_until(Comparison::Eq, 1);
            let mut value = 7_u64;
            let area = member.area(None, owner, cell, &[], 8, &"the cell");
            match &second[..] {
                "get" => area.get((&raw mut value).cast(), 8, false),
                "put" => area.put((&raw const value).cast(), 8, false),
                "half" => _ = member.amo(None, owner, cell, Width::W4, Amo::Add(1), &"half of it"),
                _ => _ = member.amo(None, owner, cell, Width::W8, Amo::Add(1), &"the cell"),
            }
        }
    }
    // SAFETY: the block is forgotten, nothing else was made in the job, and there is no other thread.
    unsafe {
        std::mem::forget(memory);
        member.leave();
    }
    ExitCode::SUCCESS
}

/// An atomic operation races with plain access, and with one of another size, where nothing orders the
/// two: also if it follows another atomic operation, of which the other PE knows.
pub(crate) fn an_atomic_operation_after_a_flag_races_with_plain_access() {
    for (first, _, first_writes, needs_quiet) in FIRST {
        for when in WHEN {
            for (second, second_writes, is_same) in SECOND {
                let is_ordered = match when {
                    "before" => !needs_quiet,
                    when => when != "after",
                };
                let races = (first_writes || second_writes) && !is_same && !is_ordered;
                let mut command = launched(2, "flag_and_cell");
                command.args([first, when, second]);
                let ended = run(command.env("SHMEM_RACES", "1").env("SHMEM_TRANSPORT", "smp"));
                let what = format!("{first}, {when}, {second}");
                if !races {
                    assert!(ended.status.success() && ended.stderr.is_empty(), "{what}: {ended:#?}");
                    continue;
                }
                assert_eq!(ended.status.code(), Some(66), "{what}: {ended:#?}");
                let of_cell = "shmem: race on symmetric array #0[8";
                assert!(ended.stderr.starts_with(of_cell), "{what}: {ended:#?}");
                let lines: Vec<&str> = ended.stderr.lines().collect();
                let is_named = |pe: &str| lines[1..3].iter().any(|line| line.starts_with(pe));
                assert!(is_named("  PE 0 ") && is_named("  PE 1 "), "{what}: {ended:#?}");
                assert!(
                    lines[1..3].iter().all(|line| line.contains("tests/untyped/races.rs:")),
                    "{what}: {ended:#?}"
                );
            }
        }
    }
}
