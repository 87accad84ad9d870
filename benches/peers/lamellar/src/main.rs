//! The peer over Lamellar: the small works of the protocol that the benchmark measures side by
//! side.
//!
//! Each PE connects to the socket that `BENCH_SOCKET` names, says who it is, and then does what
//! each line asks for: `<operation> <bytes> <stride> <repeats>`. It answers the nanoseconds that
//! all repeats took (PE 0), `0` (the others), or `none` for what Lamellar does not have. At the end
//! of the lines the job ends.

mod work;

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::{ExitCode, id};

use lamellar::{Backend, ExecutorType, LamellarWorldBuilder};

use work::Work;

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the peer over Lamellar: {error}");
            // Not through the destructors: those of the world wait for PEs that know nothing of
            // this.
            std::process::exit(1);
        }
    }
}

fn serve() -> Result<(), Box<dyn Error>> {
    let socket = std::env::var("BENCH_SOCKET").map_err(|error| format!("BENCH_SOCKET: {error}"))?;
    let world = LamellarWorldBuilder::new()
        .with_lamellae(Backend::Shmem)
        .with_executor(ExecutorType::SingleThread)
        .build();
    let (me, pes) = (world.my_pe(), world.num_pes());
    let mut work = Work::new(world);

    let mut stream = UnixStream::connect(&socket).map_err(|error| format!("{socket}: {error}"))?;
    writeln!(stream, "{} {me} {pes}", id())?;
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?;
        let [operation, numbers @ ..] = &line.split_whitespace().collect::<Vec<_>>()[..] else {
            return Err("an empty line".into());
        };
        let numbers = numbers.iter().map(|number| number.parse::<usize>()).collect::<Result<Vec<_>, _>>();
        let Ok(&[bytes, stride, repeats]) = numbers.as_deref() else {
            return Err(format!("{line:?} is not an operation and three numbers").into());
        };
        match work.run(operation, bytes, stride, repeats) {
            Some(nanoseconds) => writeln!(stream, "{nanoseconds}")?,
            None => writeln!(stream, "none")?,
        }
    }
    if work.counted() { Ok(()) } else { Err("an atomic operation was lost".into()) }
}
