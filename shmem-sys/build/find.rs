//! Finds the installed OpenSHMEM library.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::probe::{Compiler, Flags, complaint, uses};

/// pkg-config's names: Open MPI's, Sandia's, the one that Sandia's had before, and those of
/// OSSS-UCX.
const PACKAGES: [&str; 5] = ["oshmem", "sandia-openshmem", "sos", "osss-ucx", "osss-openshmem"];

/// Set to the library's prefix by the modules cray-openshmemx and cray-shmem.
const CRAY_PREFIXES: [&str; 2] = ["CRAY_OPENSHMEMX_DIR", "CRAY_SHMEM_DIR"];

/// How the library's own file is called by Open MPI, by Sandia and Cray, by OSHMPI, and by
/// OSSS-UCX.
const LIBRARIES: [&str; 4] = ["oshmem", "sma", "oshmpi", "shmem"];

/// The environment variables that decide what is found.
pub(crate) const VARIABLES: [&str; 8] = [
    "SHMEM_DIR",
    "OSHCC",
    "PATH",
    "PKG_CONFIG",
    "PKG_CONFIG_PATH",
    "PKG_CONFIG_LIBDIR",
    CRAY_PREFIXES[0],
    CRAY_PREFIXES[1],
];

/// A library that was found: programs over its header compile and link.
#[derive(Debug)]
pub(crate) struct Library {
    /// Where, in words for messages.
    pub(crate) place: String,
    pub(crate) flags: Flags,
    /// The compiler wrapper that gave the flags.
    pub(crate) wrapper: Option<PathBuf>,
    /// The launcher beside the wrapper.
    pub(crate) launcher: Option<PathBuf>,
}

/// The environment in which to look.
pub(crate) struct Surroundings<'a> {
    pub(crate) variables: BTreeMap<OsString, OsString>,
    pub(crate) compiler: &'a Compiler,
}

impl Surroundings<'_> {
    /// The library that serves, of all the places where one may be; else every place with the
    /// reason why it does not.
    pub(crate) fn find(&self) -> Result<Library, String> {
        let mut tried: Vec<(String, String)> = Vec::new();

        // What the user named is taken or refused, but never passed over.
        if let Some(prefix) = self.variable("SHMEM_DIR") {
            let place = format!("SHMEM_DIR={prefix}");
            return self.prefix(&place, Path::new(prefix)).map_err(|reason| refusal(&place, &reason, PREFIX));
        }
        tried.push(("SHMEM_DIR".into(), "not set".into()));

        if let Some(name) = self.variable("OSHCC") {
            let place = format!("OSHCC={name}");
            let found = match self.program(name) {
                Some(wrapper) => self.wrapper(&place, &wrapper),
                None if name.contains('/') && !name.starts_with('/') => Err(RELATIVE.into()),
                None if name.contains('/') => Err("there is no such program".into()),
                None => Err("there is no program of this name in the directories of PATH".into()),
            };
            return found.map_err(|reason| refusal(&place, &reason, WRAPPER));
        }
        tried.push(("OSHCC".into(), "not set".into()));

        match self.program("oshcc") {
            Some(wrapper) => {
                let place = wrapper.display().to_string();
                match self.wrapper(&place, &wrapper) {
                    Ok(library) => return Ok(library),
                    Err(reason) => tried.push((place, reason)),
                }
            }
            None => tried.push(("oshcc".into(), "not in the directories of PATH".into())),
        }

        match self.program(self.variable("PKG_CONFIG").unwrap_or("pkg-config")) {
            Some(pkg_config) => {
                for package in PACKAGES {
                    let place = format!("pkg-config {package}");
                    match self.package(&place, &pkg_config, package) {
                        Ok(library) => return Ok(library),
                        Err(reason) => tried.push((place, reason)),
                    }
                }
            }
            None => tried.push(("pkg-config".into(), "not in the directories of PATH".into())),
        }

        for variable in CRAY_PREFIXES {
            let Some(prefix) = self.variable(variable) else {
                tried.push((variable.into(), "not set".into()));
                continue;
            };
            let place = format!("{variable}={prefix}");
            match self.prefix(&place, Path::new(prefix)) {
                Ok(library) => return Ok(library),
                Err(reason) => tried.push((place, reason)),
            }
        }

        let list: String = tried
            .iter()
            .map(|(place, reason)| format!("\n  {place}: {}", reason.replace('\n', "\n  ")))
            .collect();
        Err(format!(
            "no OpenSHMEM library was found. These places were tried:{list}\n\
             Install one (on Debian and Ubuntu: apt install libopenmpi-dev openmpi-bin), or set SHMEM_DIR to\n{PREFIX},\n\
             or OSHCC to {WRAPPER}."
        ))
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(OsStr::new(name))?.to_str().filter(|value| !value.is_empty())
    }

    /// The program of this path, or of this name on the path.
    fn program(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            return Some(PathBuf::from(name)).filter(|program| program.is_absolute() && program.is_file());
        }
        let path = self.variables.get(OsStr::new("PATH"))?;
        std::env::split_paths(path).map(|directory| directory.join(name)).find(|program| program.is_file())
    }

    /// What a program prints in these surroundings, on both streams; if it fails, what it complains
    /// of.
    fn output(&self, program: &Path, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(&self.variables).env("LC_ALL", "C").stdin(Stdio::null());
        command.current_dir(&self.compiler.scratch);
        let output = command.output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        if output.status.success() { Ok(text.into_owned()) } else { Err(complaint(&text)) }
    }

    /// A compiler wrapper that says which flags it adds.
    fn wrapper(&self, place: &str, wrapper: &Path) -> Result<Library, String> {
        // Open MPI's and Sandia's know `-showme`, and MPICH's `-show`, which OSHMPI's passes on.
        // That of OSSS-UCX hands all that it gets to the compiler behind it, and `-###` makes gcc
        // and clang print the commands they would run. Open MPI's under OSHMPI's leaves the flags
        // of MPI out where there is no file to compile.
        const QUESTIONS: [&[&str]; 4] = [
            &["-showme"],
            &["-show"],
            &["-showme", "probe.c", "-o", "probe"],
            &["-###", "-x", "c", "/dev/null", "-o", "probe"],
        ];
        let (mut reasons, mut useless) = (Vec::new(), None);
        for question in QUESTIONS {
            let asked = question[0];
            match self.output(wrapper, question).map(|answer| Flags::parse(&answer)) {
                Ok(flags) if flags.libraries.is_empty() => reasons.push(format!("{asked} prints no -l flag")),
                Err(reason) => reasons.push(format!("{asked}: {reason}")),
                Ok(flags) => match self.serving(flags) {
                    Err(reason) => {
                        useless.get_or_insert(format!("with the flags that {asked} prints, {reason}"));
                    }
                    Ok(flags) => {
                        let launcher = launcher(wrapper.parent());
                        return Ok(Library {
                            place: place.to_owned(),
                            flags,
                            wrapper: Some(wrapper.to_owned()),
                            launcher,
                        });
                    }
                },
            }
        }
        if let Some(reason) = useless {
            return Err(reason);
        }
        Err(format!("it does not say which flags it adds:\n  {}", reasons.join("\n  ")))
    }

    /// An installation with the usual folders.
    fn prefix(&self, place: &str, prefix: &Path) -> Result<Library, String> {
        if !prefix.is_absolute() {
            return Err(RELATIVE.into());
        }
        if !prefix.is_dir() {
            return Err("there is no such directory".into());
        }
        let mut reasons = Vec::new();
        let wrapper = prefix.join("bin/oshcc");
        if wrapper.is_file() {
            match self.wrapper(place, &wrapper) {
                Ok(library) => return Ok(library),
                Err(reason) => reasons.push(format!("bin/oshcc: {reason}")),
            }
        }
        let include = prefix.join("include");
        if !include.join("shmem.h").is_file() {
            reasons.push("there is no include/shmem.h".into());
            return Err(reasons.join("\n"));
        }
        let search: Vec<PathBuf> =
            ["lib", "lib64"].iter().map(|name| prefix.join(name)).filter(|path| path.is_dir()).collect();
        let flags = |library: &str| Flags {
            compile: vec!["-I".into(), include.display().to_string()],
            search: search.clone(),
            libraries: vec![library.to_owned()],
        };
        let mut libraries =
            LIBRARIES.iter().filter(|library| flags(library).file(library).is_some()).peekable();
        if libraries.peek().is_none() {
            reasons.push(format!("neither lib nor lib64 has a lib{}", LIBRARIES.join(", lib")));
        }
        for library in libraries {
            match self.serving(flags(library)) {
                Ok(flags) => {
                    let launcher = launcher(Some(&prefix.join("bin")));
                    return Ok(Library { place: place.to_owned(), flags, wrapper: None, launcher });
                }
                Err(reason) => reasons.push(format!("with lib{library}, {reason}")),
            }
        }
        Err(reasons.join("\n"))
    }

    /// A package of pkg-config.
    fn package(&self, place: &str, pkg_config: &Path, package: &str) -> Result<Library, String> {
        let flags =
            self.serving(Flags::parse(&self.output(pkg_config, &["--cflags", "--libs", package])?))?;
        let binaries = self.output(pkg_config, &["--variable=exec_prefix", package]).ok();
        let launcher = binaries.and_then(|prefix| launcher(Some(&Path::new(prefix.trim()).join("bin"))));
        Ok(Library { place: place.to_owned(), flags, wrapper: None, launcher })
    }

    /// The flags, if a program that includes shmem.h compiles with them and one that uses the
    /// library links.
    fn serving(&self, flags: Flags) -> Result<Flags, String> {
        self.compiler.compiles("#include <shmem.h>\n", &flags).map_err(|reason| {
            format!(
                "#include <shmem.h> does not compile: {reason}\n  \
                 (shmem.h is in the library's package for developers: on Debian and Ubuntu, apt install libopenmpi-dev)"
            )
        })?;
        let program = uses(&["shmem_my_pe"]);
        let reason = match self.compiler.links(&program, &flags) {
            Ok(()) => return Ok(flags),
            Err(reason) => reason,
        };
        // A linker that asks of each library what is the other's affair (see
        // `probe::drop_needless`) may take one of them alone.
        let alone = |library: &String| Flags { libraries: vec![library.clone()], ..flags.clone() };
        flags
            .libraries
            .iter()
            .map(alone)
            .find(|flags| self.compiler.links(&program, flags).is_ok())
            .ok_or_else(|| format!("a program that uses shmem_my_pe does not link: {reason}"))
    }
}

/// Cargo runs a build script in its package's directory, where the user is not.
const RELATIVE: &str = "this must be an absolute path";
const PREFIX: &str = "the prefix of one, a directory with include/shmem.h and the library in lib or lib64 (and its wrapper as bin/oshcc, if it has one)";
const WRAPPER: &str = "the name or the path of a library's compiler wrapper for C";

/// The error for something that the user named.
fn refusal(place: &str, reason: &str, expected: &str) -> String {
    let variable = place.split('=').next().unwrap_or(place);
    let reason = reason.replace('\n', "\n  ");
    format!(
        "{place} does not lead to an OpenSHMEM library:\n  {reason}\nSet {variable} to {expected}, or unset it to have the library looked for."
    )
}

/// The launcher of this directory.
fn launcher(directory: Option<&Path>) -> Option<PathBuf> {
    Some(directory?.join("oshrun")).filter(|launcher| launcher.is_file())
}
