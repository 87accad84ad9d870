//! Kernels in CUDA C++ that the program has written.

use shmem::gpu::{BackEnd, CudaKernel, DeviceArray, GpuTeam};
use shmem::prelude::*;

/// Types of each size, and a device function.
type Scale = (&'static DeviceArray<f64, 2>, &'static DeviceArray<i16, 1>, bool, i8, f32, usize);
const SCALE: CudaKernel<Scale> = CudaKernel::new(
    "scale",
    r#"
    static __device__ double times(double x, float by) { return x * by; }
    extern "C" __global__ void scale(double *a, const short *b, bool negative, signed char add, float by, unsigned long n) {
        unsigned long i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) a[i] = times(a[i], by) + b[i % 3] + (negative ? -add : add);
    }
    "#,
);

#[shmem::gpu::kernel]
fn scale(mut a: Global<f64, 2>, b: Global<i16>, negative: bool, add: i8, by: f32, n: usize) {
    let i = global_index();
    if i < n {
        let (row, column) = (i / a.extent(1), i % a.extent(1));
        let more = if negative { -add } else { add };
        let sum = local!(b[i % 3]) as f64 + more as f64;
        let x = local!(a[row, column]) * by as f64;
        local!(a[row, column]) = x + sum;
    }
}

#[shmem::test(npes = [1, 2])]
fn both_forms_do_the_same(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, value) = (gpu.stream()?, |[i, j]: [usize; 2]| (10 * i + j) as f64);
    let (a, b) = (gpu.from_fn([4, 5], value)?, gpu.from_slice(&[7_i16, -3, 11])?);
    let kernel = SCALE.or(scale);
    // SAFETY: there are 20 elements, and 3 of `b`.
    unsafe { kernel.launch(&stream, 3, 8, (&a, &b, true, 5, 0.5, 20))? };
    // SAFETY: as above.
    unsafe { kernel.launch(&stream, 1, 4, (&a, &b, false, 1, 2.0, 2))? };
    let mut expected: Vec<f64> = (0..20).map(|i| value([i / 5, i % 5]) * 0.5).collect();
    for (i, x) in expected.iter_mut().enumerate() {
        *x += f64::from([7, -3, 11][i % 3]) - 5.0;
    }
    (expected[0], expected[1]) = (2.0 * expected[0] + 8.0, 2.0 * expected[1] - 2.0);
    assert_eq!(a.to_vec(&stream)?, expected);
    stream.synchronize()
}

/// It calls NVSHMEM: a put to the neighbour, and a collective call of a team.
const RING: CudaKernel<(&DeviceArray<i32, 1>, &DeviceArray<i32, 1>, &GpuTeam)> = CudaKernel::new(
    "ring",
    r#"
    #include <nvshmem.h>
    #include <nvshmemx.h>
    extern "C" __global__ void ring(int *inbox, int *total, nvshmem_team_t team) {
        if (threadIdx.x == 0) nvshmem_int_p(inbox, nvshmem_my_pe(), (nvshmem_my_pe() + 1) % nvshmem_n_pes());
        nvshmemx_int_sum_reduce_block(team, total, total, 3);
    }
    "#,
);

#[shmem::gpu::kernel]
fn ring(mut inbox: Global<i32>, mut total: Global<i32>, team: GpuTeam) {
    if thread_index() == 0 {
        remote!(inbox[(my_pe() + 1) % n_pes(), 0]) = my_pe() as i32;
    }
    collective!(block; total[..] = sum total[..]; on team);
}

#[shmem::test(npes = [1, 2, 3])]
fn calls_of_nvshmem(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let (_, column) = world.team().split_2d(2)?;
    let team = gpu.team(&column)?;
    let (inbox, total) = (gpu.full([1], -1)?, gpu.full([3], me as i32)?);
    // SAFETY: there are as many elements, and the one call is that of the team.
    unsafe { RING.or(ring).launch(&stream, 1, 32, (&inbox, &total, &team))? };
    collective!(stream; barrier);
    assert_eq!(inbox.to_vec(&stream)?, [((me + n - 1) % n) as i32]);
    assert_eq!(total.to_vec(&stream)?, [column.world_pes().sum::<usize>() as i32; 3]);
    stream.synchronize()
}

const ALONE: CudaKernel<(&DeviceArray<i32, 1>,)> =
    CudaKernel::new("alone", r#"extern "C" __global__ void alone(int *a) { a[0] = 1; }"#);
const SIZES: CudaKernel<(&DeviceArray<i32, 1>, u64)> =
    CudaKernel::new("sizes", r#"extern "C" __global__ void sizes(int *a, float x) { a[0] = x; }"#);
const OTHER: CudaKernel<()> = CudaKernel::new("other", r#"extern "C" __global__ void another() {}"#);
const BROKEN: CudaKernel<()> =
    CudaKernel::new("broken", r#"extern "C" __global__ void broken() { no_such_name = 1; }"#);

/// Each back end refuses what it cannot run, by name and with a remedy.
#[shmem::test(npes = [1, 2])]
fn launches_that_are_refused(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, a) = (gpu.stream()?, gpu.zeros::<i32, 1>([1])?);
    // SAFETY: nothing of it runs but `alone`, for which there is an element.
    let results = unsafe {
        [
            ALONE.launch(&stream, 1, 1, (&a,)),
            SIZES.launch(&stream, 1, 1, (&a, 3)),
            OTHER.launch(&stream, 1, 1, ()),
            BROKEN.launch(&stream, 1, 1, ()),
            ALONE.launch(&stream, 0, 1, (&a,)),
        ]
    };
    let texts =
        results.map(|result| result.map_or_else(|error| error.to_string(), |()| "launched".to_owned()));
    let is_compiled = std::env::var_os("SHMEM_GPU_COMPILE").is_some();
    let on_the_host = |name| {
        format!(
            "kernel `{name}` cannot be launched: it is CUDA C++, which the back end `host` does not run: name a kernel in Rust \
             that it runs instead, as in `kernel.or({name})`, or set SHMEM_GPU=nvshmem"
        )
    };
    let does_not_compile = "kernel `broken` cannot be compiled for sm_".to_owned();
    let mut expected = match gpu.back_end() {
        BackEnd::Host => ["alone", "sizes", "other", "broken"].map(on_the_host),
        _ => [
            "launched".to_owned(),
            "its parameters have these sizes in bytes: 8, 4; and its type in Rust says: 8, 8".to_owned(),
            "write the kernel as `extern \"C\" __global__ void other(...)`".to_owned(),
            does_not_compile.clone(),
        ],
    };
    if is_compiled {
        expected[3] = does_not_compile;
    }
    let [texts @ .., grid] = texts;
    for (text, expected) in texts.iter().zip(expected) {
        assert!(text.contains(&expected), "no `{expected}` in: {text}");
    }
    assert!(grid.contains("kernel `alone` cannot be launched: a grid of 0 blocks"), "{grid}");
    assert_eq!(a.to_vec(&stream)?, [i32::from(gpu.back_end() != BackEnd::Host)]);
    stream.synchronize()
}
