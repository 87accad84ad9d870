//! What a PE tells of itself when its supervisor asks, as text in shared memory: a line for each
//! fact, which begins with a letter and a tab.

/// How many lines of the program are told that have updated the same cells.
const PLACES: usize = 2;

/// Cells side by side in the heap of a PE, which the supervisor asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedCells {
    pub(crate) pe: usize,
    pub(crate) offset: usize,
    /// Bytes.
    pub(crate) len: usize,
}

impl AskedCells {
    /// Whether the cell at `offset` in the heap of `pe` is one of them.
    pub(crate) fn contain(&self, pe: usize, offset: usize) -> bool {
        pe == self.pe && (self.offset..self.offset + self.len).contains(&offset)
    }
}

/// Where a PE was: a line of the program, the innermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// `src/main.rs:49`; empty where the program has no debug information.
    pub(crate) place: String,
    pub(crate) function: String,
}

/// How often one PE has updated cells, and where in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Updates {
    pub(crate) count: u64,
    /// When it did so last, by the clock that all processes of the host share.
    pub(crate) last: u64,
    /// The first lines that did so: `src/main.rs:50`.
    pub(crate) places: Vec<String>,
}

/// A put or an update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LastWrite {
    /// `put of 64 bytes to HALO of PE 0`.
    pub(crate) what: String,
    /// `src/main.rs:49`; empty where it is not known.
    pub(crate) place: String,
    /// When, by the clock that all processes of the host share.
    pub(crate) at: u64,
}

/// What a PE knows in a run that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The last put or update outside of collective calls.
    pub(crate) last_write: Option<LastWrite>,
    /// For each of the cells that were asked for, how this PE has updated them; `None` where it does
    /// not know.
    pub(crate) updates: Vec<Option<Updates>>,
}

/// What a PE tells of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) frames: Vec<Frame>,
    /// The last collective call that it has begun.
    pub(crate) last_call: Option<String>,
    /// `None` in a run that does not count.
    pub(crate) counted: Option<Counted>,
}

impl Told {
    /// The text, of at most `limit` bytes. What does not fit is left out, the outermost frames first.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(crate) fn encode(&self, limit: usize) -> String {
        let mut text = String::new();
        let mut append = |words: &[&str]| {
            // A place or a name may have any characters.
            let words: Vec<String> = words.iter().map(|word| word.replace(['\t', '\n'], " ")).collect();
            let line = words.join("\t") + "\n";
            let fits = text.len() + line.len() <= limit;
            if fits {
                text += &line;
            }
            fits
        };
        if let Some(call) = &self.last_call {
            append(&["c", call]);
        }
        if let Some(Counted { last_write, updates }) = &self.counted {
            append(&["n"]);
            if let Some(LastWrite { what, place, at }) = last_write {
                append(&["w", &at.to_string(), what, place]);
            }
            for updates in updates {
                let Some(Updates { count, last, places }) = updates else {
                    append(&["u"]);
                    continue;
                };
                let (count, last) = (count.to_string(), last.to_string());
                let places = places.iter().take(PLACES).map(String::as_str);
                let words: Vec<&str> = ["u", &count, &last].into_iter().chain(places).collect();
                append(&words);
            }
        }
        for Frame { place, function } in &self.frames {
            if !append(&["f", place, function]) {
                break;
            }
        }
        text
    }

    /// What a text tells.
    pub(crate) fn decode(text: &str) -> Told {
        let mut told = Told::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split('\t').collect();
            match (&words[..], &mut told.counted) {
                (["f", place, function], _) => {
                    told.frames.push(Frame { place: (*place).to_owned(), function: (*function).to_owned() });
                }
                (["c", call], _) => told.last_call = Some((*call).to_owned()),
                (["n"], counted) => *counted = Some(Counted::default()),
                (["w", at, what, place], Some(counted)) => {
                    let (what, place) = ((*what).to_owned(), (*place).to_owned());
                    counted.last_write = at.parse().ok().map(|at| LastWrite { what, place, at });
                }
                (["u", count, last, places @ ..], Some(counted)) => {
                    let places = places.iter().map(|place| (*place).to_owned()).collect();
                    let updates = count.parse().ok().zip(last.parse().ok());
                    counted.updates.push(updates.map(|(count, last)| Updates { count, last, places }));
                }
                (["u"], Some(counted)) => counted.updates.push(None),
                _ => {}
            }
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told() -> Told {
        let frame = Frame { place: "src/main.rs:1".to_owned(), function: "f".repeat(100) };
        let updates = Updates { count: 6, last: 9, places: vec!["a.rs:1".to_owned(), "b.rs:2".to_owned()] };
        let counted = Counted {
            last_write: Some(LastWrite {
                what: "put of 8 bytes to A of PE 1".to_owned(),
                place: "a.rs:9".to_owned(),
                at: 7,
            }),
            updates: vec![None, Some(Updates::default()), Some(updates)],
        };
        Told { frames: vec![frame; 100], last_call: Some("sum at a.rs:3".to_owned()), counted: Some(counted) }
    }

    #[test]
    fn what_is_told_is_understood() {
        let told = told();
        assert_eq!(Told::decode(&told.encode(1 << 20)), told);
        assert_eq!(Told::decode(&Told::default().encode(100)), Told::default());
        assert_eq!(Told::decode("u\t1\t2\nnonsense\nf\tno function"), Told::default());
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let told = told();
        let text = told.encode(2000);
        assert!(text.len() <= 2000);
        let cut = Told::decode(&text);
        assert!(cut.frames.len() > 10 && told.frames.starts_with(&cut.frames));
        assert_eq!((&cut.last_call, &cut.counted), (&told.last_call, &told.counted));
        let odd = Told { last_call: Some("a\tb\nc".to_owned()), ..Told::default() };
        assert_eq!(Told::decode(&odd.encode(100)).last_call.as_deref(), Some("a b c"));
    }

    #[test]
    fn cells_side_by_side() {
        let cells = AskedCells { pe: 1, offset: 16, len: 16 };
        assert!(cells.contain(1, 16) && cells.contain(1, 24));
        assert!(!cells.contain(1, 32) && !cells.contain(1, 8) && !cells.contain(0, 16));
    }
}
