use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
struct Body {
    mass: f64,
}

#[derive(Clone, Copy, Symmetric)]
#[repr(u8)]
enum Phase {
    Idle,
}

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Pair<T>(T, T);

#[symmetric]
static BODIES: [Body; 8] = [Body { mass: 1.0 }; 8];
#[symmetric]
static PHASE: PerPe<Phase> = PerPe::new(Phase::Idle);
#[symmetric]
static PAIR: Pair<u32> = Pair(1, 2);

#[shmem::main]
fn main(world: &World) {
    let first = remote!(BODIES[0, 0]);
    remote!(BODIES[0, 1..3]) = first;
    let all = world.symmetric_array::<Body, 1>([8], first).unwrap();
    local!(all[0]) = local!(BODIES[7]);
    local!(PHASE[0]) = Phase::Idle;
    local!(PAIR) = Pair(3, 4);
}
