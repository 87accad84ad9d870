//! What becomes of the output of the PEs of a program.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use shmem::prelude::*;

use crate::programs::{argument, fail};
use crate::watch::{Running, program, run, with};

/// How many lines each stream of a PE has.
const LINES: usize = 500;

/// Prints as the argument says.
#[shmem::main(npes = 3)]
pub(crate) fn printing(world: &World) -> Result<(), String> {
    let me = world.my_pe();
    let mut out = std::io::stdout();
    match argument().as_str() {
        // The last line has no end. What goes to standard error comes in pieces.
        "order" => {
            for i in 0..LINES {
                println!("{me} out {i}");
                eprint!("{me} ");
                eprint!("err ");
                eprintln!("{i}");
            }
            print!("{me} end");
        }
        "bytes" => {
            let bytes: Vec<u8> = (0..=255).filter(|byte| *byte != b'\n').collect();
            out.write_all(&bytes).expect("standard output is open");
        }
        "long" => {
            let long = vec![b'0' + u8::try_from(me).expect("few PEs"); 200_000];
            out.write_all(&long).and_then(|()| out.write_all(b"\nshort\n")).expect("standard output is open");
        }
        // Until it cannot print, or is stopped.
        "endless" => loop {
            println!("{me} goes on");
        },
        "endless-errors" => loop {
            eprintln!("{me} goes on");
        },
        // Another thread holds the stream for ever.
        "held" => {
            let (sender, receiver) = std::sync::mpsc::channel();
            std::thread::spawn(move || {
                let mut out = std::io::stdout().lock();
                out.write_all(b"held\n").and_then(|()| out.flush()).expect("standard output is open");
                sender.send(()).expect("it is waited for");
                std::thread::sleep(std::time::Duration::from_secs(1000));
            });
            receiver.recv().expect("the thread runs");
        }
        "long-error" => return Err("x".repeat(10_000)),
        // The supervisor's standard input is a pipe: until that is closed.
        "waits" => {
            println!("{me} is there");
            if me == 0 {
                let _ = std::io::stdin().read(&mut [0]);
            }
            world.barrier_all();
        }
        // PE 1 dies in the middle of a line.
        how => {
            world.barrier_all();
            if me == 1 {
                (0..LINES).for_each(|i| println!("{me} out {i}"));
                print!("{me} unfinished");
                out.flush().expect("standard output is open");
                return fail(how);
            }
            world.barrier_all();
        }
    }
    Ok(())
}

/// The numbered lines of one stream of a PE.
fn numbered(pe: usize, stream: &str) -> Vec<String> {
    (0..LINES).map(|i| format!("{pe} {stream} {i}")).collect()
}

/// The lines with the label of `pe`, without it.
fn of_pe(text: &str, pe: usize) -> Vec<String> {
    let label = format!("[PE {pe}] ");
    text.lines().filter_map(|line| line.strip_prefix(&label)).map(str::to_owned).collect()
}

/// That every line of `text` begins with a label.
#[track_caller]
fn assert_labelled(text: &str) {
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    assert!(text.lines().all(|line| line.starts_with("[PE ")), "{text}");
}

pub(crate) fn lines_are_labelled() {
    for npes in [1, 3, 7] {
        let mut command = with("printing", "SHMEM_OUTPUT", "label");
        let ended = run(command.env("SHMEM_NPES", npes.to_string()).arg("order"));
        assert!(ended.status.success(), "{ended:#?}");
        assert_labelled(&ended.stdout);
        assert_labelled(&ended.stderr);
        for pe in 0..npes {
            let out = [numbered(pe, "out"), vec![format!("{pe} end")]].concat();
            assert_eq!((of_pe(&ended.stdout, pe), of_pe(&ended.stderr, pe)), (out, numbered(pe, "err")));
        }
    }
    let ended = run(with("large-output", "SHMEM_OUTPUT", "label").env("SHMEM_NPES", "3"));
    assert!(ended.status.success() && ended.stderr.is_empty(), "{:?} {}", ended.status, ended.stderr);
    for pe in 0..3 {
        let line = "x".repeat(99 - pe);
        assert!(of_pe(&ended.stdout, pe) == vec![line; 10_000], "PE {pe}");
    }
}

/// The order of the lines of a PE is kept over both streams where they go to the same place.
pub(crate) fn both_streams_in_one_keep_their_order() {
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let mut command = with("printing", "SHMEM_OUTPUT", "label");
    command.arg("order").stdout(writer.try_clone().expect("a pipe can be shared")).stderr(writer);
    let mut child = command.spawn().expect("the program starts");
    drop(command);
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("it prints text");
    assert!(child.wait().expect("it ends").success());
    assert_labelled(&text);
    for pe in 0..3 {
        let mut expected: Vec<String> =
            (0..LINES).flat_map(|i| [format!("{pe} out {i}"), format!("{pe} err {i}")]).collect();
        expected.push(format!("{pe} end"));
        assert_eq!(of_pe(&text, pe), expected);
    }
}

/// What a PE has written before it dies is shown, and the job is reported as ever.
pub(crate) fn the_last_words_of_a_pe_arrive() {
    for (how, status, report) in [
        ("kill", 137, "shmem: PE 1 of 3 was killed by signal 9"),
        ("abort", 134, "shmem: PE 1 of 3 was killed by signal 6"),
        ("panic", 101, "shmem: PE 1 of 3 panicked at "),
        ("exit-3", 3, "shmem: PE 1 of 3 exited with status 3"),
    ] {
        let expected = [numbered(1, "out"), vec![String::from("1 unfinished")]].concat();
        let ended = run(with("printing", "SHMEM_OUTPUT", "label").arg(how));
        ended.assert_failed(status, report);
        assert_labelled(&ended.stdout);
        assert_eq!(of_pe(&ended.stdout, 1), expected);

        let folder = Folder::new(&format!("last-words-{how}"));
        let ended = run(folder.files().arg(how));
        ended.assert_failed(status, report);
        assert_eq!(folder.read("PE1.out").lines().collect::<Vec<_>>(), expected);
        assert!(ended.stdout.is_empty() && !folder.read("PE1.out").ends_with('\n'), "{ended:#?}");
    }
}

/// Bytes are no text for the supervisor, and a line of any length ends.
pub(crate) fn any_bytes_pass() {
    let bytes: Vec<u8> = (0..=255).filter(|byte| *byte != b'\n').collect();
    let mut command = with("printing", "SHMEM_OUTPUT", "label");
    let output = command.env("SHMEM_NPES", "1").arg("bytes").output().expect("the program runs");
    assert_eq!(output.stdout, [b"[PE 0] ".as_slice(), &bytes, b"\n"].concat());
    let folder = Folder::new("bytes");
    run(folder.files().arg("bytes")).assert_quiet_success();
    assert!((0..3).all(|pe| fs::read(folder.path(&format!("PE{pe}.out"))).is_ok_and(|read| read == bytes)));

    let ended = run(with("printing", "SHMEM_OUTPUT", "label").arg("long"));
    ended.assert_quiet_success();
    assert_labelled(&ended.stdout);
    for pe in 0..3 {
        let mut lines = of_pe(&ended.stdout, pe);
        assert_eq!(lines.pop().as_deref(), Some("short"));
        assert!(lines.iter().all(|line| line.len() < 100_000));
        assert_eq!(lines.concat(), pe.to_string().repeat(200_000));
    }
}

/// When nobody takes the output, the job ends, and says why.
pub(crate) fn output_that_nobody_takes_ends_the_job() {
    for (npes, stream) in [(1, "standard output"), (4, "standard output")] {
        let mut command = with("printing", "SHMEM_OUTPUT", "label");
        command
            .env("SHMEM_NPES", npes.to_string())
            .arg("endless")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        stdout.read_line(&mut line).expect("it prints text");
        drop(stdout);
        let output = child.wait_with_output().expect("it ends");
        let report = String::from_utf8(output.stderr).expect("text");
        assert!(report.starts_with(&format!("shmem: nobody reads {stream} any more, and PE ")), "{report}");
        assert!(report.ends_with(&format!(" of {npes} has printed more\n")), "{report}");
        assert_eq!((report.lines().count(), output.status.code()), (1, Some(1)), "{report}");
    }
    let Ok(full) = File::options().write(true).open("/dev/full") else { return };
    // The last of it cannot be printed when all PEs have ended.
    for way in ["endless", "bytes"] {
        let mut command = with("printing", "SHMEM_OUTPUT", "label");
        command.arg(way).stdout(full.try_clone().expect("a file can be shared")).stderr(Stdio::piped());
        let output = command.spawn().and_then(std::process::Child::wait_with_output).expect("it runs");
        let report = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(1), "{way}: {report}");
        let why = "shmem: standard output of the job cannot be written: No space left on device (os error 28), and PE ";
        assert!(report.starts_with(why) && report.lines().count() == 1, "{way}: {report}");
    }
}

/// A folder for the files of a job, which is gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("output-{name}-{}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // One that the job makes.
        Folder(folder.join("new"))
    }

    /// The program that prints into it.
    fn files(&self) -> Command {
        let mut command = program("printing");
        let mut form = std::ffi::OsString::from("files=");
        form.push(&self.0);
        command.env("SHMEM_OUTPUT", form);
        command
    }

    /// The file of a stream.
    fn path(&self, name: &str) -> PathBuf {
        let binary = std::env::current_exe().expect("the path of this binary");
        let job = binary.file_name().expect("a file").to_string_lossy().into_owned();
        self.0.join(format!("{job}.{name}"))
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// How many files it has.
    fn count(&self) -> usize {
        fs::read_dir(&self.0).expect("the folder is there").count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.parent().expect("it has one"));
    }
}

pub(crate) fn each_stream_has_a_file() {
    let folder = Folder::new("each");
    for (npes, first) in [(2, "PE0"), (11, "PE00")] {
        let ended = run(folder.files().env("SHMEM_NPES", npes.to_string()).arg("order"));
        ended.assert_quiet_success();
        assert!(ended.stdout.is_empty());
        for pe in 0..npes {
            let name = if npes > 10 { format!("PE{pe:02}") } else { format!("PE{pe}") };
            let out = [numbered(pe, "out"), vec![format!("{pe} end")]].concat();
            assert_eq!(folder.read(&format!("{name}.out")).lines().collect::<Vec<_>>(), out);
            assert_eq!(folder.read(&format!("{name}.err")).lines().collect::<Vec<_>>(), numbered(pe, "err"));
        }
        assert!(folder.path(&format!("{first}.out")).is_file());
    }
    assert_eq!(folder.count(), 2 * (2 + 11));

    // `SHMEM_INFO` tells where they are.
    let ended = run(folder.files().env("SHMEM_INFO", "1").arg("bytes"));
    for pe in 0..3 {
        let [out, err] =
            ["out", "err"].map(|end| folder.path(&format!("PE{pe}.{end}")).display().to_string());
        let line = format!("\n  PE {pe} prints to {out} and {err}\n");
        assert!(ended.stderr.contains(&line), "{line}: {ended:#?}");
    }
    // By itself it is the folder in which the job runs.
    fs::remove_file(folder.path("PE1.out")).expect("it is there");
    let mut here = with("printing", "SHMEM_OUTPUT", "files");
    run(here.arg("bytes").current_dir(&folder.0)).assert_quiet_success();
    assert!(fs::read(folder.path("PE1.out")).is_ok_and(|bytes| bytes.len() == 255));
}

/// No end of a job waits for a thread that holds standard output.
pub(crate) fn a_stream_that_is_held_holds_up_nobody() {
    let folder = Folder::new("held");
    run(folder.files().arg("held")).assert_quiet_success();
    assert!((0..3).all(|pe| folder.read(&format!("PE{pe}.out")) == "held\n"));
}

/// Files of earlier jobs are replaced; those of a job that runs are not, nor what a link leads to.
pub(crate) fn files_of_other_jobs_are_safe() {
    let folder = Folder::new("other");
    fs::create_dir_all(&folder.0).expect("a folder can be made");
    let elsewhere = folder.0.with_file_name("elsewhere");
    fs::write(&elsewhere, "kept").expect("a file can be written");
    fs::write(folder.path("PE1.out"), "of an earlier job").expect("a file can be written");
    std::os::unix::fs::symlink(&elsewhere, folder.path("PE0.out")).expect("a link can be made");

    let (reader, writer) = std::io::pipe().expect("a pipe");
    let mut command = folder.files();
    command.arg("waits").stdin(reader).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running::spawn(&mut command);
    drop(command);
    while (0..3)
        .any(|pe| !fs::read(folder.path(&format!("PE{pe}.out"))).is_ok_and(|text| text.ends_with(b"there\n")))
    {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let second = run(folder.files().arg("bytes"));
    second.assert_failed(1, "shmem: a process of another job is printing to ");
    assert!(
        second.reports()[0].contains("PE0.out: name another folder, such as SHMEM_OUTPUT=files="),
        "{second:#?}"
    );
    drop(writer);
    running.end().assert_quiet_success();
    assert!((0..3).all(|pe| folder.read(&format!("PE{pe}.out")) == format!("{pe} is there\n")));
    assert_eq!(fs::read_to_string(elsewhere).expect("it is there"), "kept");
    // When it has ended, its files are those of an earlier job.
    run(folder.files().arg("bytes")).assert_quiet_success();

    // What cannot be made is named.
    fs::remove_file(folder.path("PE2.err")).expect("it is there");
    fs::create_dir(folder.path("PE2.err")).expect("a folder can be made");
    let ended = run(folder.files().arg("bytes"));
    let name = folder.path("PE2.err").display().to_string();
    ended.assert_failed(
        1,
        &format!("shmem: cannot make {name} for the standard error of PE 2 (SHMEM_OUTPUT): "),
    );
    let ended = run(with("printing", "SHMEM_OUTPUT", "files=/dev/null/no").arg("bytes"));
    ended
        .assert_failed(1, "shmem: cannot make the folder /dev/null/no for SHMEM_OUTPUT=files=/dev/null/no: ");
}

/// When the disk of the files is full, the job ends, and the report names the file.
#[cfg(target_os = "linux")]
pub(crate) fn a_full_disk_under_the_files_is_named() {
    use crate::small_disk::{on_small_disk, resize};

    let remedy = "make room there, or name a folder on another disk with SHMEM_OUTPUT=files=FOLDER";
    let binary = std::env::current_exe().expect("the path of this binary");
    let binary = binary.file_name().expect("a file").to_string_lossy().into_owned();
    on_small_disk(|disk| {
        let run_with = |how: &str, npes: usize| {
            let mut command = with("printing", "SHMEM_OUTPUT", &format!("files={}", disk.display()));
            let ended = run(command.env("SHMEM_NPES", npes.to_string()).arg(how));
            assert!(ended.stdout.is_empty() && ended.stderr.lines().count() == 1, "{ended:#?}");
            let report = ended.stderr.trim_end().to_owned();
            (ended.status.code(), report)
        };
        // The PE that the report is about, and what must follow.
        let about = |report: &str, npes: usize| {
            let words = report.strip_prefix("shmem: PE ").and_then(|rest| rest.split_once(' '));
            let (pe, rest) = words.unwrap_or_else(|| panic!("{report}"));
            let rest = rest.strip_prefix(&format!("of {npes} ")).unwrap_or_else(|| panic!("{report}"));
            let rest = rest.split_once(" (").filter(|_| rest.ends_with(" failed at the same time)"));
            (
                pe.to_owned(),
                rest.map_or(report, |_| report.rsplit_once(" (").expect("found above").0).to_owned(),
            )
        };
        let full = "No space left on device (os error 28)";
        let empty = |options: &str| {
            fs::read_dir(disk).expect("the disk is there").for_each(|entry| {
                fs::remove_file(entry.expect("it can be read").path()).expect("it is ours");
            });
            resize(disk, options);
        };
        for npes in [1, 3] {
            for (how, stream, name, end) in [
                ("endless", "stdout", "standard output", "out"),
                ("endless-errors", "stderr", "standard error", "err"),
            ] {
                empty("size=64k");
                let (status, report) = run_with(how, npes);
                let (pe, report) = about(&report, npes);
                let file = format!("{}/{binary}.PE{pe}.{end}", disk.display());
                let tail = format!(": failed printing to {stream}: {full}; its {name} is {file}: {remedy}");
                assert!(status == Some(101) && report.contains(" panicked at "), "{report}");
                assert!(report.ends_with(&tail), "{report}\n{tail}");
                // What was printed before is there, and fills the disk.
                let texts = (0..npes).map(|pe| {
                    let file = format!("{}/{binary}.PE{pe}.{end}", disk.display());
                    let text = fs::read_to_string(&file).expect("the file is there");
                    assert!(format!("{pe} goes on\n").repeat(10_000).starts_with(&text), "{text}");
                    text.len()
                });
                assert!(texts.sum::<usize>() > 32 << 10, "{report}");
            }
            // The last line has no end: it is written when the PE has returned.
            empty("size=4k");
            fs::write(disk.join("ballast"), [1; 4096]).expect("it has room for this");
            let (status, report) = run_with("bytes", npes);
            let (pe, report) = about(&report, npes);
            let file = format!("{}/{binary}.PE{pe}.out", disk.display());
            assert_eq!(status, Some(1), "{report}");
            assert_eq!(
                report,
                format!(
                    "shmem: PE {pe} of {npes} was stopped: its standard output cannot be written: {full}; its standard output is {file}: \
                     {remedy}"
                )
            );
            // An error that is too long for the report alone.
            let (status, report) = run_with("long-error", npes);
            assert_eq!(status, Some(1), "{report}");
            assert!(report.contains(" returned an error: \"xxx"), "{report}");
            // Not even the files fit: the folder itself is one, and another is that for standard
            // output.
            empty("nr_inodes=2");
            let (status, report) = run_with("bytes", npes);
            assert_eq!(status, Some(1), "{report}");
            let file = format!("{}/{binary}.PE0.err", disk.display());
            assert_eq!(
                report,
                format!(
                    "shmem: cannot make {file} for the standard error of PE 0 (SHMEM_OUTPUT): {full}; {remedy}"
                )
            );
            resize(disk, "nr_inodes=1000");
        }
    });
}

/// A terminal: our side of it, and the program's.
fn terminal() -> (File, OwnedFd) {
    let (mut ours, mut theirs) = (0, 0);
    let null = std::ptr::null_mut();
    // SAFETY: both numbers may be written to, and what is null is not asked for.
    let made = unsafe { libc::openpty(&raw mut ours, &raw mut theirs, null, null.cast(), null.cast()) };
    assert_eq!(made, 0, "a terminal can be had");
    // SAFETY: the call has opened both, and nobody else owns them.
    unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) }
}

/// Labels have colours on a terminal, where the user has nothing against it.
pub(crate) fn labels_have_colours_on_a_terminal() {
    for (variable, value, coloured) in
        [("TERM", "xterm", true), ("NO_COLOR", "1", false), ("NO_COLOR", "", true), ("TERM", "dumb", false)]
    {
        let (ours, theirs) = terminal();
        let mut command = with("printing", "SHMEM_OUTPUT", "label");
        command.env_remove("NO_COLOR").env("TERM", "xterm").env(variable, value).env("SHMEM_NPES", "1");
        command.arg("waits").stdin(Stdio::null());
        command.stdout(theirs.try_clone().expect("it can be shared")).stderr(theirs);
        let mut child = command.spawn().expect("the program starts");
        drop(command);
        let mut line = String::new();
        BufReader::new(ours).read_line(&mut line).expect("it prints text");
        let label = if coloured { "\x1b[36m[PE 0]\x1b[0m " } else { "[PE 0] " };
        assert_eq!(line, format!("{label}0 is there\r\n"), "{variable}={value}");
        assert!(child.wait().expect("it ends").success());
    }
}
