//! The model: the memory of each PE, and what it has read, without any library.

use super::super::table::TYPES;

/// As in `tests/c/random.c`.
pub(super) const BYTES: usize = 16384;
pub(super) const CELLS: usize = 256;
const SIGNALS: usize = 64;

/// A piece of memory of a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Heap,
    Static,
    Private,
}

/// A byte of a piece.
pub(super) type Place = (Piece, usize);

/// The number of the line that did something.
pub(super) type Line = usize;

/// What one PE has.
pub(super) struct Pe {
    pieces: [Vec<u8>; 3],
    /// Which line has written each byte last; 0 for none.
    writers: [Vec<Line>; 3],
    pub(super) cells: Vec<[u8; 8]>,
    pub(super) signals: [u64; SIGNALS],
    pub(super) counter: u64,
    /// What it has written down, and by which line.
    results: Vec<(Line, i64)>,
}

impl Pe {
    /// As the program begins.
    pub(super) fn new(me: usize) -> Pe {
        let start = |piece: usize| -> Vec<u8> {
            (0..BYTES).map(|i| ((i * 31) ^ (i >> 8) ^ (me * 67 + piece * 129)) as u8).collect()
        };
        Pe {
            pieces: [0, 1, 2].map(start),
            writers: [(); 3].map(|()| vec![0; BYTES]),
            cells: vec![[0; 8]; CELLS],
            signals: [0; SIGNALS],
            counter: 0,
            results: Vec::new(),
        }
    }

    pub(super) fn read(&self, (piece, at): Place, len: usize) -> &[u8] {
        &self.pieces[piece as usize][at..at + len]
    }

    pub(super) fn write(&mut self, (piece, at): Place, bytes: &[u8], line: Line) {
        self.pieces[piece as usize][at..at + bytes.len()].copy_from_slice(bytes);
        self.writers[piece as usize][at..at + bytes.len()].fill(line);
    }

    pub(super) fn tell(&mut self, line: Line, value: i64) {
        self.results.push((line, value));
    }

    /// Where `found` first differs from the model, and the line that it comes from.
    pub(super) fn difference(&self, found: &[i64]) -> Option<(String, Line)> {
        let cells = self.cells.iter().enumerate();
        let cells = cells.map(|(i, cell)| (format!("cell {i}"), 0, u64::from_ne_bytes(*cell) as i64));
        let bytes = [Piece::Heap, Piece::Static, Piece::Private].into_iter().flat_map(|piece| {
            let both = self.pieces[piece as usize].iter().zip(&self.writers[piece as usize]).enumerate();
            both.map(move |(i, (byte, writer))| (format!("byte {i} of {piece:?}"), *writer, i64::from(*byte)))
        });
        let told = self.results.iter().map(|(line, value)| (String::from("a result"), *line, *value));
        let wanted: Vec<(String, Line, i64)> = told.chain(cells).chain(bytes).collect();
        if found.len() != wanted.len() {
            return Some((format!("{} results, not {}", found.len(), wanted.len()), 0));
        }
        let (found, (what, line, wanted)) =
            found.iter().zip(wanted).find(|(found, (.., wanted))| *found != wanted)?;
        Some((format!("{what} is {found}, not {wanted}"), line))
    }
}

/// How many bytes a type of C has.
pub(super) fn size(c: &str) -> usize {
    match c.trim_end_matches("_t") {
        "char" | "signed char" | "unsigned char" | "int8" | "uint8" => 1,
        "short" | "unsigned short" | "int16" | "uint16" => 2,
        "int" | "unsigned int" | "int32" | "uint32" | "float" => 4,
        "long double" => 16,
        _ => 8,
    }
}

/// An integer type: how many bytes it has, and whether it has a sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct Int {
    pub(super) size: usize,
    is_signed: bool,
}

impl Int {
    pub(super) fn of(name: &str) -> Int {
        let c = TYPES.iter().find(|ty| ty.name == name).expect("a type of the table").c;
        Int { size: size(c), is_signed: !(c.starts_with('u') || c.starts_with("size")) }
    }

    /// The value of the low bytes, as C has it when it is converted to `long long`.
    pub(super) fn value(self, bytes: &[u8]) -> i64 {
        let mut all = [0; 8];
        all[..self.size].copy_from_slice(&bytes[..self.size]);
        let low = u64::from_le_bytes(all) as i64;
        let unused = 64 - 8 * self.size as u32;
        if self.is_signed { low << unused >> unused } else { low }
    }

    /// The bytes of a value, of which the low ones count.
    pub(super) fn bytes(self, value: i64) -> Vec<u8> {
        value.to_le_bytes()[..self.size].to_vec()
    }

    /// As C compares.
    pub(super) fn is_less(self, a: i64, b: i64) -> bool {
        if self.is_signed { a < b } else { (a as u64) < (b as u64) }
    }
}
