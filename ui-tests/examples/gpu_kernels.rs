// A renamed crate, other visibility, attributes and names that C++ has for itself.
use shmem as other;
use shmem::prelude::*;

const HALF: f64 = 0.5;

/// Doubles.
#[other::gpu::kernel(crate = other)]
#[inline]
pub(crate) fn double(r#int: Global<f64>, mut auto: Global<f64>) {
    let i: usize = global_index();
    local!(auto[i]) = local!(r#int[i]) / HALF;
}

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, one, two) = (gpu.stream()?, gpu.ones::<f64, 1>([4])?, gpu.zeros::<f64, 1>([4])?);
    double.launch(&stream, 2, 2, (&one, &two))?;
    let double = two.to_vec(&stream)?;
    assert_eq!(double, [2.0; 4]);
    stream.synchronize()
}
