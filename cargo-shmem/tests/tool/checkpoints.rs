//! What is in a checkpoint.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::package::{Ended, SHMEMRUN, TOOL, command, empty, ended, package, target};

/// A folder in which four PEs have written the directory `checkpoints`.
fn written(name: &str) -> PathBuf {
    let folder = empty(name);
    package();
    let program = target().join("debug/examples/heat");
    ended(command(SHMEMRUN, &folder).args(["-n", "4"]).arg(program).arg("checkpoints")).assert(0, "", "");
    folder
}

fn checkpoint(folder: &Path, words: &[&str]) -> Ended {
    ended(command(TOOL, folder).args(["shmem", "checkpoint"]).args(words))
}

#[test]
fn the_list_has_objects_types_and_sums() {
    let folder = written("listed");
    let all = checkpoint(&folder, &["show", "checkpoints"]);
    assert_eq!((all.status, all.stderr.as_str()), (0, ""), "{all:#?}");
    assert!(all.stdout.starts_with("checkpoints/00000002: 4 PEs of heat over smp, written 2"), "{all:#?}");
    for line in [
        "\nheat::BODIES  [Body; 2]                        32  examples/heat.rs:21\n",
        "\nheat::HALO    [f64; 16]                       128  examples/heat.rs:12\n",
        "\nheat::STEP    u64                               8  examples/heat.rs:15\n",
        "\nheat::TURN    Lock                              -  examples/heat.rs:18\n",
        "\narray 0       [[i32; 5]; 3]                    60  examples/heat.rs:28\n",
        "\narray 1       [f32; 30] cyclically             32  examples/heat.rs:29\n",
        "\nchecksum      PE 0      PE 1      PE 2      PE 3\n",
    ] {
        assert!(all.stdout.contains(line), "{line}\n{}", all.stdout);
    }
    // The sums are those of the bytes in the files.
    let sums = |name: &str| -> Vec<String> {
        let start = format!("{name}  ");
        let line = all.stdout.lines().rfind(|line| line.starts_with(&start)).expect("a line of sums");
        line[start.len()..].split_whitespace().map(str::to_owned).collect()
    };
    let step = format!("{:08x}", crc32(&2_u64.to_le_bytes()));
    assert_eq!(sums("heat::STEP"), vec![step; 4]);
    let halo = |pe: usize| -> Vec<u8> {
        (0..16).flat_map(|i| (pe as f64 + f64::from(i) / 16.0).to_le_bytes()).collect()
    };
    let halos: Vec<String> = (0..4).map(|pe| format!("{:08x}", crc32(&halo(pe)))).collect();
    assert_eq!(sums("heat::HALO"), halos);
    let one = checkpoint(&folder, &["show", "checkpoints", "--pe", "3"]);
    let line = format!("heat::HALO    {}", halos[3]);
    assert!(one.stdout.contains("\nchecksum      PE 3\n") && one.stdout.contains(&line), "{one:#?}");
}

/// CRC-32, bit by bit: as the standard has it, and not as the library computes it.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}

#[test]
fn elements_are_printed_with_their_indices() {
    let folder = written("printed");
    let show = |words: &[&str]| {
        let end = checkpoint(&folder, &[&["show", "checkpoints"], words].concat());
        assert_eq!((end.status, end.stderr.as_str()), (0, ""), "{words:?}: {end:#?}");
        end.stdout
    };
    assert_eq!(
        show(&["HALO[0..8;2]", "--pe", "3"]),
        "heat::HALO[0..8;2] of PE 3, 4 × f64\n  [0]  3.0  3.125  3.25  3.375\n"
    );
    assert_eq!(
        show(&["array 0[1.., 2..4]", "--pe", "1"]),
        "array 0[1.., 2..4] of PE 1, 4 × i32\n  [1, 2]   1  11\n  [2, 2]  51  61\n"
    );
    assert_eq!(show(&["heat::STEP", "--pe=0"]), "heat::STEP of PE 0, 1 × u64\n  2\n");
    // On all PEs.
    assert_eq!(
        show(&["array 0[2, 4]"]),
        (0..4)
            .map(|pe| format!("array 0[2, 4] of PE {pe}, 1 × i32\n  [2, 4]  {}\n", 70 + pe))
            .collect::<String>()
    );
    // A global array is one of all PEs.
    for text in ["array 1[@7..12]", "array 1[7..12]"] {
        let text = text.to_owned();
        let title = format!("{text} of all PEs, 5 × f32\n  [7]  3.5  4.0  4.5  5.0  5.5\n");
        assert_eq!(show(&[&text]), title);
    }
    // A struct is bytes.
    assert_eq!(
        show(&["BODIES[1]", "--pe", "2"]),
        "heat::BODIES[1] of PE 2, 1 × Body\n  [1]  0000803f000000400200000000000000\n"
    );
    assert_eq!(show(&["HALO[3..3]", "--pe", "2"]), "heat::HALO[3..3] of PE 2, 0 × f64\n");
}

#[test]
fn numpy_reads_what_is_exported() {
    let folder = written("exported");
    let export = |words: &[&str], said: &str| {
        let end = checkpoint(&folder, &[&["export", "checkpoints"], words].concat());
        end.assert(0, "", said);
    };
    export(
        &["HALO", "--pe", "3", "halo.npy"],
        "wrote halo.npy: HALO of PE 3, in NumPy <f8 with shape (16,)\n",
    );
    export(
        &["array 0[1.., ..]", "grid.npy"],
        "wrote grid.npy: array 0[1.., ..] of all PEs, in NumPy <i4 with shape (4, 2, 5): the first axis is the PE\n",
    );
    export(&["STEP", "--pe", "0", "step.npy"], "wrote step.npy: STEP of PE 0, in NumPy <u8 with shape ()\n");
    export(
        &["BODIES", "--pe", "1", "bodies.npy"],
        "wrote bodies.npy: BODIES of PE 1, in NumPy |V16 with shape (2,)\n\
         note: NumPy does not know Body, so its elements are 16 bytes each: `array.view(dtype)` gives them a type\n",
    );
    export(
        &["array 1[@..20]", "line.npy"],
        "wrote line.npy: array 1[@..20] of all PEs, in NumPy <f4 with shape (20,)\n",
    );
    // The format, as its definition has it: a magic, the length of the header, a literal, the elements.
    let read = |name: &str, header: &str| {
        let bytes = fs::read(folder.join(name)).expect("the file is there");
        let len = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let text = String::from_utf8(bytes[10..10 + len].to_vec()).expect("the header is text");
        assert!(bytes.starts_with(b"\x93NUMPY\x01\x00") && text.ends_with(" \n"), "{text:?}");
        assert_eq!(((10 + len) % 64, text.trim_end()), (0, header));
        bytes[10 + len..].to_vec()
    };
    let halo = read("halo.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (16,), }");
    let halo: Vec<f64> = halo.chunks(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!(halo, (0..16).map(|i| 3.0 + f64::from(i) / 16.0).collect::<Vec<_>>());
    let grid = read("grid.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (4, 2, 5,), }");
    let grid: Vec<i32> = grid.chunks(4).map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!(grid, (0..40).map(|i| (5 + i % 10) * 10 + i / 10 - 70).collect::<Vec<_>>());
    let line = read("line.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (20,), }");
    assert_eq!(line, (0..20_u8).flat_map(|i| (f32::from(i) / 2.0).to_le_bytes()).collect::<Vec<_>>());
    assert_eq!(
        read("step.npy", "{'descr': '<u8', 'fortran_order': False, 'shape': (), }"),
        [2, 0, 0, 0, 0, 0, 0, 0]
    );
    // No file under another name is left.
    let left = fs::read_dir(&folder).expect("a folder").filter(|entry| {
        entry
            .as_ref()
            .is_ok_and(|entry| entry.path().extension().is_some_and(|extension| extension == "part"))
    });
    assert_eq!(left.count(), 0);

    let script = "import numpy as n\n\
                  for name in 'halo', 'grid', 'step': a = n.load(name + '.npy'); print(a.dtype, a.shape, a.sum())\n\
                  b = n.load('bodies.npy').view([('at', '<f4', 2), ('number', '<u8')]); print(b[1]['at'], b['number'])";
    let numpy = Command::new("python3").args(["-c", "import numpy"]).output();
    if !numpy.is_ok_and(|numpy| numpy.status.success()) {
        eprintln!("NOT TESTED: the exported files by NumPy, which is not installed");
        return;
    }
    let sum: i32 = grid.iter().sum();
    ended(command("python3", &folder).args(["-c", script])).assert(
        0,
        &format!("float64 (16,) 55.5\nint32 (4, 2, 5) {sum}\nuint64 () 2\n[1. 2.] [0 1]\n"),
        "",
    );
}

#[test]
fn an_export_to_standard_output_has_nothing_else() {
    let folder = written("piped");
    let export = format!("'{TOOL}' shmem checkpoint export checkpoints STEP /dev/stdout --pe 0");
    for script in [
        format!("{export} | tail -c 8 | od -An -tu8"),
        format!("{export} >out.npy; tail -c 8 out.npy | od -An -tu8"),
    ] {
        let end = ended(command("sh", &folder).args(["-c", &script]));
        assert_eq!((end.stdout.trim(), end.status), ("2", 0), "{end:#?}");
        assert!(end.stderr.starts_with("wrote /dev/stdout: STEP of PE 0"), "{end:#?}");
    }
    assert!(fs::symlink_metadata("/dev/stdout").is_ok_and(|link| link.is_symlink()));
}

#[test]
fn mistakes_name_the_file_and_the_remedy() {
    let folder = written("mistaken");
    let says = |words: &[&str], error: &str| checkpoint(&folder, words).assert(1, "", error);
    says(
        &["show", "none"],
        "error: cannot read the directory none: No such file or directory (os error 2)\n\
         help: name the directory that the program passes to `checkpoint`\n",
    );
    says(
        &["show", "."],
        "error: there is no complete checkpoint in .\nhelp: name the directory that the program passes to `checkpoint`\n",
    );
    says(
        &["show", "checkpoints/00000002"],
        "error: checkpoints/00000002 is one of several checkpoints\n\
         help: name the directory that it is in, and `--generation 2`\n",
    );
    says(
        &["show", "checkpoints", "--generation", "1"],
        "error: there is no checkpoint 1 in checkpoints\nhelp: there is 2\n",
    );
    says(
        &["show", "checkpoints", "--pe", "4"],
        "error: there is no PE 4\nhelp: the checkpoint has 4 PEs: `--pe 0` to `--pe 3`\n",
    );
    says(
        &["show", "checkpoints", "array 1", "--pe", "2"],
        "error: `array 1` is one array of all PEs, dealt to them cyclically, and no PE has a copy of it\n\
         help: leave out `--pe`: the indices are those of the whole\n",
    );
    says(
        &["show", "checkpoints", "HALLO"],
        "error: there is no `HALLO`: the checkpoint has heat::BODIES, heat::HALO, heat::STEP, array 0, array 1\n",
    );
    says(
        &["export", "checkpoints", "HALO[0..17]", "halo.npy"],
        "error: `0..17` selects nothing on axis 0, which has extent 16: write `3`, `0..8`, `..` or `0..8;2`\n",
    );
    says(
        &["export", "checkpoints", "HALO", "no/halo.npy"],
        "error: cannot write no/halo.npy: No such file or directory (os error 2)\n",
    );
    says(
        &["export", "checkpoints", "HALO", "checkpoints"],
        "error: cannot write checkpoints: Is a directory (os error 21)\nhelp: name a file, such as halo.npy\n",
    );
    assert!(!folder.join("halo.npy").exists());
    fs::create_dir_all(folder.join("begun/00000001.part")).expect("a folder can be made");
    says(
        &["show", "begun"],
        "error: there is no complete checkpoint in begun\n\
         help: 1 is being written, or its job ended before it was complete\n",
    );
}

#[test]
fn damage_is_found_before_anything_is_printed() {
    let folder = written("damaged");
    let verify = || checkpoint(&folder, &["show", "checkpoints", "--verify"]);
    let right = verify();
    assert!(right.status == 0 && right.stdout.starts_with("4 files in checkpoints/00000002, "), "{right:#?}");
    assert!(right.stdout.ends_with(" bytes: all checksums are right\n"), "{right:#?}");

    let file = folder.join("checkpoints/00000002/pe-00003");
    let mut bytes = fs::read(&file).expect("the file is there");
    // A bit of HALO[2] of PE 3, found by its value.
    let value = (3.0_f64 + 2.0 / 16.0).to_le_bytes();
    let at = bytes.windows(8).position(|window| window == value).expect("the value is there");
    bytes[at] ^= 1;
    fs::write(&file, &bytes).expect("a file can be written");
    let is_damaged = "checkpoints/00000002/pe-00003 is damaged: the checksum of `heat::HALO: [f64; 16]` (examples/heat.rs:12) on PE 3 is ";
    let remedy = "help: remove checkpoints/00000002, and let the program begin anew\n";
    let show = checkpoint(&folder, &["show", "checkpoints", "HALO[8..]", "--pe", "3"]);
    show.assert_fails(1, &format!("error: {is_damaged}"));
    assert!(show.stdout.is_empty() && show.stderr.ends_with(remedy), "{show:#?}");
    let export = checkpoint(&folder, &["export", "checkpoints", "HALO", "halo.npy"]);
    export.assert_fails(1, is_damaged);
    let names: Vec<_> =
        fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(names, ["checkpoints"]);
    // Other objects and PEs are whole.
    assert_eq!(checkpoint(&folder, &["show", "checkpoints", "HALO", "--pe", "2"]).status, 0);
    assert_eq!(checkpoint(&folder, &["show", "checkpoints", "STEP"]).status, 0);

    fs::remove_file(folder.join("checkpoints/00000002/pe-00000")).expect("a file can be removed");
    // A global array needs all files.
    let whole = checkpoint(&folder, &["show", "checkpoints", "array 1[0]"]);
    whole.assert_fails(1, "error: checkpoints/00000002/pe-00000 is missing\n");
    let wrong = verify();
    wrong.assert_fails(1, "error: checkpoints/00000002/pe-00000 is missing\n");
    wrong.assert_fails(1, is_damaged);
    wrong.assert_fails(
        1,
        &format!("error: 2 of 4 files in checkpoints/00000002 cannot be restored\n{remedy}"),
    );

    // Another generation is named, if there is one.
    let (first, second) = (folder.join("checkpoints/00000001"), folder.join("checkpoints/00000002"));
    fs::create_dir(first).expect("a folder can be made");
    fs::write(second.join("manifest"), "shmem").expect("a file can be written");
    let torn = "error: checkpoints/00000002/manifest is not the manifest of a checkpoint\n\
                help: remove checkpoints/00000002; then checkpoint 1 is the newest\n";
    checkpoint(&folder, &["show", "checkpoints"]).assert(1, "", torn);
    fs::write(second.join("manifest"), "shmem checkpoint 99\n").expect("a file can be written");
    let newer = checkpoint(&folder, &["show", "checkpoints"]);
    newer.assert_fails(1, "manifest has version 99 of the format, and this library reads versions up to 1");
    assert!(!newer.stderr.contains("help: "), "{newer:#?}");
}
