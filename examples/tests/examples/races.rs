//! No example has a race, at any number of PEs.

use std::ffi::OsStr;

use crate::{run, scratch};

/// The examples, with arguments that make them short.
const SHORT: [(&str, &[&str]); 18] = [
    ("bale_histo", &["2000", "100", "2"]),
    ("bale_ig", &["2000", "100", "2"]),
    ("gups", &["6"]),
    ("halo", &[]),
    ("hello", &[]),
    ("histogram", &[]),
    ("isx", &["1000", "3", "20"]),
    ("kmeans", &["500", "4"]),
    ("pagerank", &[]),
    ("prk_stencil", &["3", "100"]),
    ("prk_synch_p2p", &["3", "50", "50"]),
    ("prk_transpose", &["3", "100", "8"]),
    ("readme", &[]),
    ("ring", &[]),
    ("sort", &[]),
    ("stream", &["1000", "3"]),
    ("triangles", &[]),
    ("words", &[]),
];

/// Those for GPUs, whose tests need the feature `gpu`.
const SHORT_FOR_GPUS: [(&str, &[&str]); 5] = [
    ("gpu_allreduce", &["10"]),
    ("gpu_gups", &["5"]),
    ("gpu_halo", &["3", "12", "8"]),
    ("gpu_transpose", &["9"]),
    ("gpu_tutorial", &[]),
];

#[test]
fn no_example_races() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let all = std::fs::read_dir(&folder).expect("the folder of the examples").count();
    assert_eq!(all, SHORT.len() + SHORT_FOR_GPUS.len(), "each example of {} is here", folder.display());
    let picture = scratch("races.png");
    let for_gpus = SHORT_FOR_GPUS.into_iter().filter(|_| cfg!(feature = "gpu"));
    for (example, arguments) in SHORT.into_iter().chain(for_gpus) {
        for npes in [2, 3] {
            let mut arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
            if example == "halo" {
                arguments.push(picture.as_os_str());
            }
            // Races are looked for on the embedded transport, whatever the other tests run on.
            let variables = [("SHMEM_RACES", "all"), ("SHMEM_TRANSPORT", "smp")];
            run(example, npes, &variables, &arguments).ok();
        }
    }
}
