//! What cargo gets: its words as they were written, and the options as variables.

use std::path::Path;

use crate::package::{cargo, ended, tool};

/// What the tool hands to cargo.
fn passed(line: &str) -> String {
    let stand_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/cargo");
    let end = ended(tool(line).env("CARGO", stand_in).env("REAL_CARGO", cargo()));
    assert_eq!((end.status, end.stderr.as_str()), (0, ""), "{line}: {end:#?}");
    end.stdout
}

#[test]
fn options_are_variables() {
    for (line, expected) in [
        ("run", "<run>\n"),
        ("run -n 8 --release", "<run><--release>\nSHMEM_NPES=8\n"),
        (
            "run --release --example heat -n 8 --size 64M --transport smp -- -n 3",
            "<run><--release><--example><heat><--><-n><3>\nSHMEM_NPES=8\nSHMEM_SYMMETRIC_SIZE=64M\nSHMEM_TRANSPORT=smp\n",
        ),
        (
            "run --features shmem/openshmem --transport openshmem --launcher srun",
            "<run><--features><shmem/openshmem>\nSHMEM_LAUNCHER=srun\nSHMEM_TRANSPORT=openshmem\n",
        ),
        (
            "test -n 1,2 --timeout 9 -p ring --size 1G name -- --nocapture",
            "<test><-p><ring><name><--><--nocapture>\nSHMEM_SYMMETRIC_SIZE=1G\nSHMEM_TEST_NPES=1,2\nSHMEM_TEST_TIMEOUT=9\n",
        ),
        (
            "run --output files=logs --bind core --timeout 5m --debugger gdb:1,2 --stats=json --bin heat",
            "<run><--bin><heat>\nSHMEM_BIND=core\nSHMEM_DEBUGGER=gdb:1,2\nSHMEM_OUTPUT=files=logs\nSHMEM_STATS=json\nSHMEM_TIMEOUT=5m\n",
        ),
        ("run --stats -r", "<run><-r>\nSHMEM_STATS=1\n"),
        ("test --stats --debugger lldb", "<test>\nSHMEM_DEBUGGER=lldb\nSHMEM_STATS=1\n"),
        ("run --trace out/run.json -n 2", "<run>\nSHMEM_NPES=2\nSHMEM_TRACE=out/run.json\n"),
        ("run --races --bin heat", "<run><--bin><heat>\nSHMEM_RACES=1\n"),
        ("test --races=all -n 2", "<test>\nSHMEM_RACES=all\nSHMEM_TEST_NPES=2\n"),
        ("bench -n 2 --bench rate", "<bench><--bench><rate>\nSHMEM_NPES=2\n"),
        // A later cargo may have it.
        ("run --new-option=1 -n 2", "<run><--new-option=1>\nSHMEM_NPES=2\n"),
    ] {
        assert_eq!(passed(line), expected, "{line}");
    }
}
