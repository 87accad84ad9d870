//! The packages that other projects depend on: each is complete by itself, and says what it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{read, sources};

/// Those that are published, each after those that it depends on.
const PACKAGES: [&str; 8] = [
    "shmem-checkpoint",
    "shmem-gpu",
    "shmem-macros",
    "shmem-races",
    "shmem-sys",
    "shmem-core",
    "cargo-shmem",
    "shmem-c",
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files of a package, as cargo packs them.
fn packed(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "-p",
            package,
        ])
        .current_dir(project())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{package}: {output:?}");
    let list = String::from_utf8(output.stdout).expect("names of files");
    list.lines().map(str::to_owned).collect()
}

/// The files that sources of a package include, from the folder of the package.
fn included(package: &Path, sources: &[PathBuf]) -> Vec<String> {
    let mut found = Vec::new();
    for path in sources {
        let text = read(path);
        for rest in text.split("include_str!(\"").skip(1) {
            let name = rest.split('"').next().unwrap_or_default();
            let file = path.with_file_name(name).canonicalize();
            let file = file.unwrap_or_else(|error| panic!("{name}: {error}"));
            match file.strip_prefix(package) {
                Ok(inside) => found.push(inside.display().to_string()),
                // Examples of the attributes, which are tests of another package.
                Err(_) => assert!(
                    file.parent().is_some_and(
                        |folder| folder.ends_with("shmem-macros/docs")
                    ),
                    "{} includes {name}, which is not in its package",
                    path.display()
                ),
            }
        }
    }
    found
}

#[test]
fn packages_are_complete() {
    let mut count = 0;
    for package in PACKAGES {
        let folder = project().join(package).canonicalize().expect("a package");
        let files = packed(package);
        let mut needed: Vec<String> =
            ["Cargo.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT"]
                .map(str::to_owned)
                .into();
        for name in ["src", "build"] {
            if folder.join(name).is_dir() {
                let sources = sources(&format!("{package}/{name}"));
                needed.extend(included(&folder, &sources));
            }
        }
        count += needed.len();
        for file in needed {
            assert!(files.contains(&file), "{package}: {file} is not packed");
        }
        let licence = read(&folder.join("LICENSE-MIT"));
        assert_eq!(licence, read(&project().join("LICENSE-MIT")), "{package}");
    }
    assert!(count > 4 * PACKAGES.len() + 5, "only {count} files");
}

#[test]
fn packages_say_what_they_are() {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(project())
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(metadata.stdout).expect("JSON");
    let all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let empty = Vec::new();
    let packages = all["packages"].as_array().unwrap_or(&empty);
    let mut published = BTreeSet::new();
    for package in
        packages.iter().filter(|package| package["publish"].is_null())
    {
        let name = package["name"].as_str().unwrap_or_default();
        published.insert(name);
        for key in ["description", "license", "readme", "rust_version"] {
            assert!(package[key].is_string(), "{name} has no {key}");
        }
        for (key, most) in [("keywords", 5), ("categories", 5)] {
            let count = package[key].as_array().map_or(0, Vec::len);
            assert!((1..=most).contains(&count), "{name}: {count} {key}");
        }
        // Cargo forgets the path, so the version decides. It leaves out what
        // only tests depend on and has no version.
        let depends = package["dependencies"].as_array().unwrap_or(&empty);
        let stays = |other: &&serde_json::Value| {
            !other["path"].is_null()
                && (other["kind"] != "dev" || other["req"] != "*")
        };
        for other in depends.iter().filter(stays) {
            let (of, version) =
                (&other["name"], other["req"].as_str().unwrap_or("*"));
            assert!(version != "*", "{name} depends on {of} of any version");
            assert!(
                PACKAGES.iter().any(|one| of == one),
                "{name} depends on {of}"
            );
        }
    }
    assert_eq!(published, BTreeSet::from(PACKAGES));
}

/// The file for those who cite the project says the version and the licences of the packages.
#[test]
fn the_citation_is_of_this_version() {
    let citation = read(&project().join("CITATION.cff"));
    assert!(
        citation
            .contains(&format!("\nversion: {}\n", env!("CARGO_PKG_VERSION")))
    );
    let licences = env!("CARGO_PKG_LICENSE").split(" OR ");
    for licence in licences {
        assert!(citation.contains(&format!("\n  - {licence}\n")), "{licence}");
    }
}
