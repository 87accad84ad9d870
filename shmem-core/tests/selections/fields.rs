//! Fields of derived structs: `remote!(BODIES[pe, selection].field)`.

use std::ops::Deref;

use shmem::prelude::*;

use crate::elements::{Big, Body, Metres, Rgb, Ten, Vertex, Wide, assert_same, bytes, value, values};
use crate::messages;

#[symmetric]
static BODY: Body = Body { pos: [1.0, 2.0, 3.0], mass: 4.0, id: 5, tag: [6, 7, 8, 9] };
#[symmetric]
static BODIES: [Body; 9] = [Body { pos: [1.0, 2.0, 3.0], mass: 4.0, id: 5, tag: [6, 7, 8, 9] }; 9];
#[symmetric]
static VERTICES: [[Vertex; 5]; 4] =
    [[Vertex { at: [0.5; 2], colour: Rgb { red: 1, green: 2, blue: 3 }, alpha: 4 }; 5]; 4];
#[symmetric]
static TENS: PerPe<[Ten; 3]> = PerPe::new([Ten { head: 1, tail: [2; 4] }; 3]);
#[symmetric]
static WIDES: [[[Wide; 2]; 2]; 3] = [[[Wide { key: 1, low: [2, 3], high: -4 }; 2]; 2]; 3];
#[symmetric]
static BIGS: [Big; 4] = [Big { name: [1; 131], end: 2, flag: [3] }; 4];
#[symmetric]
static LENGTHS: [Metres; 6] = [Metres(0.0); 6];

/// Each PE calls `write` on its right neighbour's copy, which checks it after a barrier. The
/// copies hold `model` at first; `whole` reads one in row-major order, and `change` does to the
/// model what `write` does to the copy. Both are given the writer.
fn check<T: Symmetric>(
    world: &World,
    model: &[T],
    whole: impl Fn(usize) -> Vec<T>,
    write: impl Fn(usize, usize),
    change: impl Fn(&mut [T], usize),
) {
    let me = world.my_pe();
    let n_pes = world.n_pes();
    let (left, right) = ((me + n_pes - 1) % n_pes, (me + 1) % n_pes);
    let written_by = |writer| {
        let mut model = model.to_vec();
        change(&mut model, writer);
        model
    };
    assert_same(&whole(right), model, "the neighbour's copy at first");
    write(right, me);
    assert_same(&whole(right), &written_by(me), "the neighbour's copy");
    world.barrier_all();
    assert_same(&whole(me), &written_by(left), "the own copy, after the barrier");
    world.barrier_all();
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn of_one_element(world: &World) {
    #[shmem::kernel]
    fn write(pe: usize, writer: usize) {
        assert_eq!(remote!(BODY[pe].pos), [1.0, 2.0, 3.0]);
        assert_eq!(remote!(BODY[pe].mass), 4.0);
        assert_eq!(remote!(BODY[pe].id), 5_u32);
        remote!(BODY[pe].mass) = writer as f64;
        remote!(BODY[pe].tag = [writer as u8; 4]);
        remote!(&BODY[pe].id).put(17);
        let mut id = 0;
        remote!(BODY[pe].id => &mut id);
        assert_eq!(id, 17);
    }
    let body = Body { pos: [1.0, 2.0, 3.0], mass: 4.0, id: 5, tag: [6, 7, 8, 9] };
    check(
        world,
        &[body],
        |pe| vec![remote!(BODY[pe])],
        write,
        |model, writer| {
            model[0].mass = writer as f64;
            model[0].tag = [writer as u8; 4];
            model[0].id = 17;
        },
    );
    assert_eq!(local!(BODY.id), 17);
    local!(BODY.id) = 18;
    assert_eq!(local!(&BODY.id).get(), 18);
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn of_ranges(world: &World) {
    #[shmem::kernel]
    fn write(pe: usize, writer: usize) {
        let (first, end, step) = (1, 8, 3);
        let data = values::<f64>(writer as u64, 3);
        // Known to the compiler: an array. At run time: a `Vec`.
        let masses: [f64; 9] = remote!(BODIES[pe, ..].mass);
        assert_eq!(masses, [4.0; 9]);
        remote!(BODIES[pe, 1..8;3].mass) = [data[0], data[1], data[2]];
        let read: Vec<f64> = remote!(BODIES[pe, first..end;step].mass);
        assert_same(&read, &data, "masses");
        remote!(BODIES[pe, first..end;step].id = vec![writer as u32 + 1; 3]);
        let mut ids = [0; 9];
        remote!(BODIES[pe, ..].id => &mut ids);
        assert_eq!(ids[..3], [5, writer as u32 + 1, 5]);
        // One value of a field that is an array, for all.
        remote!(BODIES[pe, 0..9;8].pos) = [9.0, 8.0, writer as f64];
        remote!(&BODIES[pe, 5..7].tag).fill([writer as u8; 4]);
        let i = 4;
        remote!(BODIES[pe, i].tag = [255; 4]);
    }
    let body = Body { pos: [1.0, 2.0, 3.0], mass: 4.0, id: 5, tag: [6, 7, 8, 9] };
    check(
        world,
        &[body; 9],
        |pe| remote!(BODIES[pe, ..]).to_vec(),
        write,
        |model, writer| {
            let data = values::<f64>(writer as u64, 3);
            for (k, i) in [1, 4, 7].into_iter().enumerate() {
                model[i].mass = data[k];
                model[i].id = writer as u32 + 1;
            }
            for i in [0, 8] {
                model[i].pos = [9.0, 8.0, writer as f64];
            }
            for body in &mut model[5..7] {
                body.tag = [writer as u8; 4];
            }
            model[4].tag = [255; 4];
        },
    );
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn of_fields_in_blocks(world: &World) {
    #[shmem::kernel]
    fn write(pe: usize, writer: usize) {
        let greens: [[u8; 5]; 4] = remote!(VERTICES[pe, .., ..].colour.green);
        assert_eq!(greens, [[2; 5]; 4]);
        remote!(VERTICES[pe, 1..3, 0..5;2].colour.green) = [[1, 2, 3], [4, 5, writer as u8]];
        let (rows, column) = (2, 4);
        remote!(VERTICES[pe, .., column].at) = vec![[writer as f32, 1.0]; 4];
        let at: Vec<[f32; 2]> = remote!(VERTICES[pe, 0..rows, column].at);
        assert_eq!(at, [[writer as f32, 1.0]; 2]);
        remote!(VERTICES[pe, 3, ..].alpha) = 200;
    }
    let vertex = Vertex { at: [0.5; 2], colour: Rgb { red: 1, green: 2, blue: 3 }, alpha: 4 };
    let whole = |pe| remote!(VERTICES[pe, .., ..]).as_flattened().to_vec();
    check(world, &[vertex; 20], whole, write, |model, writer| {
        let greens = [[1, 2, 3], [4, 5, writer as u8]];
        for (k, row) in [1, 2].into_iter().enumerate() {
            for (l, column) in [0, 2, 4].into_iter().enumerate() {
                model[row * 5 + column].colour.green = greens[k][l];
            }
        }
        for row in 0..4 {
            model[row * 5 + 4].at = [writer as f32, 1.0];
        }
        for vertex in &mut model[15..] {
            vertex.alpha = 200;
        }
    });
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn of_slots_of_all_pes(world: &World) {
    #[shmem::kernel]
    fn write(pe: usize, writer: usize) {
        remote!(TENS[pe, writer, 0..3;2].tail) = [[writer as i16; 4], [-1; 4]];
        let heads: Vec<u16> = remote!(TENS[pe, .., 1].head);
        assert!(heads.iter().all(|&head| head == 1));
    }
    let model = vec![Ten { head: 1, tail: [2; 4] }; 3 * world.n_pes()];
    check(
        world,
        &model,
        |pe| remote!(TENS[pe, .., ..]),
        write,
        |model, writer| {
            model[writer * 3].tail = [writer as i16; 4];
            model[writer * 3 + 2].tail = [-1; 4];
        },
    );
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn of_wide_structs(world: &World) {
    #[shmem::kernel]
    fn write(pe: usize, writer: usize) {
        let keys = remote!(WIDES[pe, 0..3;2, 1, ..].key);
        assert_eq!(keys, [[1_u128; 2]; 2]);
        remote!(WIDES[pe, 0..3;2, 1, ..].key) = [[u128::MAX, 2], [3, writer as u128]];
        remote!(WIDES[pe, 1, .., 0].high) = i128::MIN;
    }
    let model = [Wide { key: 1, low: [2, 3], high: -4 }; 12];
    let whole = |pe| remote!(WIDES[pe, .., .., ..]).as_flattened().as_flattened().to_vec();
    check(world, &model, whole, write, |model, writer| {
        for (place, key) in [(2, u128::MAX), (3, 2), (10, 3), (11, writer as u128)] {
            model[place].key = key;
        }
        model[4].high = i128::MIN;
        model[6].high = i128::MIN;
    });
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn of_big_structs(world: &World) {
    #[shmem::kernel]
    fn write(pe: usize, writer: usize) {
        let name: [u8; 131] = value(writer as u64);
        remote!(BIGS[pe, 1..4;2].name) = name;
        assert_eq!(remote!(BIGS[pe, 3].name), name);
        remote!(BIGS[pe, ..].end) = [10, 11, 12, writer as u8];
        assert_eq!(remote!(BIGS[pe, ..].flag), [[3]; 4]);
    }
    let model = [Big { name: [1; 131], end: 2, flag: [3] }; 4];
    check(
        world,
        &model,
        |pe| remote!(BIGS[pe, ..]).to_vec(),
        write,
        |model, writer| {
            model[1].name = value(writer as u64);
            model[3].name = value(writer as u64);
            for (big, end) in model.iter_mut().zip([10, 11, 12, writer as u8]) {
                big.end = end;
            }
        },
    );
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn of_wrappers(world: &World) {
    #[shmem::kernel]
    fn write(pe: usize, writer: usize) {
        remote!(LENGTHS[pe, 0..6;2].0) = [1.0, -0.0, writer as f64];
    }
    let whole = |pe| remote!(LENGTHS[pe, ..]).to_vec();
    check(world, &[Metres(0.0); 6], whole, write, |model, writer| {
        for (place, length) in [(0, 1.0), (2, -0.0), (4, writer as f64)] {
            model[place].0 = length;
        }
    });
}

#[shmem::test(npes = [1, 2, 4])]
fn of_symmetric_arrays(world: &World) -> Result<(), shmem::Error> {
    let body: Body = value(1);
    let array = world.symmetric_array::<Body, 2>([4, 6], body)?;
    let masses = |writer: usize| [[1.0, 2.0, 3.0], [4.0, 5.0, writer as f64]];
    let write = |pe: usize, writer: usize| {
        let ids: Vec<u32> = remote!(array[pe, 1..3, ..].id);
        assert_eq!(ids, [body.id; 12]);
        remote!(array[pe, 0..4;3, 1..6;2].mass = masses(writer));
    };
    check(
        world,
        &[body; 24],
        |pe| remote!(array[pe, .., ..]),
        write,
        |model, writer| {
            for (k, row) in [0, 3].into_iter().enumerate() {
                for (l, column) in [1, 3, 5].into_iter().enumerate() {
                    model[row * 6 + column].mass = masses(writer)[k][l];
                }
            }
        },
    );
    assert_eq!(bytes(&[remote!(array[0, 0, 0].pos)]), bytes(&[body.pos]));
    Ok(())
}

/// What a `Deref` answers for `.field` is no field: it may lie elsewhere, or be aligned in one
/// element and not in the next.
#[shmem::test]
fn what_deref_answers_is_refused(world: &World) {
    #[derive(Clone, Copy, Symmetric)]
    #[repr(transparent)]
    struct Twelve([u8; 12]);
    #[derive(Clone, Copy)]
    #[repr(transparent)]
    struct Word {
        word: u64,
    }
    impl Deref for Twelve {
        type Target = Word;
        fn deref(&self) -> &Word {
            static ELSEWHERE: Word = Word { word: 0 };
            let place: *const Word = self.0.as_ptr().cast();
            if place.is_aligned() {
                // SAFETY: eight of the twelve bytes, aligned as just seen; every bit pattern is a
                // valid word.
                unsafe { &*place }
            } else {
                &ELSEWHERE
            }
        }
    }
    #[symmetric]
    static TWELVES: [Twelve; 3] = [Twelve([0; 12]); 3];

    messages::expect_panics_quietly();
    let pe = 1 - world.my_pe();
    let message = messages::panics("a word through Deref", || remote!(TWELVES[pe, 1].word = 5));
    assert!(message.starts_with("a field selection "), "{message}");
    assert_eq!(remote!(TWELVES[pe, 1].0), [0; 12]);
}
