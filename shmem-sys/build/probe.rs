//! Asks the C compiler and linker what a library has.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::symbols::{Section, Symbols};

/// What the file of a library ends with.
pub(crate) const EXTENSIONS: [&str; 3] = ["so", "dylib", "a"];

/// What a compiler must be told to use a library. Taken from a whole command line; what else stands
/// there is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// For the preprocessor: `-I`, `-D` and their like.
    pub(crate) compile: Vec<String>,
    /// Directories of libraries.
    pub(crate) search: Vec<PathBuf>,
    /// Libraries, without `-l`.
    pub(crate) libraries: Vec<String>,
}

impl Flags {
    /// The flags among the words of a command line, as a shell, pkg-config or `-###` writes it.
    pub(crate) fn parse(command_line: &str) -> Flags {
        let mut flags = Flags::default();
        let mut words = words(command_line).into_iter();
        while let Some(word) = words.next() {
            let mut operand = |flag: &str| match &word[flag.len()..] {
                "" => words.next().unwrap_or_default(),
                attached => attached.to_owned(),
            };
            if word == "-plugin" {
                // The linker's own plug-in is a shared library, but not one to link.
                operand("-plugin");
            } else if let Some(flag) = ["-isystem", "-iquote", "-idirafter", "-include", "-I", "-D", "-U"]
                .iter()
                .find(|flag| word.starts_with(**flag))
            {
                let operand = operand(flag);
                flags.compile.extend([(*flag).to_owned(), operand]);
            } else if word.starts_with("-L") {
                let directory = PathBuf::from(operand("-L"));
                if !flags.search.contains(&directory) {
                    flags.search.push(directory);
                }
            } else if word.starts_with("-l") {
                flags.add_library(operand("-l"));
            } else if word == "-pthread" {
                flags.add_library("pthread".to_owned());
            } else if let Some((directory, library)) = library_file(Path::new(&word)) {
                flags.search.push(directory);
                flags.add_library(library);
            }
        }
        flags
    }

    /// Adds a library at the end of the line. Of two mentions the last serves both, since a static
    /// library must follow what uses it.
    fn add_library(&mut self, library: String) {
        self.libraries.retain(|known| *known != library);
        self.libraries.push(library);
    }

    /// The file that the linker takes for a library, if it is in none of its own directories.
    pub(crate) fn file(&self, library: &str) -> Option<PathBuf> {
        let files = |directory: &PathBuf| {
            EXTENSIONS.map(|extension| directory.join(format!("lib{library}.{extension}")))
        };
        self.search.iter().flat_map(files).find(|file| file.is_file())
    }

    /// The arguments that find and link the libraries.
    fn link(&self) -> impl Iterator<Item = String> + '_ {
        self.search
            .iter()
            .map(|directory| format!("-L{}", directory.display()))
            .chain(self.libraries.iter().map(|library| format!("-l{library}")))
    }
}

/// The directory and the library's name, if this is the path of one.
fn library_file(path: &Path) -> Option<(PathBuf, String)> {
    let name = path.file_name()?.to_str()?.strip_prefix("lib")?;
    let library = EXTENSIONS.iter().find_map(|extension| name.strip_suffix(extension)?.strip_suffix('.'))?;
    Some((path.parent()?.to_owned(), library.to_owned()))
}

/// Splits as a shell does: at spaces outside of quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = None::<String>;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(characters.next()),
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (_, Some(open)) if character == open => quote = None,
            (_, None) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// The C compiler, and a directory for what it writes.
pub(crate) struct Compiler {
    pub(crate) command: Box<dyn Fn() -> Command>,
    pub(crate) scratch: PathBuf,
}

impl Compiler {
    /// Whether the program is right C; if not, the first thing that the compiler said against it.
    pub(crate) fn compiles(&self, program: &str, flags: &Flags) -> Result<(), String> {
        self.run(program, flags.compile.iter().cloned().chain(["-fsyntax-only".to_owned()]))
    }

    /// Whether the program compiles and links. The executable is at [`Compiler::executable`].
    pub(crate) fn links(&self, program: &str, flags: &Flags) -> Result<(), String> {
        let output = ["-o".to_owned(), self.executable().display().to_string()];
        self.run(program, flags.compile.iter().cloned().chain(output).chain(flags.link()))
    }

    pub(crate) fn executable(&self) -> PathBuf {
        self.scratch.join("probe")
    }

    fn run(&self, program: &str, arguments: impl Iterator<Item = String>) -> Result<(), String> {
        let source = self.scratch.join("probe.c");
        fs::write(&source, program).map_err(|error| format!("writing {}: {error}", source.display()))?;
        // Run where the source is, for messages without its long path.
        let mut command = (self.command)();
        command.current_dir(&self.scratch);
        command.arg("probe.c").args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
        let output =
            command.output().map_err(|error| format!("running {:?}: {error}", command.get_program()))?;
        if output.status.success() {
            Ok(())
        } else {
            Err(complaint(&String::from_utf8_lossy(&output.stderr)))
        }
    }
}

/// The line of a tool's output that says what is wrong.
pub(crate) fn complaint(output: &str) -> String {
    const SIGNS: [&str; 4] = ["error:", "undefined", "cannot find", "not found"];
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
    let telling = lines.clone().find(|line| SIGNS.iter().any(|sign| line.contains(sign)));
    telling.or_else(|| lines.next()).unwrap_or("it failed, and did not say why").to_owned()
}

/// A program that links only where a library defines all these symbols. It declares them itself: a
/// header may declare what its library lacks, and macros of its own may stand before the names.
pub(crate) fn uses(symbols: &[&str]) -> String {
    let declarations: String = symbols.iter().map(|symbol| format!("extern char {symbol}[];\n")).collect();
    let addresses = symbols.join(", ");
    format!(
        "{declarations}char *volatile addresses[] = {{ {addresses} }};\nint main(void) {{ return addresses[0] == 0; }}\n"
    )
}

/// A program that compiles only where the header has all these values, each of its type, as
/// constants.
fn has_constants(constants: &[&(String, String)]) -> String {
    let lines = constants.iter().map(|(name, kind)| format!("static const {kind} value_{name} = {name};\n"));
    format!("#include <shmem.h>\n#include <stddef.h>\n{}", lines.collect::<String>())
}

/// C functions, one for each handle, that return it.
pub(crate) fn handle_functions(handles: &[&(String, String)]) -> String {
    let lines = handles
        .iter()
        .map(|(name, kind)| format!("{kind} shmem_sys_handle_{name}(void) {{ return {name}; }}\n"));
    format!("#include <shmem.h>\n{}", lines.collect::<String>())
}

/// Those for which `all_there` does not hold, found by halving. It is asked once if nothing is
/// missing, as is mostly so.
fn missing<T: Copy>(of: &[T], all_there: &dyn Fn(&[T]) -> bool) -> Vec<T> {
    if of.is_empty() || all_there(of) { Vec::new() } else { missing_among(of, all_there) }
}

/// The same, where it is known that one is missing.
fn missing_among<T: Copy>(of: &[T], all_there: &dyn Fn(&[T]) -> bool) -> Vec<T> {
    if let [only] = of {
        return vec![*only];
    }
    let (first, second) = of.split_at(of.len() / 2);
    let mut found = missing(first, all_there);
    if found.is_empty() {
        return missing_among(second, all_there);
    }
    found.extend(missing(second, all_there));
    found
}

/// What the header gives a value to, of all that is listed.
pub(crate) fn values<'a>(symbols: &'a Symbols, compiler: &Compiler, flags: &Flags) -> Values<'a> {
    let present = |list: &'a [(String, String)], program: fn(&[&(String, String)]) -> String| {
        let all: Vec<_> = list.iter().collect();
        let missing = missing(&all, &|some| compiler.compiles(&program(some), flags).is_ok());
        all.into_iter().filter(|it| !missing.contains(it)).collect::<Vec<_>>()
    };
    let (required, optional) = (&symbols.required, &symbols.optional);
    Values {
        constants: [present(&required.constants, has_constants), present(&optional.constants, has_constants)]
            .concat(),
        handles: [present(&required.handles, handle_functions), present(&optional.handles, handle_functions)]
            .concat(),
    }
}

/// Constants and handles, each with its C type.
#[derive(Debug)]
pub(crate) struct Values<'a> {
    pub(crate) constants: Vec<&'a (String, String)>,
    pub(crate) handles: Vec<&'a (String, String)>,
}

/// Those of the listed functions that the header declares and the library defines. An error if one
/// of the required ones, or of the required values, is not there: it names all of them.
pub(crate) fn functions<'a>(
    symbols: &'a Symbols,
    values: &Values<'a>,
    declared: &dyn Fn(&str) -> bool,
    compiler: &Compiler,
    flags: &Flags,
) -> Result<BTreeSet<&'a str>, String> {
    let ask = |section: &'a Section| {
        let names = section.functions.iter().map(|(name, _)| name.as_str());
        let (declared, undeclared): (Vec<&str>, Vec<&str>) = names.partition(|name| declared(name));
        let undefined = missing(&declared, &|names| compiler.links(&uses(names), flags).is_ok());
        let defined: Vec<&str> = declared.into_iter().filter(|name| !undefined.contains(name)).collect();
        (undeclared, undefined, defined)
    };

    let (undeclared, undefined, required) = ask(&symbols.required);
    let of_value = symbols.required.constants.iter().filter(|it| !values.constants.contains(it));
    let of_value = of_value.chain(symbols.required.handles.iter().filter(|it| !values.handles.contains(it)));
    let mut complaints = String::new();
    for (what, names) in [
        ("its shmem.h does not declare", undeclared),
        ("its shmem.h declares, but the library does not define", undefined),
        ("its shmem.h gives no value to", of_value.map(|(name, _)| name.as_str()).collect()),
    ] {
        if !names.is_empty() {
            complaints += &format!("\n  {what} {}", names.join(", "));
        }
    }
    if !complaints.is_empty() {
        return Err(format!("it lacks what OpenSHMEM 1.4 asks of every library:{complaints}"));
    }

    let (_, _, optional) = ask(&symbols.optional);
    Ok(required.into_iter().chain(optional).collect())
}

/// Leaves out every library that the program links without, which is what the OpenSHMEM library
/// itself depends on, and then all directories but those that the others are in.
///
/// That is more than tidiness. lld, the linker of Rust's own default on some platforms, looks at a
/// shared library's undefined symbols once all libraries that it names as needed are on the line,
/// and looks for them in those alone. Open MPI's liboshmem needs libmpi, and its remaining symbols
/// are in a library that libmpi needs: with `-loshmem -lmpi` the linker complains of each, with
/// `-loshmem` of none.
pub(crate) fn drop_needless(flags: &mut Flags, functions: &BTreeSet<&str>, compiler: &Compiler) {
    let program = uses(&functions.iter().copied().collect::<Vec<_>>());
    for library in flags.libraries.clone() {
        let without = Flags {
            libraries: flags.libraries.iter().filter(|other| **other != library).cloned().collect(),
            ..flags.clone()
        };
        if compiler.links(&program, &without).is_ok() {
            *flags = without;
        }
    }
    let places =
        flags.libraries.iter().filter_map(|library| flags.file(library)?.parent().map(Path::to_owned));
    let places: Vec<PathBuf> = places.collect();
    flags.search.retain(|directory| places.contains(directory));
}

/// The shared libraries that the loader would not find for a program linked with these flags and no
/// run path.
pub(crate) fn out_of_reach(functions: &BTreeSet<&str>, flags: &Flags, compiler: &Compiler) -> Vec<String> {
    let program = uses(&functions.iter().copied().collect::<Vec<_>>());
    if compiler.links(&program, flags).is_err() {
        return Vec::new();
    }
    // What ldd does: the loader says what it loads, and the program does not run.
    let Ok(output) = Command::new(compiler.executable()).env("LD_TRACE_LOADED_OBJECTS", "1").output() else {
        return Vec::new();
    };
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|line| line.contains("not found"))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect()
}
