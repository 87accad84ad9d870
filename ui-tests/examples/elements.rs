// Element types, and the fields of derived ones.
use shmem::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Particle {
    at: Point,
    r#type: u32,
    _pad: [u8; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Point(f64, Pair);

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(transparent)]
struct Pair([i16; 4]);

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C, align(16))]
pub(crate) struct Wide {
    pub(crate) low: u64,
    high: u64,
}

const START: Particle = Particle { at: Point(1.5, Pair([1, 2, 3, 4])), r#type: 6, _pad: [0; 4] };

type Vector = [f32; 3];

#[symmetric]
static PARTICLES: [Particle; 4] = [START; 4];
#[symmetric]
static ONE: Particle = START;
#[symmetric]
static PER_PE: PerPe<[Wide; 2]> = PerPe::new([Wide { low: 1, high: 2 }; 2]);
// An alias is looked through: the object has an axis.
#[symmetric]
static VECTOR: Vector = [1.0, 2.0, 3.0];
#[symmetric]
static NUMBERS: [[i128; 2]; 2] = [[i128::MIN, -1], [0, i128::MAX]];
#[symmetric]
static BYTES: [u8; 3] = *b"abc";

#[shmem::main(npes = 2)]
fn main(world: &World) {
    let me = world.my_pe();
    let right = (me + 1) % world.n_pes();
    remote!(PARTICLES[right, 1].r#type) = 7;
    remote!(PARTICLES[right, 1..3].at.0) = [2.5, 3.5];
    remote!(PARTICLES[right, ..].at.1.0) = [9; 4];
    remote!(ONE[right].at.1) = Pair([5; 4]);
    remote!(PER_PE[right, me, ..].high) = 8;
    remote!(VECTOR[right, ..]) = [4.0, 5.0, 6.0];
    remote!(NUMBERS[right, .., 1]) = [i128::MAX, i128::MIN];
    remote!(BYTES[right, 1]) = b'-';
    world.barrier_all();

    assert_eq!(local!(PARTICLES[..].r#type), [6, 7, 6, 6]);
    assert_eq!(local!(PARTICLES[..].at.0), [1.5, 2.5, 3.5, 1.5]);
    let i = 3;
    assert_eq!(local!(PARTICLES[i].at), Point(1.5, Pair([9; 4])));
    assert_eq!(local!(ONE.at.1.0), [5; 4]);
    assert_eq!(local!(ONE), Particle { at: Point(1.5, Pair([5; 4])), ..START });
    assert_eq!(local!(PER_PE[right, 0]), Wide { low: 1, high: 8 });
    assert_eq!(local!(PER_PE[me, ..].high), [2, 2]);
    assert_eq!(local!(VECTOR[..]), [4.0, 5.0, 6.0]);
    assert_eq!(local!(NUMBERS[.., ..]), [[i128::MIN, i128::MAX], [0, i128::MIN]]);
    assert_eq!(&local!(BYTES[..]), b"a-c");
}
