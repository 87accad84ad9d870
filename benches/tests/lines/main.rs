//! Counts the lines of LLVM's language that each form of call becomes: what it costs to compile a
//! program with many of them.
//!
//! A time depends on the machine and its other load; a count does not. Code that belongs into a
//! function that is compiled once, with this crate, is easily inlined into every call instead. The
//! program does the same, but a function with two hundred calls takes a minute to compile.
//!
//! The test is shown as ignored in a debug build, which does not optimise
//! (`cargo test --release -p benches` runs it).

use std::path::{Path, PathBuf};
use std::process::Command;

/// The library that this test was built with, which cargo says when there is nothing left to build.
fn library() -> PathBuf {
    let run = Command::new(env!("CARGO"))
        // What charts need would be built for nothing.
        .args(["build", "--release", "--lib", "--no-default-features", "--message-format=json"])
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .output()
        .expect("cargo can be started");
    assert!(run.status.success(), "cargo failed:\n{}", String::from_utf8_lossy(&run.stderr));
    let messages = String::from_utf8(run.stdout).expect("cargo prints UTF-8");
    let file = messages.split('"').rfind(|text| {
        let name = Path::new(text).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libshmem-") && name.ends_with(".rlib")
    });
    PathBuf::from(file.expect("cargo names the library"))
}

/// The lines of each function that `forms.rs` becomes, after optimisation.
fn lines() -> Vec<(String, usize)> {
    let library = library();
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("forms.ll");
    let run = Command::new("rustc")
        .args(["--crate-type=lib", "--edition=2024", "-Copt-level=3", "-Ccodegen-units=1", "--emit=llvm-ir"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lines/forms.rs"))
        .arg("-o")
        .arg(&out)
        .arg(format!("--extern=shmem={}", library.display()))
        .arg(format!("-Ldependency={}", library.parent().expect("a folder").display()))
        .output()
        .expect("rustc can be started");
    assert!(run.status.success(), "rustc failed:\n{}", String::from_utf8_lossy(&run.stderr));
    let text = std::fs::read_to_string(&out).expect("rustc has written its output");
    let mut functions: Vec<(String, usize)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("define ") {
            let name = head.split_once('@').and_then(|(_, rest)| rest.split_once('(')).expect("a name").0;
            functions.push((name.trim_matches('"').to_owned(), 0));
            inside = true;
        } else if line == "}" {
            inside = false;
        } else if inside && !line.is_empty() {
            functions.last_mut().expect("a function has begun").1 += 1;
        }
    }
    functions
}

#[test]
#[cfg_attr(debug_assertions, ignore = "counts what the optimiser makes: run with --release")]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "the bounds are for x86-64")]
fn a_call_becomes_few_lines() {
    // Each bound leaves room for a tenth more, which another compiler may need.
    let bounds = [
        ("get_constant", 34),
        ("get_element", 50),
        ("get_element_2d", 60),
        ("get_element_array", 55),
        ("get_local", 52),
        ("put_constant", 33),
        ("put_element", 49),
        ("put_slot", 50),
        ("put_field", 50),
        ("add", 55),
        ("fetch_add", 56),
        ("get_span", 37),
        ("put_span", 32),
        ("get_strided", 61),
        ("put_strided", 56),
        ("put_column", 57),
        ("put_block", 48),
        ("get_block", 48),
        ("get_range", 100),
        ("get_into", 70),
        ("put_range", 70),
        ("put_stepped", 123),
        ("put_rectangle", 93),
        ("put_array_rows", 99),
        ("fill_range", 86),
        ("fill_rectangle", 89),
        ("put_field_range", 87),
        ("put_through_reference", 75),
    ];
    // A function that is generic over the element, and not inlined, is compiled for each element
    // type.
    let bound_of_others = 200;
    let functions = lines();
    let mut others = 0;
    let mut wrong = Vec::new();
    for (name, count) in &functions {
        match bounds.iter().find(|(form, _)| form == name) {
            Some((_, bound)) => {
                println!("{name}: {count} lines, at most {bound}");
                if count > bound {
                    wrong.push(format!("{name} becomes {count} lines, and may become {bound}"));
                }
            }
            None => {
                println!("{count} lines in {name}");
                others += count;
            }
        }
    }
    for (form, _) in bounds {
        assert!(functions.iter().any(|(name, _)| name == form), "{form} was not compiled");
    }
    if others > bound_of_others {
        wrong.push(format!("the functions that they call are {others} lines, and may be {bound_of_others}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
