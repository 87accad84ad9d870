struct Heat;

impl Heat {
    #[shmem::test]
    fn ring(&self) {}
}

fn main() {}
