use shmem::prelude::*;

mod halo {
    use shmem::prelude::*;

    #[symmetric]
    static ROW: [f64; 16] = [0.0; 16];
}

fn main() {
    remote!(halo::ROW[0, 3]);
}
