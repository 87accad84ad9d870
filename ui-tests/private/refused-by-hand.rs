use shmem::__private::symmetric_refused;

macro_rules! compile_error {
    ($($text:tt)*) => {};
}

#[derive(Clone, Copy)]
struct Flag(bool);

symmetric_refused! { "not symmetric" [] Flag }

fn main() {
    compile_error!("nothing");
}
