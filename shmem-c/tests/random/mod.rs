//! Random programs: what a program in C reads, and what is in its memory at the end, is what a plain
//! model says. An interpreter in C (`tests/c/random.c`) executes them, so they are compiled once.
//! Faults that are put into the generated entry points on purpose are found.

mod deck;
mod model;
mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use self::program::Case;
use super::{NPES, assert_done, compiled, has_compiler, prefix, run_with, write};

/// Variables of the environment.
type Variables<'a> = &'a [(&'a str, &'a str)];

/// Runs the program of a case. `Err` says where it is wrong first.
fn outcome(interpreter: &Path, case: &Case, variables: Variables<'_>) -> Result<(), String> {
    let name = format!("random-{}-{}-{}", file_name(interpreter), case.npes(), case.seed);
    let (lines, results) = (prefix().join(format!("{name}.txt")), prefix().join(format!("{name}.results")));
    write(&lines, &case.lines.join("\n"));
    let of_pe = |pe: usize| PathBuf::from(format!("{}.{pe}", results.display()));
    let arguments = [lines.display().to_string(), results.display().to_string()];
    let output = run_with(case.npes(), interpreter, &arguments.each_ref().map(String::as_str), variables);
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    assert_done(case.npes(), &output);
    for pe in 0..case.npes() {
        let text = fs::read_to_string(of_pe(pe)).expect("each PE writes its results");
        let found: Vec<i64> = text.lines().map(|line| line.parse().expect("a number")).collect();
        if let Some(difference) = case.difference(pe, &found) {
            return Err(format!("PE {pe} of {}, {}: {difference}", case.npes(), lines.display()));
        }
    }
    for file in (0..case.npes()).map(of_pe).chain([lines]) {
        fs::remove_file(file).expect("a file that was written");
    }
    Ok(())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The interpreter, linked with more sources before the library.
fn interpreter(name: &str, more: &[&str]) -> PathBuf {
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    let object = OBJECT.get_or_init(|| compiled("oshcc", "random.c", "random.o", &["-c"]));
    compiled("oshcc", &object.display().to_string(), name, more)
}

#[test]
fn random_programs() {
    if !has_compiler() {
        return;
    }
    let interpreter = interpreter("random", &[]);
    for npes in NPES {
        let case = Case::random(npes, 1);
        outcome(&interpreter, &case, &[]).unwrap_or_else(|difference| panic!("{difference}"));
    }
    // The same by the transport, and with the search for races, which finds none.
    let case = Case::random(3, 2);
    for variable in [("SHMEM_DIRECT", "0"), ("SHMEM_RACES", "1")] {
        outcome(&interpreter, &case, &[variable])
            .unwrap_or_else(|difference| panic!("{variable:?}: {difference}"));
    }
}

/// What is done to an entry point as the build has made it: the routine, what stands there, and what
/// stands there in its place.
type Fault = (&'static str, &'static str, &'static str);

/// The generated entry points with these faults, which take the place of the library's.
fn with_faults(faults: &[Fault]) -> String {
    let mut text = String::from("#include <shmem.h>\n");
    for (routine, right, wrong) in faults {
        let is_it = |line: &&str| {
            line.starts_with("__attribute__((weak)) ") && line.contains(&format!(" {routine}("))
        };
        let line = shmem_c::ALIASES.lines().find(is_it).unwrap_or_else(|| panic!("there is no {routine}"));
        assert!(line.contains(right), "{line}");
        text += &line.replace("__attribute__((weak)) ", "").replace(right, wrong);
        text.push('\n');
    }
    text
}

#[test]
fn faults_in_the_entry_points_are_found() {
    if !has_compiler() {
        return;
    }
    let races: Variables<'_> = &[("SHMEM_RACES", "1")];
    // The last one does no harm on one machine, but is a race all the same.
    let mutants: [(&str, &[Fault], Variables<'_>); 4] = [
        ("strides", &[("shmem_long_iput", ", dst, sst,", ", sst, dst,")], &[]),
        (
            "type",
            &[(
                "shmem_ulong_atomic_fetch_add",
                "pshmem_ulong_atomic_fetch_add(dest",
                "pshmem_uint_atomic_fetch_add((unsigned int *)dest",
            )],
            &[],
        ),
        (
            "translation",
            &[("shmem_team_translate_pe", "src_pe, dest_team);", "src_pe + 1, dest_team);")],
            &[],
        ),
        (
            "quiet",
            &[("shmem_quiet", "pshmem_quiet();", ""), ("shmem_ctx_quiet", "pshmem_ctx_quiet(ctx);", "")],
            races,
        ),
    ];
    let case = Case::random(3, 3);
    outcome(&interpreter("right", &[]), &case, races).unwrap_or_else(|difference| panic!("{difference}"));
    for (name, faults, variables) in mutants {
        let source = prefix().join(format!("mutant-{name}.c"));
        write(&source, &with_faults(faults));
        let mutant = interpreter(&format!("mutant-{name}"), &[&source.display().to_string()]);
        let found = outcome(&mutant, &case, variables).expect_err(name);
        println!("{name}: {found}");
        let is_race = found.contains("race");
        assert_eq!(is_race, !variables.is_empty(), "{name}: {found}");
    }
}
