//! New packages, completions, manual pages, and what the tool says about this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::package::{SHMEMRUN, TOOL, command, empty, ended, finish, scratch, tool};

fn read(path: PathBuf) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

// That the package builds, runs and passes its test is what the other tests of this file stand on.
#[test]
fn what_a_new_package_has() {
    let folder = empty("new");
    let made = ended(command(TOOL, &folder).args(["new", "ring"]));
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("shmem-core");
    let first = format!("made the package ring, which depends on {}\n  cd ring\n", library.display());
    assert!(made.status == 0 && made.stdout.starts_with(&first), "{made:#?}");
    assert!(made.stdout.contains("note: a CI machine does not have this folder"), "{made:#?}");
    let manifest = read(folder.join("ring/Cargo.toml"));
    assert!(manifest.contains("[profile.dev.package.shmem-core]\nopt-level = 3\n"), "{manifest}");
    assert!(read(folder.join("ring/.gitignore")).contains("/target"));
    assert!(read(folder.join("ring/.github/workflows/ci.yml")).contains("cargo test"));
    // The format is that of rustfmt.
    finish(&folder.join("ring"));
    ended(command("cargo", &folder.join("ring")).args(["fmt", "--check"])).assert(0, "", "");
}

#[test]
fn where_a_new_package_finds_the_library() {
    let folder = empty("sources");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let new = |words: &[&str]| ended(command(TOOL, &folder).arg("new").args(words));
    let plain = checkout.to_str().expect("a plain path");
    assert_eq!(new(&["by-path", "--path", plain]).status, 0);
    let dependency = format!("path = \"{plain}/shmem-core\"");
    assert!(read(folder.join("by-path/Cargo.toml")).contains(&dependency));
    let by_git = new(&["by-git", "--git", "https://example.com/shmem.git"]);
    assert!(by_git.status == 0 && !by_git.stdout.contains("CI machine"), "{by_git:#?}");
    let dependency = "shmem = { package = \"shmem-core\", git = \"https://example.com/shmem.git\" }";
    assert!(read(folder.join("by-git/Cargo.toml")).contains(dependency));
    new(&["wrong", "--path", "by-git"]).assert(
        1,
        "",
        "error: there is no package shmem-core in by-git\nhelp: `--path` names a checkout of the repository of the crate shmem\n",
    );
    assert!(!folder.join("wrong").exists());
    // cargo's own messages.
    new(&["by-path"]).assert_fails(1, "error: destination `");
    new(&["4ever"]).assert_fails(1, "error: invalid character `4` in package name");
}

#[test]
fn a_new_package_of_a_workspace_leaves_the_profile_to_the_root() {
    let folder = empty("workspace");
    let root =
        "[workspace]\nresolver = \"3\"\nmembers = []\n\n[workspace.lints.rust]\nmissing_docs = \"warn\"\n";
    fs::write(folder.join("Cargo.toml"), root).expect("a file can be written");
    let made = ended(command(TOOL, &folder).args(["new", "member"]));
    assert!(made.status == 0 && made.stdout.contains("its profiles stand in the root"), "{made:#?}");
    assert!(!read(folder.join("member/Cargo.toml")).contains("[profile"));
    // The dependency is one, also where cargo adds other sections to the package.
    finish(&folder);
    let tree = ended(command("cargo", &folder.join("member")).args([
        "tree",
        "--depth=1",
        "--prefix=none",
        "--quiet",
    ]));
    assert!(tree.status == 0 && tree.stdout.contains("shmem-core v"), "{tree:#?}");
}

#[test]
fn completions_are_scripts() {
    let completions = |shell: &str| {
        let end = ended(command(TOOL, scratch()).args(["completions", shell]));
        assert_eq!((end.status, end.stderr.as_str()), (0, ""), "{shell}");
        let file = scratch().join(format!("completions.{shell}"));
        fs::write(&file, &end.stdout).expect("a file can be written");
        (end.stdout, file)
    };
    for shell in ["zsh", "fish"] {
        let (script, file) = completions(shell);
        assert!(script.contains("shmemrun"));
        match Command::new(shell).arg("-n").arg(file).status() {
            Ok(status) => assert!(status.success()),
            Err(_) => eprintln!("NOT TESTED: the completions by {shell}, which is not installed"),
        }
    }
    for shell in ["elvish", "powershell"] {
        assert!(completions(shell).0.contains("shmemrun"));
    }
    let (_, file) = completions("bash");
    if Command::new("bash").args(["-c", "true"]).status().is_err() {
        eprintln!("NOT TESTED: the completions by bash, which is not installed");
        return;
    }
    // Twice, as when a terminal reads its settings again, and with completions of cargo that were there before.
    let complete = |words: &str, function: &str| {
        let last = words.split(' ').count() - 1;
        let script = format!(
            "_cargo() {{ COMPREPLY=(cargos); }}; complete -F _cargo cargo; source {0}; source {0}\n\
             COMP_WORDS=({words}); COMP_CWORD={last}; {function} ${{COMP_WORDS[0]}} \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"\n\
             echo \"${{COMPREPLY[@]}}\"",
            file.display()
        );
        let end = ended(command("bash", Path::new("/")).args(["--norc", "-c", &script]));
        assert_eq!(end.stderr, "");
        end.stdout.trim().to_owned()
    };
    assert_eq!(complete("cargo shmem inf", "_cargo_or_cargo_shmem"), "info");
    assert_eq!(complete("cargo shmem run --transport o", "_cargo_or_cargo_shmem"), "openshmem");
    assert_eq!(complete("cargo shmem run --relea", "_cargo_or_cargo_shmem"), "--release");
    assert_eq!(complete("cargo bui", "_cargo_or_cargo_shmem"), "cargos");
    assert_eq!(complete("cargo-shmem comp", "_cargo_shmem"), "completions");
    assert_eq!(complete("shmemrun --siz", "_shmemrun"), "--size");
}

#[test]
fn manual_pages_can_be_read() {
    let folder = empty("man");
    ended(command(TOOL, &folder).args(["man", "."])).assert(0, "", "");
    for page in ["cargo-shmem", "cargo-shmem-run", "cargo-shmem-info", "cargo-shmem-new", "shmemrun"] {
        let file = folder.join(format!("{page}.1"));
        assert!(read(file.clone()).contains(".SH SYNOPSIS"), "{page}");
        let shown = Command::new("man").args(["--warnings", "-l"]).arg(file).output();
        match shown {
            Ok(shown) => {
                assert!(shown.status.success() && shown.stderr.is_empty(), "{page}: {shown:?}");
                assert!(!shown.stdout.is_empty());
            }
            Err(_) => eprintln!("NOT TESTED: the manual page {page} by man, which is not installed"),
        }
    }
    ended(command(TOOL, &folder).args(["man", "missing"]))
        .assert_fails(1, "error: missing: No such file or directory");
}

#[test]
fn what_a_program_would_do() {
    let info = ended(tool("info").env("SHMEM_NPES", "5"));
    assert_eq!((info.status, info.stderr.as_str()), (0, ""), "{info:#?}");
    for line in [
        "  openshmem    off (the feature for jobs over the OpenSHMEM library)\n",
        "  starts 5 PEs, unless its attribute says how many\n",
        "  transport smp (no launcher has started this process)\n",
        "  SHMEM_NPES=5: number of PEs to start, 1 to 4096",
        "this machine\n  cores        ",
    ] {
        assert!(info.stdout.contains(line), "{line}\n{}", info.stdout);
    }
    let wrong = ended(tool("info").env("SHMEM_NPES", "many"));
    assert!(wrong.stdout.contains("  fails: SHMEM_NPES=\"many\" is not understood: "), "{wrong:#?}");
    let launched = ended(tool("info").env("PMI_RANK", "0").env("PMI_SIZE", "4"));
    assert!(
        launched.stdout.contains("  fails: this program was started 4 times (as PMI_SIZE tells)"),
        "{launched:#?}"
    );
    let nowhere = ended(command(TOOL, Path::new("/")).arg("info"));
    assert!(
        nowhere.status == 0 && nowhere.stdout.contains("this folder\n  package      none\n"),
        "{nowhere:#?}"
    );
}

#[test]
fn the_help_names_both_programs_as_they_are_typed() {
    let help = ended(command(TOOL, Path::new("/")).args(["shmem", "run", "--help"]));
    assert!(help.stdout.contains("Usage: cargo shmem run [OPTIONS]"), "{help:#?}");
    let help = ended(command(SHMEMRUN, Path::new("/")).arg("--help"));
    assert!(help.stdout.contains("Usage: shmemrun [OPTIONS] <PROGRAM>..."), "{help:#?}");
}
