//! A kernel that is written in CUDA C++, and what runs where there is no GPU.

// ANCHOR: all
use shmem::gpu::{CudaKernel, DeviceArray};
use shmem::prelude::*;

const HYPOT: CudaKernel<(&DeviceArray<f64, 1>, &DeviceArray<f64, 1>, usize)> =
    CudaKernel::new(
        "hypotenuse",
        r#"
    extern "C" __global__ void hypotenuse(double *a, const double *b, size_t n) {
        size_t i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) a[i] = hypot(a[i], b[i]);
    }
    "#,
    );

#[shmem::gpu::kernel]
fn hypotenuse(mut a: Global<f64>, b: Global<f64>, n: usize) {
    let i = global_index();
    if i < n {
        let (x, y) = (local!(a[i]), local!(b[i]));
        local!(a[i]) = (x * x + y * y).sqrt();
    }
}

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let (a, b) = (gpu.full([100], 3.0)?, gpu.full([100], 4.0)?);
    let kernel = HYPOT.or(hypotenuse);
    // SAFETY: both arrays have 100 elements.
    unsafe { kernel.launch(&stream, 2, 64, (&a, &b, 100))? };
    assert_eq!(a.to_vec(&stream)?, [5.0; 100]);
    stream.synchronize()
}
// ANCHOR_END: all
