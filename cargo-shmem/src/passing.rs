//! Which words of a command line are the tool's, and which are cargo's.
//!
//! `cargo shmem run`, `test` and `bench` take every option of cargo's command of that name. The
//! tool takes out its own options, and passes all other words on as they are: cargo checks them, and
//! says what is wrong in its own words. So an option that a later cargo has needs no change here.
//!
//! The options of cargo that are listed here are in the help and the completions, and the list says
//! which of them take a value. The tool needs that to tell a value from the first argument of a
//! program, after which every word is the program's.

use std::ffi::{OsStr, OsString};

use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// The heading of cargo's options in the help.
const HEADING: &str = "Options of cargo, among others";

/// An option of cargo: letter, name (the letter again if it has no other), name of the value, meaning.
type CargoOption = (Option<char>, &'static str, Option<&'static str>, &'static str);

/// The options that `cargo run`, `cargo test` and `cargo bench` have.
const OF_ALL: &[CargoOption] = &[
    (Some('p'), "package", Some("SPEC"), "Package to build"),
    (None, "bin", Some("NAME"), "Build this program"),
    (None, "example", Some("NAME"), "Build this example"),
    (Some('F'), "features", Some("FEATURES"), "Features to activate"),
    (None, "all-features", None, "Activate all features"),
    (None, "no-default-features", None, "Do not activate the feature `default`"),
    (None, "profile", Some("NAME"), "Build with this profile"),
    (None, "target", Some("TRIPLE"), "Build for this target"),
    (None, "target-dir", Some("DIRECTORY"), "Folder for everything that is built"),
    (None, "manifest-path", Some("PATH"), "Path of Cargo.toml"),
    (Some('j'), "jobs", Some("N"), "Number of jobs of the build"),
    (Some('q'), "quiet", None, "Do not print cargo's messages"),
    (Some('v'), "verbose", None, "Print more of them"),
    (None, "color", Some("WHEN"), "Colour: auto, always or never"),
    (None, "message-format", Some("FORMAT"), "Format of the compiler's messages"),
    (None, "config", Some("KEY=VALUE"), "Override a value of cargo's configuration"),
    (None, "locked", None, "Refuse to change Cargo.lock"),
    (None, "offline", None, "Do not use the network"),
    (None, "frozen", None, "Both of them"),
    (None, "lockfile-path", Some("PATH"), "Path of Cargo.lock"),
    (Some('Z'), "Z", Some("FLAG"), "Flags of the nightly cargo"),
];

/// What `cargo run` and `cargo test` have in addition.
const OF_DEBUG: &[CargoOption] = &[(Some('r'), "release", None, "Build with optimisation")];

/// What `cargo test` and `cargo bench` have in addition.
const OF_TARGETS: &[CargoOption] = &[
    (None, "lib", None, "The library"),
    (None, "bins", None, "All programs"),
    (None, "examples", None, "All examples"),
    (None, "test", Some("NAME"), "This file of tests"),
    (None, "tests", None, "All tests"),
    (None, "bench", Some("NAME"), "This benchmark"),
    (None, "benches", None, "All benchmarks"),
    (None, "all-targets", None, "All of them"),
    (None, "workspace", None, "All packages of the workspace"),
    (None, "exclude", Some("SPEC"), "Leave this package out"),
    (None, "no-run", None, "Build, and do not run"),
    (None, "no-fail-fast", None, "Go on after a failure"),
];

/// The commands of cargo that the tool passes words on to.
pub(crate) trait Passed {
    /// Its options.
    const OPTIONS: &'static [&'static [CargoOption]];
    /// The name of the words after the options.
    const REST: &'static str;
    /// What these words are.
    const HELP: &'static str;
}

/// `cargo run`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfRun;

impl Passed for OfRun {
    const OPTIONS: &'static [&'static [CargoOption]] = &[OF_ALL, OF_DEBUG];
    const REST: &'static str = "ARGS";
    const HELP: &'static str = "Options of cargo, and after -- the arguments of the program";
}

/// `cargo test`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfTest;

impl Passed for OfTest {
    const OPTIONS: &'static [&'static [CargoOption]] = &[OF_ALL, OF_DEBUG, OF_TARGETS];
    const REST: &'static str = "TESTNAME";
    const HELP: &'static str =
        "Options of cargo, a part of the tests' names, and after -- the arguments of the test harness";
}

/// `cargo bench`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfBench;

impl Passed for OfBench {
    const OPTIONS: &'static [&'static [CargoOption]] = &[OF_ALL, OF_TARGETS];
    const REST: &'static str = "BENCHNAME";
    const HELP: &'static str =
        "Options of cargo, a part of the benchmarks' names, and after -- their arguments";
}

/// The options of a command of cargo, for the help and the completions. They are passed on before
/// the command line is parsed, so nothing is left to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CargoOptions<C>(std::marker::PhantomData<C>);

impl<C: Passed> Args for CargoOptions<C> {
    fn augment_args(command: Command) -> Command {
        let options = C::OPTIONS.iter().copied().flatten().map(|&(letter, name, value, help)| {
            // The heading tells cargo's options from the tool's: see `is_cargos`.
            let arg = Arg::new(name).help(help).help_heading(HEADING);
            let arg = if name.len() > 1 { arg.long(name) } else { arg };
            let arg = match letter {
                Some(letter) => arg.short(letter),
                None => arg,
            };
            match value {
                Some(value) => arg.value_name(value).action(ArgAction::Append),
                None => arg.action(ArgAction::SetTrue),
            }
        });
        let rest = Arg::new("words").value_name(C::REST).help(C::HELP).num_args(0..).last(true);
        command.args(options).arg(rest)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C> FromArgMatches for CargoOptions<C> {
    fn from_arg_matches(_: &ArgMatches) -> Result<Self, Error> {
        Ok(CargoOptions(std::marker::PhantomData))
    }

    fn update_from_arg_matches(&mut self, _: &ArgMatches) -> Result<(), Error> {
        Ok(())
    }
}

fn is_cargos(arg: &Arg) -> bool {
    arg.get_help_heading() == Some(HEADING)
}

/// Separates the words of a command line: those of the tool, with the name of the program and of the
/// command, and those that cargo gets.
///
/// A command that passes nothing on gets all words.
pub(crate) fn separate(tool: &Command, words: Vec<OsString>) -> (Vec<OsString>, Vec<OsString>) {
    let named = words.get(1).and_then(|word| tool.find_subcommand(word));
    let Some(command) = named.filter(|command| command.get_arguments().any(is_cargos)) else {
        return (words, Vec::new());
    };
    let is_run = command.get_name() == "run";
    let mut words = words.into_iter();
    let mut ours: Vec<OsString> = words.by_ref().take(2).collect();
    let mut cargos = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" || (is_run && !is_option(&word)) {
            cargos.push(word);
            break;
        }
        let option = find(command, &word);
        let takes_next = matches!(option, Some((_, true)));
        let is_ours = match option {
            Some((arg, _)) => !is_cargos(arg),
            None => is_help(&word),
        };
        let into = if is_ours { &mut ours } else { &mut cargos };
        into.push(word);
        if takes_next {
            into.extend(words.next());
        }
    }
    cargos.extend(words);
    (ours, cargos)
}

/// The values that cargo's words have for the options with these names, in order. `names` are
/// written with their hyphens.
pub(crate) fn values<'a>(cargos: &'a [OsString], names: &[&str]) -> Vec<&'a OsStr> {
    let mut found = Vec::new();
    let mut words = cargos.iter().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        for name in names {
            let text = word.to_str().unwrap_or_default();
            let Some(rest) = text.strip_prefix(name) else { continue };
            if rest.is_empty() {
                found.extend(words.next().map(OsString::as_os_str));
            } else if let Some(value) = rest.strip_prefix('=') {
                found.push(OsStr::new(value));
            } else if !name.starts_with("--") {
                found.push(OsStr::new(rest));
            }
            break;
        }
    }
    found
}

fn is_option(word: &OsStr) -> bool {
    word.as_encoded_bytes().starts_with(b"-") && word != "-"
}

fn is_help(word: &OsStr) -> bool {
    word == "-h" || word == "--help"
}

/// The option that a word is, and whether its value is the next word. A value that may be left out is
/// never the next word.
fn find<'c>(command: &'c Command, word: &OsStr) -> Option<(&'c Arg, bool)> {
    let text = word.to_string_lossy();
    let mut args = command.get_arguments();
    if let Some(long) = text.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let arg = args.find(|arg| arg.get_long() == Some(name))?;
        return Some((arg, value.is_none() && takes_next(arg)));
    }
    let mut letters = text.strip_prefix('-')?.chars();
    let letter = letters.next()?;
    let arg = args.find(|arg| arg.get_short() == Some(letter))?;
    Some((arg, letters.next().is_none() && takes_next(arg)))
}

fn takes_next(arg: &Arg) -> bool {
    arg.get_action().takes_values() && !arg.is_require_equals_set()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the tool and those of cargo, each as one text.
    fn separated(line: &str) -> (String, String) {
        let words = line.split(' ').map(OsString::from).collect();
        let (ours, cargos) = separate(&crate::cli::command(), words);
        let text = |words: Vec<OsString>| words.join(OsStr::new(" ")).into_string().expect("plain text");
        (text(ours), text(cargos))
    }

    #[test]
    fn the_words_of_a_command_line() {
        for (line, ours, cargos) in [
            ("t run", "t run", ""),
            ("t run -n 8", "t run -n 8", ""),
            ("t run -n8 --release", "t run -n8", "--release"),
            ("t run --release -n 8 --example heat", "t run -n 8", "--release --example heat"),
            ("t run --npes=8 --features=a,b", "t run --npes=8", "--features=a,b"),
            ("t run -p heat --size 64M -F a", "t run --size 64M", "-p heat -F a"),
            // After `--`, and after its first argument, all is the program's.
            ("t run -n 2 -- -n 3", "t run -n 2", "-- -n 3"),
            ("t run -n 2 file -n 3", "t run -n 2", "file -n 3"),
            ("t run - -n 3", "t run", "- -n 3"),
            // An option that is not known is cargo's.
            ("t run --new-one -n 3 --new=1", "t run -n 3", "--new-one --new=1"),
            ("t run --binding", "t run", "--binding"),
            ("t run --stats file -n 3", "t run --stats", "file -n 3"),
            ("t run --stats=json --bind core file", "t run --stats=json --bind core", "file"),
            ("t run -qn 3", "t run", "-qn 3"),
            // What cargo takes after the name of a test are still options.
            ("t test -n 1,2 name --release --timeout 5", "t test -n 1,2 --timeout 5", "name --release"),
            ("t test name -- --nocapture -n 3", "t test", "name -- --nocapture -n 3"),
            ("t bench -n 4 name", "t bench -n 4", "name"),
            ("t run --help", "t run --help", ""),
            ("t run -n", "t run -n", ""),
            // Other commands keep their words.
            ("t new -n 3 --path x", "t new -n 3 --path x", ""),
            ("t", "t", ""),
            ("t unknown -- x", "t unknown -- x", ""),
        ] {
            assert_eq!(separated(line), (ours.to_owned(), cargos.to_owned()), "{line}");
        }
    }

    #[test]
    fn values_of_options() {
        let words: Vec<OsString> = "--features a -Fb --features=c,d -F e --manifest-path x -- -F f"
            .split(' ')
            .map(OsString::from)
            .collect();
        assert_eq!(values(&words, &["--features", "-F"]), ["a", "b", "c,d", "e"]);
        assert_eq!(values(&words, &["--manifest-path"]), ["x"]);
        assert!(values(&words, &["--manifest"]).is_empty());
    }
}
