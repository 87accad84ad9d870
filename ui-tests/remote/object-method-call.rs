use shmem::prelude::*;

struct Heat {
    grid: SymmetricArray<f64, 2>,
}

impl Heat {
    fn grid(&self) -> &SymmetricArray<f64, 2> {
        &self.grid
    }

    fn corner(&self) -> f64 {
        remote!(self.grid()[0, 0, 0])
    }
}

fn main() {}
