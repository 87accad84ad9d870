//! Makes of one [table](table) of routines: the entry points in Rust, the header, and the C file
//! with what Rust cannot export.

mod aliases;
mod entries;
mod header;
mod table;

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build");
    let out = env::var("OUT_DIR").expect("cargo sets it");
    let write = |name: &str, text: String| {
        fs::write(Path::new(&out).join(name), text).expect("the folder of a build script can be written")
    };
    let rows = table::rows();
    let routines: Vec<table::Routine> = rows.iter().flat_map(table::Row::routines).collect();
    write("entries.rs", entries::text(&routines));
    write("shmem.h", header::text(&rows, &routines));
    write("aliases.c", aliases::text(&routines));
    write("routines.rs", entries::list(&routines, false));
    write("deprecated.rs", entries::list(&routines, true));
}
