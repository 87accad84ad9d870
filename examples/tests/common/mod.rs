//! What the tests that run examples share: finding the program, running it, and what it prints when
//! all is well.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

// Running ----------------------------------------------------------------------------------------------------

/// Balls that each PE of `histogram` drops.
pub(crate) const BALLS: usize = 20_000;
/// Keys that each PE of `sort` starts with.
pub(crate) const KEYS: usize = 50_000;
/// What a run may take. In fact they take about a second; a loaded machine is slow, and a hang is
/// for ever.
const LIMIT: Duration = Duration::from_secs(120);

/// How a run ended, and what it said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// What a run that must succeed has printed.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert!(self.status == Some(0) && self.err.is_empty(), "the run failed: {self:#?}");
        self.out
    }
}

/// Runs a command to its end; `stop` ends everything that it has started, when it takes too long.
#[track_caller]
pub(crate) fn finish(command: &mut Command, stop: impl FnOnce(&mut Child)) -> Ran {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    // Read by threads of their own, so that a full pipe never stops the program.
    let out = read(child.stdout.take());
    let err = read(child.stderr.take());

    let started = Instant::now();
    let status = loop {
        match child.try_wait().expect("the child is ours") {
            Some(status) => break status,
            None if started.elapsed() > LIMIT => {
                stop(&mut child);
                child.wait().expect("the child is ours");
                let (out, err) = (text(out), text(err));
                panic!("{command:?} was not done after {LIMIT:?}; it said:\n{out}{err}");
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    // What Open MPI's launcher may say of itself: when all PEs end at once; and when it and what it
    // has started both set a process group, of which the one that is later says that it could not.
    let is_the_launchers =
        |line: &str| line.starts_with("[warn] Epoll ") || line.contains("plm:rsh: Warning: setpgid(");
    let err = text(err).split_inclusive('\n').filter(|line| !is_the_launchers(line)).collect();
    Ran { status: status.code(), out: text(out), err }
}

/// Starts to read a stream to its end.
fn read(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    let mut stream = stream.expect("the stream is piped");
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

fn text(reader: thread::JoinHandle<Vec<u8>>) -> String {
    String::from_utf8(reader.join().expect("reading does not panic")).expect("examples print text")
}

/// The program of an example, built from what the sources say now.
pub(crate) fn program(example: &str) -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    // target/debug/deps/examples-0123456789abcdef
    let this = std::env::current_exe().expect("the test has a path");
    let profile = this.parent().and_then(Path::parent).expect("tests are built in target/PROFILE/deps");
    let program = profile.join("examples").join(format!("{example}{}", std::env::consts::EXE_SUFFIX));
    // `cargo test --workspace` has built the examples already, `cargo test -p example-tests` has
    // not. And what is there may have been built for other tests, without the feature.
    if !is_current(&program) || cfg!(feature = "openshmem") && !has_library(&program) {
        BUILT.get_or_init(|| build(profile));
    }
    assert!(program.exists(), "cargo has built the examples, and not as {}", program.display());
    program
}

/// Whether a program is there, and newer than all sources that cargo has noted beside it
/// (`hello.d`).
fn is_current(program: &Path) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let (Some(built), Ok(notes)) = (modified(program), fs::read_to_string(program.with_extension("d")))
    else {
        return false;
    };
    // `program: source source`, where a space in a path is written `\ `.
    let notes = notes.replace("\\ ", "\0");
    let sources =
        notes.lines().filter_map(|line| line.split_once(": ")).flat_map(|(_, list)| list.split(' '));
    let mut times = sources.map(|source| modified(Path::new(&source.replace('\0', " "))));
    times.all(|time: Option<SystemTime>| time.is_some_and(|time| time <= built))
}

/// Whether a program is linked with the C library.
fn has_library(program: &Path) -> bool {
    fs::read(program).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains("shmem_init_thread"))
}

/// Builds the examples as this test was built.
fn build(profile: &Path) {
    let name = profile.file_name().and_then(OsStr::to_str).expect("a profile has a name");
    let mut target = profile.parent().expect("a profile lies in a target directory");
    let mut command = cargo();
    command.args(["build", "--package", "examples", "--examples"]);
    for (feature, is_on) in [("openshmem", cfg!(feature = "openshmem")), ("gpu", cfg!(feature = "gpu"))] {
        if is_on {
            command.args(["--features", feature]);
        }
    }
    command.args(["--profile", if name == "debug" { "dev" } else { name }]);
    // With `--target`, there is a directory of that name between; in the target directory itself
    // cargo leaves its notes.
    if ![".rustc_info.json", "CACHEDIR.TAG"].iter().any(|note| target.join(note).exists()) {
        command.arg("--target").arg(target.file_name().expect("a target has a name"));
        target = target.parent().expect("a target lies in the target directory");
    }
    command.arg("--target-dir").arg(target);
    let built = command.output().expect("cargo can be started");
    assert!(built.status.success(), "cannot build the examples:\n{}", String::from_utf8_lossy(&built.stderr));
}

/// The cargo that runs the tests.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo
}

/// `1 PE`, `2 PEs`: as the examples say it.
pub(crate) fn pes(npes: usize) -> String {
    examples::count(npes, "PE")
}

// What they print --------------------------------------------------------------------------------------------

/// Every PE has said hello once, and PE 0 has heard it.
#[track_caller]
pub(crate) fn check_hello(npes: usize, out: &str) {
    let mut expected: HashSet<String> = (0..npes).map(|pe| format!("Hello from PE {pe} of {npes}")).collect();
    expected.insert(format!("PE 0 heard from everybody: {npes} of {npes}"));
    // In any order, but each once.
    assert_eq!(out.lines().count(), npes + 1, "{out}");
    assert_eq!(out.lines().map(String::from).collect::<HashSet<_>>(), expected);
}

/// The bins hold all balls, spread as chance spreads them.
#[track_caller]
pub(crate) fn check_histogram(npes: usize, out: &str) {
    let (table, summary) = out.trim_end().rsplit_once('\n').expect("a table and a summary");
    let counts: Vec<usize> = table
        .lines()
        .map(|line| line.split_whitespace().nth(1).expect("a count").parse().expect("a number"))
        .collect();
    let balls = BALLS * npes;
    assert_eq!((counts.len(), counts.iter().sum()), (17, balls));
    // The binomial coefficient of 16 over 8, out of 2^16: give or take what chance does to so many
    // balls.
    let middle = counts[8] as f64 / balls as f64;
    assert!((middle - 12870.0 / 65536.0).abs() < 0.02, "{middle}");
    assert_eq!(summary, format!("{balls} balls in 17 bins on {}: the same counts as serially", pes(npes)));
}

/// All keys are there, in order.
#[track_caller]
pub(crate) fn check_sort(npes: usize, out: &str) {
    let keys = KEYS * npes;
    assert!(out.starts_with(&format!("{keys} keys in order on {}, ", pes(npes))), "{out}");
    assert!(out.ends_with(" on each: the same as a serial sort\n") && out.lines().count() == 1, "{out}");
}

/// The plate is the one that a serial computation gives, and the picture was written to `path`.
#[track_caller]
pub(crate) fn check_halo(npes: usize, out: &str, path: &Path) {
    assert!(out.contains(&format!(" of 400 × 420 cells on {} (", pes(npes))), "{out}");
    assert!(out.contains("): the same bits as serially\n"), "{out}");
    assert!(out.ends_with(&format!("picture: {}\n", path.display())), "{out}");
}

/// The picture, three bytes for each cell, is that of a plate which is hot in the middle.
#[track_caller]
pub(crate) fn check_picture(pixels: &[u8]) {
    let colors: HashSet<&[u8]> = pixels.chunks_exact(3).collect();
    assert!(colors.len() > 150, "a heat map has many colours: {}", colors.len());
    let light = |pixel: usize| pixels[3 * pixel..][..3].iter().map(|&part| u32::from(part)).sum::<u32>();
    assert!(light(0) < 20, "the corner is cold and dark");
    assert!(light(200 * 420 + 210) > 300, "the middle is hot and bright");
}

/// The pixels of a picture of the plate, three bytes each.
pub(crate) fn decode(path: &Path) -> Vec<u8> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut pixels).expect("a whole PNG");
    assert_eq!((info.width, info.height, info.color_type), (420, 400, png::ColorType::Rgb));
    assert_eq!(pixels.len(), 420 * 400 * 3);
    pixels
}

/// What pagerank printed.
pub(crate) struct Ranks {
    pub(crate) heading: String,
    /// Name, percent, and how many crates need it.
    pub(crate) top: Vec<(String, f64, usize)>,
    pub(crate) summary: String,
}

impl Ranks {
    #[track_caller]
    pub(crate) fn of(out: &str) -> Ranks {
        let mut blocks = out.split("\n\n");
        let mut next = || blocks.next().expect("a heading, a table and a summary").trim_end().to_owned();
        let (heading, table, summary) = (next(), next(), next());
        let mut lines = table.lines();
        let titles: Vec<&str> = lines.next().expect("titles").split_whitespace().collect();
        assert_eq!(titles, ["crate", "rank", "needed", "by"]);
        let row = |(place, line): (usize, &str)| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [number, name, version, rank, users] => {
                assert_eq!(number, (place + 1).to_string());
                let rank = rank.strip_suffix('%').expect("percent").parse().expect("a number");
                (format!("{name} {version}"), rank, users.parse().expect("a number"))
            }
            _ => panic!("not a row of the table: {line:?}"),
        };
        Ranks { heading, top: lines.enumerate().map(row).collect(), summary }
    }
}

/// A `[[package]]` of a lock file.
pub(crate) fn package(name: &str, version: &str, dependencies: &[&str]) -> String {
    format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\ndependencies = {dependencies:?}\n\n")
}
