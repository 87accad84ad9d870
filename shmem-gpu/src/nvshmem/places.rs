//! Where a library of NVSHMEM may lie, in the order in which the places are searched.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The places. [`Places::of_this_process`] reads them from the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// `NVSHMEM_HOME`: an installation, with folders `lib` and `include`.
    pub home: Option<PathBuf>,
    /// Whether the loader of the system is asked, by the name of the file alone; and its variable
    /// `LD_LIBRARY_PATH`, for messages.
    pub loader: Option<OsString>,
    /// `VIRTUAL_ENV`: an active environment of Python, which may have the wheel `nvidia-nvshmem-cu12`
    /// or `nvidia-nvshmem-cu13`.
    pub environment: Option<PathBuf>,
}

impl Places {
    /// Those that the environment of this process names.
    #[must_use]
    pub fn of_this_process() -> Places {
        let set = |variable| std::env::var_os(variable).filter(|value| !value.is_empty());
        Places {
            home: set("NVSHMEM_HOME").map(PathBuf::from),
            loader: Some(set("LD_LIBRARY_PATH").unwrap_or_default()),
            environment: set("VIRTUAL_ENV").map(PathBuf::from),
        }
    }

    /// The files that `name` may be, each with what its place is called.
    pub(super) fn files(&self, name: &str) -> Vec<Candidate> {
        let mut files = Vec::new();
        if let Some(home) = &self.home {
            files.extend(["lib", "lib64"].map(|folder| Candidate::File(home.join(folder).join(name))));
        }
        if self.loader.is_some() {
            files.push(Candidate::Loader(name.to_owned()));
        }
        if let Some(environment) = &self.environment {
            files.extend(
                packages(environment)
                    .into_iter()
                    .map(|packages| Candidate::File(packages.join("nvidia/nvshmem/lib").join(name))),
            );
        }
        files
    }

    /// What a message says of `NVSHMEM_HOME` where it names no place.
    pub(super) fn no_home(&self) -> Option<String> {
        self.home.is_none().then(|| "NVSHMEM_HOME (not set)".to_owned())
    }

    /// The same of the virtual environment.
    pub(super) fn no_environment(&self) -> Option<String> {
        match &self.environment {
            None => Some("the wheels of a virtual environment (VIRTUAL_ENV is not set)".to_owned()),
            Some(environment) if packages(environment).is_empty() => {
                Some(format!("VIRTUAL_ENV={} (no lib/python3*/site-packages there)", environment.display()))
            }
            Some(_) => None,
        }
    }

    /// The loader's places, for messages.
    pub(super) fn loaders(&self) -> String {
        match self.loader.as_ref().filter(|path| !path.is_empty()) {
            Some(path) => format!("the loader's path (LD_LIBRARY_PATH={})", path.display()),
            None => "the loader's path (LD_LIBRARY_PATH is not set)".to_owned(),
        }
    }
}

/// What may be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    File(PathBuf),
    /// The file of this name that the loader of the system finds.
    Loader(String),
}

/// The folders of packages in an environment of Python, in the order of their names.
fn packages(environment: &Path) -> Vec<PathBuf> {
    let Ok(folders) = fs::read_dir(environment.join("lib")) else { return Vec::new() };
    let is_python = |name: &OsString| name.to_string_lossy().starts_with("python3");
    let mut names: Vec<OsString> =
        folders.filter_map(|folder| Some(folder.ok()?.file_name())).filter(is_python).collect();
    names.sort();
    let folders = names.iter().map(|name| environment.join("lib").join(name).join("site-packages"));
    folders.filter(|folder| folder.is_dir()).collect()
}
