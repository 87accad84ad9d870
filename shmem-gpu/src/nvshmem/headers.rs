//! What this crate declares of CUDA and NVSHMEM, compared with NVIDIA's headers by a C++ compiler.

use std::ffi::c_int;
use std::fmt::Write as _;
use std::mem::offset_of;
use std::process::Command;

use super::driver::{CAPABILITY, DriverRoutines, NON_BLOCKING, ParameterInfo};
use super::library::{
    DeviceComparison, LIMITED, LibraryRoutines, MulticastAddress, NarrowWait, NvshmemInitArguments,
    NvshmemInitAttributes, NvshmemTeamConfiguration, NvshmemUniqueId, NvshmemUniqueIdArguments, Reduction,
    SIGNAL_ADD, SIGNAL_SET, Strided, TeamId, TeamInit, WITH_TEAM_ID, WITH_UNIQUE_ID, WORLD, WideWait,
};
use super::places::Places;
use crate::compiler::Compiler;

/// A routine: its name, the types of its parameters, and that of its result.
pub(super) type Declared = (&'static str, &'static [&'static str], &'static str);

/// Types that are passed in the same way as `type` of Rust.
fn in_c(name: &str) -> &'static str {
    match name {
        "c_int" | "Status" | "DeviceNumber" | "TeamNumber" => "int",
        "i64" => "long",
        "c_uint" | "u32" => "unsigned",
        "u8" => "unsigned char",
        "u64" | "Address" | "usize" => "uint64_t",
        "isize" => "int64_t",
        "Handle" => "void *",
        "" => "void",
        pointer if pointer.starts_with('*') => "void *",
        other => panic!("`{other}` has no type in C"),
    }
}

/// The check of a routine that has the type of `declared`.
fn routine(text: &mut String, name: &str, parameters: &[&str], result: &str) {
    let parameters: Vec<&str> = parameters.iter().map(|name| in_c(name)).collect();
    let declared = format!("{} (*)({})", in_c(result), parameters.join(", "));
    writeln!(text, "static_assert(alike(&{name}, ({declared})nullptr), \"{name}\");").unwrap();
}

/// The parameters and the result of a type of routines, as Rust writes it.
fn parts<F>() -> (Vec<String>, String) {
    let text = std::any::type_name::<F>();
    let (_, text) = text.split_once("fn(").unwrap();
    let (parameters, result) = text.split_once(')').unwrap();
    let last = |path: &str| match path.starts_with('*') {
        true => "*".to_owned(),
        false => path.rsplit("::").next().unwrap().to_owned(),
    };
    let result = result.trim_start_matches(" -> ");
    let alias = |name: String| if name == "i32" { "c_int".to_owned() } else { name };
    (parameters.split(", ").map(last).map(alias).collect(), alias(last(result)))
}

fn program() -> String {
    let mut text = String::from(
        "#include <cuda.h>
#include <nvshmem_host.h>
#include <nvshmemx.h>
#include <cstddef>
#include <type_traits>
template <class A, class B> constexpr bool alike_one() {
    if constexpr (std::is_void_v<A> || std::is_void_v<B>) return std::is_void_v<A> && std::is_void_v<B>;
    else return sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
                std::is_floating_point_v<A> == std::is_floating_point_v<B>;
}
template <class R, class... P, class S, class... Q> constexpr bool alike(R (*)(P...), S (*)(Q...)) {
    if constexpr (sizeof...(P) != sizeof...(Q)) return false;
    else return alike_one<R, S>() && (alike_one<P, Q>() && ...);
}
",
    );
    for (name, parameters, result) in DriverRoutines::DECLARED.iter().chain(LibraryRoutines::DECLARED) {
        routine(&mut text, name, parameters, result);
    }
    let mut also = |(parameters, result): (Vec<String>, String), names: &[&str]| {
        let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
        for name in names {
            routine(&mut text, name, &parameters, &result);
        }
    };
    let strided =
        ["iput8", "iput16", "iput32", "iput64", "iput128", "iget8", "iget16", "iget32", "iget64", "iget128"];
    let strided = strided.map(|name| format!("nvshmemx_{name}_on_stream"));
    also(parts::<Strided>(), &strided.each_ref().map(String::as_str));
    also(
        parts::<NarrowWait>(),
        &["nvshmemx_int32_wait_until_on_stream", "nvshmemx_uint32_wait_until_on_stream"],
    );
    also(
        parts::<WideWait>(),
        &["nvshmemx_int64_wait_until_on_stream", "nvshmemx_uint64_wait_until_on_stream"],
    );
    also(parts::<ParameterInfo>(), &["cuFuncGetParamInfo"]);
    also(parts::<TeamId>(), &["nvshmemx_team_get_uniqueid"]);
    also(parts::<TeamInit>(), &["nvshmemx_team_init"]);
    also(parts::<MulticastAddress>(), &["nvshmemx_mc_ptr"]);
    for kind in [
        "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float", "double", "half",
        "bfloat16",
    ] {
        let is_float = ["float", "double", "half", "bfloat16"].contains(&kind);
        let operations: &[&str] = match is_float {
            true => &["sum", "prod"],
            false => &["sum", "prod", "min", "max", "and", "or", "xor"],
        };
        for operation in operations {
            for routine in ["reduce", "reducescatter"] {
                also(parts::<Reduction>(), &[&format!("nvshmemx_{kind}_{operation}_{routine}_on_stream")]);
            }
        }
    }
    let mut equal = |what: &str, value: usize| {
        writeln!(text, "static_assert({what} == {value}, \"{what}\");").unwrap();
    };
    equal("sizeof(nvshmemx_uniqueid_v1)", size_of::<NvshmemUniqueId>());
    equal("sizeof(nvshmemx_init_attr_v1)", size_of::<NvshmemInitAttributes>());
    equal("sizeof(nvshmem_team_config_v2)", size_of::<NvshmemTeamConfiguration>());
    equal("offsetof(nvshmem_team_config_v2, num_contexts)", offset_of!(NvshmemTeamConfiguration, contexts));
    equal("offsetof(nvshmem_team_config_v2, uniqueid)", offset_of!(NvshmemTeamConfiguration, id));
    equal("offsetof(nvshmemx_uniqueid_args_v1, id)", offset_of!(NvshmemUniqueIdArguments, id));
    equal("offsetof(nvshmemx_uniqueid_args_v1, myrank)", offset_of!(NvshmemUniqueIdArguments, my_rank));
    equal("offsetof(nvshmemx_uniqueid_args_v1, nranks)", offset_of!(NvshmemUniqueIdArguments, ranks));
    equal("offsetof(nvshmemx_init_args_v1, uid_args)", offset_of!(NvshmemInitArguments, unique_id));
    equal("offsetof(nvshmemx_init_args_v1, content)", offset_of!(NvshmemInitArguments, content));
    equal("offsetof(nvshmemx_init_attr_v1, mpi_comm)", offset_of!(NvshmemInitAttributes, mpi_comm));
    equal("offsetof(nvshmemx_init_attr_v1, args)", offset_of!(NvshmemInitAttributes, arguments));
    let [major, minor] = CAPABILITY;
    for (name, value) in [
        ("NVSHMEMX_INIT_WITH_UNIQUEID", WITH_UNIQUE_ID.cast_signed()),
        ("NVSHMEM_STATUS_LIMITED_MPG", LIMITED),
        ("NVSHMEM_TEAM_WORLD", WORLD),
        ("NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID", WITH_TEAM_ID as c_int),
        ("NVSHMEM_SIGNAL_SET", SIGNAL_SET),
        ("NVSHMEM_SIGNAL_ADD", SIGNAL_ADD),
        ("NVSHMEM_CMP_EQ", DeviceComparison::Eq as c_int),
        ("NVSHMEM_CMP_NE", DeviceComparison::Ne as c_int),
        ("NVSHMEM_CMP_GT", DeviceComparison::Gt as c_int),
        ("NVSHMEM_CMP_LE", DeviceComparison::Le as c_int),
        ("NVSHMEM_CMP_LT", DeviceComparison::Lt as c_int),
        ("NVSHMEM_CMP_GE", DeviceComparison::Ge as c_int),
        ("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", major),
        ("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR", minor),
        ("CU_STREAM_NON_BLOCKING", NON_BLOCKING.cast_signed()),
    ] {
        equal(name, value as usize);
    }
    text
}

/// In `scripts/test-cuda`, which fetches the headers; elsewhere where they are there.
#[test]
fn declarations_are_those_of_the_headers() {
    let compiler = match Compiler::open(&Places::of_this_process()) {
        Ok(compiler) => compiler,
        Err(error) => {
            assert!(std::env::var_os("SHMEM_GPU_COMPILE").is_none(), "{error}");
            println!("NOT compared: {error}");
            return;
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("headers.cpp");
    std::fs::write(&source, program()).unwrap();
    let output = Command::new("c++")
        .args(["-std=c++17", "-fsyntax-only", "-w"])
        .args(compiler.includes().iter().map(|folder| format!("-I{}", folder.display())))
        // A toolkit has them all in one folder, the wheels have not.
        .args(
            compiler
                .includes()
                .iter()
                .map(|folder| format!("-I{}/../../cuda_nvcc/include", folder.display())),
        )
        .arg(&source)
        .output()
        .expect("a C++ compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
