//! C programs on the installed library. They are compiled with the machine's C compiler; where there
//! is none, the tests say so and do nothing.

// The table that the library is made of, for the lists of its types and names.
#[allow(dead_code, unreachable_pub)]
#[path = "../build/table.rs"]
mod table;

mod archive;
mod random;

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use table::Set;

/// At how many PEs a program runs.
const NPES: [usize; 5] = [1, 2, 3, 4, 7];

/// Whether the machine has a C compiler; says so if it has none.
fn has_compiler() -> bool {
    let has = Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has {
        println!("NOT TESTED: there is no C compiler `cc`");
    }
    has
}

/// Where the library is installed, once for all tests.
fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c");
        let output = Command::new(env!("CARGO_BIN_EXE_install-shmem-c"))
            .args([&prefix, &archive(), Path::new(env!("CARGO_BIN_EXE_oshrun"))])
            .output()
            .expect("the installer starts");
        assert!(output.status.success(), "{output:?}");
        write(&prefix.join("include/types.h"), &types());
        prefix
    })
}

/// The archive that cargo has built with this test.
fn archive() -> PathBuf {
    let this = std::env::current_exe().expect("the path of this test");
    let folder = this.parent().expect("a file is in a folder");
    archive::newest(folder).expect("cargo builds the archive before the tests")
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Lists of types for the programs: `#define RMA_TYPES(of) of(float, float) …`.
fn types() -> String {
    let rows = table::rows();
    let lists = [
        ("RMA", Set::Rma),
        ("EXTENDED", Set::Extended),
        ("AMO", Set::Amo),
        ("BITWISE", Set::Bitwise),
        ("SUM", Set::Numbers),
        ("BITS", Set::Bits),
        ("OLD_INTEGERS", Set::OldIntegers),
        ("OLD_CELLS", Set::OldCells),
        ("OLD_WAITS", Set::OldWaits),
        ("OLD_BITS", Set::OldBits),
        ("OLD_ORDERED", Set::OldOrdered),
        ("OLD_NUMBERS", Set::OldNumbers),
    ];
    let list = |(name, set): (&str, Set)| {
        let row = rows.iter().find(|row| row.set == set).expect("each set has a row");
        let types: Vec<String> = row.types().map(|ty| format!("of({}, {})", ty.name, ty.c)).collect();
        format!("#define {name}_TYPES(of) {}\n", types.join(" "))
    };
    lists.into_iter().map(list).collect()
}

/// Compiles a program of `tests/c`, by the wrapper `compiler`.
fn compiled(compiler: &str, source: &str, name: &str, options: &[&str]) -> PathBuf {
    let program = prefix().join(name);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let source = folder.join(source);
    let mut command = Command::new(prefix().join("bin").join(compiler));
    // Places are shown as on the page, wherever this is.
    command.arg("-g").arg(format!("-fdebug-prefix-map={}=.", folder.display()));
    command.args(["-Wall", "-Werror", "-Wno-overflow"]).args(options).arg(source).arg("-o").arg(&program);
    let output = command.output().expect("the wrapper starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Runs a program on `npes` PEs.
fn run(npes: usize, program: &Path, arguments: &[&str]) -> Output {
    run_with(npes, program, arguments, &[])
}

/// As [`run`], with variables of the environment.
fn run_with(npes: usize, program: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(prefix().join("bin/oshrun"));
    command.args(["-np", &npes.to_string()]).arg(program).args(arguments);
    command.envs(variables.iter().copied()).output().expect("the launcher starts")
}

/// Runs a program that checks itself, at all numbers of PEs.
fn assert_runs(program: &Path) {
    for npes in NPES {
        assert_done(npes, &run(npes, program, &[]));
    }
}

/// Each of `npes` PEs has said that it is done, and nothing else.
#[track_caller]
fn assert_done(npes: usize, output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let wanted: Vec<String> = (0..npes).map(|pe| format!("PE {pe} of {npes} is done")).collect();
    assert!(
        output.status.success() && lines == wanted && output.stderr.is_empty(),
        "{npes} PEs: {output:#?}"
    );
}

#[test]
fn every_typed_routine() {
    if has_compiler() {
        let program = compiled("oshcc", "every.c", "every", &[]);
        assert_runs(&program);
        // The same by the transport, and with calls that are not compared.
        for variable in ["SHMEM_DIRECT", "SHMEM_CHECK"] {
            assert_done(3, &run_with(3, &program, &[], &[(variable, "0")]));
        }
    }
}

#[test]
fn routines_without_a_type() {
    if has_compiler() {
        assert_runs(&compiled("oshcc", "single.c", "single", &["-O2"]));
        assert_runs(&compiled("oshcc", "single.c", "single-fixed", &["-no-pie", "-fno-pie"]));
    }
}

#[test]
fn deprecated_routines() {
    if has_compiler() {
        // Not of C11, whose generic names would stand for those of no type.
        let program = compiled("oshcc", "old.c", "old", &["-std=gnu99"]);
        assert_runs(&program);
        // With calls that are compared, for which all meet first, and without.
        for check in ["0", "1"] {
            assert_done(3, &run_with(3, &program, &[], &[("SHMEM_CHECK", check)]));
        }
    }
}

#[test]
fn generic_names_of_c11() {
    if has_compiler() {
        assert_runs(&compiled("oshcc", "generic.c", "generic", &["-std=c11"]));
    }
}

/// The session on the page of the book, and the message there.
#[test]
fn the_page_shows_what_is_printed() {
    if !has_compiler() {
        return;
    }
    let read = |name: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name)).expect("a file")
    };
    let output = run(4, &compiled("oshcc", "ring.c", "ring", &["-O2"]), &[]);
    let session = "$ oshcc -O2 ring.c -o ring\n$ oshrun -n 4 ./ring\n".to_owned();
    assert_eq!(session + &String::from_utf8_lossy(&output.stdout), read("ring.out"));
    let output = run(2, &compiled("oshcc", "mistakes.c", "mistake", &[]), &["pe"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), read("mistake.out"));
}

#[test]
fn a_tool_replaces_a_routine() {
    if has_compiler() {
        assert_runs(&compiled("oshcc", "tool.c", "tool", &["-std=c99"]));
    }
}

#[test]
fn a_program_in_cplusplus() {
    if has_compiler() && Command::new("c++").arg("--version").output().is_ok() {
        assert_runs(&compiled("oshc++", "plusplus.cpp", "plusplus", &[]));
    }
}

/// Each routine of the table is called by a program: its name stands in what the preprocessor makes
/// of the programs, apart from the header.
#[test]
fn no_routine_is_left_out() {
    if !has_compiler() {
        return;
    }
    let mut uses: HashMap<String, usize> = HashMap::new();
    let sources = ["every.c", "single.c", "old.c"];
    for source in sources {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(source);
        let include = format!("-I{}", prefix().join("include").display());
        // Not of C11, whose generic names would stand for routines that are not called.
        let output =
            Command::new("cc").args(["-std=gnu99", "-E", "-P", &include]).arg(source).output().expect("cc");
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout);
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            *uses.entry(word.to_owned()).or_default() += 1;
        }
    }
    // The header declares each of them, in all programs.
    let all = shmem_c::ROUTINES.iter().chain(shmem_c::DEPRECATED);
    let left_out: Vec<&&str> =
        all.filter(|name| uses.get(**name).is_none_or(|count| *count <= sources.len())).collect();
    assert!(left_out.is_empty(), "not called by a test: {left_out:?}");
    // All of the specification that are not deprecated, as the page says.
    assert_eq!(shmem_c::ROUTINES.len(), 1685);
}

/// The page of the book lists the files that the installer writes.
#[test]
fn the_page_has_what_is_installed() {
    if !has_compiler() {
        return;
    }
    let mut installed = BTreeSet::new();
    let mut folders = Vec::from(["bin", "include", "lib"].map(|name| prefix().join(name)));
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the installer has made it") {
            let path = entry.expect("a file is there").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(prefix()).expect("a file in the folder");
                installed.insert(path.to_string_lossy().into_owned());
            }
        }
    }
    // What these tests write.
    for other in ["include/types.h", "lib/libmixed.so"] {
        installed.remove(other);
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/c.md");
    let page = fs::read_to_string(page).expect("the page");
    let (_, table) = page.split_once("| file | what it is |\n").expect("the table");
    let cells =
        table.lines().take_while(|line| line.starts_with('|')).filter_map(|row| row.split('|').nth(1));
    let listed = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned);
    assert_eq!(listed.collect::<BTreeSet<_>>(), installed);
}

/// The lines of a program that has succeeded, sorted.
#[track_caller]
fn printed(output: &Output) -> Vec<String> {
    assert!(output.status.success() && output.stderr.is_empty(), "{output:#?}");
    let mut lines: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// A command of the shell, which finds the launcher on its PATH.
fn shell(text: &str) -> Output {
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", prefix().join("bin").display());
    Command::new("sh")
        .args(["-c", text])
        .env("PATH", path)
        .env_remove("SHMEM_NPES")
        .output()
        .expect("a shell")
}

#[test]
fn ways_to_start_a_program() {
    if !has_compiler() {
        return;
    }
    let program = compiled("oshcc", "launched.c", "launched", &["-O2"]);
    let it = program.display();
    let done = |npes: usize, before: &str| -> Vec<String> {
        (0..npes).map(|pe| format!("{before}PE {pe} of {npes} is done")).collect()
    };
    // Without a launcher: one PE, or as many as the variable says.
    assert_eq!(printed(&shell(&format!("{it} early"))), done(1, "early "));
    assert_eq!(printed(&shell(&format!("SHMEM_NPES=3 {it} early"))), done(3, "early "));
    // Options of other launchers, and variables.
    let options = "--oversubscribe --bind-to core --mca btl ^openib -x FIRST=1 -genv SECOND 2 --wdir=/ -np 2";
    assert_eq!(printed(&shell(&format!("oshrun {options} {it} variables"))), done(2, "1 2 "));
    let output = shell(&format!("oshrun -H elsewhere -n 1 {it}"));
    assert_eq!(
        (String::from_utf8_lossy(&output.stderr).trim_end(), output.status.code()),
        ("oshrun: -H elsewhere has no effect: all PEs run on this machine", Some(0))
    );
    for (wrong, sentence) in [
        ("-n 0 x", "oshrun: -n 0: not a number of PEs"),
        ("-n", "oshrun: -n takes a value"),
        ("--no-such x", "oshrun: --no-such: there is no such option"),
        ("-n 1", "oshrun: no program"),
    ] {
        let output = shell(&format!("oshrun {wrong}"));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.starts_with(sentence) && output.status.code() == Some(2), "{wrong}: {output:?}");
    }
    // A shell between the launcher and the program, and ways to end.
    assert_eq!(printed(&shell(&format!("oshrun -n 2 sh -c '{it} again; true'"))), done(2, ""));
    assert_eq!(printed(&shell(&format!("oshrun -n 2 {it} implicit"))), done(2, ""));
    // A child that shares the globals, and one that does not.
    assert_eq!(printed(&shell(&format!("oshrun -n 2 {it} fork"))), done(2, "2 "));
    assert_eq!(printed(&shell(&format!("SHMEM_GLOBALS=0 oshrun -n 2 {it} fork"))), done(2, "1 "));
    // Programs that know of no job; but where one PE has joined, all do.
    assert_eq!(printed(&shell("oshrun -n 2 echo here")), ["here", "here"]);
    let output = shell(&format!("oshrun -n 2 sh -c 'test $PMI_RANK = 1 || {it}'"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("PE 1 of 2 ended with status 0 before it joined the job"), "{output:#?}");
    let output = shell(&format!("PMI_RANK=0 PMI_SIZE=2 {it}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("another launcher has started this process, as PMI_RANK tells"), "{output:#?}");
    // One job for each process: the second finds that its PE has ended.
    let output = shell(&format!("oshrun -n 2 sh -c '{it}; {it}'"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains("of this job before"), "{output:#?}");
}

/// The other program of the test below, in Rust.
#[shmem::test(npes = 2)]
#[ignore = "a program for another test"]
fn a_program_in_rust(world: &shmem::World) {
    assert!(world.team().fcollect_value(world.my_pe()).iter().eq(&[0, 1]));
}

/// Programs in C and in Rust that start each other, or stand in one script, have jobs of their own.
#[test]
fn jobs_in_c_and_in_rust_are_not_mixed_up() {
    if !has_compiler() {
        return;
    }
    let program = compiled("oshcc", "launched.c", "launched-2", &[]);
    let it = program.display();
    let rust = std::env::current_exe().expect("the path of this test");
    let rust = format!("{} a_program_in_rust --exact --ignored > /dev/null", rust.display());
    for script in
        [format!("{rust} && oshrun -n 3 {it} && {rust}"), format!("oshrun -n 3 {it} system '{rust}'")]
    {
        let wanted: Vec<String> = (0..3).map(|pe| format!("PE {pe} of 3 is done")).collect();
        assert_eq!(printed(&shell(&script)), wanted, "{script}");
    }
}

#[test]
fn mistakes_end_the_job_with_a_sentence() {
    if !has_compiler() {
        return;
    }
    let program = compiled("oshcc", "mistakes.c", "mistakes", &[]);
    let cases = [
        ("pe", "shmem_long_p", "there is no PE 2: the job has 2 PEs (0 to 1), and the access is to `dest`"),
        ("negative", "shmem_long_put", "`pe` is -1, and the team has 2 PEs (0 to 1)"),
        ("stack", "shmem_long_put", "`dest` is at "),
        ("end", "shmem_long_put", "`dest` on PE 0 is outside of symmetric memory"),
        ("stride", "shmem_long_iput", "`dst` is 0, and must be at least 1"),
        ("aligned", "shmem_long_atomic_inc", "`dest` has 8 bytes, and does not lie at a multiple of 8"),
        (
            "cmp",
            "shmem_long_wait_until",
            "`cmp` is 17, and must be one of SHMEM_CMP_EQ, NE, GT, LE, LT and GE",
        ),
        ("root", "shmem_long_broadcast", "`PE_root` is 1, and the team has 1 PE (number 0)"),
        ("unlock", "shmem_clear_lock", "this PE does not have the lock"),
        ("ctx", "shmem_ctx_quiet", "`ctx` is no context, or was destroyed"),
        ("team", "shmem_team_sync", "`team` is no team, or was destroyed"),
        ("free", "shmem_free", "`ptr` is at "),
        (
            "set",
            "shmem_barrier",
            "PE 0 is not in the active set: `PE_start` is 1, `logPE_stride` 0 and `PE_size` 1",
        ),
        (
            "members",
            "shmem_broadcast64",
            "`PE_size` is 2, and so the last PE 2, but the job has 2 PEs (0 to 1)",
        ),
        ("root of set", "shmem_broadcast64", "`PE_root` is 1, and the team has 1 PE (number 0)"),
        ("psync", "shmem_sync", "`pSync` does not hold SHMEM_SYNC_VALUE"),
        ("sizes", "shmem_malloc", "the PEs disagree"),
        ("early", "shmem_my_pe", "the library is not initialised: shmem_init comes before"),
        // Those that take SHMEM_DEBUG=1.
        ("d:past", "shmem_long_put", "`dest` has 72 bytes at "),
        ("d:freed", "shmem_long_p", "`dest` is at "),
        ("d:overlap", "shmem_long_put", "`dest` (16 bytes at "),
        ("d:source", "shmem_long_fcollect", "`dest` (16 bytes at "),
        ("d:null", "shmem_long_put", "`source` is NULL, and has 8 bytes"),
        ("d:call", "shmem_long_broadcast", "the PEs disagree on collective call number"),
    ];
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/mistakes.c")).expect("it");
    for (mistake, routine, sentence) in cases {
        let debug = if mistake.starts_with("d:") { "1" } else { "" };
        let output = run_with(2, &program, &[mistake], &[("SHMEM_DEBUG", debug)]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let line =
            text.lines().position(|line| line.contains(&format!("\"{mistake}\""))).expect("the mistake") + 1;
        let whole = format!("{routine} at mistakes.c:{line}: {sentence}");
        assert!(
            output.status.code() == Some(1) && stderr.contains(&whole),
            "{mistake}: {whole}: {output:#?}"
        );
        assert!(!stderr.contains("panicked"), "{mistake}: {stderr}");
    }
    // What each of the two variables finds, and the other does not.
    for (mistake, _, sentence) in cases.into_iter().filter(|(mistake, ..)| mistake.starts_with("d:")) {
        for (debug, check, finds) in [("1", "0", mistake != "d:call"), ("0", "1", mistake == "d:call")] {
            // Without its check it is an invalid access, or a call that may wait for ever.
            if !finds && ["d:null", "d:call"].contains(&mistake) {
                continue;
            }
            let output = run_with(2, &program, &[mistake], &[("SHMEM_DEBUG", debug), ("SHMEM_CHECK", check)]);
            let stderr = String::from_utf8_lossy(&output.stderr);
            let what = format!("{mistake}, SHMEM_DEBUG={debug}, SHMEM_CHECK={check}: {output:#?}");
            assert_eq!((stderr.contains(sentence), output.status.success()), (finds, !finds), "{what}");
        }
    }
    // A job that does not go on in time. On a busy machine the PEs may not have come far by then.
    let line = text.lines().position(|line| line.contains("\"busy\"")).expect("the mistake") + 1;
    let sentences = ["computes", "in barrier_all since", &format!("mistakes.c:{line}")];
    for time in ["1", "8", "64"] {
        let output = run_with(2, &program, &["busy"], &[("SHMEM_TIMEOUT", time)]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{output:#?}");
        if sentences.iter().all(|sentence| stderr.contains(sentence)) {
            break;
        }
        assert!(time != "64", "busy: {stderr}");
    }
    // A job that can never go on, and races.
    for (mistake, (variable, value), sentences) in [
        ("hang", ("SHMEM_TIMEOUT", ""), ["waits for word == 1 (is 0) since", "in barrier_all since"]),
        (
            "hang of array",
            ("SHMEM_TIMEOUT", ""),
            ["waits for to[2] == 1 (is 0) since", "why: PE 0 waits for to[2] == 1"],
        ),
        ("lock", ("SHMEM_TIMEOUT", ""), ["waits for the lock word since", "why: "]),
        ("race", ("SHMEM_RACES", "1"), ["race on word of PE 0", "PE 1 puts"]),
        ("race of cells", ("SHMEM_RACES", "1"), ["race on word of PE 0", "atomic"]),
        ("race of array", ("SHMEM_RACES", "1"), ["race on to[3] of PE 0", "PE 1 puts"]),
        (
            "race of alltoall",
            ("SHMEM_RACES", "1"),
            ["race on to", "does not know that the destination of PE "],
        ),
    ] {
        let output = run_with(2, &program, &[mistake], &[(variable, value)]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let line =
            text.lines().position(|line| line.contains(&format!("\"{mistake}\""))).expect("the mistake") + 1;
        assert!(
            !output.status.success() && stderr.contains(&format!("mistakes.c:{line}")),
            "{mistake}: {output:#?}"
        );
        for sentence in sentences {
            assert!(stderr.contains(sentence), "{mistake}: {stderr}");
        }
    }
    for (ending, status) in [("exit", 3), ("global", 7)] {
        assert_eq!(run(2, &program, &[ending]).status.code(), Some(status));
    }
    // Globals that are left out are named.
    let output = run_with(1, &program, &["unlock"], &[("SHMEM_GLOBALS", "0")]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("SHMEM_GLOBALS=0 leaves the program's global variables out"), "{stderr}");
}

/// The archive of the example, which cargo builds before all tests; not if one target is asked for.
fn mixed_archive() -> PathBuf {
    let this = std::env::current_exe().expect("the path of this test");
    let profile = this.parent().and_then(Path::parent).expect("cargo's folder");
    let archive = profile.join("examples/libmixed.a");
    if !archive.exists() {
        let status = Command::new(env!("CARGO"))
            .args(["build", "-p", "shmem-c", "--example", "mixed", "--locked"])
            .status()
            .expect("cargo starts");
        assert!(status.success());
    }
    archive
}

/// A program with files in both languages has one runtime: in the shared library of the Rust files,
/// which takes the place of `libshmem.so`.
#[test]
fn a_program_in_c_and_in_rust() {
    if !has_compiler() {
        return;
    }
    let (lib, library) = (prefix().join("lib"), prefix().join("lib/libmixed.so"));
    let output = Command::new("cc")
        .args(["-shared", "-o"])
        .arg(&library)
        .arg("-Wl,--whole-archive")
        .arg(mixed_archive())
        .arg(lib.join("libshmem-c.a"))
        .args(["-Wl,--no-whole-archive", "-lpthread", "-ldl", "-lm"])
        .output()
        .expect("cc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let program = prefix().join("mixed");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/mixed.c");
    let output = Command::new("cc")
        .arg(format!("-I{}", prefix().join("include").display()))
        .arg(source)
        .arg("-o")
        .arg(&program)
        .arg(format!("-L{}", lib.display()))
        .args(["-lmixed", &format!("-Wl,-rpath,{}", lib.display())])
        .output()
        .expect("cc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_runs(&program);
    // The objects of Rust are memory that the program has.
    let mut output = run_with(3, &program, &[], &[("SHMEM_DEBUG", "1")]);
    assert!(output.status.success(), "{output:#?}");
    // What it says of the job at start.
    output.stderr.clear();
    assert_done(3, &output);
}

/// With `libshmem.a` the library is in the program, whose globals are then not symmetric.
#[test]
fn a_program_that_has_the_library_in_itself() {
    if !has_compiler() {
        return;
    }
    let program = prefix().join("static");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/mistakes.c");
    let include = format!("-I{}", prefix().join("include").display());
    let library = prefix().join("lib/libshmem.a");
    let output = Command::new("cc")
        .arg(include)
        .arg(source)
        .arg(library)
        .arg("-o")
        .arg(&program)
        .output()
        .expect("cc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = run(2, &program, &[]);
    assert!(output.status.success(), "{output:#?}");
    let output = run(1, &program, &["unlock"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("the program is linked with libshmem.a"), "{stderr}");
}
