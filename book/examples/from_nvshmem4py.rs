//! The product of a matrix and a vector, whose blocks go around a ring of GPUs.

use shmem::prelude::*;

/// Rows of the matrix, and elements of the vector, on each PE.
const N: usize = 64;

/// Adds the product of columns `first..` of this PE's rows and a block of the vector.
#[shmem::gpu::kernel]
fn multiply(
    rows: Global<f64, 2>,
    first: usize,
    block: Global<f64>,
    mut product: Global<f64>,
) {
    let row = global_index();
    let mut sum = local!(product[row]);
    for i in 0..N {
        sum += local!(rows[row, first + i]) * local!(block[i]);
    }
    local!(product[row]) = sum;
}

#[shmem::main(npes = 4)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % npes;
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;

    let rows = gpu.from_fn([N, npes * N], |[i, j]| {
        ((me * N + i) * (j + 1) % 11) as f64
    })?;
    let mut here = gpu.from_fn([N], |[i]| ((me * N + i) % 7) as f64)?;
    let mut there = gpu.zeros::<f64, 1>([N])?;
    let product = gpu.zeros::<f64, 1>([N])?;
    let total = gpu.zeros::<f64, 1>([N])?;

    for step in 0..npes {
        remote!(stream; there[right, ..] = &here[..]);
        let first = (me + npes - step) % npes * N; // of the block that is here
        multiply.launch(&stream, 1, N, (&rows, first, &here, &product))?;
        collective!(stream; barrier);
        std::mem::swap(&mut here, &mut there);
    }

    collective!(stream; total[..] = sum product[..]);
    let total: f64 = total.to_vec(&stream)?.iter().sum();
    if me == 0 {
        println!("the elements of the product have the sum {total}");
    }
    Ok(())
}
