use shmem::prelude::*;

mod halo {
    use shmem::prelude::*;

    pub const WIDTH: usize = 16;
    #[symmetric]
    pub static ROW: [f64; WIDTH] = [0.0; WIDTH];
}

fn main() {
    remote!(halo::ROW[0, halo::WIDTH]);
}
