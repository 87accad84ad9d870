//! The library of NVSHMEM in places that are made for the test: none, a wrong one, and the right one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use shmem_gpu::Error;
use shmem_gpu::choice::{self, BackEnd, Wish};
use shmem_gpu::nvshmem::{HOST_LIBRARY, Library, Places};
use tempfile::TempDir;

/// A folder of the test.
fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The folder for the library in a virtual environment.
fn packages(environment: &Path) -> PathBuf {
    let folder = environment.join("lib/python3.11/site-packages/nvidia/nvshmem/lib");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A library that says it is NVSHMEM of this version, and has `others` of its routines, which do nothing.
fn fake(folder: &Path, version: [u8; 3], others: &[&str]) {
    let [major, minor, patch] = version;
    let source = folder.join("fake.rs");
    let mut routine = format!(
        "#[unsafe(no_mangle)] pub unsafe extern \"C\" fn nvshmemx_vendor_get_version_info(a: *mut i32, b: *mut i32, c: *mut i32) \
         {{ unsafe {{ *a = {major}; *b = {minor}; *c = {patch} }} }}"
    );
    for other in others {
        routine.push_str(&format!(" #[unsafe(no_mangle)] pub extern \"C\" fn {other}() {{}}"));
    }
    fs::write(&source, routine).unwrap();
    let library = folder.join(HOST_LIBRARY);
    let rustc = Command::new("rustc")
        .args(["--edition=2024", "--crate-type=cdylib", "-Cpanic=abort", "-o"])
        .args([&library, &source])
        .output()
        .unwrap();
    assert!(rustc.status.success(), "{}", String::from_utf8_lossy(&rustc.stderr));
}

/// The routines that are looked up.
const ROUTINES: [&str; 21] = [
    "nvshmemx_get_uniqueid",
    "nvshmemx_set_attr_uniqueid_args",
    "nvshmemx_hostlib_init_attr",
    "nvshmemx_init_status",
    "nvshmemx_hostlib_finalize",
    "nvshmem_calloc",
    "nvshmem_free",
    "nvshmem_ptr",
    "nvshmemx_buffer_register",
    "nvshmemx_buffer_unregister",
    "nvshmemx_cumodule_init",
    "nvshmemx_cumodule_finalize",
    "nvshmemx_putmem_on_stream",
    "nvshmemx_getmem_on_stream",
    "nvshmemx_quiet_on_stream",
    "nvshmemx_signal_op_on_stream",
    "nvshmemx_barrier_on_stream",
    "nvshmemx_team_sync_on_stream",
    "nvshmemx_broadcastmem_on_stream",
    "nvshmemx_fcollectmem_on_stream",
    "nvshmemx_alltoallmem_on_stream",
];

#[test]
fn every_place_is_named_where_there_is_none() {
    let (home, environment) = (folder(), folder());
    let packages = packages(environment.path());
    let places = Places {
        home: Some(home.path().to_owned()),
        loader: Some("/nowhere".into()),
        environment: Some(environment.path().to_owned()),
        ..Places::default()
    };
    let text = Library::open(&places).unwrap_err().to_string();
    let [home, packages] = [home.path().display().to_string(), packages.display().to_string()];
    let expected = format!(
        "libnvshmem_host.so.3 is not found: searched {home}/lib/libnvshmem_host.so.3, {home}/lib64/libnvshmem_host.so.3, the \
         loader's path (LD_LIBRARY_PATH=/nowhere), {packages}/libnvshmem_host.so.3; install NVSHMEM 3 and set NVSHMEM_HOME to \
         its folder, or run `pip install nvidia-nvshmem-cu12` in a virtual environment that is active; SHMEM_GPU=host needs \
         neither"
    );
    assert_eq!(text, expected);
}

#[test]
fn what_is_not_set_is_named_too() {
    let environment = folder();
    let bare = Library::open(&Places::default()).unwrap_err().to_string();
    assert!(
        bare.contains(
            "searched NVSHMEM_HOME (not set), the wheels of a virtual environment (VIRTUAL_ENV is not set);"
        ),
        "{bare}"
    );
    let empty = Places { environment: Some(environment.path().to_owned()), ..Places::default() };
    let text = Library::open(&empty).unwrap_err().to_string();
    let expected =
        format!("VIRTUAL_ENV={} (no lib/python3*/site-packages there)", environment.path().display());
    assert!(text.contains(&expected), "{text}");
}

#[test]
fn a_file_that_is_no_library_is_not_passed_over() {
    let (home, environment) = (folder(), folder());
    fs::create_dir(home.path().join("lib")).unwrap();
    let file = home.path().join("lib").join(HOST_LIBRARY);
    fs::write(&file, "text").unwrap();
    fake(&packages(environment.path()), [3, 8, 0], &ROUTINES);
    let places = Places {
        home: Some(home.path().to_owned()),
        loader: None,
        environment: Some(environment.path().to_owned()),
        ..Places::default()
    };
    let error = Library::open(&places).unwrap_err();
    assert!(
        matches!(&error, Error::Unusable { library, .. } if *library == file.display().to_string()),
        "{error}"
    );
    assert!(
        error.to_string().contains("cannot be used: ") && error.to_string().contains("file too short"),
        "{error}"
    );
    // Without it the next place is the one.
    fs::remove_file(&file).unwrap();
    let library = Library::open(&places).unwrap();
    assert_eq!(library.version(), [3, 8, 0]);
    assert!(library.to_string().starts_with("NVSHMEM 3.8.0, "), "{library}");
}

#[test]
fn a_library_of_another_kind_or_version_is_refused() {
    let home = folder();
    let lib = home.path().join("lib64");
    fs::create_dir(&lib).unwrap();
    let places = Places { home: Some(home.path().to_owned()), ..Places::default() };
    fake(&lib, [2, 11, 0], &[]);
    let text = Library::open(&places).unwrap_err().to_string();
    assert!(text.ends_with("it is version 2.11.0, and this crate needs version 3"), "{text}");
    fake(&lib, [3, 0, 1], &ROUTINES[1..]);
    let text = Library::open(&places).unwrap_err().to_string();
    assert!(text.ends_with("it has no `nvshmemx_get_uniqueid`"), "{text}");
    let other = lib.join("other.rs");
    fs::write(&other, "").unwrap();
    let rustc = Command::new("rustc")
        .args(["--crate-type=cdylib", "-o"])
        .args([&lib.join(HOST_LIBRARY), &other])
        .status();
    assert!(rustc.unwrap().success());
    let text = Library::open(&places).unwrap_err().to_string();
    assert!(text.contains("it has no `nvshmemx_vendor_get_version_info`"), "{text}");
}

/// A program that asks for NVSHMEM gets no other back end instead: without a driver it gets an error, which
/// names the driver.
#[test]
fn the_choice_says_what_is_missing() {
    let environment = folder();
    fake(&packages(environment.path()), [3, 8, 0], &ROUTINES);
    let places = Places { environment: Some(environment.path().to_owned()), ..Places::default() };
    assert_eq!(choice::choose(Wish::Auto, &places).unwrap().0.back_end(), BackEnd::Host);
    let asked = Wish::Only(BackEnd::Nvshmem);
    let places = Places { loader: Some("/nowhere".into()), ..places };
    match choice::choose(asked, &places) {
        Ok((choice, _)) => assert_eq!(choice.back_end(), BackEnd::Nvshmem),
        Err(error @ Error::Missing { .. }) => {
            let searched =
                "searched the loader's path (LD_LIBRARY_PATH=/nowhere); install the driver of NVIDIA";
            let text = error.to_string();
            assert!(text.starts_with("libcuda.so.1 is not found: ") && text.contains(searched), "{text}");
            assert!(text.ends_with("or set SHMEM_GPU=host, which needs no GPU"), "{text}");
        }
        // A driver without a device.
        Err(error) => {
            assert!(error.to_string().starts_with("libcuda.so.1 cannot be used: cuInit"), "{error}")
        }
    }
}

/// The library that this machine has, if it has one: `NVSHMEM_HOME` or an active virtual environment.
#[test]
fn the_library_of_this_machine() {
    match Library::open(&Places::of_this_process()) {
        Ok(library) => {
            assert_eq!(library.version()[0], 3, "{library}");
            // The first step of a job, which needs no GPU: each has an id of its own.
            let ids = [library.unique_id().unwrap(), library.unique_id().unwrap()];
            assert_ne!(ids[0], ids[1]);
            // The next needs a driver.
            match choice::choose(Wish::Only(BackEnd::Nvshmem), &Places::of_this_process()) {
                Ok((choice, _)) => println!("{} devices", choice.devices()),
                Err(error) => assert!(error.to_string().starts_with("libcuda.so.1 "), "{error}"),
            }
        }
        Err(Error::Missing { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}
