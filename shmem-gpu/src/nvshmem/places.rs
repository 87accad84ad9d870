//! Where a file of NVSHMEM or CUDA may lie, in the order in which the places are searched.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Error;

/// The places. [`Places::of_this_process`] reads them from the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// `NVSHMEM_HOME`: an installation, with folders `lib` and `include`.
    pub home: Option<PathBuf>,
    /// `CUDA_HOME`, or else `CUDA_PATH`: a CUDA toolkit, for the compiler of kernels.
    pub cuda: Option<PathBuf>,
    /// Whether the loader of the system is asked, by the name of the file alone; and its variable
    /// `LD_LIBRARY_PATH`, for messages.
    pub loader: Option<OsString>,
    /// `VIRTUAL_ENV`: an active environment of Python, which may have the wheel `nvidia-nvshmem-cu12`
    /// or `nvidia-nvshmem-cu13`, and those of CUDA's compiler.
    pub environment: Option<PathBuf>,
}

/// Of which product a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Product {
    Nvshmem,
    Cuda,
    /// What comes with the GPU: the loader of the system finds it, and nothing else has it.
    Driver,
}

/// A file that is searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// What it is called in messages.
    pub(crate) title: &'static str,
    /// The names that it may have, the best first.
    pub(crate) names: &'static [&'static str],
    pub(crate) product: Product,
    /// The folders of an installation that may have it.
    pub(crate) folders: &'static [&'static str],
    /// The folders among Python's packages that may have it.
    pub(crate) wheels: &'static [&'static str],
    /// Whether the loader of the system finds it: it is a shared library.
    pub(crate) is_shared: bool,
    pub(crate) remedy: &'static str,
}

impl Places {
    /// Those that the environment of this process names.
    #[must_use]
    pub fn of_this_process() -> Places {
        let set = |variable| std::env::var_os(variable).filter(|value| !value.is_empty());
        Places {
            home: set("NVSHMEM_HOME").map(PathBuf::from),
            cuda: set("CUDA_HOME").or_else(|| set("CUDA_PATH")).map(PathBuf::from),
            loader: Some(set("LD_LIBRARY_PATH").unwrap_or_default()),
            environment: set("VIRTUAL_ENV").map(PathBuf::from),
        }
    }

    /// The files that `wanted` may be.
    fn files(&self, wanted: &Wanted) -> Vec<Candidate> {
        let all_in =
            |folder: PathBuf| wanted.names.iter().map(move |name| Candidate::File(folder.join(name)));
        let mut files = Vec::new();
        if let (Some(home), _) = self.home_of(wanted.product) {
            files.extend(wanted.folders.iter().flat_map(|folder| all_in(home.join(folder))));
        }
        if wanted.is_shared && self.loader.is_some() {
            files.extend(wanted.names.iter().map(|name| Candidate::Loader(name)));
        }
        for packages in self.environment.iter().flat_map(|environment| packages(environment)) {
            files.extend(wanted.wheels.iter().flat_map(|folder| all_in(packages.join(folder))));
        }
        files
    }

    /// The installation that the environment names, and by which variable it does.
    fn home_of(&self, product: Product) -> (Option<&Path>, &'static str) {
        match product {
            Product::Nvshmem => (self.home.as_deref(), "NVSHMEM_HOME"),
            Product::Cuda => (self.cuda.as_deref(), "CUDA_HOME"),
            Product::Driver => (None, ""),
        }
    }

    /// The first of the files that is there.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] where there is none, with all places.
    pub(crate) fn find(&self, wanted: &Wanted) -> Result<PathBuf, Error> {
        let mut searched = Vec::new();
        for candidate in self.files(wanted) {
            match candidate {
                Candidate::File(path) if path.is_file() => return Ok(path),
                Candidate::File(path) => searched.push(path.display().to_string()),
                Candidate::Loader(_) => {}
            }
        }
        Err(self.missing(wanted, searched))
    }

    /// Opens the first of the libraries that is there; returns it with its path, or its name where the
    /// loader has found it.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] where there is none, with all places; [`Error::Unusable`] where the file that
    /// was found does not open: it is not passed over.
    pub(crate) fn open(&self, wanted: &Wanted) -> Result<(libloading::Library, String), Error> {
        let mut searched = Vec::new();
        let mut loader_asked = false;
        for candidate in self.files(wanted) {
            match candidate {
                Candidate::File(path) if path.is_file() => return open(&path.display().to_string()),
                Candidate::File(path) => searched.push(path.display().to_string()),
                Candidate::Loader(name) => match open(name) {
                    // Another name there is that of a library that this one needs.
                    Err(Error::Unusable { reason, .. })
                        if reason.starts_with(&format!("{name}: cannot open shared object file")) =>
                    {
                        if !loader_asked {
                            searched.push(self.loaders());
                        }
                        loader_asked = true;
                    }
                    opened => return opened,
                },
            }
        }
        Err(self.missing(wanted, searched))
    }

    /// The error for a file that is in none of the places.
    fn missing(&self, wanted: &Wanted, mut searched: Vec<String>) -> Error {
        let (home, variable) = self.home_of(wanted.product);
        let is_driver = wanted.product == Product::Driver;
        if home.is_none() && !is_driver {
            searched.insert(0, format!("{variable} (not set)"));
        }
        match &self.environment {
            _ if is_driver => {}
            None => searched.push("the wheels of a virtual environment (VIRTUAL_ENV is not set)".to_owned()),
            Some(environment) if packages(environment).is_empty() => searched
                .push(format!("VIRTUAL_ENV={} (no lib/python3*/site-packages there)", environment.display())),
            Some(_) => {}
        }
        Error::Missing {
            library: wanted.title.to_owned(),
            searched: searched.join(", "),
            remedy: wanted.remedy.to_owned(),
        }
    }

    /// The loader's places, for messages.
    fn loaders(&self) -> String {
        match self.loader.as_ref().filter(|path| !path.is_empty()) {
            Some(path) => format!("the loader's path (LD_LIBRARY_PATH={})", path.display()),
            None => "the loader's path (LD_LIBRARY_PATH is not set)".to_owned(),
        }
    }
}

/// What may be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Candidate {
    File(PathBuf),
    /// The file of this name that the loader of the system finds.
    Loader(&'static str),
}

/// Opens the file at a path, or the one that the loader finds by its name.
fn open(path: &str) -> Result<(libloading::Library, String), Error> {
    // SAFETY: the initialisers of NVIDIA's own libraries run, which may be run at any time: opening one
    // is how any program that links it begins. What else the user names so is the user's
    // responsibility, as for every library that the loader finds.
    match unsafe { libloading::Library::new(path) } {
        Ok(library) => Ok((library, path.to_owned())),
        Err(error) => Err(Error::Unusable { library: path.to_owned(), reason: reason(&error) }),
    }
}

/// What the loader says, without the name of its own routine.
fn reason(error: &libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        other => other.to_string(),
    }
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
