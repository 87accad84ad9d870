//! C programs on the installed library. They are compiled with the machine's C compiler; where there
//! is none, the tests say so and do nothing.

// The table that the library is made of, for the lists of its types and names.
#[allow(dead_code, unreachable_pub)]
#[path = "../build/table.rs"]
mod table;

use std::collections::HashMap;
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

/// The archive that cargo has built with this test: the newest of its name.
fn archive() -> PathBuf {
    let this = std::env::current_exe().expect("the path of this test");
    let folder = this.parent().expect("a file is in a folder");
    let is_archive = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libshmem_c") && name.ends_with(".a")
    };
    let files = fs::read_dir(folder).expect("the folder of this test").flatten().map(|entry| entry.path());
    let age = |path: &PathBuf| fs::metadata(path).and_then(|found| found.modified()).ok();
    files.filter(is_archive).max_by_key(age).expect("cargo builds the archive before the tests")
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
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(source);
    let mut command = Command::new(prefix().join("bin").join(compiler));
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
    for source in ["every.c", "single.c"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(source);
        let include = format!("-I{}", prefix().join("include").display());
        // Not of C11, whose generic names would stand for routines that are not called.
        let output =
            Command::new("cc").args(["-std=gnu99", "-E", "-P", &include]).arg(source).output().expect("cc");
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout);
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            if word.starts_with("shmem_") {
                *uses.entry(word.to_owned()).or_default() += 1;
            }
        }
    }
    // The header declares each of them, in both programs.
    let left_out: Vec<&&str> =
        shmem_c::ROUTINES.iter().filter(|name| uses.get(**name).is_none_or(|count| *count < 3)).collect();
    assert!(left_out.is_empty(), "not called by a test: {left_out:?}");
    // All of the specification that are not deprecated, as the page says.
    assert_eq!(shmem_c::ROUTINES.len(), 1685);
}

#[test]
fn mistakes_end_the_job_with_a_sentence() {
    if !has_compiler() {
        return;
    }
    let program = compiled("oshcc", "mistakes.c", "mistakes", &[]);
    let cases = [
        ("pe", "shmem_long_p: there is no PE 2: the job has 2 PEs (0 to 1), and the access is to `dest`"),
        ("negative", "shmem_long_put: `pe` is -1, and the team has the PEs 0 to 1"),
        ("stack", "which is not in symmetric memory: it takes memory of shmem_malloc and the like"),
        ("end", "shmem_long_put: `dest` on PE 0 is outside of symmetric memory"),
        ("stride", "shmem_long_iput: `dst` is 0, and must be at least 1"),
        ("aligned", "shmem_long_atomic_inc: `dest` has 8 bytes, and does not lie at a multiple of 8"),
        ("cmp", "shmem_long_wait_until: `cmp` is 17, and must be one of SHMEM_CMP_EQ, NE, GT, LE, LT and GE"),
        ("root", "shmem_long_broadcast: `PE_root` is 1, and the team has the PEs 0 to 0"),
        ("unlock", "shmem_clear_lock: this PE does not have the lock"),
        ("ctx", "shmem_ctx_quiet: `ctx` is no context, or was destroyed"),
        ("team", "shmem_team_sync: `team` is no team, or was destroyed"),
        ("free", "which is not the start of allocated memory, or is free already"),
        ("hang", "waits for"),
        ("sizes", "shmem_malloc: the PEs disagree"),
        ("early", "shmem_my_pe: the library is not initialised: shmem_init comes before"),
    ];
    for (mistake, sentence) in cases {
        let output = run(2, &program, &[mistake]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && stderr.contains(sentence), "{mistake}: {output:#?}");
        assert!(!stderr.contains("panicked"), "{mistake}: {stderr}");
    }
    for (ending, status) in [("exit", 3), ("global", 7)] {
        assert_eq!(run(2, &program, &[ending]).status.code(), Some(status));
    }
    // Globals that are left out are named.
    let output = run_with(1, &program, &["unlock"], &[("SHMEM_GLOBALS", "0")]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("SHMEM_GLOBALS=0 leaves the program's global variables out"), "{stderr}");
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
