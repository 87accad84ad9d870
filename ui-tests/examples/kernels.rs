// Functions that `#[shmem::kernel]` marks, with the operator after the parenthesis.
use shmem::prelude::*;

#[symmetric]
static ROW: [i64; 4] = [0; 4];
#[symmetric]
static COUNT: Atomic<i64> = Atomic::new(0);

struct Step {
    by: i64,
}

trait Advance {
    fn advance(&self, pe: usize) -> i64;
}

impl Advance for Step {
    /// Documented, attributed, in a trait's implementation.
    #[inline(never)]
    #[shmem::kernel]
    fn advance(&self, pe: usize) -> i64 {
        remote!(COUNT[pe]) += self.by;
        remote!(COUNT[pe]) -= 1;
        shmem::remote!(COUNT[pe]) |= 0x100;
        (remote!(COUNT[pe])) &= !0x100;
        remote!(COUNT[pe]) ^= 0;
        remote!(COUNT[pe])
    }
}

#[shmem::kernel]
const fn untouched(n: usize) -> usize {
    let mut n = n;
    n += 1;
    n
}

#[shmem::kernel]
fn fill(pe: usize, values: &mut dyn Iterator<Item = i64>) {
    let mut put = |at: usize| {
        if let Some(value) = values.next() {
            remote!(ROW[pe, at]) = value;
        }
    };
    put(0);
    put(1);
    for at in 2..4 {
        #[allow(clippy::identity_op)]
        remote!(ROW[pe, at + 0]) = match at {
            2 => 30,
            _ => {
                local!(ROW[0]) = 5;
                local!(ROW[0])
            }
        };
    }
}

#[shmem::main(npes = 1)]
fn main() {
    assert_eq!(Step { by: 3 }.advance(0), 2);
    assert_eq!(untouched(3), 4);
    fill(0, &mut [10, 20].into_iter());
    assert_eq!(local!(ROW[..]), [5, 20, 30, 5]);
    let mut plain = [1, 2];
    plain[0] += plain[1];
    assert_eq!(plain, [3, 2]);
}
