#![forbid(unsafe_code)]
use shmem::__private::{Fix, Init, Static, StaticEntry, StaticInfo, inventory, symmetric_static};
use shmem::prelude::*;

// One that is never laid out.
static FORGED: Static<u64, ()> = Static::new(StaticInfo::new("FORGED", "m", "f.rs", 1, 1, "u64"));

// One that claims to be larger than its initial value.
symmetric_static! {
    static LARGER: Static<u64, (Fix<{ 1 << 20 }>,)> = [[u64; 2]] of [u64]: [0; 2]; "LARGER", "[u64; 2]"
}

// One whose elements are not what it says.
symmetric_static! {
    static OTHER: Static<u64, ()> = [f64] of [u64]: 0.0; "OTHER", "u64"
}

// One of elements that are none.
symmetric_static! {
    static FLAGS: Static<bool, (Fix<2>,)> = [[bool; 2]] of [bool]: [true; 2]; "FLAGS", "[bool; 2]"
}

// One that is registered with the initial value of a larger one.
#[symmetric]
static HONEST: [u8; 4] = [0; 4];
static INIT: Init<[u8; 64]> = Init::new([1; 64]);
inventory::submit! { StaticEntry::new(&HONEST, &INIT) }

fn main() {}
