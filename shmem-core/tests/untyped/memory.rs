//! Programs that claim memory, move bytes, and keep teams and contexts, against plain Rust models.

use std::cell::UnsafeCell;
use std::process::ExitCode;
use std::ptr::NonNull;

use shmem::prelude::*;
use shmem::untyped::{HeapMemory, Hint, Member, OwnedContext};

use crate::harness::say;
use crate::programs::{join, refused};
use crate::random::Random;

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
        let (what, bytes) = (random.below(4), random.below(8_000));
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
                    let offset = memory.offset();
                    if random.below(2) == 0 {
                        memory.release().expect("all PEs release it");
                    } else {
                        drop(memory);
                        member.reclaim().expect("all PEs do");
                    }
                    assert_eq!(member.object_around(offset), None, "turn {turn}");
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
            if let Some(last) = memory.bytes().checked_sub(1) {
                let place = member.object_around(memory.offset() + last).expect("it lies there");
                assert_eq!(place.start, memory.offset(), "turn {turn}");
            }
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

/// Whole pages of the executable, whatever their size, which other PEs write to.
#[repr(C, align(65536))]
struct Pages<const WORDS: usize>(UnsafeCell<[u64; WORDS]>);

// SAFETY: one thread of this process accesses them, and other PEs between barriers.
unsafe impl<const WORDS: usize> Sync for Pages<WORDS> {}

impl<const WORDS: usize> Pages<WORDS> {
    const BYTES: usize = WORDS * 8;

    fn start(&self) -> NonNull<u64> {
        NonNull::from(&self.0).cast()
    }

    /// By a volatile access, since the compiler takes no notice of what other PEs write.
    fn read(&self, word: usize) -> u64 {
        assert!(word < WORDS);
        // SAFETY: it is inside, and no PE writes to it meanwhile.
        unsafe { self.start().add(word).read_volatile() }
    }

    fn write(&self, word: usize, value: u64) {
        assert!(word < WORDS);
        // SAFETY: as above.
        unsafe { self.start().add(word).write_volatile(value) }
    }
}

/// In the data of the executable.
static FILLED: Pages<{ 3 * 8192 }> = Pages(UnsafeCell::new([7; 3 * 8192]));
/// Beyond its end, where the system has zeros.
static SPARSE: Pages<{ 8 << 20 }> = Pages(UnsafeCell::new([0; 8 << 20]));

/// How many KiB of shared memory this process has touched.
#[cfg(target_os = "linux")]
fn touched() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("the system has it");
    let line = status.lines().find_map(|line| line.strip_prefix("RssShmem:")).expect("it has the line");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Statics of the program become symmetric where they are, in two jobs: other PEs put to them and
/// get from them, and this PE loads and stores.
pub(crate) fn segments() -> ExitCode {
    let mut random = Random(5);
    let sparse: Vec<usize> = (0..20).map(|_| random.below(8 << 20)).collect();
    let mut expected: Vec<u64> = Vec::new();
    for job in 0..2_u64 {
        let member = join();
        let (me, n) = (member.my_pe(), member.n_pes());
        let (left, right) = ((me + n - 1) % n, (me + 1) % n);
        let value = |pe: usize, i: usize| 1000 * job + 100 * pe as u64 + i as u64;
        // What a program stores before it joins, it has afterwards.
        FILLED.write(9000, value(me, 50));
        SPARSE.write(sparse[0], value(me, 51));
        #[cfg(target_os = "linux")]
        let before = touched();
        let map = |start: NonNull<u64>, bytes: usize| {
            let memory = member.claim(bytes, 65536, &[]).expect("there is room");
            // SAFETY: nobody has used the memory, or refers to the static, which is whole pages.
            unsafe { memory.map_over(start.cast()) }.expect("the transport can")
        };
        let at = map(FILLED.start(), Pages::<{ 3 * 8192 }>::BYTES);
        let sparse_at = map(SPARSE.start(), Pages::<{ 8 << 20 }>::BYTES);
        #[cfg(target_os = "linux")]
        assert!(job > 0 || touched() - before < 16 << 10, "{} KiB", touched() - before);

        assert!((0..3 * 8192).all(|word| FILLED.read(word) == if word == 9000 { value(me, 50) } else { 7 }));
        assert_eq!(SPARSE.read(sparse[0]), value(me, 51));
        for (&word, &value) in sparse.iter().zip(&expected).skip(1) {
            assert_eq!(SPARSE.read(word), value, "from the job before");
        }
        member.barrier_all();
        let word = |pe, word: usize| member.area(None, pe, sparse_at + 8 * word, &[], 8, &"a static");
        for (i, &place) in sparse.iter().enumerate() {
            let value = value(me, i);
            // SAFETY: the word is in a static of the other PE, which reads it after the barrier.
            unsafe { word(right, place).put((&raw const value).cast(), 8, false) };
        }
        member.barrier_all();
        expected = (0..sparse.len()).map(|i| value(left, i)).collect();
        for (&word, &value) in sparse.iter().zip(&expected) {
            assert_eq!(SPARSE.read(word), value);
        }
        FILLED.write(5, value(me, 60));
        member.barrier_all();
        let mut read = [0_u64; 2];
        let pair = member.area(None, right, at + 8 * 4, &[(2, 8)], 8, &"a static");
        // SAFETY: no PE writes to them before the next barrier.
        unsafe { pair.get(read.as_mut_ptr().cast(), 8, false) };
        assert_eq!(read, [7, value(right, 60)]);
        member.barrier_all();
        FILLED.write(5, 7);

        let whole = member.claim(65536, 65536, &[]).expect("there is room");
        // SAFETY: it is refused.
        let message = refused(|| _ = unsafe { whole.map_over(FILLED.start().cast::<u8>().add(8)) });
        assert!(message.contains("are multiples of the page size"), "{message}");
        // SAFETY: what was made in the job is dropped, or lies under the statics.
        unsafe { member.leave() };
    }
    say("symmetric where they are");
    ExitCode::SUCCESS
}

/// A transport that cannot put its heap over an address says so, and the memory is free again.
#[cfg(feature = "openshmem")]
pub(crate) fn no_segment() -> ExitCode {
    let member = join();
    let free = member.world().heap_free();
    let memory = member.claim(65536, 65536, &[]).expect("there is room");
    // SAFETY: it is refused.
    say(&unsafe { memory.map_over(FILLED.start().cast()) }.expect_err("it is refused").to_string());
    member.reclaim().expect("all PEs do");
    assert_eq!((member.world().heap_free(), FILLED.read(1)), (free, 7));
    // SAFETY: what was made in the job is dropped.
    unsafe { member.leave() };
    ExitCode::SUCCESS
}
