//! Ends as its first argument says.

use std::io::Read as _;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let first = world.my_pe() == 0;
    match arguments[0].as_str() {
        "status" => return ExitCode::from(arguments[1].parse::<u8>().expect("a status")),
        "panic" => assert!(!first, "a deliberate panic"),
        "abort" if first => std::process::abort(),
        "echo" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).expect("standard input can be read");
            if !text.is_empty() {
                println!("PE {} of {} read {text:?}", world.my_pe(), world.n_pes());
            }
        }
        "wait" => {
            world.barrier_all();
            if first {
                println!("ready");
            }
            loop {
                thread::sleep(Duration::from_secs(1));
            }
        }
        _ => println!("{arguments:?}"),
    }
    ExitCode::SUCCESS
}
