//! The tables of the book's page on growth are those that the simulation makes of the measurements.

use std::path::Path;
use std::{env, fs};

use simulation::tables::Measurements;

#[test]
fn the_tables_of_the_book_are_those_of_the_simulation() {
    let figures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/figures");
    let read = |name: &str| fs::read_to_string(figures.join(name)).expect(name);
    let page = Measurements::read(&read("simulated.csv")).page();
    if env::var_os("BOOK").is_some_and(|value| value == "overwrite") {
        fs::write(figures.join("simulated.md"), &page).expect("the file can be written");
    }
    assert!(
        read("simulated.md") == page,
        "book/src/figures/simulated.md is not what is made: BOOK=overwrite cargo test -p simulation"
    );
}

#[test]
fn measurements_are_read_as_they_are_written() {
    let rows = [("add", 2, "C", 12.5), ("broadcast", 16, "shmem, C library, far", 1000.0)];
    let csv = Measurements::file(&rows, 2);
    assert_eq!(Measurements::read(&csv).rows(), rows);
    assert!(csv.starts_with("what,n_pes,program,ns; cores: 2\n"), "{csv}");
}
