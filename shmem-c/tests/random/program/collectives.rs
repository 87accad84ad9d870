//! The collectives of a random program.

use super::{BYTES, Case, Collective, Deck, Int, MOST, Place, REDUCTIONS, TEAMS, Ty};

impl Case {
    /// Collectives of a team, one after the other, each to a place of its own.
    pub(super) fn collectives(&mut self, deck: &mut Deck<Collective>) {
        const PLACES: usize = 4;
        let team = self.rng.usize(..TEAMS);
        for number in 0..PLACES {
            let collective = *deck.take();
            let from = (self.read(), self.at(BYTES / 2));
            let mut to = (self.written, number * (BYTES / PLACES) + self.at(256));
            let (most, root) = (self.rng.usize(1..=6), self.rng.usize(..MOST));
            let strides = (self.rng.usize(1..=3), self.rng.usize(1..=3));
            if let Collective::Reduce(kind, _) = collective
                && kind < REDUCTIONS - 2
                && self.rng.u8(..4) == 0
            {
                to = from;
            }
            // As many as `collect` gets from each PE; the others get the same from all.
            let counts: Vec<usize> = (0..self.npes())
                .map(|_| {
                    if matches!(collective, Collective::Exchange(1, _)) {
                        self.rng.usize(..=most)
                    } else {
                        most
                    }
                })
                .collect();
            let mut new = Vec::new();
            for pe in self.members(team) {
                let all = self.teams[pe][team].clone().expect("a member");
                let places = [to.0 as i64, to.1 as i64, from.0 as i64, from.1 as i64, counts[pe] as i64];
                let written = match collective {
                    Collective::Exchange(kind, ty) => {
                        let root = root % all.len();
                        let (first, second) = match kind {
                            0 => (root as i64, 0),
                            4 => (strides.0 as i64, strides.1 as i64),
                            _ => (1, 1),
                        };
                        let mut numbers = vec![kind as i64, ty.number as i64, team as i64];
                        numbers.extend(places.into_iter().chain([first, second]));
                        let line = self.say(pe, "exchange", &numbers);
                        let strides = if kind == 4 { strides } else { (1, 1) };
                        (line, self.exchanged(kind, ty, &all, pe, from, (&counts, root, strides)))
                    }
                    Collective::Reduce(kind, ty) => {
                        let mut numbers = vec![kind as i64, ty.number as i64, team as i64];
                        numbers.extend(places);
                        let line = self.say(pe, "reduce", &numbers);
                        (line, self.reduced(kind, ty, &all, pe, from, most))
                    }
                };
                new.push((pe, written));
            }
            for (pe, (line, written)) in new {
                for (at, bytes) in written {
                    self.pes[pe].write((to.0, to.1 + at), &bytes, line);
                }
            }
            // What is read next may have been a destination in place.
            if to == from {
                for pe in self.members(team) {
                    self.say(pe, "sync", &[team as i64]);
                }
            }
        }
        self.barrier();
        self.written = self.read();
    }

    /// What an exchange writes on `pe`: offsets in the destination, and bytes.
    fn exchanged(
        &self,
        kind: usize,
        ty: Ty,
        all: &[usize],
        pe: usize,
        (piece, at): Place,
        (counts, root, (dst, sst)): (&[usize], usize, (usize, usize)),
    ) -> Vec<(usize, Vec<u8>)> {
        let count = counts[pe];
        let read = |member: usize, first: usize, count: usize| {
            self.pes[member].read((piece, at + first * ty.size), count * ty.size).to_vec()
        };
        let rank = all.iter().position(|member| *member == pe).expect("a member");
        match kind {
            0 => vec![(0, read(all[root], 0, count))],
            1 | 2 => vec![(0, all.iter().flat_map(|member| read(*member, 0, counts[*member])).collect())],
            _ => {
                let element = |i: usize| {
                    let (from, place) = (all[i / count], rank * count + i % count);
                    (i * dst * ty.size, read(from, place * sst, 1))
                };
                (0..all.len() * count).map(element).collect()
            }
        }
    }

    /// What a reduction or a scan writes on `pe`.
    fn reduced(
        &self,
        kind: usize,
        ty: Ty,
        all: &[usize],
        pe: usize,
        (piece, at): Place,
        count: usize,
    ) -> Vec<(usize, Vec<u8>)> {
        let int = Int::of(ty.name);
        let rank = all.iter().position(|member| *member == pe).expect("a member");
        let joined = match kind {
            7 => &all[..=rank],
            8 => &all[..rank],
            _ => all,
        };
        let element = |i: usize| {
            let values = joined
                .iter()
                .map(|member| int.value(self.pes[*member].read((piece, at + i * ty.size), ty.size)));
            let join = |a: i64, b: i64| match kind {
                0 => a & b,
                1 => a | b,
                2 => a ^ b,
                3 => {
                    if int.is_less(a, b) {
                        b
                    } else {
                        a
                    }
                }
                4 => {
                    if int.is_less(b, a) {
                        b
                    } else {
                        a
                    }
                }
                6 => a.wrapping_mul(b),
                _ => a.wrapping_add(b),
            };
            int.bytes(values.reduce(join).unwrap_or(0))
        };
        vec![(0, (0..count).flat_map(element).collect())]
    }
}
