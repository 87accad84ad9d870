//! The same tests on the back end `nvshmem`, on a machine without a GPU.
//!
//! `standin/libraries.cpp` has the routines of CUDA and NVSHMEM that the back end calls. It stands under
//! the names of their libraries in a folder of the test. So the tests show that the back end calls these
//! routines as NVIDIA's headers ask, and nothing about GPUs.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// The folder with the libraries. Tests may be processes of their own, of which the first makes it.
fn libraries() -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gpu/standin");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("standin-libraries");
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    let made_of =
        ["libraries.cpp", "nvshmem.h"].map(|name| fs::read_to_string(sources.join(name)).unwrap()).concat();
    let stamp = folder.join("made-of");
    if fs::read_to_string(&stamp).is_ok_and(|before| before == made_of) {
        return folder;
    }
    let _ = fs::remove_dir_all(&folder);
    for part in ["lib", "include/cuda/std", "include/standin"] {
        fs::create_dir_all(folder.join(part)).unwrap();
    }
    // Each kernel is compiled by itself, and would take most of its time to read the header.
    // With other flags than those of `nvrtcCompileProgram` there, the compiler would read it all the same.
    let include = folder.join("include/standin");
    for name in ["nvshmem.h", "nvshmemx.h"] {
        fs::copy(sources.join(name), include.join(name)).unwrap();
    }
    let header = include.join("nvshmem.h");
    let compiler = Command::new("c++")
        .args(["-std=c++17", "-w", "-fPIC", "-fno-gnu-unique", "-pthread", "-DSTANDIN_SHARED"])
        .args(["-x", "c++-header", "-o"])
        .args([&header.with_extension("h.gch"), &header])
        .status()
        .expect("a C++ compiler");
    assert!(compiler.success());
    let library = folder.join("lib/libstandin.so");
    let include = format!("-DSTANDIN_INCLUDE=\"{}\"", include.display());
    let compiler = Command::new("c++")
        .args(["-std=c++17", "-O1", "-shared", "-fPIC", "-pthread", "-fvisibility=hidden", &include, "-o"])
        .args([&library, &sources.join("libraries.cpp")])
        .args(["-ldl", "-lrt"])
        .status()
        .expect("a C++ compiler");
    assert!(compiler.success());
    for name in ["libcuda.so.1", "libnvshmem_host.so.3", "libnvrtc.so.12", "libnvJitLink.so.12"] {
        symlink("libstandin.so", folder.join("lib").join(name)).unwrap();
    }
    // What NVIDIA's compiler and linker read, and these do not.
    for name in
        ["lib/libnvshmem_device.a", "include/nvshmem.h", "include/cuda_runtime.h", "include/cuda/std/cstdint"]
    {
        fs::write(folder.join(name), "").unwrap();
    }
    fs::write(stamp, made_of).unwrap();
    folder
}

/// This program again, with tests of these names on the back end `nvshmem`; `variables` are set besides.
fn again(names: &[&str], variables: &[(&str, &str)]) -> Output {
    let folder = libraries();
    let mut path = OsString::from(folder.join("lib"));
    if let Some(others) = env::var_os("LD_LIBRARY_PATH") {
        path.push(":");
        path.push(others);
    }
    Command::new(env::current_exe().unwrap())
        .args(names)
        .args(["--test-threads=1", "--nocapture"])
        .env_remove("SHMEM_GPU_COMPILE")
        .env_remove("VIRTUAL_ENV")
        .envs([("SHMEM_GPU", "nvshmem"), ("SHMEM_TEST_NPES", "1,2,3,4")])
        .envs([("NVSHMEM_HOME", &folder), ("CUDA_HOME", &folder)])
        .env("LD_LIBRARY_PATH", path)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    let [out, err] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    format!("{out}{err}")
}

#[track_caller]
fn passes(names: &[&str], variables: &[(&str, &str)]) {
    let output = again(names, variables);
    let text = text(&output);
    assert!(output.status.success() && !text.contains(" 0 passed"), "{text}");
}

/// The test of this name ends with an error that has the words.
#[track_caller]
fn fails(name: &str, faults: &str, words: &[&str]) {
    let output =
        again(&[name], &[("STANDIN_FAULT", faults), ("SHMEM_TEST_NPES", "2"), ("RUST_BACKTRACE", "0")]);
    let text = text(&output);
    assert!(!output.status.success() && !text.contains("did not end within"), "{faults}: {text}");
    for word in words {
        assert!(text.contains(word), "{faults}: no `{word}` in: {text}");
    }
}

#[test]
fn nvshmem_language() {
    passes(&["language::"], &[]);
}

#[test]
fn nvshmem_collectives() {
    passes(&["collectives::"], &[]);
}

#[test]
fn nvshmem_streams() {
    passes(&["streams::", "--skip", "the_usual_back_end"], &[]);
}

#[test]
fn nvshmem_dlpack() {
    passes(&["dlpack::"], &[]);
}

#[test]
fn nvshmem_registered() {
    passes(&["registered::"], &[]);
    fails(
        "registered::mistakes",
        "nvshmemx_buffer_register=7",
        &["registration of memory cannot be had: nvshmemx_buffer_register has returned status 7"],
    );
}

/// The crate cudarc opens the same driver, and uses the same device.
#[test]
fn nvshmem_cudarc() {
    passes(&["cudarc::slices_of_cudarc", "--ignored"], &[]);
}

/// What is found when it is issued, and the failures that are the language's own. NVSHMEM does not find
/// PEs that make different calls.
#[test]
fn nvshmem_failures() {
    passes(&["failures::", "--skip", "no_call_of_a_team_follows_one_that_failed"], &[]);
}

/// Kernels are compiled, linked, loaded and launched. What a failed one says is a matter of its GPU.
#[test]
fn nvshmem_kernels() {
    const OF_THE_HOST: [&str; 4] = [
        "kernels::failures",
        "moves_that_are_refused",
        "calls_that_are_refused",
        "a_wait_ends_where_another_thread_fails",
    ];
    let skipped: Vec<&str> = OF_THE_HOST.iter().flat_map(|name| ["--skip", name]).collect();
    // `kernels::` selects `collective_kernels::` and `cuda_kernels::` too.
    passes(&[&["kernels::"], &skipped[..]].concat(), &[]);
}

/// NVSHMEM is finalised by each PE once, after all that it has given was given back; and not where
/// a job fails.
#[test]
fn nvshmem_is_finalised() {
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join("standin-finalised");
    let path = log.to_str().unwrap();
    let logged = |names: &[&str], faults: &str, succeeds: bool| {
        let _ = fs::remove_file(&log);
        let variables = [("STANDIN_LOG", path), ("SHMEM_TEST_NPES", "3"), ("STANDIN_FAULT", faults)];
        let output = again(names, &variables);
        assert_eq!(output.status.success(), succeeds, "{}", text(&output));
        let text = fs::read_to_string(&log).unwrap_or_default();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        (lines, self::text(&output))
    };
    let each = ["finalised by PE 0", "finalised by PE 1", "finalised by PE 2"].map(str::to_owned).to_vec();
    // Streams and arrays, a kernel, and a stream that nobody has dropped.
    for name in ["kernels::all_words_together", "streams::a_stream_that_outlives_its_job"] {
        assert_eq!(logged(&[name], "", true).0, each, "{name}");
    }
    let (lines, text) = logged(&["kernels::all_words_together"], "nvshmemx_cumodule_finalize=4", true);
    assert!(
        lines == each
            && text.contains(
                "PE 0 of 3: NVSHMEM cannot be finalised: nvshmemx_cumodule_finalize has returned status 4"
            ),
        "{text}"
    );
    assert_eq!(logged(&["kernels::a_put_to_the_neighbour"], "cuLaunchKernel=719", false).0, [""; 0]);
}

/// Several PEs on one GPU without MPS: NVSHMEM makes no collective calls, so the host does.
#[test]
fn nvshmem_where_pes_share_a_gpu() {
    let limited = [("STANDIN_FAULT", "devices=1,status=3")];
    passes(&["collectives::", "cells_and_signals"], &limited);
    let output = again(&["language::lists"], &[limited[0], ("SHMEM_INFO", "1")]);
    let text = text(&output);
    for words in [
        "GPU back end nvshmem, device 0 (Stand-in 0, sm_90); NVSHMEM 3.8.0",
        "so collective calls go through the host",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

/// Where NVSHMEM makes no team, the host makes the calls of streams; a kernel needs NVSHMEM's.
#[test]
fn nvshmem_without_teams() {
    let without = [("STANDIN_FAULT", "teams=1")];
    passes(&["collectives::teams", "collectives::reductions_to_blocks"], &without);
    for (faults, reason) in [
        (
            "nvshmemx_team_init=7",
            "made no team for it, and has NVSHMEM_MAX_TEAMS of them at most: nvshmemx_team_init has returned status 7",
        ),
        ("nvshmemx_team_get_uniqueid=5", "PE 0 of the team has got no id for it"),
        (
            "devices=1,status=3",
            "several PEs are on one GPU without MPS, where NVSHMEM makes no collective calls: start as many PEs",
        ),
    ] {
        fails(
            "collective_kernels::teams_come_and_go",
            faults,
            &["kernel `adds` cannot be launched: ", reason],
        );
    }
}

/// What is missing, too old, or refused: a name, a reason, and a remedy where there is one.
#[test]
fn nvshmem_that_does_not_start() {
    for (faults, words) in [
        (
            "cuInit=100",
            "libcuda.so.1 cannot be used: cuInit has failed with CUDA_ERROR_NO_DEVICE (no CUDA-capable device",
        ),
        (
            "version=11080",
            "the driver is for CUDA 11.8, and NVSHMEM 3 needs CUDA 12.0: install a newer driver",
        ),
        ("cuDeviceGetCount=999", "a GPU cannot be had: cuDeviceGetCount has failed with status 999"),
        ("devices=0", "this host has no device: set SHMEM_GPU=host"),
        (
            "cuDevicePrimaryCtxRetain=2",
            "cannot be had: cuDevicePrimaryCtxRetain has failed with CUDA_ERROR_OUT_OF_MEMORY",
        ),
        ("major=2", "it is version 2.8.0, and this crate needs version 3"),
        ("nvshmemx_get_uniqueid=3", "NVSHMEM cannot be had: nvshmemx_get_uniqueid has returned status 3"),
        ("nvshmemx_hostlib_init_attr=7", "cannot be had: nvshmemx_hostlib_init_attr has returned status 7"),
        (
            "devices=1,exclusive=1",
            "2 PEs of this host use this device, which NVSHMEM does not permit everywhere: start as many PEs",
        ),
        ("nvshmem_calloc=1", "set SHMEM_SYMMETRIC_SIZE to less"),
        (
            "cuStreamCreate=2",
            "cannot be had: cuStreamCreate has failed with CUDA_ERROR_OUT_OF_MEMORY (out of memory)",
        ),
    ] {
        fails("language::host_and_device", faults, &[words]);
    }
}

/// What fails later has the line of the operation.
#[test]
fn nvshmem_operations_that_fail() {
    let line_of = |file: &str, text: &str| {
        let line = file.lines().position(|line| line.contains(text)).expect("a line of the test");
        line + 1
    };
    let line = line_of(include_str!("collectives.rs"), "collective!(stream; sync)");
    fails(
        "collectives::exchanges",
        "nvshmemx_team_sync_on_stream=7",
        &[
            &format!("the sync that was issued at shmem-core/tests/gpu/collectives.rs:{line}:"),
            "has returned status 7",
        ],
    );
    let line = line_of(include_str!("kernels.rs"), "shift.launch(");
    fails(
        "kernels::a_put_to_the_neighbour",
        "cuLaunchKernel=719",
        &[
            &format!("the kernel `shift` that was issued at shmem-core/tests/gpu/kernels.rs:{line}:"),
            "cuLaunchKernel has failed with CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)",
        ],
    );
    // A kernel that panics: the test expects the words of the host, and shows those that it got.
    fails(
        "kernels::failures",
        "",
        &["the kernel `beyond` that was issued at", "the device has failed with CUDA_ERROR_LAUNCH_FAILED"],
    );
    fails(
        "kernels::a_put_to_the_neighbour",
        "nvshmemx_cumodule_init=5",
        &["kernel `shift` on device", "cannot be had: nvshmemx_cumodule_init has returned status 5"],
    );
}
