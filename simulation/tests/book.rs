//! The tables of the book's page on growth are those that the simulation makes of the measurements.

use std::path::{Path, PathBuf};
use std::{env, fs};

use simulation::between_hosts::BetweenHosts;
use simulation::tables::Measurements;

#[test]
fn the_tables_of_the_book_are_those_of_the_simulation() {
    let here = read("simulated.csv");
    let here = Measurements::read(&here);
    check("simulated.md", &here.page());
    check("messages.md", &BetweenHosts::read(&read("messages.csv")).page(&here));
}

/// Compares a page with a file of the book, or writes it.
fn check(name: &str, page: &str) {
    if env::var_os("BOOK").is_some_and(|value| value == "overwrite") {
        fs::write(figure(name), page).expect("the file can be written");
    }
    assert!(
        read(name) == page,
        "book/src/figures/{name} is not what is made: BOOK=overwrite cargo test -p simulation"
    );
}

fn figure(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/figures").join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(figure(name)).expect(name)
}

#[test]
fn measurements_are_read_as_they_are_written() {
    let rows = [("add", 2, "C", 12.5), ("broadcast", 16, "shmem, C library, far", 1000.0)];
    let csv = Measurements::file(&rows, 2);
    assert_eq!(Measurements::read(&csv).rows(), rows);
    assert!(csv.starts_with("what,n_pes,program,ns; cores: 2\n"), "{csv}");
}
