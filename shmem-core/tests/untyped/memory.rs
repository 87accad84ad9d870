//! Programs that claim memory, move bytes, and keep teams and contexts, against plain Rust models.

use std::process::ExitCode;

use shmem::prelude::*;
use shmem::untyped::{HeapMemory, Hint, Member, OwnedContext};

use crate::programs::{join, refused, say};

/// Numbers that are the same on all PEs that begin with the same seed.
struct Random(u64);

impl Random {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Claims, resizes and releases memory at random, and finds in each block what this PE wrote there.
pub(crate) fn claims() -> ExitCode {
    let member = join();
    let (me, n) = (member.my_pe(), member.n_pes());
    // Where PEs tell each other their offsets: one word for each.
    let board = member.claim(8 * n, 8, &[]).expect("there is room");
    let mut random = Random(17);
    let mut blocks: Vec<(HeapMemory, u8)> = Vec::new();
    let byte = |name: u8, i: usize| (i / 3) as u8 ^ name.wrapping_mul(31) ^ (me as u8).wrapping_mul(7);
    // SAFETY: blocks of this PE, which no other PE accesses.
    let copy = |memory: &HeapMemory| unsafe {
        std::slice::from_raw_parts_mut(member.heap().add(memory.offset()), memory.bytes())
    };
    for turn in 0..200 {
        let (what, bytes) = (random.below(4), random.below(40_000));
        let mut written = None;
        if blocks.is_empty() || (what < 2 && blocks.len() < 12) {
            let align = 1 << random.below(13);
            let hints = &[Hint::AtomicsRemote, Hint::SignalRemote][..random.below(3)];
            let memory = member.claim(bytes, align, hints).expect("there is room");
            assert_eq!((memory.bytes(), memory.offset() % align.max(64)), (bytes, 0));
            blocks.push((memory, turn));
            written = Some((blocks.len() - 1, 0));
        } else {
            let which = random.below(blocks.len());
            match what {
                3 => {
                    let (memory, _) = blocks.swap_remove(which);
                    if random.below(2) == 0 {
                        memory.release().expect("all PEs release it");
                    } else {
                        drop(memory);
                        member.reclaim().expect("all PEs do");
                    }
                }
                _ => {
                    let memory = &mut blocks[which].0;
                    let kept = memory.bytes().min(bytes);
                    memory.resize(bytes).expect("there is room");
                    assert_eq!(memory.bytes(), bytes);
                    written = Some((which, kept));
                }
            }
        }
        // What it had is there; the rest is written now.
        if let Some((which, kept)) = written {
            let (memory, name) = &blocks[which];
            for (i, slot) in copy(memory).iter_mut().enumerate() {
                assert!(i >= kept || *slot == byte(*name, i), "turn {turn}, byte {i}");
                *slot = byte(*name, i);
            }
            // Each block lies at one offset on all PEs.
            let word = board.offset() + 8 * me;
            let place = memory.offset() as u64;
            // SAFETY: a word of this PE's on the board of PE 0.
            unsafe {
                member.area(None, 0, word, &[], 8, &"the board").put((&raw const place).cast(), 8, false)
            };
        } else {
            // SAFETY: as above.
            unsafe {
                member.area(None, 0, board.offset() + 8 * me, &[], 8, &"the board").put(
                    [0; 8].as_ptr(),
                    8,
                    false,
                )
            };
        }
        member.barrier_all();
        if me == 0 {
            let words = copy(&board);
            assert!(words.chunks_exact(8).all(|word| word == &words[..8]), "turn {turn}: {words:?}");
        }
        for (memory, name) in &blocks {
            assert!(
                copy(memory).iter().enumerate().all(|(i, &found)| found == byte(*name, i)),
                "turn {turn}"
            );
        }
        member.barrier_all();
    }
    // PEs that ask for different memory are told so.
    if n > 1 {
        let error = member.claim(100 + me, 8, &[]).err().expect("the sizes differ").to_string();
        assert!(error.contains("disagree") && error.contains("block of 10"), "{error}");
    }
    drop((blocks, board));
    // SAFETY: what was made in the job is dropped, and there is no other thread.
    unsafe { member.leave() };
    say("claimed");
    ExitCode::SUCCESS
}

/// Moves elements of any size with strides on both sides, at random, each PE in its own part of
/// every PE's memory, and compares with a model of these parts.
pub(crate) fn strided() -> ExitCode {
    const PART: usize = 6000;
    let member = join();
    let (me, n) = (member.my_pe(), member.n_pes());
    let memory = member.claim(n * PART, 64, &[]).expect("there is room");
    let context = member.context().expect("there can be one");
    let part = memory.offset() + me * PART;
    let mut model = vec![vec![0_u8; PART]; n];
    for (pe, model) in model.iter().enumerate() {
        // SAFETY: this PE's part of the memory of that PE, written with one byte.
        unsafe { member.area(None, pe, part, &[(PART, 1)], 1, &"the part").put(model.as_ptr(), 0, false) };
    }
    let mut random = Random(99 + me as u64);
    for turn in 0..1500_u32 {
        let pe = random.below(n);
        let elem = [1, 2, 3, 4, 5, 8, 12, 16, 24, 40, 100][random.below(11)];
        // From the innermost axis on, each so wide that no two elements overlap.
        let mut axes = Vec::new();
        let mut width = elem;
        for _ in 0..random.below(5) {
            let count = [0, 1, 2, 3, 5, 9][random.below(6)];
            let stride = width + [0, 0, elem, 1, 7][random.below(5)];
            if count * stride + width > PART {
                break;
            }
            axes.insert(0, (count, stride));
            width = stride * count.max(1);
        }
        if width + elem > PART {
            continue;
        }
        let start = random.below(PART - width - elem);
        // The elements of the model, row-major.
        let mut places = vec![start];
        for &(count, stride) in &axes {
            places = places.iter().flat_map(|place| (0..count).map(move |i| place + i * stride)).collect();
        }
        let context = (random.below(2) == 0).then_some(&context);
        let area = member.area(context, pe, part + start, &axes, elem, &"the part");
        let quiet = || match context {
            Some(context) => context.quiet(),
            None => member.world().quiet(),
        };
        let non_blocking = random.below(3) == 0;
        let gap = [0, 0, elem, 1, 5][random.below(5)];
        let case = format!("turn {turn}: PE {pe}, {elem} bytes, {axes:?}, gap {gap}");
        if random.below(2) == 0 {
            let step = if random.below(4) == 0 { 0 } else { elem + gap };
            let source: Vec<u8> = (0..places.len() * step + elem).map(|_| random.below(256) as u8).collect();
            // SAFETY: the source has an element for each place; it lives until the `quiet`.
            unsafe { area.put(source.as_ptr(), step, non_blocking) };
            quiet();
            for (i, &place) in places.iter().enumerate() {
                model[pe][place..place + elem].copy_from_slice(&source[i * step..][..elem]);
            }
        } else {
            let step = elem + gap;
            let mut found = vec![0xEE; places.len() * step];
            let mut expected = found.clone();
            // SAFETY: there is room for each element; nobody looks at it before the `quiet`.
            unsafe { area.get(found.as_mut_ptr(), step, non_blocking) };
            quiet();
            for (room, &place) in expected.chunks_exact_mut(step).zip(&places) {
                room[..elem].copy_from_slice(&model[pe][place..place + elem]);
            }
            assert!(found == expected, "{case}");
        }
        let mut all = vec![0; PART];
        // SAFETY: as above.
        unsafe { member.area(None, pe, part, &[(PART, 1)], 1, &"the part").get(all.as_mut_ptr(), 1, false) };
        assert!(all == model[pe], "{case}");
    }
    for (pe, offset, elem, message) in [
        (n, part, 1, "there is no PE"),
        (0, 0, 8, "the wrong one on PE 0 is outside of symmetric memory"),
        (0, usize::MAX - 4, 8, "is outside of symmetric memory"),
        (0, part, usize::MAX, "is outside of symmetric memory"),
    ] {
        let refused = refused(|| _ = member.area(None, pe, offset, &[(3, 1 << 62)], elem, &"the wrong one"));
        assert!(refused.contains(message), "{refused}");
    }
    member.barrier_all();
    drop((context, memory));
    // SAFETY: what was made in the job is dropped, and there is no other thread.
    unsafe { member.leave() };
    say("moved");
    ExitCode::SUCCESS
}

/// What a face keeps in a table of its own: a team and a context on its PEs.
struct Kept {
    team: Team,
    context: OwnedContext,
}

/// Makes both, and lets go of all that they were made from.
fn made(member: &Member) -> Kept {
    let world = member.world();
    let (me, n) = (member.my_pe(), member.n_pes());
    // Two halves, of even and of odd PEs.
    let len = (n + 1 - me % 2) / 2;
    let even = world.team().split_strided(0, 2, n.div_ceil(2)).expect("there is a slot");
    let odd = (n > 1).then(|| world.team().split_strided(1, 2, n / 2).expect("there is a slot")).flatten();
    let team = even.or(odd).expect("each PE is in one half");
    assert_eq!(team.n_pes(), len);
    Kept { team, context: member.context().expect("there can be one") }
}

/// Uses a team and a context after everything is gone that they were made from.
pub(crate) fn kept() -> ExitCode {
    let member = join();
    let mut table: Vec<Kept> = (0..3).map(|_| made(&member)).collect();
    let memory = member.claim(8, 8, &[]).expect("there is room");
    for turn in 0..3 {
        let Kept { team, context } = table.swap_remove(turn % table.len());
        let right = team.world_pe((team.my_pe() + 1) % team.n_pes());
        let value = (100 * turn + team.my_pe()) as u64;
        let area = member.area(Some(&context), right, memory.offset(), &[], 8, &"the word");
        // SAFETY: a word in, and a word out.
        let found = unsafe {
            area.put((&raw const value).cast(), 8, true);
            context.quiet();
            team.sync();
            member.heap().add(memory.offset()).cast::<u64>().read()
        };
        let left = (team.my_pe() + team.n_pes() - 1) % team.n_pes();
        assert_eq!(found, (100 * turn + left) as u64);
        team.sync();
    }
    drop((table, memory));
    // SAFETY: what was made in the job is dropped, and there is no other thread.
    unsafe { member.leave() };
    say("kept");
    ExitCode::SUCCESS
}
