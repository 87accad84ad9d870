//! `cargo shmem checkpoint`: what is in a checkpoint, without the program that wrote it.
//!
//! Nothing is printed or exported before its checksum was compared. The directory is not locked, as
//! that would fail the next checkpoint of a job that runs: so a job may remove the generation that is
//! being read, and then the error says so.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use shmem_checkpoint::{
    Axis, Checkpoint, Directory, Dtype, Error, Found, Kind, Manifest, Object, Selection, npy_header,
};

use crate::cli::{self, Generation};
use crate::failure::{Done, Failure};
use crate::print::{print, table};

/// How many checksums stand in a line.
const SUMS: usize = 8;
/// How wide a line of elements may be.
const WIDTH: usize = 100;

/// `cargo shmem checkpoint`.
pub(crate) fn run(command: &cli::Checkpoint) -> Done {
    match command {
        cli::Checkpoint::Show { which, selection: Some(selection), pe, .. } => {
            Opened::of(which)?.show(selection, *pe)
        }
        cli::Checkpoint::Show { which, pe, verify: true, .. } => Opened::of(which)?.verify(*pe),
        cli::Checkpoint::Show { which, pe, .. } => Opened::of(which)?.list(*pe),
        cli::Checkpoint::Export { which, selection, file, pe } => {
            Opened::of(which)?.export(selection, *pe, file)
        }
    }
}

/// A checkpoint whose manifest was read.
struct Opened {
    directory: Directory,
    /// What else is there.
    found: Found,
    checkpoint: Checkpoint,
}

impl Opened {
    /// Opens the one that the user names, or the newest in the directory.
    fn of(which: &Generation) -> Result<Opened, Failure> {
        let path = &which.directory;
        let seen = fs::metadata(path).map_err(|error| {
            Failure::new(format!("cannot read the directory {}: {error}", path.display()))
                .help("name the directory that the program passes to `checkpoint`")
        })?;
        if !seen.is_dir() {
            return Err(Failure::new(format!("{} is not a directory", path.display()))
                .help("name the directory that the program passes to `checkpoint`"));
        }
        if path.join("manifest").exists() {
            let name = path.canonicalize().ok();
            let name = name.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy());
            return Err(Failure::new(format!("{} is one of several checkpoints", path.display())).help(
                match name.as_deref().map(|name| (name, name.parse::<u64>())) {
                    Some((_, Ok(number))) => {
                        format!("name the directory that it is in, and `--generation {number}`")
                    }
                    _ => "name the directory that it was in; a checkpoint that was renamed is not read"
                        .to_owned(),
                },
            ));
        }
        let directory = Directory::new(path);
        let found = directory.find().map_err(failure)?;
        let numbers = |numbers: &mut dyn Iterator<Item = &u64>| {
            let numbers: Vec<String> = numbers.map(u64::to_string).collect();
            numbers.join(", ")
        };
        let complete = numbers(&mut found.complete.iter());
        let generation = match which.generation {
            Some(wanted) if found.complete.contains(&wanted) => wanted,
            Some(wanted) if found.complete.is_empty() => {
                return Err(Failure::new(format!(
                    "there is no checkpoint {wanted} in {}, and no other",
                    path.display()
                )));
            }
            Some(wanted) => {
                return Err(Failure::new(format!("there is no checkpoint {wanted} in {}", path.display()))
                    .help(format!("there is {complete}")));
            }
            None => *found.complete.last().ok_or_else(|| {
                let none = Failure::new(format!("there is no complete checkpoint in {}", path.display()));
                if found.parts.is_empty() {
                    none.help("name the directory that the program passes to `checkpoint`")
                } else {
                    none.help(format!(
                        "{} is being written, or its job ended before it was complete",
                        numbers(&mut found.parts.iter())
                    ))
                }
            })?,
        };
        let checkpoint = Checkpoint::open(&directory, generation)
            .map_err(|error| explain(&directory, generation, &error))?;
        Ok(Opened { directory, found, checkpoint })
    }

    fn manifest(&self) -> &Manifest {
        self.checkpoint.manifest()
    }

    /// What the user is told of an error while files are read.
    fn explain(&self, error: &Error) -> Failure {
        explain(&self.directory, self.manifest().generation, error)
    }

    /// The PEs that are meant: the one that is named, or all.
    fn pes(&self, pe: Option<usize>) -> Result<Range<usize>, Failure> {
        let count = self.manifest().files.len();
        match pe {
            None => Ok(0..count),
            Some(pe) if pe < count => Ok(pe..pe + 1),
            Some(pe) => Err(Failure::new(format!("there is no PE {pe}")).help(match count {
                1 => "the checkpoint has one PE: `--pe 0`".to_owned(),
                _ => format!("the checkpoint has {count} PEs: `--pe 0` to `--pe {}`", count - 1),
            })),
        }
    }

    fn selection(&self, text: &str) -> Result<(Selection, &Object), Failure> {
        let selection = Selection::parse(text, self.manifest()).map_err(failure)?;
        let object = &self.manifest().objects[selection.object];
        Ok((selection, object))
    }

    /// Lists the objects.
    fn list(&self, pe: Option<usize>) -> Done {
        let pes = self.pes(pe)?;
        let Manifest { program, transport, objects, files, .. } = self.manifest();
        let mut text = format!(
            "{}: {} of {program} over {transport}, written {}\n",
            self.checkpoint.folder().display(),
            plural(files.len(), "PE"),
            self.manifest().written()
        );
        let others = self.found.complete.iter().filter(|other| **other != self.manifest().generation);
        let others: Vec<String> = others.map(u64::to_string).collect();
        if !others.is_empty() {
            text += &format!("also complete: {}\n", others.join(", "));
        }
        if objects.is_empty() {
            text += "no symmetric objects\n";
            return print(&text);
        }
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let mut rows = vec![row(["object", "type", "bytes of a PE", "place in the program"])];
        rows.extend(objects.iter().map(|object| {
            let (of, bytes) = match object.kind {
                Kind::Lock(_) => (lock_text(object), "-".to_owned()),
                _ => (object.type_text(), object.bytes().to_string()),
            };
            row([&object.name(), &of, &bytes, &object.place])
        }));
        text += &format!("\n{}", table(&rows, "<<><", ""));
        // Free locks have no bytes.
        let with_sum = |(_, object): &(usize, &Object)| !matches!(object.kind, Kind::Lock(_));
        let with_sums: Vec<(usize, &Object)> = objects.iter().enumerate().filter(with_sum).collect();
        for first in pes.clone().step_by(SUMS) {
            let columns = first..pes.end.min(first + SUMS);
            let title = |pe| format!("PE {pe}");
            let mut rows =
                vec![["checksum".to_owned()].into_iter().chain(columns.clone().map(title)).collect()];
            rows.extend(with_sums.iter().map(|(number, object)| -> Vec<String> {
                let sums = columns.clone().map(|pe| format!("{:08x}", files[pe].sums[*number]));
                [object.name()].into_iter().chain(sums).collect()
            }));
            text += &format!("\n{}", table(&rows, &"<".repeat(1 + columns.len()), ""));
        }
        print(&text)
    }

    /// Compares all checksums. All damaged files are named.
    fn verify(&self, pe: Option<usize>) -> Done {
        let (mut bytes, mut damaged) = (0, Vec::new());
        let pes = self.pes(pe)?;
        for pe in pes.clone() {
            let compared = self.checkpoint.pe(pe).and_then(|reader| reader.verify(&mut |read| bytes += read));
            damaged.extend(compared.err());
        }
        let what = format!("{} in {}", plural(pes.len(), "file"), self.checkpoint.folder().display());
        if damaged.is_empty() {
            return print(&format!("{what}, {}: all checksums are right\n", plural(bytes as usize, "byte")));
        }
        for error in &damaged {
            eprintln!("error: {error}");
        }
        let last = self.explain(&damaged[0]);
        Err(Failure::new(format!("{} of {what} cannot be restored", damaged.len())).help_of(last))
    }

    /// Prints elements of an object.
    fn show(&self, text: &str, pe: Option<usize>) -> Done {
        let (selection, object) = self.selection(text)?;
        let dtype = Dtype::of(&object.element, object.size);
        let brackets = text.find('[').map_or("", |at| text[at..].trim_end());
        for of in self.copies(object, pe)? {
            let mut bytes = Vec::with_capacity(selection.len() * object.size);
            self.read(of, &selection, |part| bytes.extend_from_slice(part))?;
            let elements: Vec<String> =
                bytes.chunks_exact(object.size).map(|element| dtype.print(element)).collect();
            let of = of.map_or_else(|| "of all PEs".to_owned(), |pe| format!("of PE {pe}"));
            let title = format!("{}{brackets} {of}, {} × {}", object.name(), elements.len(), object.element);
            print(&format!("{title}\n{}", lines(&elements, &selection.axes)))?;
        }
        Ok(())
    }

    /// The PEs whose copies are meant; none is the whole of a global array.
    fn copies(&self, object: &Object, pe: Option<usize>) -> Result<Vec<Option<usize>>, Failure> {
        match (&object.spread, pe) {
            (None, pe) => Ok(self.pes(pe)?.map(Some).collect()),
            (Some(_), None) => Ok(vec![None]),
            (Some(spread), Some(_)) => Err(Failure::new(format!(
                "`{}` is one array of all PEs, dealt to them {}, and no PE has a copy of it",
                object.name(),
                spread.dealing
            ))
            .help("leave out `--pe`: the indices are those of the whole")),
        }
    }

    fn read(&self, pe: Option<usize>, selection: &Selection, each: impl FnMut(&[u8])) -> Done {
        let read = match pe {
            Some(pe) => self.checkpoint.pe(pe).and_then(|reader| reader.select(selection, each)),
            None => self.checkpoint.select_of_all(selection, each),
        };
        read.map_err(|error| self.explain(&error))
    }

    /// Writes elements of an object to a file for NumPy.
    fn export(&self, text: &str, pe: Option<usize>, file: &Path) -> Done {
        let (selection, object) = self.selection(text)?;
        let dtype = Dtype::of(&object.element, object.size);
        let copies = self.copies(object, pe)?;
        let mut extents = selection.extents();
        let is_global = object.spread.is_some();
        if pe.is_none() && !is_global {
            extents.insert(0, copies.len());
        }
        let mut output = Output::begin(file)?;
        let mut written = output.write(&npy_header(&dtype, &extents));
        for of in copies {
            self.read(of, &selection, |part| {
                if written.is_ok() {
                    written = output.write(part);
                }
            })?;
        }
        written
            .and_then(|()| output.finish())
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", file.display())))?;
        // As Python writes a tuple.
        let shape = match extents.iter().chain(&dtype.axes).copied().collect::<Vec<_>>().as_slice() {
            [one] => format!("({one},)"),
            shape => format!("{shape:?}").replace('[', "(").replace(']', ")"),
        };
        let (of, axis) = match pe {
            Some(pe) => (format!("PE {pe}"), ""),
            None if is_global => ("all PEs".to_owned(), ""),
            None => ("all PEs".to_owned(), ": the first axis is the PE"),
        };
        let mut said = format!(
            "wrote {}: {text} of {of}, in NumPy {} with shape {shape}{axis}\n",
            file.display(),
            dtype.descr
        );
        if dtype.descr.starts_with("|V") {
            said += &format!(
                "note: NumPy does not know {}, so its elements are {} bytes each: `array.view(dtype)` gives them a type\n",
                object.element, dtype.size
            );
        }
        // Standard output may be the file that was written.
        eprint!("{said}");
        Ok(())
    }
}

/// A file that has its name when it is complete. Something else of that name, such as a pipe, is
/// written to at once.
struct Output {
    to: BufWriter<File>,
    /// The name meanwhile, and the one in the end.
    names: Option<(PathBuf, PathBuf)>,
}

impl Output {
    fn begin(file: &Path) -> Result<Output, Failure> {
        let wrong = |error| {
            let failure = Failure::new(format!("cannot write {}: {error}", file.display()));
            match file.is_dir() {
                true => failure.help("name a file, such as halo.npy"),
                false => failure,
            }
        };
        let names = match fs::metadata(file) {
            Ok(found) if !found.is_file() => None,
            // A link keeps its name, also /dev/stdout.
            Ok(_) => Some(file.canonicalize().map_err(wrong)?),
            Err(_) => Some(file.to_owned()),
        };
        let names = names.map(|last| {
            let mut name = last.clone().into_os_string();
            name.push(format!(".{}.part", std::process::id()));
            (PathBuf::from(name), last)
        });
        let opened = match &names {
            Some((part, _)) => File::create(part),
            None => OpenOptions::new().write(true).open(file),
        };
        Ok(Output { to: BufWriter::new(opened.map_err(wrong)?), names })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)
    }

    fn finish(mut self) -> io::Result<()> {
        self.to.flush()?;
        if let Some((part, last)) = &self.names {
            fs::rename(part, last)?;
            self.names = None;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.names {
            // What is left of it is of no use.
            let _ = fs::remove_file(part);
        }
    }
}

fn failure(error: Error) -> Failure {
    Failure::new(error.to_string())
}

/// What the user is told of an error while files are read.
fn explain(directory: &Directory, generation: u64, error: &Error) -> Failure {
    let folder = directory.complete(generation);
    if !folder.exists() {
        return Failure::new(format!(
            "{} was removed while it was read: its job has written a newer checkpoint",
            folder.display()
        ))
        .help("run the command again");
    }
    let failure = Failure::new(error.to_string());
    if !error.is_damage() {
        return failure;
    }
    let others = directory.find().unwrap_or_default().complete;
    let other = others.iter().rev().find(|other| **other != generation);
    failure.help(match other {
        Some(other) => format!("remove {}; then checkpoint {other} is the newest", folder.display()),
        None => format!("remove {}, and let the program begin anew", folder.display()),
    })
}

/// `1 PE`, `2 PEs`.
fn plural(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

fn lock_text(object: &Object) -> String {
    Object { element: "Lock".to_owned(), ..object.clone() }.type_text()
}

/// Elements in lines: each is a row along the last axis, or a part of one, after the index of its
/// first element.
fn lines(elements: &[String], axes: &[Axis]) -> String {
    let Some(last) = axes.last() else {
        return elements.iter().map(|element| format!("  {element}\n")).collect();
    };
    let width = elements.iter().map(|element| element.chars().count()).max().unwrap_or(0);
    let room = WIDTH.saturating_sub(8 * axes.len()) / (width + 2);
    // Powers of two make indices that a person can add to.
    let in_line = [16, 8, 4, 2].into_iter().find(|&count| count <= room).unwrap_or(1);
    let mut rows = Vec::new();
    for (row, elements) in elements.chunks(last.count.max(1)).enumerate() {
        for (part, elements) in elements.chunks(in_line).enumerate() {
            let (mut rest, mut index) = (row, Vec::new());
            for axis in axes[..axes.len() - 1].iter().rev() {
                index.insert(0, axis.first + rest % axis.count * axis.step);
                rest /= axis.count;
            }
            index.push(last.first + part * in_line * last.step);
            rows.push([format!("{index:?}")].into_iter().chain(elements.iter().cloned()).collect());
        }
    }
    // The alignment of all columns, the first of which are the indices.
    table(&rows, &format!("<{}", ">".repeat(in_line)), "  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(first: usize, count: usize, step: usize) -> Axis {
        Axis { first, count, step, is_index: false }
    }

    fn numbers(count: usize) -> Vec<String> {
        (0..count).map(|number| number.to_string()).collect()
    }

    #[test]
    fn a_line_begins_with_its_index() {
        assert_eq!(lines(&numbers(1), &[]), "  0\n");
        assert_eq!(lines(&numbers(3), &[axis(4, 3, 2)]), "  [4]  0  1  2\n");
        assert_eq!(
            lines(&numbers(12), &[axis(1, 2, 1), axis(0, 2, 5), axis(7, 3, 1)]),
            "  [1, 0, 7]  0   1   2\n  [1, 5, 7]  3   4   5\n  [2, 0, 7]  6   7   8\n  [2, 5, 7]  9  10  11\n"
        );
        assert_eq!(lines(&[], &[axis(0, 0, 1)]), "");
    }

    #[test]
    fn long_rows_are_several_lines() {
        let text = lines(&numbers(40), &[axis(100, 40, 10)]);
        let starts: Vec<&str> =
            text.lines().filter_map(|line| line.split_ascii_whitespace().next()).collect();
        assert_eq!(starts, ["[100]", "[260]", "[420]"]);
        let wide: Vec<String> = vec!["x".repeat(80); 2];
        assert_eq!(lines(&wide, &[axis(0, 2, 1)]).lines().count(), 2);
    }
}
