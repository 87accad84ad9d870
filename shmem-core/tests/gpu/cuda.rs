//! Kernels as machine code of GPUs, where CUDA's compiler and NVSHMEM are there: `scripts/test-cuda` fetches
//! them, and runs all tests of kernels with `SHMEM_GPU_COMPILE`, which compiles each kernel at its first launch.

use shmem::prelude::*;

#[shmem::gpu::kernel]
fn halves(mut to: Global<f32>, mut count: Global<Atomic<u64>>, pe: usize) {
    let i = global_index();
    if i < to.len() {
        remote!(to[pe, i]) = local!(to[i]) * 0.5;
        remote!(count[pe, 0]) += 1;
    }
}

/// Whether `part` is somewhere in `whole`.
fn has(whole: &[u8], part: &[u8]) -> bool {
    whole.windows(part.len()).any(|window| window == part)
}

#[test]
fn cuda_machine_code() {
    for architecture in ["sm_80", "sm_90"] {
        let cubin = match halves.compile(architecture) {
            Ok(cubin) => cubin,
            Err(error) => {
                let text = error.to_string();
                let is_needed = std::env::var_os("SHMEM_GPU_COMPILE").is_some();
                assert!(!is_needed && text.contains(" is not found: searched "), "{text}");
                println!("NOT compiled: {text}");
                return;
            }
        };
        // A file of 64 bits in the format ELF, for CUDA.
        assert_eq!((&cubin[..5], &cubin[18..20]), (&b"\x7fELF\x02"[..], &[190, 0][..]));
        // The kernel, and the state that the host library of NVSHMEM sets.
        for part in [&b"\0.text.halves\0"[..], b"\0nvshmemi_device_state_d\0"] {
            assert!(has(&cubin, part), "{architecture}: no {}", part.escape_ascii());
        }
    }
    let error = halves.compile("sm_1").unwrap_err().to_string();
    assert!(
        error.starts_with("kernel `halves` cannot be compiled for sm_1: NVRTC 1") && error.contains(" sm_90"),
        "{error}"
    );
}
