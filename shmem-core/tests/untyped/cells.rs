//! A program that updates cells, waits for them, joins elements and takes locks by their addresses.

use std::process::ExitCode;

use shmem::reduction::Sum;
use shmem::untyped::{Amo, ObjectInfo, Width};
use shmem::{Comparison, SignalOp};

use crate::harness::say;
use crate::programs::{join, refused};

static INFO: ObjectInfo = ObjectInfo::new("words", "", "", 0, 0, "");

/// The words of the block: cells of 8 bytes, a pair of 4 bytes, a signal, elements, and a lock.
const CELL: usize = 0;
const PAIR: usize = 8;
const SIGNAL: usize = 16;
const DATA: usize = 24;
const SUMS: usize = 56;
const LOCK: usize = 88;
const COUNT: usize = 96;

pub(crate) fn cells() -> ExitCode {
    let member = join();
    let (me, n) = (member.my_pe(), member.n_pes());
    let (left, right) = ((me + n - 1) % n, (me + 1) % n);
    // Dirty memory, which is zeros when it is claimed so.
    for turn in 0..2 {
        let memory = member.claim_zeros(128, 16).expect("there is room");
        let start = member.heap().wrapping_add(memory.offset());
        // SAFETY: memory of this PE, which no other PE writes before the barrier below.
        unsafe {
            assert!(std::slice::from_raw_parts(start, 128).iter().all(|byte| *byte == 0), "{turn}");
            start.write_bytes(7, 128);
        }
        member.barrier_all();
        memory.release().expect("all PEs release it");
    }
    let memory = member.claim_zeros(128, 16).expect("there is room");
    let at = memory.offset();
    let address = |word: usize| member.heap().wrapping_add(at + word);
    assert_eq!(
        (member.offset_of(address(40)), member.offset_of((&raw const at).cast())),
        (Some(at + 40), None)
    );
    let context = member.context().expect("there is one");

    // SAFETY: all of it is in the block, which lives to the end; cells are updated atomically.
    unsafe {
        let amo = |pe, word, width, op| member.amo(Some(&context), pe, at + word, width, op, &"a cell");
        member.update(None, right, at + CELL, Width::W8, Amo::Add(10 + me as u64), &"a cell");
        member.cell::<u64>(at + CELL, &INFO).wait_until(Comparison::Ge, 10);
        assert_eq!(amo(me, CELL, Width::W8, Amo::Fetch), 10 + left as u64);
        // The neighbour of a cell of 4 bytes stays.
        assert_eq!(amo(right, PAIR, Width::W4, Amo::Swap(u64::MAX)), 0);
        assert_eq!(amo(right, PAIR, Width::W4, Amo::Add(3)), u32::MAX.into());
        member.barrier_all();
        let pair = member.cells::<u32>(at + PAIR, 2, &INFO);
        assert!(pair.test_all(Comparison::Eq, [2, 0]));

        let mine = [me as i64 + 1, 2, -3, 4];
        let area = member.area(Some(&context), right, at + DATA, &[], 32, &"data");
        area.put_signal(mine.as_ptr().cast(), 32, false, &member, (at + SIGNAL, SignalOp::Set(5)));
        member.cell::<u64>(at + SIGNAL, &INFO).wait_until(Comparison::Eq, 5);
        context.pe_quiet(&[right]);
        let data = member.elements::<i64>(at + DATA, 4, 8, &INFO);
        assert_eq!(data.get(), [left as i64 + 1, 2, -3, 4]);
        let world = member.world();
        world.team().reduce(
            Sum,
            member.elements::<i64>(at + SUMS, 2, 16, &INFO),
            member.elements(at + DATA, 2, 16, &INFO),
        );
        let sums = member.elements::<i64>(at + SUMS, 3, 8, &INFO).get();
        assert_eq!(sums, [(n * (n + 1) / 2) as i64, 0, -3 * n as i64]);

        for _ in 0..20 {
            member.lock(at + LOCK);
            let count = member.area(None, 0, at + COUNT, &[], 8, &"the count");
            let mut seen = 0_u64;
            count.get((&raw mut seen).cast(), 8, false);
            seen += 1;
            count.put((&raw const seen).cast(), 8, false);
            member.unlock(at + LOCK);
        }
        member.barrier_all();
        assert_eq!(amo(0, COUNT, Width::W8, Amo::Fetch), 20 * n as u64);
        member.barrier_all();
        if me == n - 1 {
            assert!(member.try_lock(at + LOCK));
        }
        member.barrier_all();
        assert!(me == n - 1 || !member.try_lock(at + LOCK));
        member.barrier_all();
        if me == n - 1 {
            member.unlock(at + LOCK);
        }
        member.barrier_all();
        assert_eq!(member.address_on(n, at), None);
        assert!(refused(|| member.unlock(at + LOCK)).contains("does not have the lock"));
        let message = refused(|| _ = amo(right, PAIR + 4, Width::W8, Amo::Fetch));
        assert!(message.contains("a cell has 8 bytes, and does not lie at a multiple of 8"), "{message}");
        let message = refused(|| _ = amo(right, usize::MAX - 7 - at, Width::W8, Amo::Fetch));
        assert!(message.contains("is outside of symmetric memory"), "{message}");
        assert!(refused(|| _ = amo(n, CELL, Width::W8, Amo::Fetch)).contains(&format!("there is no PE {n}")));
        let message = refused(|| _ = member.elements::<u64>(at + 4, 1, 8, &INFO));
        assert!(message.contains("`words` does not lie at a multiple of 8"), "{message}");
    }
    drop((context, memory));
    // SAFETY: what was made in the job is dropped, and there is no other thread.
    unsafe { member.leave() };
    say("cells");
    ExitCode::SUCCESS
}
