//! The compiler of kernels: what is missing where nothing is there, and machine code where it is.

use std::fs;
use std::time::Instant;

use shmem_gpu::Error;
use shmem_gpu::compiler::{Compiler, KernelCache};
use shmem_gpu::nvshmem::Places;

/// The places are searched one after the other, and the first file that is missing is named.
#[test]
fn what_is_missing_is_named() {
    let (home, environment) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let packages = environment.path().join("lib/python3.11/site-packages");
    let wheel = packages.join("nvidia/nvshmem");
    fs::create_dir_all(wheel.join("lib")).unwrap();
    fs::create_dir_all(wheel.join("include")).unwrap();
    let places = Places {
        home: Some(home.path().to_owned()),
        environment: Some(environment.path().to_owned()),
        ..Places::default()
    };
    let error = |places: &Places| Compiler::open(places).unwrap_err().to_string();
    let [home, packages] = [home.path().display().to_string(), packages.display().to_string()];
    assert_eq!(
        error(&places),
        format!(
            "libnvshmem_device.a is not found: searched {home}/lib/libnvshmem_device.a, {home}/lib64/libnvshmem_device.a, \
             {packages}/nvidia/nvshmem/lib/libnvshmem_device.a; install NVSHMEM 3 and set NVSHMEM_HOME to its folder, or run \
             `pip install nvidia-nvshmem-cu12` in a virtual environment that is active"
        )
    );
    fs::write(wheel.join("lib/libnvshmem_device.a"), "").unwrap();
    fs::write(wheel.join("include/nvshmem.h"), "").unwrap();
    let text = error(&places);
    let expected = format!(
        "cuda_runtime.h is not found: searched CUDA_HOME (not set), {packages}/nvidia/cuda_runtime/include/cuda_runtime.h, \
         {packages}/nvidia/cu13/include/cuda_runtime.h; set CUDA_HOME to the folder of a CUDA toolkit of version 12 or 13, or run"
    );
    assert!(text.starts_with(&expected), "{text}");
    // A toolkit with its headers, and without its libraries.
    let toolkit = tempfile::tempdir().unwrap();
    fs::create_dir_all(toolkit.path().join("include/cuda/std")).unwrap();
    for header in ["cuda_runtime.h", "cuda/std/cstdint"] {
        fs::write(toolkit.path().join("include").join(header), "").unwrap();
    }
    let places = Places { cuda: Some(toolkit.path().to_owned()), loader: Some("/nowhere".into()), ..places };
    let text = error(&places);
    let toolkit = toolkit.path().display();
    for part in [
        "libnvrtc.so is not found: searched ".to_owned(),
        format!("{toolkit}/lib64/libnvrtc.so.12, {toolkit}/lib64/libnvrtc.so.13, "),
        "the loader's path (LD_LIBRARY_PATH=/nowhere), ".to_owned(),
        format!("{packages}/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"),
        "`pip install nvidia-cuda-nvrtc-cu12 ".to_owned(),
    ] {
        assert!(text.contains(&part), "no `{part}` in: {text}");
    }
}

/// What the machine has: `scripts/test-cuda` fetches it.
#[test]
fn machine_code_and_its_mistakes() {
    let compiler = match Compiler::open(&Places::of_this_process()) {
        Ok(compiler) => compiler,
        Err(Error::Missing { library, .. }) => return println!("NOT compiled: {library} is not found"),
        Err(error) => panic!("{error}"),
    };
    let cache = KernelCache::of_this_user();
    let compile = |body: &str, architecture: &str| {
        let source = format!(
            "#include <nvshmem.h>\n#include <nvshmemx.h>\nextern \"C\" __global__ void two(unsigned *p) {{ {body} }}\n"
        );
        let begin = Instant::now();
        let made = compiler.compile("kernel `two`", &source, architecture, cache.as_ref());
        println!("{architecture}, {body}: {:?}", begin.elapsed());
        made
    };
    let body = "nvshmem_uint_atomic_add(p, nvshmem_uint_g(p + 1, 0), nvshmem_my_pe());";
    let cubin = compile(body, "sm_90").unwrap();
    println!("{} bytes", cubin.len());
    assert!(cubin.starts_with(b"\x7fELF"));
    assert_eq!(compile(body, "sm_90").unwrap(), cubin);
    assert_ne!(compile(body, "sm_80").unwrap(), cubin);
    for (body, architecture, expected) in [
        (body, "sm_9", "kernel `two` cannot be compiled for sm_9: NVRTC 1"),
        ("*p = q;", "sm_90", "identifier \"q\" is undefined"),
        ("extern __device__ unsigned nowhere(); *p = nowhere();", "sm_90", "nowhere"),
    ] {
        let text = compile(body, architecture).unwrap_err().to_string();
        assert!(text.contains(expected), "no `{expected}` in: {text}");
    }
}
