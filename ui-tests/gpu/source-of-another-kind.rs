// On a context, `&x[…]` selects from a slice, an array or a `Vec`.
use std::collections::BTreeMap;

use shmem::context::Private;
use shmem::prelude::*;

#[symmetric]
static TABLE: [f32; 8] = [0.0; 8];

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let map = BTreeMap::from([(3, [1.0_f32; 8])]);
    let ctx = world.team().context(Private)?;
    remote!(ctx; TABLE[0, ..]) = &map[&3];
    Ok(())
}
