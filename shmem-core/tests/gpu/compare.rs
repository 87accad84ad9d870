//! Random kernels give the same results in Rust, by the back end `host`, and in C++, compiled for this
//! processor.
//!
//! The C++ is the text that a GPU gets. A small header, `standin/nvshmem.h`, stands in for CUDA and for
//! NVSHMEM. So the test shows that the two languages agree, and says nothing about GPUs.

use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use shmem::gpu::{DeviceArray, Stream};
use shmem::prelude::*;

use crate::generate;
use crate::random::Random;

/// The kernels, which the generator wrote.
#[allow(
    warnings,
    clippy::all,
    arithmetic_overflow,
    unconditional_panic,
    overflowing_literals,
    reason = "they are random"
)]
mod written {
    use super::{Arguments, Stream};
    use shmem::prelude::*;

    macro_rules! for_each_kernel {
        ($($kernel:ident)*) => {
            /// Launches a kernel by its number.
            pub fn launch(number: usize, stream: &Stream, arguments: Arguments<'_>) {
                let all: [fn(&Stream, Arguments<'_>); crate::generate::COUNT] = [$(
                    |stream, arguments| {
                        $kernel.launch(stream, super::BLOCKS, super::THREADS, arguments).unwrap();
                    }
                ),*];
                all[number](stream, arguments);
            }

            /// The texts of all of them in C++.
            pub fn sources() -> Vec<String> {
                vec![$($kernel.cuda_source()),*]
            }
        };
    }

    include!("random_kernels.rs");
}

const BLOCKS: usize = 2;
const THREADS: usize = 5;
const LEN: usize = BLOCKS * THREADS;
/// How often each kernel runs, with numbers of its own.
const ROUNDS: usize = 2;

type Arguments<'a> = (
    &'a DeviceArray<i64, 1>,
    &'a DeviceArray<f64, 1>,
    &'a DeviceArray<i64, 2>,
    &'a DeviceArray<f64, 1>,
    &'a DeviceArray<i64, 2>,
    &'a DeviceArray<Atomic<u32>, 1>,
    usize,
    i32,
    f32,
);

/// The file of the kernels is what the generator makes.
#[test]
fn random_kernels_are_those_of_the_generator() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gpu/random_kernels.rs");
    let made = generate::all();
    if env::var_os("KERNELS").is_some_and(|value| value == "overwrite") {
        fs::write(&path, &made).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == made, "{}: see generate.rs", path.display());
}

/// The program of all kernels in C++. Each text begins with the same lines, which stand here once.
fn program() -> String {
    const END: &str = "} // namespace rs\n";
    let sources = written::sources();
    let (head, _) = sources[0].split_once(END).expect("the end of what stands before each kernel");
    let mut text = format!("{head}{END}");
    for source in &sources {
        let (start, kernel) = source.split_once(END).unwrap();
        assert!(start == head);
        text.push_str(kernel);
    }
    text.push_str(
        r#"
int main() {
    unsigned long pes, runs, len, blocks, threads;
    if (scanf("%lu %lu %lu %lu %lu", &pes, &runs, &len, &blocks, &threads) != 5) return 1;
    standin_pes = (int)pes;
    for (unsigned long run = 0; run < runs; run++) {
        unsigned long number;
        int a;
        unsigned bits;
        if (scanf("%lu %d %u", &number, &a, &bits) != 3) return 1;
        float x;
        memcpy(&x, &bits, 4);
        size_t out = 2 * len, real_out = out + pes * len, moved = real_out + len, cells = moved + pes * len, end = cells + 3;
        standin_heaps.assign(pes, std::vector<uint64_t>(end, 0));
        for (auto &heap : standin_heaps)
            for (unsigned long k = 0; k < 2 * len; k++)
                if (scanf("%lx", &heap[k]) != 1) return 1;
        for (unsigned long pe = 0; pe < pes; pe++) {
            standin_pe = (int)pe;
            uint64_t *heap = standin_heaps[pe].data();
            rs::Global<rs::i64, 1> source = {(rs::i64 *)heap, {len}};
            rs::Global<rs::f64, 1> reals = {(rs::f64 *)(heap + len), {len}};
            rs::Global<rs::i64, 2> outs = {(rs::i64 *)(heap + out), {pes, len}};
            rs::Global<rs::f64, 1> real_outs = {(rs::f64 *)(heap + real_out), {len}};
            rs::Global<rs::i64, 2> moves = {(rs::i64 *)(heap + moved), {pes, len}};
            rs::Cells<rs::u32, 1> counts = {{(rs::u32 *)(heap + cells), {6}}};
            auto kernel = [&] {
                switch (number) {
"#,
    );
    for number in 0..sources.len() {
        let _ = writeln!(
            text,
            "case {number}: kernel_{number}(source, reals, outs, real_outs, moves, counts, len, a, x); break;"
        );
    }
    text.push_str(
        r#"
                }
            };
            std::string what = standin_launch((unsigned)blocks, (unsigned)threads, kernel);
            printf("%s\n", what.empty() ? "ok" : what.c_str());
        }
        for (auto &heap : standin_heaps) {
            for (size_t k = out; k < end; k++) printf("%lx ", heap[k]);
            printf("\n");
        }
    }
}
"#,
    );
    text
}

/// What the arguments of one run are, the same on all PEs.
struct Run {
    number: usize,
    a: i32,
    x: f32,
    /// `LEN` numbers of each PE, and as many with a point.
    source: Vec<Vec<i64>>,
    reals: Vec<Vec<f64>>,
}

fn runs(n: usize) -> Vec<Run> {
    let mut random = Random(7);
    let mut runs = Vec::new();
    for round in 0..ROUNDS {
        for number in 0..generate::COUNT {
            let mut whole = || {
                let word = (random.below(1 << 31) as i64) << 33 | (random.below(1 << 31) as i64) << 2;
                word >> random.below(60)
            };
            let source = (0..n).map(|_| (0..LEN).map(|_| whole()).collect()).collect();
            let mut real = || match random.below(12) {
                0 => f64::NAN,
                1 => f64::INFINITY,
                2 => -1e300,
                _ => (random.below(4000) as f64 - 2000.0) / 7.0,
            };
            let reals = (0..n).map(|_| (0..LEN).map(|_| real()).collect()).collect();
            let a = random.below(1 << 12) as i32 - 2048;
            runs.push(Run { number, a, x: (a + round as i32) as f32 * 0.37, source, reals });
        }
    }
    runs
}

/// Compiles the program to this file; returns whether there is a compiler.
fn compile(to: &Path) -> bool {
    let compilers =
        [env::var("CXX").unwrap_or_else(|_| "c++".to_owned()), "g++".to_owned(), "clang++".to_owned()];
    let found = compilers.into_iter().find(|compiler| {
        let version =
            Command::new(compiler).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    });
    let Some(compiler) = found else { return false };
    let text = to.with_extension("cpp");
    fs::write(&text, program()).unwrap();
    let standin = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gpu/standin");
    let compiled = Command::new(&compiler)
        .args([
            "-std=c++17",
            "-O1",
            "-ffp-contract=off",
            "-Wall",
            "-Wno-unused",
            "-Werror=narrowing",
            "-pthread",
            "-I",
        ])
        .arg(standin)
        .arg("-o")
        .arg(to)
        .arg(&text)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{compiler} does not compile {}:\n{said}", text.display());
    true
}

/// Writes what the program in C++ says of all runs to the file beside it.
fn run_cpp(program: &Path, runs: &[Run], n: usize) {
    let mut input = format!("{n} {} {LEN} {BLOCKS} {THREADS}\n", runs.len());
    for run in runs {
        let _ = writeln!(input, "{} {} {}", run.number, run.a, run.x.to_bits());
        for (source, reals) in run.source.iter().zip(&run.reals) {
            for word in source
                .iter()
                .map(|value| value.cast_unsigned())
                .chain(reals.iter().map(|value| value.to_bits()))
            {
                let _ = write!(input, "{word:x} ");
            }
        }
        input.push('\n');
    }
    // Both files stay, for who looks into a difference.
    let file = program.with_extension("in");
    fs::write(&file, &input).unwrap();
    let output = Command::new(program).stdin(File::open(&file).unwrap()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    fs::write(said_by(program), &output.stdout).unwrap();
}

/// The file with what the program says.
fn said_by(program: &Path) -> PathBuf {
    program.with_extension("out")
}

/// Whether two numbers are the same, where all that are not numbers are.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

// Compiling takes most of the time, so it is one number of PEs.
#[shmem::test(npes = 3)]
fn random_kernels_are_the_same_in_cpp(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    // `scripts/test-cuda` may run this at the same time.
    let who = if env::var_os("SHMEM_GPU_COMPILE").is_some() { "compiled-" } else { "" };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kernels-{who}{n}"));
    let (program, runs) = (folder.join("kernels"), runs(n));
    // One PE compiles the program and runs it, for all.
    let is_there = me == 0 && {
        fs::create_dir_all(&folder).unwrap();
        compile(&program)
    };
    if is_there {
        run_cpp(&program, &runs, n);
    }
    if collective!(broadcast u8::from(is_there) from 0) == 0 {
        if me == 0 {
            println!("NOT compared: there is no C++ compiler (searched CXX, c++, g++, clang++)");
        }
        return Ok(());
    }
    let said = fs::read_to_string(said_by(&program)).unwrap();
    let mut lines = said.lines();
    let gpu = world.gpu()?;
    let (mut good, mut bad) = (0, 0);
    for run in &runs {
        let expected: Vec<&str> = lines.by_ref().take(n).collect();
        let heaps: Vec<&str> = lines.by_ref().take(n).collect();
        let stream = gpu.stream()?;
        let source = gpu.from_slice(&run.source[me])?;
        let reals = gpu.from_slice(&run.reals[me])?;
        let (out, real_out) = (gpu.zeros::<i64, 2>([n, LEN])?, gpu.zeros::<f64, 1>([LEN])?);
        let (moved, cells) = (gpu.zeros::<i64, 2>([n, LEN])?, gpu.zeros::<Atomic<u32>, 1>([6])?);
        let arguments = (&source, &reals, &out, &real_out, &moved, &cells, LEN, run.a, run.x);
        written::launch(run.number, &stream, arguments);
        let result = stream.synchronize().map_err(|error| error.to_string());
        let number = run.number;
        match &result {
            Ok(()) => assert_eq!(expected[me], "ok", "kernel {number} goes wrong in C++ alone"),
            Err(error) => assert_ne!(expected[me], "ok", "kernel {number} goes wrong in Rust alone: {error}"),
        }
        world.barrier_all();
        if expected.iter().any(|text| *text != "ok") {
            // Which threads have run before it is not the same.
            bad += 1;
            continue;
        }
        good += 1;
        let stream = gpu.stream()?;
        let words: Vec<u64> =
            heaps[me].split_whitespace().map(|word| u64::from_str_radix(word, 16).unwrap()).collect();
        let (outs, rest) = words.split_at(n * LEN);
        let (real_outs, rest) = rest.split_at(LEN);
        let (moves, counts) = rest.split_at(n * LEN);
        let here: Vec<u64> = out.to_vec(&stream)?.into_iter().map(i64::cast_unsigned).collect();
        assert_eq!(here, outs, "the numbers of kernel {number}");
        for (a, &b) in real_out.to_vec(&stream)?.into_iter().zip(real_outs) {
            assert!(same(a, f64::from_bits(b)), "kernel {number}: {a} in Rust, {} in C++", f64::from_bits(b));
        }
        let here: Vec<u64> = moved.to_vec(&stream)?.into_iter().map(i64::cast_unsigned).collect();
        assert_eq!(here, moves, "what kernel {number} moves");
        let counts: Vec<u32> = counts.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).collect();
        assert_eq!(cells.to_vec(&stream)?, counts, "the cells of kernel {number}");
    }
    assert!(good > 20 && bad > 0, "{good} runs without a mistake, and {bad} with one");
    Ok(())
}
