//! Many small operations of all PEs on random cells of a table.

use std::sync::atomic::{AtomicU64, Ordering};

use benches::loops::address;
use benches::loops::updates::{self, Parts, Random, TABLE};
use benches::work::{Operation, Order, Way, Work};
use shmem::prelude::*;

use crate::places::Places;
use crate::together::meet_plainly;

/// What one repetition does: `bytes / 8` operations of this PE, and a barrier; `None` if there is no such
/// work in this way, or no room for its table.
pub(crate) fn work<'a>(places: &'a Places<'_>, order: Order) -> Option<Box<dyn FnMut() + 'a>> {
    use Operation::{Lookups, LookupsBatch, Updates, UpdatesBatch};

    let Order { work: Work { operation, bytes, .. }, way, .. } = order;
    let (world, table, n) = (places.world, &places.table, bytes / 8);
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    if n == 0 || table.len() != n_pes * TABLE {
        return None;
    }
    // Other cells each time: those of the time before are in the caches.
    static SO_FAR: AtomicU64 = AtomicU64::new(0);
    let mut random = Random::new(me, SO_FAR.fetch_add(1 << 32, Ordering::Relaxed));
    let mut found = vec![1; n];
    if way == Way::Language {
        return Some(match operation {
            Updates => Box::new(move || {
                updates::update(table, &mut random, n);
                world.barrier_all();
            }),
            UpdatesBatch => Box::new(move || updates::update_batch(world, table, &mut random, n)),
            Lookups => Box::new(move || {
                updates::look_up(table, &mut random, &mut found);
                world.barrier_all();
            }),
            LookupsBatch => Box::new(move || updates::look_up_batch(world, table, &mut random, &mut found)),
            _ => return None,
        });
    }
    if way != Way::Limit {
        return None;
    }
    let starts: Vec<*mut u64> = (0..n_pes).map(|pe| address(remote!(&table[@pe * TABLE]))).collect();
    if starts.iter().any(|start| start.is_null()) {
        return None;
    }
    // SAFETY: these are the parts of the table, which live as long as the places, and all PEs access cells
    // atomically.
    let parts = unsafe { Parts::new(starts) };
    Some(match operation {
        Updates => Box::new(move || {
            parts.update(&mut random, n);
            meet_plainly(me, n_pes);
        }),
        UpdatesBatch => Box::new(move || {
            parts.update_ahead(&mut random, n);
            meet_plainly(me, n_pes);
        }),
        Lookups | LookupsBatch => Box::new(move || {
            parts.look_up(&mut random, &mut found);
            meet_plainly(me, n_pes);
        }),
        _ => return None,
    })
}
