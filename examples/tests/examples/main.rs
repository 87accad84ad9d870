//! Runs every example as a user does, at several numbers of PEs, and reads what it says.
//!
//! The examples check their own results, so their exit status says most. The tests beside that make
//! sure that they have done something, and that they speak clearly when they cannot.

#[path = "../common/mod.rs"]
mod common;
mod data;
#[cfg(feature = "gpu")]
mod gpu;
mod prk;
mod races;
mod random_access;
mod sort_and_stream;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{
    Ran, Ranks, cargo, check_halo, check_hello, check_histogram, check_picture, check_sort, decode, finish,
    package, pes, program,
};

/// Variables of the user that must not change what is tested.
const VARIABLES: [&str; 9] = [
    "SHMEM_NPES",
    "SHMEM_SYMMETRIC_SIZE",
    "SHMEM_INFO",
    "SHMEM_VERSION",
    "SHMEM_DEBUG",
    "SHMEM_DIRECT",
    "SHMEM_SYSTEM",
    "SHMEM_GPU",
    "SHMEM_GPU_DEVICE",
];
/// A way to another PE's memory: the variables that choose it. Without any, it is the usual one.
type Way = &'static [(&'static str, &'static str)];

/// The numbers of PEs.
fn counts() -> &'static [usize] {
    if is_over_library() {
        // A library takes a tenth of a second of processor time to start a PE.
        &[1, 2, 3]
    } else {
        // One, even, odd, a square, and a prime that no block of work divides by.
        &[1, 2, 3, 4, 7]
    }
}

/// All numbers of PEs, and `npes` PEs by each way that is not the usual one.
fn runs(npes: usize) -> impl Iterator<Item = (usize, Way)> {
    let ways: &[Way] = if is_over_library() {
        // The portable system layer is tested without the library.
        &[&[("SHMEM_DIRECT", "0")]]
    } else {
        &[
            &[("SHMEM_DIRECT", "0")],
            &[("SHMEM_SYSTEM", "portable")],
            &[("SHMEM_DIRECT", "0"), ("SHMEM_SYSTEM", "portable")],
        ]
    };
    let usual = counts().iter().map(|&npes| (npes, &[][..]));
    usual.chain(ways.iter().map(move |&way| (npes, way)))
}

/// Whether the examples run over an OpenSHMEM library.
fn is_over_library() -> bool {
    std::env::var_os("SHMEM_TRANSPORT").is_some_and(|transport| transport != "smp")
}

impl Ran {
    /// What a run that must fail has said: one line, and nothing on the standard output.
    #[track_caller]
    fn failed(self) -> String {
        assert!(self.status == Some(1) && self.out.is_empty(), "not a clean failure: {self:#?}");
        assert_eq!(self.err.lines().count(), 1, "not one report: {self:#?}");
        self.err.trim_end().to_owned()
    }
}

/// Runs an example on `npes` PEs, with `variables` in its environment.
#[track_caller]
fn run(example: &str, npes: usize, variables: &[(&str, &str)], arguments: &[&OsStr]) -> Ran {
    let mut command = Command::new(program(example));
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command.args(arguments).env("SHMEM_NPES", npes.to_string()).envs(variables.iter().copied());
    finish(&mut command, |supervisor| supervisor.kill().expect("the child is ours"))
}

/// Runs an example without arguments at each of the numbers of PEs, and in each of the other ways;
/// `check` gets the number of PEs and what was printed.
#[track_caller]
fn everywhere(example: &str, check: impl Fn(usize, &str)) {
    for (npes, way) in runs(3) {
        check(npes, &run(example, npes, way, &[]).ok());
    }
}

/// A file for one test: `name` is its own.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
    fs::create_dir_all(&folder).expect("the target directory can be written to");
    folder.join(name)
}

// The small ones ---------------------------------------------------------------------------------------------

#[test]
fn readme_checks_itself_and_says_nothing() {
    everywhere("readme", |_, out| assert_eq!(out, ""));
}

#[test]
fn hello_is_said_by_every_pe_and_heard() {
    everywhere("hello", |npes, out| {
        check_hello(npes, out);
        // A launcher brings what several PEs print together in an order of its own.
        assert!(
            is_over_library() || out.lines().next_back().is_some_and(|line| line.starts_with("PE 0 heard ")),
            "{out}"
        );
    });
}

#[test]
fn ring_brings_every_parcel_home() {
    everywhere("ring", |npes, out| {
        let [parcels, stamps] =
            [(npes, "parcel"), (npes * npes, "stamp")].map(|(n, of)| examples::count(n, of));
        assert_eq!(out, format!("{parcels} went round {} and came home with {stamps}\n", pes(npes)));
    });
}

#[test]
fn histogram_counts_every_ball_once() {
    everywhere("histogram", check_histogram);
}

#[test]
fn sort_brings_all_keys_in_order() {
    everywhere("sort", check_sort);
}

// halo -------------------------------------------------------------------------------------------------------

#[test]
fn halo_draws_the_same_picture_however_the_plate_is_cut() {
    let mut first: Option<Vec<u8>> = None;
    // 9 and 16 blocks: some have neighbours on all four sides.
    let large: &[usize] = if is_over_library() { &[9] } else { &[9, 16] };
    let runs = runs(4).chain(large.iter().map(|&npes| (npes, &[][..])));
    for (run_number, (npes, way)) in runs.enumerate() {
        let path = scratch(&format!("halo-{run_number}.png"));
        let _ = fs::remove_file(&path); // of an earlier run of the test
        let out = run("halo", npes, way, &[path.as_os_str()]).ok();
        check_halo(npes, &out, &path);
        let pixels = decode(&path);
        match &first {
            Some(first) => assert!(*first == pixels, "the picture of {npes} PEs, {way:?}, is another one"),
            None => first = Some(pixels),
        }
    }
    check_picture(&first.expect("there were runs"));
}

#[test]
fn halo_without_a_path_puts_the_picture_beside_the_program() {
    let path = program("halo").with_extension("png");
    let _ = fs::remove_file(&path); // of an earlier run
    let out = run("halo", 2, &[], &[]).ok();
    assert!(out.ends_with(&format!("picture: {}\n", path.display())), "{out}");
    decode(&path);
}

#[test]
fn halo_takes_no_options() {
    let said = run("halo", 2, &[], &["--help".as_ref()]).failed();
    assert!(said.contains("the path of the picture, and \"--help\" looks like an option"), "{said}");
}

#[test]
fn halo_says_where_it_cannot_write() {
    let path = scratch("no such folder").join("heat.png");
    let report = run("halo", 3, &[], &[path.as_os_str()]).failed();
    let expected = format!(": cannot write the picture {}: No such file or directory", path.display());
    assert!(report.contains(&expected), "{report}");
}

// pagerank ---------------------------------------------------------------------------------------------------

impl Ranks {
    fn names(&self) -> Vec<&str> {
        self.top.iter().map(|(name, ..)| name.as_str()).collect()
    }
}

/// Writes a lock file and runs pagerank on it.
#[track_caller]
fn pagerank_of(name: &str, npes: usize, lock: impl AsRef<[u8]>) -> (PathBuf, Ran) {
    let path = scratch(name);
    fs::write(&path, lock).expect("the target directory can be written to");
    let ran = run("pagerank", npes, &[], &[path.as_os_str()]);
    (path, ran)
}

#[test]
fn pagerank_ranks_this_project() {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    let crates = fs::read_to_string(lock).expect("the project has one").matches("[[package]]").count();
    let mut first: Option<Vec<(String, f64, usize)>> = None;
    // 16 PEs and more: some have no crate at all, where there are few.
    let many = (!is_over_library()).then_some((16, &[][..]));
    for (npes, way) in runs(3).chain(many) {
        let Ranks { heading, top, summary } = Ranks::of(&run("pagerank", npes, way, &[]).ok());
        assert!(heading.contains(&format!("Cargo.lock: a graph of {crates} crates and ")), "{heading}");
        assert!(
            summary.contains(&format!(" iterations on {}; the largest difference", pes(npes))),
            "{summary}"
        );
        assert_eq!(top.len(), 10);
        assert!(top.is_sorted_by(|(_, a, _), (_, b, _)| a >= b), "{top:?}");
        // The same table from all of them.
        assert_eq!(*first.get_or_insert_with(|| top.clone()), top);
    }
}

#[test]
fn pagerank_of_a_star_is_the_one_worked_out_by_hand() {
    // Of three crates with the rank r each, and a hub with h: h = r + 0.85 * 3 r, and 3 r + h = 1.
    let r = 100.0 / (4.0 + 3.0 * 0.85);
    let lock = [package("hub", "1.0.0", &[]), package("c", "0.1.0", &["hub"])].concat()
        + &[package("b", "0.1.0", &["hub"]), package("a", "0.1.0", &["hub"])].concat();
    for &npes in counts() {
        let (_, ran) = pagerank_of(&format!("star-{npes}.lock"), npes, &lock);
        let Ranks { heading, top, .. } = Ranks::of(&ran.ok());
        assert!(heading.ends_with(": a graph of 4 crates and 3 edges"), "{heading}");
        let expected =
            [("hub 1.0.0", 100.0 - 3.0 * r, 3), ("c 0.1.0", r, 0), ("b 0.1.0", r, 0), ("a 0.1.0", r, 0)];
        assert_eq!(top.len(), expected.len());
        for ((name, rank, users), expected) in top.iter().zip(expected) {
            assert_eq!((name.as_str(), *users), (expected.0, expected.2));
            // Two decimals are printed.
            assert!((rank - expected.1).abs() <= 0.0051, "{name}: {rank}, not {}", expected.1);
        }
    }
}

#[test]
fn pagerank_of_one_crate_is_all_of_it() {
    for &npes in counts() {
        let (_, ran) = pagerank_of(&format!("one-{npes}.lock"), npes, package("alone", "1.2.3", &[]));
        let ranks = Ranks::of(&ran.ok());
        assert!(ranks.heading.ends_with(": a graph of 1 crate and 0 edges"), "{}", ranks.heading);
        assert_eq!(ranks.top, [(String::from("alone 1.2.3"), 100.0, 0)]);
        assert!(ranks.summary.starts_with("1 iteration on "), "{}", ranks.summary);
    }
}

#[test]
fn pagerank_reads_the_lock_file_of_another_project() {
    // Made by cargo itself: a program that stands on two libraries, which stand on a third.
    let project = scratch("project");
    for (name, needs) in
        [("app", &["left", "right"][..]), ("left", &["base"]), ("right", &["base"]), ("base", &[])]
    {
        let folder = if name == "app" { project.clone() } else { project.join(name) };
        fs::create_dir_all(folder.join("src")).expect("the target directory can be written to");
        let mut manifest = format!("[package]\nname = \"{name}\"\nversion = \"0.3.0\"\n[dependencies]\n");
        for need in needs {
            let path = if name == "app" { need.to_string() } else { format!("../{need}") };
            manifest += &format!("{need} = {{ path = \"{path}\" }}\n");
        }
        if name == "app" {
            manifest += "[workspace]\n"; // it lies inside another one
        }
        fs::write(folder.join("Cargo.toml"), manifest).expect("the folder can be written to");
        fs::write(folder.join("src/lib.rs"), "").expect("the folder can be written to");
    }
    let made = cargo()
        .current_dir(&project)
        .args(["generate-lockfile", "--offline"])
        .output()
        .expect("cargo starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));

    let lock = project.join("Cargo.lock");
    let ranks = Ranks::of(&run("pagerank", 3, &[], &[lock.as_os_str()]).ok());
    assert_eq!(ranks.heading, format!("{}: a graph of 4 crates and 4 edges", lock.display()));
    assert_eq!(ranks.names(), ["base 0.3.0", "left 0.3.0", "right 0.3.0", "app 0.3.0"]);
}

#[test]
fn pagerank_tells_versions_and_sources_apart() {
    let registry = "registry+https://example.org/index";
    let git = "git+https://example.org/twin?rev=1#0123456";
    let mut lock = package("app", "0.1.0", &["old 1.0.0", "old 2.0.0", &format!("twin 1.0.0 ({git})")])
        + &package("old", "1.0.0", &[&format!("twin 1.0.0 ({registry})")])
        + &package("old", "2.0.0", &[]);
    for source in [registry, git] {
        lock += &format!("[[package]]\nname = \"twin\"\nversion = \"1.0.0\"\nsource = \"{source}\"\n\n");
    }
    let (_, ran) = pagerank_of("versions.lock", 2, lock);
    let ranks = Ranks::of(&ran.ok());
    assert!(ranks.heading.ends_with(": a graph of 5 crates and 4 edges"), "{}", ranks.heading);
    // The twin of the registry gets all that old 1.0.0 has; that of git a third of what app has.
    assert_eq!(ranks.names(), ["twin 1.0.0", "old 1.0.0", "old 2.0.0", "twin 1.0.0", "app 0.1.0"]);
    assert_eq!(ranks.top.iter().map(|(.., users)| *users).collect::<Vec<_>>(), [1, 1, 1, 1, 0]);
}

/// pagerank must refuse this file with one report, which names the file and says `problem`.
#[track_caller]
fn refused(name: &str, lock: impl AsRef<[u8]>, problem: &str) {
    let (path, ran) = pagerank_of(name, 3, lock);
    let report = ran.failed();
    let expected = format!("{}{problem}", path.display());
    assert!(
        report.starts_with("shmem: PE 0 of 3 ") && report.contains(&expected),
        "{report}\nis not about\n{expected}"
    );
}

#[test]
fn pagerank_refuses_what_is_not_a_lock_file() {
    let none = ": this is not a Cargo.lock, or an empty one: there is no [[package]] in it";
    refused("empty.lock", "", none);
    refused("comment.lock", "# This file is automatically @generated by Cargo.\nversion = 4\n", none);
    refused("no-package.lock", "package = []\n", none);
    refused(
        "manifest.lock",
        "\n[package]\nname = \"a\"\n",
        ":2: `package` is not a list of [[package]] tables",
    );
    refused("number.lock", "package = 7\n", ":1: `package` is not a list of [[package]] tables");
    refused("numbers.lock", "package = [7]\n", ":1: an entry of `package` is not a [[package]] table");
    refused("binary.lock", b"[[package]]\n\xff\xfe\x00", " is not a Cargo.lock: it is not text (at byte 12)");
    refused("zeros.lock", [0; 64], ":1: this is not TOML: ");
    refused("prose.lock", "Dear reader,\n", ":1: this is not TOML: ");
}

#[test]
fn pagerank_refuses_a_damaged_lock_file() {
    let whole = package("a", "1.0.0", &["b"]) + &package("b", "1.0.0", &[]);
    let cut = whole.rfind("1.0.0").expect("the version of b") + 2;
    refused("cut.lock", &whole[..cut], ":8: this is not TOML: ");
    refused(
        "merge.lock",
        whole.replace("[[package]]\nname = \"b\"", "<<<<<<< HEAD"),
        ":6: this is not TOML: ",
    );
    refused("no-name.lock", "[[package]]\nversion = \"1.0.0\"\n", ":1: a package has no name");
    refused("no-version.lock", "[[package]]\nname = \"a\"\n", ":1: a package has no version");
    refused("name.lock", "[[package]]\nname = 7\n", ":2: the name of a package is not a string");
    refused(
        "dependencies.lock",
        whole.replace("[\"b\"]", "\"b\""),
        ":4: the dependencies of `a` are not a list of strings",
    );
    refused(
        "dependency.lock",
        whole.replace("[\"b\"]", "[1]"),
        ":4: the dependencies of `a` are not a list of strings",
    );
    refused(
        "twice.lock",
        whole.replace("\"b\"\n", "\"a\"\n"),
        ":6: the package `a 1.0.0` is in the file twice",
    );
}

#[test]
fn pagerank_refuses_dependencies_that_mean_nothing_or_too_much() {
    let needing =
        |what| package("a", "1.0.0", &[what]) + &package("b", "1.0.0", &[]) + &package("b", "2.0.0", &[]);
    let unknown = ", which is not in the file";
    refused("unknown.lock", needing("c"), &format!(":4: `a 1.0.0` depends on `c`{unknown}"));
    refused("version.lock", needing("b 3.0.0"), &format!(":4: `a 1.0.0` depends on `b 3.0.0`{unknown}"));
    refused(
        "source.lock",
        needing("b 1.0.0 (git)"),
        &format!(":4: `a 1.0.0` depends on `b 1.0.0 (git)`{unknown}"),
    );
    refused("nobody.lock", needing(""), &format!(":4: `a 1.0.0` depends on ``{unknown}"));
    refused(
        "ambiguous.lock",
        needing("b"),
        ":4: `a 1.0.0` depends on `b`, and there is more than one package that this can mean",
    );
}

#[test]
fn pagerank_names_a_file_that_it_cannot_read() {
    for &npes in counts() {
        let missing = scratch("no such file.lock");
        let report = run("pagerank", npes, &[], &[missing.as_os_str()]).failed();
        let expected = format!(": cannot read {}: No such file or directory", missing.display());
        assert!(
            report.starts_with(&format!("shmem: PE 0 of {npes} ")) && report.contains(&expected),
            "{report}"
        );
    }
    let folder = scratch("a folder.lock");
    fs::create_dir_all(&folder).expect("the target directory can be written to");
    let report = run("pagerank", 2, &[], &[folder.as_os_str()]).failed();
    assert!(report.contains(&format!(": cannot read {}: ", folder.display())), "{report}");
}

#[test]
fn pagerank_takes_one_argument() {
    let report = run("pagerank", 2, &[], &[OsStr::new("a"), OsStr::new("b")]).failed();
    assert!(report.contains(": pagerank takes one argument at most: the path of a Cargo.lock"), "{report}");
}

// The README -------------------------------------------------------------------------------------------------

#[test]
fn the_readme_shows_what_runs() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = package.join("../..").canonicalize().expect("the package lies in the project");
    let readme = fs::read_to_string(project.join("README.md")).expect("the project has a README.md");
    let source = include_str!("../../examples/readme.rs");
    let program = &source[source.find("use shmem").expect("it imports the prelude")..];
    assert!(
        readme.contains(&format!("```rust\n{program}```")),
        "README.md shows another program than readme.rs"
    );

    for line in run("hello", 3, &[], &[]).ok().lines() {
        assert!(readme.lines().any(|shown| shown == line), "README.md does not show {line:?}");
    }

    // The last figure depends on the order of additions, which the number of PEs decides.
    let steady = |line: &&str| !line.is_empty() && !line.contains("largest difference");
    let printed = run("pagerank", 2, &[], &[]).ok();
    // The reader is in the project's folder; a test is not.
    let printed = printed.replace(&format!("{}/", project.display()), "");
    for line in printed.lines().filter(steady) {
        assert!(readme.lines().any(|shown| shown == line), "README.md does not show {line:?}");
    }
}
