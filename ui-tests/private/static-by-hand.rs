use shmem::prelude::*;
use shmem::__private::{ElementOf, Init, Static, StaticInfo, inventory, register, symmetric_static};

// Never laid out.
static FORGED: Static<u64> = Static::new(StaticInfo::new("FORGED", "m", "f.rs", 1, 1, "u64"));

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
inventory::submit! { register::<u8>(&FORGED, &INIT, <u8 as ElementOf<u8>>::LAYOUT) }

fn main() {
    let _ = (local!(FORGED), local!(LARGE[9]));
}
