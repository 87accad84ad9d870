//! What a PE keeps of the PEs that it addresses directly, and of no others.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The bytes of a [`NearTable`] for each of its PEs.
#[cfg(any(test, feature = "bench"))]
pub(super) const EACH: usize = 16;

/// An address in this process for each of some PEs.
pub(super) struct NearTable<T>(Box<[(usize, AtomicPtr<T>)]>);

impl<T> NearTable<T> {
    /// The addresses that are not null, of PEs in ascending order.
    pub(super) fn new(addresses: impl Iterator<Item = (usize, *mut T)>) -> NearTable<T> {
        let mapped = addresses.filter(|(_, address)| !address.is_null());
        let table: Box<[_]> = mapped.map(|(pe, address)| (pe, AtomicPtr::new(address))).collect();
        debug_assert!(table.is_sorted_by(|(one, _), (next, _)| one < next));
        NearTable(table)
    }

    /// The address of this PE; null where there is none.
    pub(super) fn get(&self, pe: usize) -> *mut T {
        // Mostly the PEs of a host have numbers in a row.
        let first = self.0.first().map_or(0, |&(first, _)| first);
        let entry = match self.0.get(pe.wrapping_sub(first)) {
            Some((found, address)) if *found == pe => Some(address),
            _ => self.0.binary_search_by_key(&pe, |&(pe, _)| pe).ok().map(|entry| &self.0[entry].1),
        };
        entry.map_or(ptr::null_mut(), |address| address.load(Ordering::Relaxed))
    }

    /// The PEs that have an address, in ascending order.
    pub(super) fn pes(&self) -> impl ExactSizeIterator<Item = usize> {
        self.0.iter().map(|&(pe, _)| pe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_pes_are_kept_whatever_their_numbers() {
        const PES: usize = 1_000_000;
        let mut heap = [0_u8; 8];
        let at = heap.as_mut_ptr();
        // In a row, by hosts in turn, and anyhow; of all PEs a few are near.
        let rows: [Vec<usize>; 4] = [
            (65_500..65_628).collect(),
            (7..PES).step_by(PES / 100).collect(),
            vec![0, 3, 65_535, 65_536, 999_999],
            vec![],
        ];
        for row in rows {
            let is_near = |pe| row.contains(&pe);
            let all =
                (0..PES).map(|pe| (pe, if is_near(pe) { at.wrapping_add(pe) } else { ptr::null_mut() }));
            let table = NearTable::new(all);
            assert_eq!(size_of_val(&*table.0), EACH * row.len());
            assert!(table.pes().eq(row.iter().copied()));
            for pe in
                row.iter().flat_map(|&pe| [pe.saturating_sub(1), pe, pe + 1]).chain([0, PES, usize::MAX])
            {
                let expected = if is_near(pe) { at.wrapping_add(pe) } else { ptr::null_mut() };
                assert_eq!(table.get(pe), expected, "PE {pe}");
            }
        }
    }
}
