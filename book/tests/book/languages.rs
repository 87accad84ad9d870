//! The same programs in four languages: their lines are counted, and those for which this machine has
//! a compiler print what ours print.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::read;
use crate::sessions::programs;

const PROGRAMS: [&str; 5] = ["ring", "sum", "histogram", "halo", "list"];

/// The files of a program, in the order of the columns; and what a comment begins with.
fn sources(program: &str) -> [(PathBuf, &'static str); 4] {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = |name: String| book.join(name);
    [
        (file(format!("languages/{program}.c")), "//"),
        (file(format!("languages/{program}.chpl")), "//"),
        (file(format!("languages/{program}.f90")), "!"),
        (file(format!("examples/languages_{program}.rs")), "//"),
    ]
}

#[test]
fn the_lines_are_counted() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = read(&book.join("src/languages.md"));
    let rows: Vec<Vec<usize>> = page
        .lines()
        .filter(|line| line.starts_with("| [") || line.starts_with("| all "))
        .map(|line| {
            let cells = line.split('|').map(|cell| cell.trim().parse());
            cells.filter_map(Result::ok).collect()
        })
        .filter(|row: &Vec<usize>| !row.is_empty())
        .collect();
    let mut expected: Vec<Vec<usize>> = PROGRAMS
        .iter()
        .map(|program| {
            let lines = sources(program).map(|(path, comment)| {
                let text = read(&path);
                let lines = text.lines().map(str::trim);
                lines
                    .filter(|line| {
                        !line.is_empty() && !line.starts_with(comment)
                    })
                    .count()
            });
            lines.to_vec()
        })
        .collect();
    let sums =
        (0..4).map(|language| expected.iter().map(|row| row[language]).sum());
    expected.push(sums.collect());
    assert_eq!(rows, expected, "the table of languages.md");
}

/// The lines of code between these anchors of an example.
fn lines_between(example: &str, anchors: &[&str]) -> usize {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = read(&book.join(format!("examples/{example}.rs")));
    let of = |anchor: &&str| {
        let (_, rest) = text
            .split_once(&format!("// ANCHOR: {anchor}\n"))
            .expect("the anchor begins");
        let (part, _) = rest
            .split_once(&format!("// ANCHOR_END: {anchor}"))
            .expect("the anchor ends");
        let lines = part.lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
    };
    anchors.iter().map(of).sum()
}

#[test]
fn ghost_cells_take_half_the_lines() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = read(&book.join("src/global.md")).replace('\n', " ");
    let by_hand = lines_between("dividing_halo", &["exchange", "steps"]);
    let here = lines_between("global_heat", &["steps"]);
    let said = format!("has {by_hand} lines of code there and {here} here");
    assert!(page.contains(&said), "{said:?} is not in global.md");
    assert!(2 * here <= by_hand, "dividing.md says half as long");
}

/// Compiles a program, where there is such a compiler.
pub(crate) fn compile(
    compilers: &[&str],
    options: &[&str],
    libraries: &[&str],
    source: &Path,
) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("languages");
    fs::create_dir_all(&folder).expect("the target folder can be written to");
    let name = source.file_name().expect("a source has a name");
    // Tests with other libraries run at the same time.
    let program =
        folder.join(format!("{}{}.out", name.display(), libraries.concat()));
    for compiler in compilers {
        let output = Command::new(compiler)
            .args(options)
            .args([OsStr::new("-o"), program.as_os_str(), source.as_os_str()])
            .args(libraries)
            // Fortran writes the files of modules there.
            .current_dir(&folder)
            .output();
        match output {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => panic!("{compiler}: {error}"),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{compiler}: {said}");
                return Some(program);
            }
        }
    }
    println!("not tested: there is no {}", compilers.join(", no "));
    None
}

/// What a program prints, without blanks around it.
pub(crate) fn printed(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// What a program prints on so many processes of Open MPI.
pub(crate) fn printed_by_open_mpi(
    launcher: &str,
    npes: usize,
    program: &Path,
) -> String {
    // Two launchers that start at the same time both want to make the folder of their user.
    static LAUNCHER: Mutex<()> = Mutex::new(());
    let one = LAUNCHER.lock().unwrap_or_else(PoisonError::into_inner);
    let mut command = Command::new(launcher);
    command
        .args(["-np", &npes.to_string()])
        .arg(program)
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        // Open MPI's memory hooks outlive their library.
        .env("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0");
    let printed = printed(&mut command);
    drop(one);
    printed
}

/// What a program of the book prints on so many PEs.
pub(crate) fn ours(program: &str, npes: usize) -> String {
    let program = programs().join(program);
    printed(Command::new(program).env("SHMEM_NPES", npes.to_string()))
}

#[test]
fn c_prints_the_same() {
    let options = ["-std=c11", "-Wall", "-Wextra", "-Werror"];
    for program in PROGRAMS {
        let [(source, _), ..] = sources(program);
        let Some(compiled) = compile(&["oshcc"], &options, &[], &source) else {
            return;
        };
        let c = printed_by_open_mpi("oshrun", 2, &compiled);
        assert_eq!(c, ours(&format!("languages_{program}"), 2));
    }
}

/// GNU's compiler, on systems that have several of them.
const FORTRAN: [&str; 4] =
    ["gfortran", "gfortran-14", "gfortran-13", "gfortran-12"];

#[test]
fn fortran_prints_the_same_on_one_image() {
    let options = ["-std=f2018", "-Wall", "-Werror", "-fcoarray=single"];
    for program in PROGRAMS {
        let [_, _, (source, _), _] = sources(program);
        let Some(compiled) = compile(&FORTRAN, &options, &[], &source) else {
            return;
        };
        let fortran = printed(&mut Command::new(compiled));
        assert_eq!(fortran, ours(&format!("languages_{program}"), 1));
    }
}

/// Whether the compiler finds OpenCoarrays over Open MPI, as Debian has it.
fn has_opencoarrays() -> bool {
    let asked = FORTRAN.iter().find_map(|compiler| {
        let file = "-print-file-name=libcaf_openmpi.so";
        Command::new(compiler).arg(file).output().ok()
    });
    let found = asked.map(|output| output.stdout).unwrap_or_default();
    // A file that it does not find is printed without a folder.
    found.contains(&b'/')
}

/// Compiles a program for several images, where there are the compiler and OpenCoarrays.
pub(crate) fn fortran_on_several_images(source: &Path) -> Option<PathBuf> {
    if !has_opencoarrays() {
        println!("not tested: there is no libcaf_openmpi");
        return None;
    }
    let options = ["-std=f2018", "-Wall", "-Werror", "-fcoarray=lib"];
    compile(&FORTRAN, &options, &["-lcaf_openmpi"], source)
}

#[test]
fn fortran_prints_the_same_on_two_images() {
    for program in PROGRAMS {
        let [_, _, (source, _), _] = sources(program);
        let Some(compiled) = fortran_on_several_images(&source) else {
            return;
        };
        let fortran = printed_by_open_mpi("mpirun", 2, &compiled);
        assert_eq!(fortran, ours(&format!("languages_{program}"), 2));
    }
}
