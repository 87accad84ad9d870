//! Events and spans of the library, printed by the subscriber that most programs use.

// ANCHOR: all
use shmem::prelude::*;
use tracing::{Level, info, info_span};
use tracing_subscriber::fmt::format::FmtSpan;

#[symmetric]
static INBOX: [u32; 4] = [0; 4];

#[shmem::main]
fn main(world: &World) {
    tracing_subscriber::fmt()
        .with_max_level(Level::TRACE) // DEBUG leaves out single operations
        .with_span_events(FmtSpan::NEW) // FmtSpan::CLOSE has how long a span took
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        .init();
    let me = world.my_pe();
    let _label = info_span!("PE", me).entered();

    let right = (me + 1) % world.n_pes();
    remote!(INBOX[right, 1..3]) = [7; 2];
    let sum = collective!(sum me as u64);
    info!(sum, "all have put");
}
// ANCHOR_END: all
