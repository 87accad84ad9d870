use shmem::prelude::*;
use shmem::__private::{Init, Static, StaticEntry, StaticInfo, inventory, symmetric_static};

// Never laid out.
static FORGED: Static<u64> = Static::new(StaticInfo::new("FORGED", "m", "f.rs", 1, 1, "u64"));

// Its elements are not what it says.
symmetric_static! {
    static OTHER: [[u64; 2]] of [u32] = [0; 2]; "OTHER", "[u64; 2]"
}

// Its elements are no plain data.
symmetric_static! {
    static POINTERS: [[&'static u64; 2]] of [&'static u64] = [&0; 2]; "POINTERS", "[&u64; 2]"
}

// Another value than its type says.
symmetric_static! {
    static LARGE: [[u64; 1 << 20]] of [u64] = 0; "LARGE", "[u64; 1 << 20]"
}

// Laid out with another value.
static INIT: Init<u8> = Init::new(0);
inventory::submit! { StaticEntry::new::<u8, _>(&FORGED, &INIT) }

fn main() {
    let _ = (local!(FORGED), local!(OTHER[0]), local!(LARGE[9]));
}
