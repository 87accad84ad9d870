//! A program whose library has the crate under another name.

// `::shmem` is another crate here: nothing below finds this one by chance.
extern crate std as shmem;

// ANCHOR: all
use renamed::BODIES;
use renamed::spmd::prelude::*;

renamed::counter!(ARRIVED);

#[renamed::spmd::main(npes = 3, crate = ::renamed::spmd)]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    renamed::set(right);
    remote!(ARRIVED[right]) += 1;
    world.barrier_all();
    assert_eq!(local!(BODIES[..].mass), [1.0, 1.0, 3.0, 4.0]);
    assert_eq!(local!(ARRIVED), 1);
}
// ANCHOR_END: all
