//! `#[shmem::test]` itself: which tests pass, which fail, and what a failing one says.
//!
//! The tests that fail or hang are ignored, and are run one by one from the others, in a copy of
//! this binary.

use std::process::Command;
use std::time::Duration;

use shmem::prelude::*;

#[shmem::test]
fn two_pes_by_default(world: &World) {
    assert_eq!(world.n_pes(), 2);
}

#[shmem::test]
fn without_a_world() {
    assert_eq!(collective!(sum 1), 2);
}

#[shmem::test(npes = 3)]
fn a_result(world: &World) -> Result<(), String> {
    if world.n_pes() == 3 { Ok(()) } else { Err(format!("{} PEs", world.n_pes())) }
}

#[shmem::test(npes = 2)]
#[should_panic(expected = "PE 1 of 2 panicked at")]
fn should_panic_sees_the_report(world: &World) {
    assert_eq!(world.my_pe(), 0);
}

#[shmem::test(npes = [1, 2])]
#[should_panic = "PE 1 of 2 returned an error: \"not me\""]
fn should_panic_sees_an_error(world: &World) -> Result<(), &'static str> {
    if world.my_pe() == 0 { Ok(()) } else { Err("not me") }
}

/// The smaller heap is the attribute's.
#[shmem::test(heap = "64K")]
fn a_heap_of_its_own(world: &World) {
    assert!(world.heap_free() <= 64 << 10);
}

#[symmetric]
static NUMBERS: [u64; 8] = [0; 8];

#[shmem::test(npes = [1, 2, 3], races)]
fn without_a_race(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    for round in 0..3 {
        remote!(NUMBERS[right, ..]) = [round; 8];
        world.barrier_all();
        assert_eq!(local!(NUMBERS[3]), round);
        world.barrier_all();
    }
}

mod inside {
    mod a_module {
        #[shmem::test(npes = 3)]
        fn has_the_same_name(world: &shmem::World) {
            assert_eq!(world.n_pes(), 3);
        }
    }

    #[shmem::test(npes = 4)]
    fn has_the_same_name(world: &shmem::World) {
        assert_eq!(world.n_pes(), 4);
    }
}

mod ignored {
    use super::*;

    #[shmem::test(npes = [1, 2, 3])]
    #[ignore = "prints"]
    fn every_count(world: &World) {
        println!("this is PE {} of {}", world.my_pe(), world.n_pes());
        eprintln!("and this its error output");
    }

    #[shmem::test(npes = 3)]
    #[ignore = "fails"]
    fn fails(world: &World) {
        println!("printed before");
        if world.my_pe() == 2 {
            panic!("PE 2 does not like it");
        }
        world.barrier_all();
    }

    #[shmem::test(npes = [1, 2, 3])]
    #[ignore = "fails from 2 PEs on"]
    fn fails_on_two(world: &World) -> Result<(), String> {
        assert!(world.n_pes() < 3, "the counts after a failing one are not run");
        if world.n_pes() < 2 { Ok(()) } else { Err(String::from("too many")) }
    }

    #[symmetric]
    static HALO: [u64; 4] = [0; 4];

    /// PE 1 reads what PE 0 has put and not completed.
    fn forgets_a_quiet(world: &World) {
        if world.my_pe() == 0 {
            remote!(HALO[1, 2] = 1);
        }
        world.sync_all();
        assert!(local!(HALO[2]) < 2);
    }

    #[shmem::test(races)]
    #[ignore = "has a race, and looks for it"]
    fn looks_for_its_race(world: &World) {
        forgets_a_quiet(world);
    }

    #[shmem::test]
    #[ignore = "has a race"]
    fn has_a_race(world: &World) {
        forgets_a_quiet(world);
    }

    #[shmem::test]
    #[ignore = "leaves"]
    fn leaves(world: &World) {
        if world.my_pe() == 1 {
            std::process::exit(0);
        }
        world.barrier_all();
    }

    #[symmetric]
    static GO: Atomic<i64> = Atomic::new(-6);
    #[symmetric]
    static LOCKS: [Lock; 2] = [Lock::new(); 2];

    #[shmem::test(npes = [1, 2, 3, 4])]
    #[ignore = "hangs"]
    fn waits_for_nobody(world: &World) {
        if world.my_pe() == 0 {
            wait!(GO == 1);
        }
        world.barrier_all();
    }

    /// PE 0 has a lock and waits for PE 1, which waits for the lock; the others wait for both.
    #[shmem::test(npes = [2, 3, 4])]
    #[ignore = "hangs"]
    fn keeps_a_lock(world: &World) {
        let lock = LOCKS.at(0);
        match world.my_pe() {
            0 => {
                let _lock = lock.lock();
                remote!(GO[1]) += 7;
                wait!(GO == 1);
            }
            1 => {
                wait!(GO == 1);
                let _lock = lock.lock();
                remote!(GO[0]) += 7;
            }
            _ => {}
        }
        world.barrier_all();
    }

    #[shmem::test(npes = [2, 3, 4])]
    #[ignore = "hangs"]
    fn enters_a_phase_alone(world: &World) {
        match world.my_pe() {
            0 => world.local_phase(|_| ()),
            _ => world.barrier_all(),
        }
    }

    /// PE 0 and PE 1 take two locks in opposite orders; the others sleep.
    #[shmem::test(npes = [2, 3, 4])]
    #[ignore = "hangs"]
    fn crosses_locks(world: &World) {
        let me = world.my_pe();
        if me > 1 {
            std::thread::sleep(Duration::from_secs(600));
        }
        let _first = LOCKS.at(me).lock();
        remote!(GO[1 - me]) += 7;
        wait!(GO == 1);
        let _second = LOCKS.at(1 - me).lock();
    }

    /// The two halves of the world meet, and PE 0 comes to the wrong half.
    #[shmem::test(npes = 4)]
    #[ignore = "hangs"]
    fn crosses_teams(world: &World) {
        let halves = world.team().split_strided(0, 2, 2).expect("even PEs");
        let all = world.team().split_strided(0, 1, 4).expect("all PEs");
        match (halves, world.my_pe()) {
            (Some(even), 0) => even.barrier(),
            _ => all.expect("a member").barrier(),
        }
    }

    #[shmem::test]
    #[ignore = "hangs"]
    fn hangs(world: &World) {
        if world.my_pe() == 0 {
            world.barrier_all();
        } else {
            std::thread::sleep(Duration::from_secs(600));
        }
    }
}

/// Runs an ignored test of this binary: whether it passed, and what was printed.
fn run(name: &str, settings: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().expect("the path of this binary"));
    command.args([&format!("ignored::{name}"), "--exact", "--ignored", "--show-output"]);
    // As any test it is told its count: `SHMEM_NPES` is for programs.
    command.env("SHMEM_NPES", "5").env("RUST_BACKTRACE", "0").env_remove("SHMEM_TEST_NPES");
    command.envs(settings.iter().copied());
    let output = command.output().expect("the binary starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("running 1 test\n"), "{text}");
    (output.status.success(), text)
}

#[test]
fn the_output_of_every_pe_of_every_count_is_shown() {
    let (passed, text) = run("every_count", &[]);
    assert!(passed, "{text}");
    let mut lines: Vec<&str> = text.lines().filter(|line| line.contains("this is")).collect();
    lines.sort_unstable();
    let expected: Vec<String> = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        .map(|(pe, n)| format!("[PE {pe}] this is PE {pe} of {n}"))
        .into();
    assert_eq!(lines, expected);
    assert_eq!(text.matches("] and this its error output").count(), 6, "{text}");
    assert_eq!(text.matches("running 1 test").count(), 1, "{text}");
}

#[test]
fn counts_may_be_left_out() {
    let (passed, text) = run("every_count", &[("SHMEM_TEST_NPES", "2,7")]);
    assert!(passed, "{text}");
    assert_eq!(text.matches("this is PE").count(), 2, "{text}");
    assert!(text.contains("] this is PE 1 of 2"), "{text}");
    for pes in ["1 PE", "3 PEs"] {
        assert!(
            text.contains(&format!("not run on {pes}: SHMEM_TEST_NPES leaves this number out")),
            "{text}"
        );
    }
    // The first of a list that the test has.
    let (passed, text) = run("every_count", &[("SHMEM_TEST_NPES", "7/2/1")]);
    assert!(passed && text.matches("this is PE").count() == 2, "{text}");
    // What fails at other counts is not run.
    assert!(run("fails_on_two", &[("SHMEM_TEST_NPES", "1")]).0);
}

#[test]
fn the_failure_of_one_pe_is_that_of_the_test() {
    let (passed, text) = run("fails", &[]);
    assert!(!passed, "{text}");
    assert!(text.contains("PE 2 of 3 panicked at shmem-core/tests/test_attribute.rs:"), "{text}");
    assert!(text.contains(": PE 2 does not like it"), "{text}");
    assert!(text.contains("[PE 2] printed before"), "{text}");
}

#[test]
fn the_first_count_that_fails_is_reported() {
    let (passed, text) = run("fails_on_two", &[]);
    assert!(!passed, "{text}");
    assert!(text.contains(" of 2 returned an error: \"too many\""), "{text}");
    assert!(!text.contains("are not run"), "{text}");
}

#[test]
fn leaving_early_is_a_failure() {
    let (passed, text) = run("leaves", &[]);
    assert!(!passed, "{text}");
    assert!(text.contains("PE 1 of 2 exited with status 0"), "{text}");
}

#[test]
fn a_test_looks_for_races_if_its_attribute_or_the_variable_says_so() {
    let smp = ("SHMEM_TRANSPORT", "smp");
    for (name, value, is_found) in [
        ("looks_for_its_race", "", true),
        ("looks_for_its_race", "0", false),
        ("looks_for_its_race", "all", true),
        ("has_a_race", "", false),
        ("has_a_race", "1", true),
    ] {
        let (passed, text) = run(name, &[smp, ("SHMEM_RACES", value)]);
        let what = format!("{name}, SHMEM_RACES={value}: {text}");
        assert_eq!(passed, !is_found, "{what}");
        assert_eq!(text.contains("race on HALO[2] of PE 1\n  PE 0 puts "), is_found, "{what}");
        assert_eq!(text.contains("1 race found (SHMEM_RACES=all)"), value == "all", "{what}");
    }
}

/// The forms of the system layer with which a hang is tested: that of the whole run, or all. None
/// where it cannot be proved: over a C library, and where nothing is known of the threads of a PE.
fn systems() -> Vec<String> {
    let on_smp = std::env::var_os("SHMEM_TRANSPORT").is_none_or(|transport| transport == "smp");
    if !on_smp || !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let all = ["linux", "portable"].map(str::to_owned).to_vec();
    std::env::var("SHMEM_SYSTEM").map_or(all, |system| vec![system])
}

/// Each line without the width of its columns.
fn squeezed(text: &str) -> String {
    let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n";
    text.lines().map(line).collect()
}

/// Runs a test with each form of the system layer and these numbers of PEs, and looks at what it
/// prints when it is ended. No limit ends it: that of a test is two minutes.
fn each_hang(name: &str, npes: &[usize], look: impl Fn(usize, &str) + Sync) {
    let systems = systems();
    // They wait most of the time.
    std::thread::scope(|scope| {
        for system in &systems {
            for &npes in npes {
                let look = &look;
                scope.spawn(move || {
                    let settings = [("SHMEM_TEST_NPES", &*npes.to_string()), ("SHMEM_SYSTEM", system)];
                    let (passed, text) = run(name, &settings);
                    let text = squeezed(&text);
                    assert!(!passed && !text.contains("did not end within"), "{text}");
                    look(npes, &text);
                });
            }
        }
    });
}

#[test]
fn a_test_that_waits_for_nobody_is_ended_at_once() {
    each_hang("waits_for_nobody", &[1, 2, 3, 4], |npes, text| {
        let (pes, title) = match npes {
            1 => ("PE", "PE 0 can never go on"),
            _ => ("PEs", "every PE waits, and none can ever go on"),
        };
        let others = match npes {
            1 => "",
            2 => "PE 1 waits in barrier_all for PE 0; ",
            3 => "PE 1, 2 wait in barrier_all for PE 0; ",
            _ => "PE 1-3 wait in barrier_all for PE 0; ",
        };
        let why =
            format!("why: PE 0 waits for GO == 1 (is -6); {others}no PE is left that could end a wait\n");
        assert!(text.contains(&format!("test ignored::waits_for_nobody ({npes} {pes}, ")), "{text}");
        for part in [&format!(" s): {title}\n"), "\nPE 0 waits for GO == 1 (is -6) since ", &why] {
            assert!(text.contains(part), "{part:?} in\n{text}");
        }
    });
}

#[test]
fn a_test_that_crosses_locks_is_ended_at_once() {
    each_hang("crosses_locks", &[2, 3, 4], |npes, text| {
        assert!(text.contains("PE 0, 1 wait for each other, and can never go on\n"), "{text}");
        let why = "why: PE 0 waits for lock 1 of LOCKS, which PE 1 has, and PE 1 waits for lock 0 of LOCKS, which PE 0 has\n";
        assert!(text.contains(why), "{text}");
        // On a busy machine they may not have come to their sleep.
        let others = ["\nPE 2 sleeps", "\nPE 2, 3 sleep, or wait", "\nPE 2 computes", "\nPE 3 computes"];
        assert!(npes == 2 || others.iter().any(|others| text.contains(others)), "{text}");
    });
}

#[test]
fn a_test_that_keeps_a_lock_is_ended_at_once() {
    each_hang("keeps_a_lock", &[2, 3, 4], |npes, text| {
        let others = match npes {
            2 => "",
            3 => "PE 2 waits in barrier_all for PE 0, 1; ",
            _ => "PE 2, 3 wait in barrier_all for PE 0, 1; ",
        };
        let why = format!(
            "why: PE 0 waits for GO == 1 (is -6); PE 1 waits for lock 0 of LOCKS, which PE 0 has; {others}no PE is left"
        );
        assert!(text.contains(": every PE waits, and none can ever go on\n"), "{text}");
        assert!(text.contains(&why), "{text}");
    });
}

#[test]
fn a_test_whose_pes_disagree_is_ended_at_once() {
    each_hang("enters_a_phase_alone", &[2, 3, 4], |_, text| {
        assert!(text.contains("the PEs disagree: PE "), "{text}");
        assert!(text.contains("`local_phase` at ") && text.contains("`barrier_all` at "), "{text}");
    });
    each_hang("crosses_teams", &[4], |_, text| assert!(text.contains("the PEs disagree: "), "{text}"));
}

#[test]
fn a_test_that_hangs_is_ended() {
    // Over a C library the report does not list the PEs that were still running.
    let on_smp = std::env::var_os("SHMEM_TRANSPORT").is_none_or(|transport| transport == "smp");
    let told =
        if on_smp { "of 2 PEs these were still running: 0, 1" } else { "it ran on 2 PEs, started by " };
    for limit in (0..7).map(|power| (1 << power).to_string()) {
        let (passed, text) = run("hangs", &[("SHMEM_TEST_TIMEOUT", &limit)]);
        assert!(!passed, "{text}");
        let late = format!("the test did not end within {limit} s (SHMEM_TEST_TIMEOUT sets the limit)");
        assert!(text.contains(&late), "{text}");
        // On a machine that is busy enough the limit comes before the PEs have.
        if !text.contains("(has not joined)") {
            assert!(text.contains(told), "{text}");
            if text.contains("PE 0  in barrier_all") {
                // Or it has not come to its sleep.
                let why = ["sleeps, or waits outside of this library", "computes"]
                    .map(|does| format!("why: PE 0 waits in barrier_all for PE 1, and PE 1 {does}"));
                assert!(why.iter().any(|why| text.contains(why)), "{text}");
            }
            return;
        }
    }
    panic!("after a minute the PEs have not joined their job");
}

/// As on two hosts.
#[test]
fn what_does_not_end_over_a_library_is_reported_with_a_part_for_each_host() {
    if std::env::var_os("SHMEM_TRANSPORT").is_none_or(|transport| transport != "openshmem") {
        return;
    }
    for limit in (1..7).map(|power| (1 << power).to_string()) {
        let (passed, text) = run("hangs", &[("SHMEM_TEST_TIMEOUT", &limit), ("SHMEM_DIRECT", "0")]);
        assert!(!passed && text.contains(&format!("the test did not end within {limit} s")), "{text}");
        // On a machine that is busy enough the limit comes before the PEs have.
        if text.contains("\nhost ") && text.contains("  PE 0  in barrier_all since ") {
            assert!(text.contains("  PE 1  "), "{text}");
            return;
        }
    }
    panic!("after a minute the PEs have not joined their job");
}

#[test]
fn nonsense_in_a_variable_fails_the_test_and_is_named() {
    for (variable, value) in [
        ("SHMEM_TEST_TIMEOUT", "soon"),
        ("SHMEM_SYMMETRIC_SIZE", "lots"),
        ("SHMEM_SYSTEM", "9"),
        ("SHMEM_TEST_NPES", "0"),
    ] {
        let (passed, text) = run("every_count", &[(variable, value)]);
        assert!(!passed, "{text}");
        assert!(text.contains(&format!("{variable}={value:?} is not understood: ")), "{text}");
    }
}
