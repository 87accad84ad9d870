//! A kernel that is written as on the host.

#[shmem::gpu::kernel]
fn step(old: Global<f64>, mut new: Global<f64>) {
    let i = 1 + global_index();
    new[i] = 0.5 * (old[i - 1] + old[i + 1]);
    println!("{i}");
}

fn main() {}
