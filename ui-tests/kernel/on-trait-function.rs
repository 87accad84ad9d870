trait Step {
    #[shmem::kernel]
    fn step(&self);
}

fn main() {}
