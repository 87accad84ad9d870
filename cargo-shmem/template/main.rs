use shmem::prelude::*;

#[symmetric]
static INBOX: usize = 0;

/// Every PE writes its number to its right neighbour. Returns what the left one has written here.
#[shmem::kernel]
fn ring(world: &World) -> usize {
    let right = (world.my_pe() + 1) % world.n_pes();
    remote!(INBOX[right]) = world.my_pe();
    world.barrier_all();
    local!(INBOX)
}

#[shmem::main]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let left = ring(world);
    println!("PE {me} of {n} got a message from PE {left}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn the_left_neighbour_has_written(world: &World) {
        let left = (world.my_pe() + world.n_pes() - 1) % world.n_pes();
        assert_eq!(ring(world), left);
    }
}
