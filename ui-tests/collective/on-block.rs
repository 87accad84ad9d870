use shmem::prelude::*;

fn main() {
    let odd = true;
    collective!(barrier; on if odd { 1 } else { 2 });
}
