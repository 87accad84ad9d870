use shmem::prelude::*;

fn grid() -> SymmetricArray<f64, 1> {
    unimplemented!()
}

fn main() {
    remote!(grid()[0, 3]);
}
