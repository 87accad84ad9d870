use shmem::prelude::*;

struct Heat {
    grid: SymmetricArray<f64, 2>,
}

impl Heat {
    fn reset(&self) {
        remote!(self.grid = 0.0);
    }
}

fn main() {}
