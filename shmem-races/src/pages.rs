//! A number for each place of each heap.

use std::ops::Range;

/// Places of a page.
pub(crate) const PAGE: u64 = 512;

pub(crate) type Page = Box<[u32; PAGE as usize]>;

/// A number for each place of each heap: 0 where none was set, which takes no memory for the pages of
/// which nothing was set.
#[derive(Default)]
pub(crate) struct Pages {
    /// By PE and page.
    heaps: Vec<Vec<Option<Page>>>,
}

impl Pages {
    pub(crate) fn new(n_pes: usize) -> Pages {
        Pages { heaps: vec![Vec::new(); n_pes] }
    }

    /// The number of a place.
    pub(crate) fn get(&self, pe: usize, place: u64) -> u32 {
        let page = self.heaps[pe].get((place / PAGE) as usize).and_then(Option::as_ref);
        page.map_or(0, |page| page[(place % PAGE) as usize])
    }

    /// The number of a place, to be set.
    pub(crate) fn at(&mut self, pe: usize, place: u64) -> &mut u32 {
        let page = self.page(pe, place).get_or_insert_with(new);
        &mut page[(place % PAGE) as usize]
    }

    /// Takes out the page that has a place, so that other numbers can be set meanwhile.
    pub(crate) fn take(&mut self, pe: usize, place: u64) -> Page {
        self.page(pe, place).take().unwrap_or_else(new)
    }

    pub(crate) fn put_back(&mut self, pe: usize, place: u64, page: Page) {
        *self.page(pe, place) = Some(page);
    }

    fn page(&mut self, pe: usize, place: u64) -> &mut Option<Page> {
        let (pages, page) = (&mut self.heaps[pe], (place / PAGE) as usize);
        if pages.len() <= page {
            pages.resize(page + 1, None);
        }
        &mut pages[page]
    }

    /// The places of a PE in this range whose number is not 0, with the numbers to be set.
    pub(crate) fn set_in(&mut self, pe: usize, range: Range<u64>) -> impl Iterator<Item = (u64, &mut u32)> {
        let pages = (0..).step_by(PAGE as usize).zip(&mut self.heaps[pe]);
        let pages =
            pages.skip((range.start / PAGE) as usize).take_while(move |(first, _)| *first < range.end);
        let places = pages.filter_map(|(first, page)| Some((first, page.as_mut()?)));
        let places = places.flat_map(|(first, page)| (first..).zip(page.iter_mut()));
        places.filter(move |(place, number)| range.contains(place) && **number != 0)
    }

    /// Changes all numbers that are not 0, and forgets the pages that have no others.
    pub(crate) fn change(&mut self, mut change: impl FnMut(u32) -> u32) {
        for page in self.heaps.iter_mut().flatten() {
            let Some(numbers) = page else { continue };
            let mut is_used = false;
            for number in numbers.iter_mut().filter(|number| **number != 0) {
                *number = change(*number);
                is_used |= *number != 0;
            }
            if !is_used {
                *page = None;
            }
        }
    }
}

fn new() -> Page {
    Box::new([0; PAGE as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_there_until_it_is_zero() {
        let mut pages = Pages::new(2);
        let places = [0, 1, PAGE - 1, PAGE, 7 * PAGE + 3];
        for (place, number) in places.into_iter().zip(1..) {
            *pages.at(1, place) = number;
        }
        assert_eq!(places.map(|place| pages.get(1, place)), [1, 2, 3, 4, 5]);
        assert_eq!(places.map(|place| pages.get(0, place)), [0; 5]);
        assert_eq!(pages.get(1, 100 * PAGE), 0);
        let mut in_range = |range| pages.set_in(1, range).map(|(place, _)| place).collect::<Vec<_>>();
        assert_eq!(in_range(0..u64::MAX), places);
        assert_eq!(in_range(1..PAGE), places[1..3]);
        assert_eq!(in_range(PAGE..7 * PAGE + 3), places[3..4]);
        assert_eq!(in_range(8 * PAGE..9 * PAGE), []);
        let page = pages.take(1, PAGE);
        assert_eq!((page[0], pages.get(1, PAGE)), (4, 0));
        pages.put_back(1, PAGE, page);
        pages.change(|number| if number == 4 { 0 } else { number + 1 });
        assert_eq!(places.map(|place| pages.get(1, place)), [2, 3, 4, 0, 6]);
        let kept = pages.heaps[1].iter().map(Option::is_some).collect::<Vec<_>>();
        assert_eq!(kept, [true, false, false, false, false, false, false, true]);
    }
}
