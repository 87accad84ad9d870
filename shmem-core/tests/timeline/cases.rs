use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use rustix::process::Signal;
use serde_json::Value;

use crate::harness::trials;
use crate::library;
use crate::pictures::{self, bars, cells};
use crate::programs::{LOOP, MANY, TURNS};
use crate::small_disk::{is_possible, on_small_disk, resize};
use crate::timeline::{Slice, Timeline};
use crate::watch::{Ended, Running, is_ignored, program, run};

pub(crate) fn all() -> Vec<Trial> {
    if library::is_wanted() {
        return library::all();
    }
    let mut all = trials! {
        every_operation_and_call_is_in_the_timeline
        arrows_join_signals_and_waits
        the_picture_counts_as_the_statistics_do
        a_part_of_a_run_is_traced
        threads_have_tracks
        what_is_left_out_is_said
        a_job_that_falls_leaves_its_timeline
        a_job_that_is_interrupted_leaves_its_timeline
        a_job_that_is_killed_leaves_the_beginning
        what_cannot_be_written_is_said_before_the_job_starts
        races_and_statistics_go_with_it
    };
    let small = Trial::test("a_full_disk_is_named", || {
        a_full_disk_is_named();
        Ok(())
    });
    all.push(small.with_ignored_flag(!is_possible()));
    all
}

/// The program of this name on so many PEs, with a trace to `file` of a new folder.
pub(crate) fn traced(name: &str, pes: usize, file: &str) -> (tempfile::TempDir, PathBuf, Command) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(file);
    let mut command = program(name);
    command.env("SHMEM_NPES", pes.to_string()).env("SHMEM_TRACE", &file);
    library::use_if_wanted(&mut command);
    (folder, file, command)
}

/// The numbers of PEs of the jobs. Those over the library take long to start.
fn counts() -> &'static [usize] {
    if library::is_wanted() { &[2, 4] } else { &[1, 2, 3, 4, 7] }
}

/// Runs it to its end, which is good, and returns what was said of the trace.
pub(crate) fn traced_to_the_end(command: &mut Command, file: &Path) -> String {
    let ended = run(command);
    assert!(ended.status.success(), "{ended:?}");
    assert_alone(file);
    ended.stderr
}

/// Nothing lies beside the file.
fn assert_alone(file: &Path) {
    let folder = file.parent().expect("a folder");
    let names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names, [file]);
}

fn track(pe: usize) -> String {
    format!("PE {pe}")
}

/// Operations by name, as a test writes them.
fn sums(expected: &[(&str, u64, u64)]) -> BTreeMap<String, (u64, u64)> {
    expected.iter().map(|(name, operations, bytes)| ((*name).to_owned(), (*operations, *bytes))).collect()
}

pub(crate) fn every_operation_and_call_is_in_the_timeline() {
    for &n in counts() {
        let (_folder, file, mut command) = traced("known", n, "a \"run\".json");
        let said = traced_to_the_end(&mut command, &file);
        let timeline = Timeline::read(&file);
        let pes = if n == 1 { "PE" } else { "PEs" };
        assert!(timeline.name.ends_with(&format!(", {n} {pes}")), "{}", timeline.name);
        assert_eq!(
            timeline.tracks(),
            (0..n).map(track).collect::<BTreeSet<_>>().iter().map(String::as_str).collect()
        );
        let start = format!("shmem: {} has a timeline of ", file.display());
        assert!(said.starts_with(&start) && said.lines().count() == 1, "{said}");
        for pe in 0..n {
            let (me, right) = (track(pe), (pe + 1) % n);
            let on = |name: &str, preposition: &str| {
                if right == pe {
                    format!("{name}, own copy")
                } else {
                    format!("{name} {preposition} PE {right}")
                }
            };
            let expected = [
                (on("put A", "to"), 1 + LOOP, 32 + 8 * LOOP),
                (on("iput A", "to"), 1, 32),
                (on("get A", "from"), 1, 40),
                (on("atomic_add COUNT", "on"), 1, 8),
                (on("put symmetric array #0", "to"), 1, 8),
                ("fence".to_owned(), 1, 0),
                ("quiet".to_owned(), 1, 0),
            ];
            let expected: Vec<_> =
                expected.iter().map(|(name, count, bytes)| (name.as_str(), *count, *bytes)).collect();
            let mut seen = timeline.operations(&me);
            // A local phase completes what the PE has issued.
            if let Some(quiet) = seen.get_mut("quiet") {
                quiet.0 -= 1;
            }
            assert_eq!(seen, sums(&expected), "{n} PEs");

            let named = |category: &str| -> Vec<&str> {
                timeline.on(&me, category).iter().map(|slice| slice.name.as_str()).collect()
            };
            let mut calls = named("collective");
            calls.sort_unstable();
            assert_eq!(calls, ["barrier_all", "end of the job", "local_phase", "sum"], "{n} PEs");
            assert_eq!(named("phase"), ["in the phase"]);
            assert_eq!(named("heap"), ["allocate SymmetricArray<u64, 2> of 3 × 5"]);
            let of = |name: &str| {
                *timeline.on(&me, "collective").iter().find(|slice| slice.name == name).expect("a call")
            };
            let (phase, inside) = (of("local_phase"), timeline.on(&me, "phase")[0]);
            assert!(phase.start <= inside.start && inside.end <= phase.end);
            assert_eq!(of("barrier_all").number("PEs"), n as u64);

            // Each has its line and its elements.
            let here =
                |slice: &Slice| slice.text("line").starts_with("shmem-core/tests/timeline/programs.rs:");
            let with_line = timeline.slices.iter().filter(|slice| slice.track == me);
            let with_line =
                with_line.filter(|slice| slice.category != "order" && slice.name != "end of the job");
            assert!(with_line.clone().all(here), "{:?}", with_line.collect::<Vec<_>>());
            let elements = |name: &str| {
                let all =
                    timeline.slices.iter().filter(|slice| slice.track == me && slice.name.starts_with(name));
                all.map(|slice| slice.text("elements").to_owned()).collect::<Vec<_>>()
            };
            assert_eq!(elements("put A")[0], "A[0..4]");
            assert_eq!(elements("iput A"), ["A[0..7]"]);
            assert_eq!(elements("get A"), ["A[4..9]"]);
            assert_eq!(elements("put symmetric array #0"), ["symmetric array #0[2, 1]"]);
        }
        assert_eq!((timeline.arrows.len(), timeline.marks.len()), (0, 0));
    }
}

/// Every signal that a PE waited for has one arrow, from the PE that sent it, and one for its data. A
/// turn never has the arrow of another turn.
pub(crate) fn arrows_join_signals_and_waits() {
    for &n in counts() {
        let (_folder, file, mut command) = traced("handshakes", n, "run.json");
        traced_to_the_end(&mut command, &file);
        let timeline = Timeline::read(&file);
        let is_of = |slice: &Slice, object: &str| slice.name.contains(object);
        for pe in 0..n {
            let (me, left, right) = (track(pe), track((pe + n - 1) % n), track((pe + 1) % n));
            let to_me = timeline.arrows.iter().filter(|arrow| arrow.to.track == me);
            let turns = if n == 1 { 0 } else { TURNS as usize };
            for (object, from, what, count) in [
                ("FLAG", &left, "signal", turns),
                ("put_signal A", &left, "data", turns),
                ("BACK", &right, "signal", turns),
            ] {
                let arrows: Vec<_> =
                    to_me.clone().filter(|arrow| is_of(&arrow.from, object) && arrow.what == what).collect();
                assert_eq!(arrows.len(), count, "{object}, {n} PEs: {arrows:#?}");
                assert!(arrows.iter().all(|arrow| arrow.from.track == *from), "{arrows:#?}");
                // The turns come one after the other, at both ends.
                let ends = |of: fn(&crate::timeline::SeenArrow) -> u64| {
                    let mut ends: Vec<u64> = arrows.iter().map(|arrow| of(arrow)).collect();
                    let sorted = ends.clone();
                    ends.sort_unstable();
                    ends.dedup();
                    (ends, sorted)
                };
                let (starts, mut by_arrow) = ends(|arrow| arrow.from.start);
                by_arrow.sort_unstable();
                assert_eq!(starts, by_arrow, "{object}, {n} PEs");
                assert_eq!(ends(|arrow| arrow.to.start).0.len(), count, "{object}, {n} PEs");
                for arrow in &arrows {
                    let waited = &arrow.to;
                    let awaited = if object == "BACK" { "BACK" } else { "FLAG" };
                    assert!(is_of(waited, awaited), "{arrow:#?}");
                    assert!(
                        waited.category == "seen" || waited.name.starts_with("atomic_fetch"),
                        "{waited:?}"
                    );
                    let waits = timeline.on(&me, "wait");
                    let of_wait = waits.iter().any(|wait| wait.contains(waited) && wait.end == waited.end);
                    assert_eq!(waited.category == "seen", of_wait, "{waited:?}");
                    assert!(arrow.from.start < waited.end, "{arrow:#?}");
                }
            }
            // In a turn, FLAG is set once before it is answered.
            let waits = timeline.on(&me, "wait");
            assert!(waits.iter().all(|wait| wait.name.starts_with("wait for ")), "{waits:?}");
            assert!(waits.len() <= 2 * TURNS as usize);
        }
        let others = timeline.arrows.iter().filter(|arrow| arrow.from.track == arrow.to.track);
        assert_eq!(others.count(), 0);
    }
}

/// The sums of `SHMEM_STATS=json`, by origin and target.
fn statistics(stderr: &str) -> BTreeMap<(u64, u64), (u64, u64)> {
    let line = stderr.lines().find(|line| line.starts_with('{')).expect("a line of JSON");
    let all: Value = serde_json::from_str(line).expect("JSON");
    let mut sums: BTreeMap<(u64, u64), (u64, u64)> = BTreeMap::new();
    for row in all["operations"].as_array().expect("rows") {
        let number = |key: &str| row[key].as_u64();
        if let (Some(from), Some(to)) = (number("from"), number("to")) {
            let sum = sums.entry((from, to)).or_default();
            *sum = (sum.0 + number("calls").unwrap(), sum.1 + number("bytes").unwrap());
        }
    }
    sums
}

pub(crate) fn the_picture_counts_as_the_statistics_do() {
    for &n in counts() {
        let (_folder, file, mut command) = traced("moves", n, "run.svg");
        let said = traced_to_the_end(command.env("SHMEM_STATS", "json"), &file);
        assert!(said.contains(&format!("shmem: {} has the picture of this run\n", file.display())), "{said}");
        let picture = pictures::read(&file);
        let mut shown = cells(&picture);
        assert_eq!(shown.len(), n * n);
        shown.retain(|_, moved| *moved != (0, 0));
        assert_eq!(shown, statistics(&said), "{n} PEs");

        let bars = bars(&picture);
        assert!(bars.keys().eq((0..n).map(track).collect::<Vec<_>>().iter()), "{bars:?}");
        for (pe, parts) in &bars {
            let sum: f64 = parts.iter().map(|(_, percent)| percent).sum();
            assert!((98.0..102.0).contains(&sum), "all time is somewhere: {pe} {parts:?}");
            let has = |what: &str| parts.iter().any(|(words, percent)| words == what && *percent >= 0.0);
            assert!(has("the program itself") && has("collective calls") && has("allocations"), "{parts:?}");
            assert!(has("puts, gets, atomics") && !has("the program, in local phases"), "{parts:?}");
        }
    }
}

fn a_part_of_a_run_is_traced() {
    let (_folder, file, mut command) = traced("parts", 2, "run.json");
    traced_to_the_end(&mut command, &file);
    let timeline = Timeline::read(&file);
    for (me, other) in [(0, 1), (1, 0)] {
        assert_eq!(timeline.operations(&track(me)), sums(&[(&format!("put A to PE {other}"), 1, 24)]));
        let calls = timeline.on(&track(me), "collective");
        assert_eq!(calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["sync_all"]);
    }
    let (_folder, file, mut command) = traced("parts", 2, "run.svg");
    traced_to_the_end(&mut command, &file);
    assert_eq!(cells(&pictures::read(&file))[&(0, 1)], (1, 24));
}

fn threads_have_tracks() {
    let (_folder, file, mut command) = traced("threads", 2, "run.json");
    traced_to_the_end(&mut command, &file);
    let timeline = Timeline::read(&file);
    assert_eq!(
        timeline.tracks().into_iter().collect::<Vec<_>>(),
        ["PE 0", "PE 0, thread 2", "PE 1", "PE 1, thread 2"]
    );
    for (pe, other) in [(0, 1), (1, 0)] {
        let expected = sums(&[(&format!("put A to PE {other}"), 50, 400)]);
        assert_eq!(timeline.operations(&track(pe)), expected);
        assert_eq!(timeline.operations(&format!("PE {pe}, thread 2")), expected);
    }
}

/// The file has no more slices than it may have, its last ones are joined, and what is left out is
/// counted.
fn what_is_left_out_is_said() {
    let n = 2;
    let (_folder, file, mut command) = traced("many", n, "run.json");
    let said = traced_to_the_end(command.env("SHMEM_TRACE_SLICES", "2000"), &file);
    let timeline = Timeline::read(&file);
    let calls = 1200 + 1;
    for pe in 0..n {
        let operations: Vec<&Slice> =
            ["put", "get"].iter().flat_map(|category| timeline.on(&track(pe), category)).collect();
        assert!(operations.len() <= 1000, "{}", operations.len());
        assert_eq!(timeline.on(&track(pe), "collective").len(), 1000);
        let marks: Vec<_> = timeline.marks.iter().filter(|(on, _)| *on == track(pe)).collect();
        assert_eq!(marks.len(), 2, "{marks:?}");
    }
    let shown: u64 = timeline.slices.iter().map(|slice| slice.number("operations")).sum();
    let left_out = 2 * MANY * n as u64 - shown;
    let number = |count: u64| {
        let digits = count.to_string();
        if count < 1000 {
            digits
        } else {
            format!("{},{}", &digits[..digits.len() - 3], &digits[digits.len() - 3..])
        }
    };
    let expected = format!(
        "shmem: the timeline leaves out {} operations and {} calls and waits: trace a part of the run (world.pcontrol(0) and \
         world.pcontrol(1)), or set SHMEM_TRACE_SLICES to more than 2000\n",
        number(left_out),
        (calls - 1000) * n
    );
    assert!(said.ends_with(&expected), "{said} {expected}");
}

pub(crate) fn a_job_that_falls_leaves_its_timeline() {
    let (_folder, file, mut command) = traced("falls", 3, "run.json");
    let Ended { status, stderr, .. } = run(&mut command);
    assert_eq!(status.code(), Some(134), "{stderr}");
    // A launcher of a library says in its own words which PE it was.
    assert!(library::is_wanted() || stderr.contains("PE 2 of 3"), "{stderr}");
    assert!(stderr.contains("has a timeline of "), "{stderr}");
    assert_alone(&file);
    let timeline = Timeline::read(&file);
    // The last run of operations had not ended.
    assert_eq!(timeline.operations("PE 2"), sums(&[("put A to PE 0", 7, 56)]));
    let (_folder, file, mut command) = traced("falls-in-a-phase", 3, "run.json");
    assert_eq!(run(&mut command).status.code(), Some(134));
    let timeline = Timeline::read(&file);
    for pe in ["PE 0", "PE 1", "PE 2"] {
        let calls = timeline.on(pe, "collective");
        assert_eq!(calls.len(), 1, "{calls:?}");
        assert_eq!(calls[0].name, "local_phase");
        assert_eq!(calls[0].text("end"), "not reached: the job ended before");
    }
    let (_folder, file, mut command) = traced("falls", 3, "run.svg");
    assert_eq!(run(&mut command).status.code(), Some(134));
    assert_eq!(cells(&pictures::read(&file))[&(2, 0)], (7, 56));
}

pub(crate) fn a_job_that_is_interrupted_leaves_its_timeline() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        if is_ignored(signal) {
            continue;
        }
        let (_folder, file, mut command) = traced("hangs", 2, "run.json");
        let mut running = Running::start(&mut command);
        assert_eq!(running.line(), "hanging");
        running.send(signal);
        let Ended { status, stderr, .. } = running.end();
        assert_eq!(status.signal(), Some(signal.as_raw()), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert_alone(&file);
        let timeline = Timeline::read(&file);
        assert_eq!(timeline.operations("PE 0"), sums(&[("put A to PE 1", 1, 16), ("fence", 1, 0)]));
    }
}

fn a_job_that_is_killed_leaves_the_beginning() {
    let (folder, file, mut command) = traced("hangs", 2, "run.json");
    let mut running = Running::start(&mut command);
    assert_eq!(running.line(), "hanging");
    let partial = folder.path().join("run.json.partial");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !fs::read_to_string(&partial).is_ok_and(|text| text.contains("put A")) {
        assert!(Instant::now() < deadline, "what has happened is written soon");
        thread::sleep(Duration::from_millis(5));
    }
    running.send(Signal::KILL);
    running.end();
    assert!(!file.exists());
    let timeline = Timeline::of_beginning(&fs::read_to_string(&partial).unwrap());
    assert_eq!(timeline.operations("PE 0"), sums(&[("put A to PE 1", 1, 16)]));
}

fn what_cannot_be_written_is_said_before_the_job_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("no/run.json");
    let (missing, here) = (missing.display(), folder.path().join("folder.svg"));
    fs::create_dir(&here).unwrap();
    for (value, report) in [
        (
            "run.txt".to_owned(),
            "shmem: SHMEM_TRACE=\"run.txt\" is not understood: write a file whose name ends".to_owned(),
        ),
        (
            missing.to_string(),
            format!("shmem: cannot write the trace to {missing}: name another file with SHMEM_TRACE"),
        ),
        (
            here.display().to_string(),
            format!("shmem: cannot write the trace to {}, which is a folder", here.display()),
        ),
    ] {
        let ended = run(program("hangs").env("SHMEM_NPES", "2").env("SHMEM_TRACE", value));
        ended.assert_failed(1, &report);
        assert_eq!(ended.stdout, "");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

fn a_full_disk_is_named() {
    on_small_disk(|disk| {
        let file = disk.join("run.json");
        resize(disk, "size=64k");
        let mut command = program("many");
        let ended = run(command.env("SHMEM_NPES", "1").env("SHMEM_TRACE", &file));
        assert!(ended.status.success(), "{ended:?}");
        let start = format!("shmem: {} has only the beginning of the trace: ", file.display());
        let stderr = &ended.stderr;
        assert!(
            stderr.starts_with(&start) && stderr.ends_with("on another one with SHMEM_TRACE\n"),
            "{stderr}"
        );
        let timeline = Timeline::read(&file);
        assert!(timeline.name.ends_with(", 1 PE"));
        assert_alone(&file);
    });
}

/// The other two that look at operations.
pub(crate) fn races_and_statistics_go_with_it() {
    let (_folder, file, mut command) = traced("handshakes", 3, "run.json");
    let said = traced_to_the_end(command.env("SHMEM_RACES", "1").env("SHMEM_STATS", "json"), &file);
    assert!(said.contains("\"operation\":\"put\""), "{said}");
    let signals = Timeline::read(&file).arrows.iter().filter(|arrow| arrow.what == "signal").count();
    assert_eq!(signals, 3 * 2 * TURNS as usize);
}
