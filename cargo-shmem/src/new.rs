//! `cargo shmem new`: a package with a first program, a test, and a file for GitHub Actions.
//!
//! `cargo new` makes the package: it checks the name, begins a repository, and adds the package to a
//! workspace that it is in. What this crate needs is then added.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::MetadataCommand;

use crate::cargo::{LIBRARY, cargo};
use crate::cli::New;
use crate::failure::{Done, Failure};

/// The program with its test.
const MAIN: &str = include_str!("../template/main.rs");
/// The file for GitHub Actions.
const CI: &str = include_str!("../template/ci.yml");
/// The profile of debug runs.
const PROFILE: &str = include_str!("../template/profile.toml");

/// Makes the package.
pub(crate) fn run(options: &New) -> Done {
    let folder = &options.name;
    // Before anything is made.
    let source = source(options)?;
    let made = Command::new(cargo())
        .args(["new", "--quiet"])
        .arg(folder)
        .status()
        .map_err(Failure::system("cannot run cargo"))?;
    if !made.success() {
        // cargo has said why.
        return Err(Failure::new("no package was made"));
    }
    let cannot_write = |path: &Path| Failure::system(format!("cannot write {}", path.display()));

    let manifest = folder.join("Cargo.toml");
    let mut text = fs::read_to_string(&manifest).map_err(Failure::system(manifest.display()))?;
    let dependency = format!("[dependencies]\nshmem = {{ package = \"{LIBRARY}\", {} }}\n", source.toml());
    // A package of a workspace may have other sections after this one.
    text = match text.split_once("[dependencies]\n") {
        Some((before, after)) => format!("{before}{dependency}{after}"),
        None => format!("{text}\n{dependency}"),
    };
    let is_root = is_workspace_root(folder);
    if is_root {
        text += &format!("\n{PROFILE}");
    }
    fs::write(&manifest, text).map_err(cannot_write(&manifest))?;

    let main = folder.join("src/main.rs");
    fs::write(&main, MAIN).map_err(cannot_write(&main))?;
    let workflows = folder.join(".github/workflows");
    fs::create_dir_all(&workflows).map_err(cannot_write(&workflows))?;
    let ci = workflows.join("ci.yml");
    fs::write(&ci, CI).map_err(cannot_write(&ci))?;

    let shown = folder.display();
    println!("made the package {shown}, which depends on {source}");
    println!("  cd {shown}");
    println!("  cargo shmem run -n 4       # or SHMEM_NPES=4 cargo run");
    println!("  cargo shmem test");
    if !is_root {
        println!(
            "note: the package is a member of a workspace, so its profiles stand in the root. This one suits it:"
        );
        println!("{PROFILE}");
    }
    if let Source::Path(_) = source {
        println!(
            "note: a CI machine does not have this folder: before you push the package, depend on the crate by git, as `--git URL` does"
        );
    }
    Ok(())
}

/// Where the crate is.
#[derive(Debug)]
enum Source {
    Path(PathBuf),
    Git(String),
}

impl Source {
    /// The keys of the dependency.
    fn toml(&self) -> String {
        match self {
            Source::Path(path) => format!("path = {}", quoted(&path.to_string_lossy())),
            Source::Git(url) => format!("git = {}", quoted(url)),
        }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Path(path) => write!(f, "{}", path.display()),
            Source::Git(url) => write!(f, "{url}"),
        }
    }
}

/// A text as a string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted += &format!("\\u{:04X}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// The source that the user names, else the checkout that this tool was built in.
///
/// The crate is in no registry, so there is no version to name.
fn source(options: &New) -> Result<Source, Failure> {
    if let Some(url) = &options.git {
        return Ok(Source::Git(url.clone()));
    }
    if let Some(path) = &options.path {
        return library_in(path).map(Source::Path).ok_or_else(|| {
            Failure::new(format!("there is no package {LIBRARY} in {}", path.display()))
                .help("`--path` names a checkout of the repository of the crate shmem")
        });
    }
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    // cargo clears its own checkouts, from which `cargo install --git` builds.
    let is_cargos = |path: &Path| path.components().any(|part| part.as_os_str() == "checkouts");
    built_in.filter(|path| !is_cargos(path)).and_then(library_in).map(Source::Path).ok_or_else(|| {
        Failure::new(format!("where is the crate? {LIBRARY} is in no registry, and this tool was not built in a checkout that is still there"))
            .help("name a checkout of its repository by `--path DIR`, or the address of the repository by `--git URL`")
    })
}

/// The folder of the library in a checkout, or the checkout itself if it is that folder.
fn library_in(checkout: &Path) -> Option<PathBuf> {
    let is_library = |folder: &PathBuf| {
        let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        text.lines().any(|line| line.trim() == format!("name = \"{LIBRARY}\""))
    };
    let folder = [checkout.join(LIBRARY), checkout.to_path_buf()].into_iter().find(is_library)?;
    fs::canonicalize(folder).ok()
}

/// Whether a new package is in no workspace but its own: only there profiles have an effect.
fn is_workspace_root(folder: &Path) -> bool {
    let metadata = MetadataCommand::new().cargo_path(cargo()).current_dir(folder).no_deps().exec();
    let root = metadata.map(|metadata| metadata.workspace_root.into_std_path_buf());
    // If cargo cannot tell, the profile does no harm: cargo warns where it has no effect.
    root.map_or(true, |root| fs::canonicalize(root).ok() == fs::canonicalize(folder).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_toml() {
        assert_eq!(quoted("/a b/ü"), "\"/a b/ü\"");
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000A\"");
    }
}
