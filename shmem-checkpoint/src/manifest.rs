//! The manifest: text, one fact on a line, so that a person can read it without a tool.
//!
//! ```text
//! shmem checkpoint 1
//! program heat
//! time 1795364411 (2026-11-22 16:20:11 UTC)
//! transport smp
//! byte-order little
//! pes 2
//! generation 7
//! static heat::STEP
//!   element u64
//!   size 8
//!   extents
//!   at 0
//!   place src/main.rs:4
//! array 0
//!   element f64
//!   size 8
//!   extents 100 64
//!   at 4096
//!   place src/main.rs:21
//! array 1
//!   element u32
//!   size 4
//!   extents 500
//!   global block 1000
//!   at 55296
//!   place src/main.rs:22
//! file pe-00000
//!   bytes 57296
//!   sums 8d6f1c02 00c1be0d 10a3be2d
//! file pe-00001
//!   bytes 57296
//!   sums 8d6f1c02 5511aa07 913bb1c0
//! sum 0f6a21bb
//! ```
//!
//! An object without extents is one element. The extents of a global array are those of what each PE has
//! room for. How it is dealt follows, with the extents of the whole; then its ghost cells, such as
//! `ghosts fixed 1`, if it has any. The sums are those of the objects, in their order. The last line
//! is the sum of all lines before it.

use std::fmt::Write as _;

use crate::spread::{Dealing, Ghosts, Spread};
use crate::sum::Sum;
use crate::{Error, Result};

/// The version of the format that this library writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// The byte order of this machine.
pub(crate) const BYTE_ORDER: &str = if cfg!(target_endian = "little") { "little" } else { "big" };

/// What an object is to the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A symmetric static, with its path in the program.
    Static(String),
    /// A lock, or several: of it only the name and the extents are kept.
    Lock(String),
    /// The array that was allocated as this number among those that were alive, from 0 on.
    Array(usize),
}

/// A symmetric object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What it is to the program.
    pub kind: Kind,
    /// The name of its element's type.
    pub element: String,
    /// The size of an element in bytes.
    pub size: usize,
    /// How many elements there are along each axis; empty for one element. Of a global array, for how
    /// many each PE has room.
    pub extents: Vec<usize>,
    /// Of a global array, how it is dealt to the PEs.
    pub spread: Option<Spread>,
    /// Where its bytes begin, in the file of each PE.
    pub at: u64,
    /// Where the program declares or allocates it: `src/main.rs:12`.
    pub place: String,
}

impl Object {
    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// Whether it has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes of each PE's file are its own.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self.kind {
            Kind::Lock(_) => 0,
            Kind::Static(_) | Kind::Array(_) => self.size * self.len(),
        }
    }

    /// The extents of what one selects from: of a global array, those of the whole.
    #[must_use]
    pub fn whole_extents(&self) -> &[usize] {
        self.spread.as_ref().map_or(&self.extents, |spread| &spread.extents)
    }

    /// Its type as a person writes it: `[[f64; 8]; 3]`. Of a global array it is that of the whole, with
    /// how it is dealt: `[f64; 1000] in blocks`, `[f64; 1000] in blocks, Halo::fixed(1)`.
    #[must_use]
    pub fn type_text(&self) -> String {
        let text = |extents: &[usize]| {
            extents.iter().rev().fold(self.element.clone(), |inner, extent| format!("[{inner}; {extent}]"))
        };
        match &self.spread {
            Some(Spread { dealing, extents, ghosts: None }) => format!("{} {dealing}", text(extents)),
            Some(Spread { dealing, extents, ghosts: Some(ghosts) }) => {
                format!("{} {dealing}, {ghosts}", text(extents))
            }
            None => text(&self.extents),
        }
    }

    /// Its name alone: the path of a static, or `array 3`.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.kind {
            Kind::Static(name) | Kind::Lock(name) => name.clone(),
            Kind::Array(number) => format!("array {number}"),
        }
    }

    /// Its name, type and place, for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("`{}: {}` ({})", self.name(), self.type_text(), self.place)
    }
}

/// Gives each object its place in the files. Returns the size of a file.
///
/// An object of a page or more begins at a page, so that its writes are aligned. Smaller ones do not
/// share a cache line.
pub fn lay_out(objects: &mut [Object]) -> u64 {
    let mut end = 0_u64;
    for object in objects {
        let bytes = object.bytes() as u64;
        object.at = end.next_multiple_of(if bytes >= 4096 { 4096 } else { 64 });
        end = object.at + bytes;
    }
    end
}

/// The file of a PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// Its size.
    pub bytes: u64,
    /// The checksum of each object.
    pub sums: Vec<u32>,
}

/// What a generation holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The name of the program.
    pub program: String,
    /// When it was written, in seconds since 1970.
    pub time: u64,
    /// The transport of the job: `smp`, `openshmem`.
    pub transport: String,
    /// The number of the generation.
    pub generation: u64,
    /// The objects, statics first.
    pub objects: Vec<Object>,
    /// The files, one for each PE.
    pub files: Vec<FileRecord>,
}

impl Manifest {
    /// The name of the file of `pe`.
    #[must_use]
    pub fn file_name(pe: usize) -> String {
        format!("pe-{pe:05}")
    }

    /// Whether each PE has the same bytes of an object, by their checksums.
    #[must_use]
    pub fn is_same_on_all(&self, number: usize) -> bool {
        self.files.iter().all(|file| file.sums[number] == self.files[0].sums[number])
    }

    /// When it was written, as a person writes it: `2026-11-22 16:20:11 UTC`.
    #[must_use]
    pub fn written(&self) -> String {
        utc(self.time)
    }

    /// The text of the manifest.
    #[must_use]
    pub fn to_text(&self) -> String {
        let Manifest { program, time, transport, generation, objects, files } = self;
        let mut text = format!(
            "shmem checkpoint {VERSION}\nprogram {}\ntime {time} ({})\ntransport {transport}\n\
             byte-order {BYTE_ORDER}\npes {}\ngeneration {generation}\n",
            line(program),
            utc(*time),
            files.len()
        );
        for object in objects {
            let Object { kind, element, size, extents, spread, at, place } = object;
            let kind = match kind {
                Kind::Static(name) => format!("static {}", line(name)),
                Kind::Lock(name) => format!("lock {}", line(name)),
                Kind::Array(number) => format!("array {number}"),
            };
            let numbers =
                |extents: &[usize]| extents.iter().map(|extent| format!(" {extent}")).collect::<String>();
            let spread = spread.as_ref().map_or_else(String::new, |Spread { dealing, extents, ghosts }| {
                let ghosts = ghosts.map_or_else(String::new, |Ghosts { width, is_periodic }| {
                    format!("  ghosts {} {width}\n", if is_periodic { "periodic" } else { "fixed" })
                });
                format!("  global {}{}\n{ghosts}", dealing.to_word(), numbers(extents))
            });
            let extents = numbers(extents);
            let _ = write!(
                text,
                "{kind}\n  element {}\n  size {size}\n  extents{extents}\n{spread}  at {at}\n  place {}\n",
                line(element),
                line(place)
            );
        }
        for (pe, FileRecord { bytes, sums }) in files.iter().enumerate() {
            let sums: String = sums.iter().map(|sum| format!(" {sum:08x}")).collect();
            let _ = write!(text, "file {}\n  bytes {bytes}\n  sums{sums}\n", Manifest::file_name(pe));
        }
        let sum = Sum::of(text.as_bytes());
        let _ = writeln!(text, "sum {sum:08x}");
        text
    }

    /// Reads the text of the manifest in the file `name`.
    ///
    /// # Errors
    ///
    /// When it was changed or torn, when its version is newer than [`VERSION`], and when it was
    /// written on a machine of another byte order.
    pub fn parse(text: &str, name: &str) -> Result<Manifest> {
        let torn = || {
            Error::damage(format!(
                "{name} is damaged: it is not the whole text that was written, by its last line"
            ))
        };
        let version = text
            .lines()
            .next()
            .and_then(|first| first.strip_prefix("shmem checkpoint ")?.parse::<u32>().ok())
            .ok_or_else(|| Error::damage(format!("{name} is not the manifest of a checkpoint")))?;
        // Before the sum, which a newer version may write in another way.
        if version > VERSION {
            return Err(Error::new(format!(
                "{name} has version {version} of the format, and this library reads versions up to {VERSION}: build \
                 the program with the newer library that wrote it"
            )));
        }
        let whole = text.strip_suffix('\n').ok_or_else(torn)?;
        let (body, last) = whole.rsplit_once('\n').ok_or_else(torn)?;
        let sum = last.strip_prefix("sum ").and_then(|sum| u32::from_str_radix(sum, 16).ok());
        if sum != Some(Sum::of(&text.as_bytes()[..body.len() + 1])) {
            return Err(torn());
        }
        // The text is as some library wrote it. What is wrong from here on was written so.
        let mut lines = Lines { rest: body, name };
        lines.next("shmem checkpoint")?;
        let program = lines.next("program")?.to_owned();
        let time = lines.next("time")?;
        let time = lines.number(time.split(' ').next().unwrap_or(time))?;
        let transport = lines.next("transport")?.to_owned();
        let order = lines.next("byte-order")?;
        if order != BYTE_ORDER {
            return Err(Error::new(format!(
                "{name} was written on a machine of {order}-endian byte order, and this one has {BYTE_ORDER}"
            )));
        }
        let pes: usize = lines.parse("pes")?;
        let generation = lines.parse("generation")?;
        let mut objects = Vec::new();
        while let Some(object) = lines.object()? {
            objects.push(object);
        }
        let mut files = Vec::new();
        while !lines.rest.is_empty() {
            lines.next("file")?;
            let bytes = lines.parse("bytes")?;
            let sums = lines.next("sums")?;
            let sums: std::result::Result<Vec<u32>, _> =
                sums.split_whitespace().map(|sum| u32::from_str_radix(sum, 16)).collect();
            let sums = sums.map_err(|_| lines.wrong())?;
            let end = objects.iter().map(|object| object.at + object.bytes() as u64).max().unwrap_or(0);
            if sums.len() != objects.len() || bytes < end {
                return Err(lines.wrong());
            }
            files.push(FileRecord { bytes, sums });
        }
        if files.len() != pes || pes == 0 {
            return Err(lines.wrong());
        }
        // PE 0 has as much as any other of a global array.
        let fits = |object: &Object| {
            object.spread.as_ref().is_none_or(|spread| {
                spread.is_possible(pes) && spread.places(spread.share(pes, 0)) <= object.len()
            })
        };
        if !objects.iter().all(fits) {
            return Err(lines.wrong());
        }
        Ok(Manifest { program, time, transport, generation, objects, files })
    }
}

/// The lines that are left to read.
struct Lines<'a> {
    rest: &'a str,
    name: &'a str,
}

impl<'a> Lines<'a> {
    fn wrong(&self) -> Error {
        let next = self.rest.lines().next().unwrap_or("the end");
        Error::new(format!("{} is not understood, before {next:?}", self.name))
    }

    /// The value of the next line, whose key is `key`.
    fn next(&mut self, key: &str) -> Result<&'a str> {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        let value = line.trim_start().strip_prefix(key).ok_or_else(|| self.wrong())?;
        self.rest = rest;
        Ok(value.strip_prefix(' ').unwrap_or(value))
    }

    fn number<T: std::str::FromStr>(&self, text: &str) -> Result<T> {
        text.parse().map_err(|_| self.wrong())
    }

    fn parse<T: std::str::FromStr>(&mut self, key: &str) -> Result<T> {
        let text = self.next(key)?;
        self.number(text)
    }

    /// The next object; none where the files begin.
    fn object(&mut self) -> Result<Option<Object>> {
        let line = self.rest.lines().next().unwrap_or("");
        let kind = match line.split_once(' ') {
            Some(("static", name)) => Kind::Static(name.to_owned()),
            Some(("lock", name)) => Kind::Lock(name.to_owned()),
            Some(("array", number)) => Kind::Array(self.number(number)?),
            _ => return Ok(None),
        };
        self.next("")?;
        let element = self.next("element")?.to_owned();
        let size: usize = self.parse("size")?;
        let extents = self.next("extents")?;
        let extents = self.numbers(extents)?;
        let spread = match self.rest.trim_start().starts_with("global ") {
            true => Some(self.spread()?),
            false => None,
        };
        let at: u64 = self.parse("at")?;
        let place = self.next("place")?.to_owned();
        // What is computed of these numbers must not wrap around.
        let bytes = extents.iter().try_fold(size, |bytes, &extent| bytes.checked_mul(extent));
        if bytes.is_none_or(|bytes| at.checked_add(bytes as u64).is_none()) {
            return Err(self.wrong());
        }
        let object = Object { kind, element, size, extents, spread, at, place };
        Ok(Some(object))
    }

    fn numbers(&self, text: &str) -> Result<Vec<usize>> {
        let numbers: std::result::Result<Vec<usize>, _> = text.split_whitespace().map(str::parse).collect();
        numbers.map_err(|_| self.wrong())
    }

    /// How a global array is dealt.
    fn spread(&mut self) -> Result<Spread> {
        let text = self.next("global")?;
        let (word, extents) = text.split_once(' ').ok_or_else(|| self.wrong())?;
        let dealing = Dealing::of_word(word).ok_or_else(|| self.wrong())?;
        let extents = self.numbers(extents)?;
        let count = extents.iter().try_fold(1_usize, |count, &extent| count.checked_mul(extent));
        if count.is_none() || extents.is_empty() {
            return Err(self.wrong());
        }
        let ghosts = match self.rest.trim_start().starts_with("ghosts ") {
            true => Some(self.ghosts()?),
            false => None,
        };
        Ok(Spread { dealing, extents, ghosts })
    }

    /// How many ghost cells it has.
    fn ghosts(&mut self) -> Result<Ghosts> {
        let (word, width) = self.next("ghosts")?.split_once(' ').ok_or_else(|| self.wrong())?;
        let is_periodic = match word {
            "periodic" => true,
            "fixed" => false,
            _ => return Err(self.wrong()),
        };
        Ok(Ghosts { width: self.number(width)?, is_periodic })
    }
}

/// A text without line breaks.
fn line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// A time as a person writes it.
fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March have the leap day at their end; 400 of them have 146,097 days.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + next;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Manifest {
        let object = |kind, element: &str, size, extents: &[usize]| Object {
            kind,
            element: element.to_owned(),
            size,
            extents: extents.to_vec(),
            spread: None,
            at: 0,
            place: String::from("src/a file.rs:3"),
        };
        let spread =
            |dealing, extents: &[usize]| Some(Spread { dealing, extents: extents.to_vec(), ghosts: None });
        let ghosts = |width, is_periodic| Some(Ghosts { width, is_periodic });
        let mut objects = vec![
            object(Kind::Static(String::from("heat::STEP")), "u64", 8, &[]),
            object(Kind::Lock(String::from("heat::LOCKS")), "Lock", 64, &[4]),
            object(Kind::Static(String::from("heat::PAIRS")), "Pair<[f64; 3], u8>", 32, &[2, 3]),
            object(Kind::Array(0), "f64", 8, &[100, 64]),
            object(Kind::Array(1), "u8", 1, &[0]),
            Object { spread: spread(Dealing::BlockCyclic(3), &[5]), ..object(Kind::Array(2), "u8", 1, &[3]) },
            Object { spread: spread(Dealing::Block2d, &[5, 2]), ..object(Kind::Array(3), "u8", 1, &[3, 2]) },
            Object {
                spread: spread(Dealing::Block, &[5, 2])
                    .map(|spread| Spread { ghosts: ghosts(1, false), ..spread }),
                ..object(Kind::Array(4), "u8", 1, &[5, 4])
            },
            Object {
                spread: spread(Dealing::Block, &[5])
                    .map(|spread| Spread { ghosts: ghosts(2, true), ..spread }),
                ..object(Kind::Array(5), "u8", 1, &[7])
            },
        ];
        let bytes = lay_out(&mut objects);
        let file = |first| FileRecord { bytes, sums: vec![first, 0, 2, 0xffff_ffff, 0, 1, 7, 8, 9] };
        Manifest {
            program: String::from("heat"),
            time: 1_795_364_411,
            transport: String::from("smp"),
            generation: 7,
            objects,
            files: vec![file(1), file(9)],
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let manifest = sample();
        assert_eq!(Manifest::parse(&manifest.to_text(), "m"), Ok(manifest));
    }

    #[test]
    fn places_are_aligned_and_apart() {
        let objects = sample().objects;
        assert_eq!(
            objects.iter().map(|object| object.at).collect::<Vec<_>>(),
            [0, 64, 64, 4096, 55_296, 55_296, 55_360, 55_424, 55_488]
        );
    }

    /// No byte can change, and none can be missing.
    #[test]
    fn every_change_is_found() {
        let text = sample().to_text();
        for at in 0..text.len() {
            for bit in [0, 3, 6] {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let Ok(changed) = String::from_utf8(bytes) else { continue };
                assert!(Manifest::parse(&changed, "m").is_err(), "byte {at}, bit {bit}");
            }
            assert!(Manifest::parse(&text[..at], "m").is_err(), "{at} bytes are left");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let reason = |text: &str| Manifest::parse(text, "d/manifest").unwrap_err().to_string();
        let text = sample().to_text();
        let newer = text.replacen("checkpoint 1", "checkpoint 2", 1);
        assert!(reason(&newer).starts_with("d/manifest has version 2 of the format"), "{}", reason(&newer));
        assert!(reason("hello").starts_with("d/manifest is not the manifest of a checkpoint"));
        assert!(reason(&text[..100]).starts_with("d/manifest is damaged"));
        let is_damage = |text: &str| Manifest::parse(text, "d/manifest").unwrap_err().is_damage();
        assert!(is_damage(&text[..100]) && is_damage("hello") && !is_damage(&newer));
        let with_sum = |body: &str| format!("{body}sum {:08x}\n", Sum::of(body.as_bytes()));
        let body = &text[..text.rfind("sum ").unwrap()];
        let other = with_sum(&body.replace(&format!("byte-order {BYTE_ORDER}"), "byte-order middle"));
        assert!(reason(&other).contains("middle-endian byte order"), "{}", reason(&other));
        let wide = with_sum(&body.replace("extents 100 64", "extents 18446744073709551615 64"));
        assert!(reason(&wide).contains("is not understood"), "{}", reason(&wide));
        for other in [
            "global ring 5",
            "global block",
            "global block 18446744073709551615 64",
            "global block-cyclic-0 5",
        ] {
            let odd = with_sum(&body.replace("global block-cyclic-3 5", other));
            assert!(reason(&odd).contains("is not understood"), "{}", reason(&odd));
        }
        for other in [
            "ghosts",
            "ghosts open 1",
            "ghosts fixed",
            "ghosts fixed 2",
            "ghosts fixed 18446744073709551615",
            "ghosts fixed 9223372036854775807",
        ] {
            let odd = with_sum(&body.replace("ghosts fixed 1", other));
            assert!(reason(&odd).contains("is not understood"), "{}", reason(&odd));
        }
        // Only parts in blocks have ghost cells around them.
        let odd = with_sum(&body.replace("global block 5\n", "global cyclic 5\n"));
        assert!(reason(&odd).contains("is not understood"), "{}", reason(&odd));
        let fewer = with_sum(&body.replace("pes 2", "pes 3"));
        assert!(reason(&fewer).contains("is not understood"), "{}", reason(&fewer));
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_782_399), "2000-02-28 23:59:59 UTC");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(utc(1_795_364_411), "2026-11-22 16:20:11 UTC");
        assert_eq!(utc(4_107_542_400), "2100-03-01 00:00:00 UTC");
    }
}
