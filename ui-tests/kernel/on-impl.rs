struct Heat;

#[shmem::kernel]
impl Heat {
    fn step(&self) {}
}

fn main() {}
