//! Pictures of the chapters that build a program in steps: keys on their way to their PEs, and a slot of
//! the assembly line.

use super::svg::Picture;
use super::{book, check};
use crate::read;

/// The piles of each PE, as the program `sort_steps` prints them.
fn piles() -> Vec<Vec<Vec<u32>>> {
    let printed = read(&book().join("examples/sort_steps_piles.out"));
    let lines = printed.lines().filter(|line| line.starts_with("PE "));
    let piles: Vec<Vec<Vec<u32>>> = lines
        .map(|line| {
            let (_, lists) = line.split_once("[[").expect("lists");
            let (lists, _) = lists.split_once("]]").expect("their end");
            let list = |list: &str| {
                let keys = list.split(", ").filter(|key| !key.is_empty());
                keys.map(|key| key.parse().expect("a key")).collect()
            };
            lists.split("], [").map(list).collect()
        })
        .collect();
    assert_eq!(piles.len(), 3, "{printed}");
    piles
}

#[test]
fn keys_on_their_way() {
    let all = piles();
    let mut picture = Picture::new(
        "sort-piles",
        "Keys before and after the exchange",
        "Three PEs with eight keys each, in piles by the PE to which a key belongs. After the exchange, each PE has \
         the keys that belong to it: 8, 7 and 9.",
    );
    let mut row =
        |y: f64, pe: usize, keys: &mut dyn Iterator<Item = (usize, u32)>| {
            picture.text(
                2.0,
                y + 17.5,
                "number strong",
                format_args!("PE {pe}"),
            );
            for (at, (to, key)) in keys.enumerate() {
                let x = 42.0 + 30.5 * at as f64;
                picture.cell((x, y), (30.5, 26.0), &format!("pe{to}"), key);
            }
        };
    for (pe, piles) in all.iter().enumerate() {
        let y = 20.0 + 32.0 * pe as f64;
        let keys = piles.iter().enumerate();
        row(
            y,
            pe,
            &mut keys
                .flat_map(|(to, pile)| pile.iter().map(move |key| (to, *key))),
        );
        let y = 142.0 + 32.0 * pe as f64;
        let came = all.iter().flat_map(|piles| &piles[pe]);
        row(y, pe, &mut came.map(|key| (pe, *key)));
    }
    picture.text(42.0, 13.0, "number pale", "before: in piles");
    picture.text(42.0, 135.0, "number pale", "after: on their PEs");
    check(&picture);
}

#[test]
fn a_slot_of_the_line() {
    let mut picture = Picture::new(
        "bug-line",
        "Two stations of the assembly line",
        "PE 0 puts a block into SLOT of PE 1, and then the number of the block into FULL of PE 1. When PE 1 has taken \
         the block, it writes the number into TAKEN of PE 0.",
    );
    let (right, top) = (202.0, 26.0);
    for (x, pe) in [(2.0, 0), (right, 1)] {
        picture.text(x, 15.0, "strong", format_args!("PE {pe}"));
        picture.frame((x, top - 4.0), (116.0, 118.0), "frame");
    }
    for (x, row, name) in
        [(right, 0, "SLOT"), (right, 1, "FULL"), (2.0, 2, "TAKEN")]
    {
        let y = top + 38.0 * f64::from(row) + 3.0;
        picture.cell((x + 8.0, y), (100.0, 28.0), "plain", "");
        picture.text(x + 58.0, y + 18.0, "code middle", name);
    }
    for (row, what, is_back) in
        [(0, "1 block", false), (1, "2 number", false), (2, "3 number", true)]
    {
        let y = top + 38.0 * f64::from(row) + 20.0;
        let (from, to) = ((112.0, y), (right + 6.0, y));
        let (from, to) =
            if is_back { ((right + 4.0, y), (110.0, y)) } else { (from, to) };
        picture.arrow(from, to, "move");
        picture.text(160.0, y - 6.0, "number middle", what);
    }
    check(&picture);
}
