//! A row goes to the right neighbour, on the host and on the GPU.

use shmem::prelude::*;

#[shmem::main(npes = 3)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    let left = (me + n - 1) % n;
    {
        // ANCHOR: host
        let mine = world
            .array_from_fn([4, 8], |[i, j]| (100 * me + 8 * i + j) as f32)?;
        let halo = world.zeros::<f32, 1>([8])?;
        remote!(halo[right, ..]) = local!(&mine[3, ..]);
        world.barrier_all();
        let row = local!(halo[..]);
        // ANCHOR_END: host
        assert_eq!(row[0], (100 * left + 24) as f32);
    }
    // ANCHOR: device
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let mine = gpu.from_fn([4, 8], |[i, j]| (100 * me + 8 * i + j) as f32)?;
    let halo = gpu.zeros::<f32, 1>([8])?;
    remote!(stream; halo[right, ..] = &mine[3, ..]);
    collective!(stream; barrier);
    let row = halo.to_vec(&stream)?;
    // ANCHOR_END: device
    assert_eq!(row[0], (100 * left + 24) as f32);
    stream.synchronize()
}
