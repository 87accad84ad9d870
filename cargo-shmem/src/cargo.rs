//! `cargo shmem run`, `test` and `bench`: set the variables of the library, and become cargo.
//!
//! cargo does the rest as without the tool: it finds the program, builds it, prints its messages,
//! and for `cargo run` becomes the program in turn. So the process that the user has started is the
//! supervisor of the job, and its exit status, its signals and its standard input are the job's.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use cargo_metadata::{CargoOpt, Metadata, MetadataCommand, Package};
use target_tuple::TARGET;

use crate::cli::{Bench, Run, Test};
use crate::failure::{Done, Failure};
use crate::job::Variables;
use crate::passing::values;

/// The package of the library.
pub(crate) const LIBRARY: &str = "shmem-core";

/// `cargo shmem run`.
pub(crate) fn run(options: &Run, cargos: &[OsString]) -> Done {
    become_cargo("run", &options.job, cargos)
}

/// `cargo shmem test`.
pub(crate) fn test(options: &Test, cargos: &[OsString]) -> Done {
    become_cargo("test", &options.job, cargos)
}

/// `cargo shmem bench`.
pub(crate) fn bench(options: &Bench, cargos: &[OsString]) -> Done {
    become_cargo("bench", &options.job, cargos)
}

/// The cargo that has started this tool, else the one on the `PATH`.
pub(crate) fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn become_cargo(name: &str, options: &impl Variables, cargos: &[OsString]) -> Done {
    // If cargo cannot say what the packages are, it says why when it is run.
    if let Some(metadata) = metadata(cargos) {
        check(&metadata, name, options)?;
    }
    let cargo = cargo();
    let mut command = Command::new(&cargo);
    command.arg(name).args(cargos);
    options.set(&mut command);
    let error = command.exec();
    Err(Failure::new(format!("cannot run {}: {error}", cargo.display())))
}

/// What cargo says about the packages that it would build; `None` if it refuses.
pub(crate) fn metadata(cargos: &[OsString]) -> Option<Metadata> {
    let mut command = MetadataCommand::new();
    command.cargo_path(cargo());
    if let Some(path) = values(cargos, &["--manifest-path"]).last() {
        command.manifest_path(path);
    }
    // Of one platform: cargo would fetch what the packages need on all of them, and refuse where it cannot.
    let target = values(cargos, &["--target"]).pop();
    let platform = target.map_or_else(|| TARGET.to_owned(), |target| target.to_string_lossy().into_owned());
    let mut others = vec![String::from("--filter-platform"), platform];
    let features = values(cargos, &["--features", "-F"]);
    let features: Vec<String> = features.iter().map(|list| list.to_string_lossy().into_owned()).collect();
    if !features.is_empty() {
        command.features(CargoOpt::SomeFeatures(features));
    }
    let own = cargos.iter().take_while(|word| *word != "--");
    for word in own.filter_map(|word| word.to_str()) {
        match word {
            "--all-features" => _ = command.features(CargoOpt::AllFeatures),
            "--no-default-features" => _ = command.features(CargoOpt::NoDefaultFeatures),
            "--offline" | "--locked" | "--frozen" => others.push(word.to_owned()),
            _ => {}
        }
    }
    command.other_options(others);
    command.exec().ok()
}

/// Whether the feature `openshmem` of the library is on, in the packages that cargo would build.
pub(crate) fn has_openshmem(metadata: &Metadata) -> bool {
    let Some(resolve) = &metadata.resolve else { return false };
    let libraries = resolve.nodes.iter().filter(|node| metadata[&node.id].name == LIBRARY);
    libraries.into_iter().any(|node| node.features.iter().any(|feature| &***feature == "openshmem"))
}

/// The package of the library among those that cargo would build.
pub(crate) fn library(metadata: &Metadata) -> Option<&Package> {
    metadata.packages.iter().find(|package| package.name == LIBRARY)
}

/// Reports what would otherwise go wrong after the build, or in silence.
fn check(metadata: &Metadata, name: &str, options: &impl Variables) -> Done {
    if library(metadata).is_none() {
        let root = &metadata.workspace_root;
        return Err(Failure::new(format!(
            "no package of {root} depends on {LIBRARY}, so a program of it runs once"
        ))
        .help(format!("run `cargo {name}`, or add the dependency: see `cargo shmem new --help`")));
    }
    if options.is_openshmem() && !has_openshmem(metadata) {
        return Err(without_openshmem(metadata));
    }
    Ok(())
}

/// The error of a job over the C library whose program would be built without it.
fn without_openshmem(metadata: &Metadata) -> Failure {
    let failure = Failure::new(format!(
        "`--transport openshmem` needs the feature `openshmem` of the package {LIBRARY}, which is off"
    ));
    let members = metadata.workspace_packages();
    let named = |package: &&Package| {
        let dependency = package.dependencies.iter().find(|dependency| dependency.name == LIBRARY)?;
        Some(dependency.rename.clone().unwrap_or_else(|| dependency.name.clone()))
    };
    let Some((package, name)) = members.iter().find_map(|package| Some((package, named(package)?))) else {
        return failure;
    };
    // A feature of the package itself that leads to it, as in the examples of the crate.
    let leads = |list: &Vec<String>| list.iter().any(|item| *item == format!("{name}/openshmem"));
    let own = package.features.iter().find(|(_, list)| leads(list)).map(|(feature, _)| feature);
    match own {
        Some(feature) => failure.help(format!("add `--features {feature}`, the feature of {} that turns it on", package.name)),
        None => failure.help(format!(
            "add `--features {name}/openshmem`, or write `features = [\"openshmem\"]` in the dependency `{name}` of {}",
            package.manifest_path
        )),
    }
}
