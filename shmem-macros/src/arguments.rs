//! The arguments of the attributes: `npes = 4, heap = "64M", threads = single, restore = "checkpoints", races,
//! crate = path`.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path, Token, token};

use crate::diagnostics::{Problems, Region};
use crate::reading::{read, skip};

/// The most PEs of one job.
const MAX_PES: usize = 4096;

/// An attribute, and which arguments it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attribute {
    Symmetric,
    Derive,
    Main,
    Kernel,
    GpuKernel,
    Test,
}

impl Attribute {
    /// The name under which the user knows it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Attribute::Symmetric | Attribute::Derive => "symmetric",
            Attribute::Main => "shmem::main",
            Attribute::Kernel => "shmem::kernel",
            Attribute::GpuKernel => "shmem::gpu::kernel",
            Attribute::Test => "shmem::test",
        }
    }

    /// The names of its arguments, and how a message lists them.
    fn takes(self) -> (&'static [&'static str], &'static str) {
        match self {
            Attribute::Symmetric => (
                &["block", "cyclic", "block_cyclic", "block2d", "halo", "crate"],
                "`block`, `cyclic`, `block_cyclic(k)` or `block2d`, `halo = Halo::fixed(1)` and `crate = path`",
            ),
            Attribute::Derive | Attribute::GpuKernel => (&["crate"], "`crate = path`"),
            Attribute::Main => (
                &["npes", "heap", "threads", "restore", "crate"],
                "`npes = 4`, `heap = \"64M\"`, `threads = single`, `restore = \"checkpoints\"` and `crate = path`",
            ),
            Attribute::Test => (
                &["npes", "heap", "races", "crate"],
                "`npes = 4` or `npes = [1, 2, 4]`, `heap = \"64M\"`, `races` and `crate = path`",
            ),
            Attribute::Kernel => (&[], ""),
        }
    }
}

/// What was given.
#[derive(Default)]
pub(crate) struct Arguments {
    /// `crate = path`: where the crate `shmem` is found.
    pub(crate) shmem: Option<Path>,
    /// `npes = 4` or `npes = [1, 2, 4]`.
    pub(crate) npes: Vec<usize>,
    /// `heap = "64M"`
    pub(crate) heap: Option<LitStr>,
    /// `threads = single`: the name of the variant of `ThreadLevel`.
    pub(crate) threads: Option<&'static str>,
    /// `restore = "checkpoints"`
    pub(crate) restore: Option<LitStr>,
    /// `races`
    pub(crate) races: bool,
    /// `block`, `cyclic`, `block_cyclic(k)` or `block2d`
    pub(crate) division: Option<Division>,
    /// `halo = Halo::fixed(1)`: the name, and the value.
    pub(crate) halo: Option<(Span, Expr)>,
}

/// How a global static is divided: the type in the crate `shmem`, and its parameter.
pub(crate) struct Division {
    pub(crate) name: &'static str,
    pub(crate) block: Option<Expr>,
    /// What a message about it underlines.
    pub(crate) region: Region,
}

/// Reads and checks the arguments of `attribute`.
pub(crate) fn parse(attribute: Attribute, tokens: TokenStream, problems: &mut Problems) -> Arguments {
    let mut arguments = Arguments::default();
    if attribute.takes().0.is_empty() {
        if !tokens.is_empty() {
            let text = format!("`#[{}]` takes no arguments: remove them", attribute.name());
            problems.add(Region::of(&tokens), text);
        }
        return arguments;
    }
    read(tokens, problems, |input, problems| {
        let mut given: Vec<String> = Vec::new();
        while !input.is_empty() {
            let mistakes = problems.count();
            argument(attribute, input, &mut given, &mut arguments, problems);
            if problems.count() == mistakes && !input.is_empty() && !input.peek(Token![,]) {
                problems.add(
                    input.span(),
                    "arguments are separated by commas: write a comma before this, or remove it",
                );
            }
            skip_past_comma(input);
        }
        Some(())
    });
    arguments
}

/// The text of a mistake where the name of an argument is missing.
pub(crate) fn name_expected(attribute: Attribute) -> String {
    format!("expected an argument's name: `#[{}]` takes {}", attribute.name(), attribute.takes().1)
}

/// One argument, up to the comma after it at most.
fn argument(
    attribute: Attribute,
    input: ParseStream<'_>,
    given: &mut Vec<String>,
    arguments: &mut Arguments,
    problems: &mut Problems,
) {
    let (names, takes) = attribute.takes();
    let Ok(name) = input.call(Ident::parse_any) else {
        problems.add(input.span(), name_expected(attribute));
        return;
    };
    let (at, name) = (name.span(), name.to_string());
    if attribute == Attribute::Main && name == "races" {
        problems.add(
            at,
            "`races` is an argument of `#[shmem::test]`: a program looks for races if it is run with `SHMEM_RACES=1`",
        );
        return;
    }
    if !names.contains(&name.as_str()) {
        let attribute = attribute.name();
        problems.add(at, format!("`{name}` is not an argument of `#[{attribute}]`, which takes {takes}"));
        return;
    }
    if name == "races" {
        if !input.is_empty() && !input.peek(Token![,]) {
            problems.add(at, "`races` takes no value: write `races` alone, or leave it out");
        } else if std::mem::replace(&mut arguments.races, true) {
            problems.add(at, "`races` is given twice: remove one");
        }
        return;
    }
    if attribute == Attribute::Symmetric && !["crate", "halo"].contains(&name.as_str()) {
        if arguments.division.is_some() {
            problems.add(at, "a static is divided in one way: remove this or the other");
        }
        arguments.division = division(&name, at, input, problems);
        return;
    }
    if input.parse::<Token![=]>().is_err() || input.is_empty() || input.peek(Token![,]) {
        let example = match name.as_str() {
            "npes" => "npes = 4",
            "heap" => "heap = \"64M\"",
            "threads" => "threads = single",
            "restore" => "restore = \"checkpoints\"",
            "halo" => "halo = Halo::fixed(1)",
            _ => "crate = ::other_name",
        };
        problems.add(at, format!("`{name}` needs a value: write `{example}`"));
        return;
    }
    if given.contains(&name) {
        problems.add(at, format!("`{name}` is given twice: remove one"));
        return;
    }
    match name.as_str() {
        "npes" => arguments.npes = npes(attribute, input, problems).unwrap_or_default(),
        "heap" => arguments.heap = heap(input, problems),
        "threads" => arguments.threads = threads(input, problems),
        "restore" => arguments.restore = restore(input, problems),
        "halo" => arguments.halo = halo(input, problems).map(|halo| (at, halo)),
        _ => arguments.shmem = shmem(input, problems),
    }
    given.push(name);
}

/// What follows the name of a division: the length of the blocks of `block_cyclic(k)`.
fn division(name: &str, at: Span, input: ParseStream<'_>, problems: &mut Problems) -> Option<Division> {
    const LENGTH: &str = "`block_cyclic` takes the length of its blocks: write `block_cyclic(8)`";
    let takes_length = name == "block_cyclic";
    if !takes_length && !input.is_empty() && !input.peek(Token![,]) {
        return problems.fail(at, format!("`{name}` takes no value: write `{name}` alone"));
    }
    let block = if takes_length {
        if !input.peek(token::Paren) {
            return problems.fail(at, LENGTH);
        }
        let inside = || -> syn::Result<Expr> {
            let content;
            syn::parenthesized!(content in input);
            let length = content.parse::<Expr>()?;
            if content.is_empty() { Ok(length) } else { Err(content.error("more than a length")) }
        };
        match inside() {
            Ok(length) => Some(length),
            Err(_) => return problems.fail(at, LENGTH),
        }
    } else {
        None
    };
    let region = block.as_ref().map_or_else(|| at.into(), Region::of);
    let name = match name {
        "block" => "BlockParts",
        "cyclic" => "CyclicParts",
        "block_cyclic" => "BlockCyclicParts",
        _ => "Block2dParts",
    };
    Some(Division { name, block, region })
}

/// `Halo::fixed(1)`, or any other constant of this type.
fn halo(input: ParseStream<'_>, problems: &mut Problems) -> Option<Expr> {
    let at = input.span();
    match input.parse::<Expr>() {
        Ok(Expr::Lit(number)) => problems.fail(
            Region::of(&number),
            "`halo` says how many ghost cells there are and what is beyond the ends: write `Halo::fixed(1)` or \
             `Halo::periodic(1)`, of `shmem::Halo`",
        ),
        Ok(halo) => Some(halo),
        Err(_) => problems.fail(at, "`halo` takes a constant: write `halo = Halo::fixed(1)`"),
    }
}

/// `path`, or `"path"`, as attributes of other crates take it.
fn shmem(input: ParseStream<'_>, problems: &mut Problems) -> Option<Path> {
    let span = input.span();
    let path = match input.parse::<Option<LitStr>>() {
        Ok(Some(text)) => text.parse_with(Path::parse_mod_style),
        _ => input.call(Path::parse_mod_style),
    };
    path.ok().or_else(|| {
        problems.fail(span, "`crate` takes the path of the crate shmem: write `crate = ::other_name`")
    })
}

/// `4` or `[1, 2, 4]`; the list only in a test.
fn npes(attribute: Attribute, input: ParseStream<'_>, problems: &mut Problems) -> Option<Vec<usize>> {
    let span = input.span();
    match input.parse::<Expr>() {
        Ok(Expr::Array(list)) if attribute == Attribute::Main => problems.fail(
            Region::of(&list),
            "`#[shmem::main]` takes one number of PEs: write `npes = 4` (only `#[shmem::test]` takes a list)",
        ),
        Ok(Expr::Array(list)) if list.elems.is_empty() => {
            problems.fail(Region::of(&list), "the list of numbers of PEs is empty: write `npes = [1, 2, 4]`")
        }
        Ok(Expr::Array(list)) => {
            Some(list.elems.iter().filter_map(|count| one_count(count, problems)).collect())
        }
        Ok(count) => one_count(&count, problems).map(|count| vec![count]),
        Err(_) => problems.fail(span, NPES_VALUE),
    }
}

const NPES_VALUE: &str = "`npes` takes a whole number: write `npes = 4`";

fn one_count(count: &Expr, problems: &mut Problems) -> Option<usize> {
    let number = match count {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(_) => None,
        _ => return problems.fail(Region::of(count), NPES_VALUE),
    };
    let number = number.filter(|number| (1..=MAX_PES).contains(number));
    number.or_else(|| {
        problems.fail(Region::of(count), "a job has 1 to 4096 PEs: write a number from 1 to 4096")
    })
}

/// `"64M"`
fn heap(input: ParseStream<'_>, problems: &mut Problems) -> Option<LitStr> {
    let text = match input.parse::<Expr>() {
        Ok(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Ok(text),
        Ok(other) => Err(Region::of(&other)),
        Err(error) => Err(error.span().into()),
    };
    match text {
        Ok(text) if is_size(&text.value()) => Some(text),
        Ok(text) => problems.fail(
            text.span(),
            "not a size: write a decimal number above 0, with k, m, g or t for KiB, MiB, GiB or TiB, \
             such as `\"64M\"` or `\"1.5G\"`",
        ),
        Err(at) => problems.fail(at, "`heap` takes a size as a string: write `heap = \"64M\"`"),
    }
}

/// `"checkpoints"`
fn restore(input: ParseStream<'_>, problems: &mut Problems) -> Option<LitStr> {
    let at = match input.parse::<Expr>() {
        Ok(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) if !text.value().is_empty() => return Some(text),
        Ok(other) => Region::of(&other),
        Err(error) => error.span().into(),
    };
    problems.fail(at, "`restore` takes a directory as a string: write `restore = \"checkpoints\"`")
}

/// `single`, `funneled`, `serialized` or `multiple`.
fn threads(input: ParseStream<'_>, problems: &mut Problems) -> Option<&'static str> {
    const LEVELS: &str = "`threads` says which threads of a PE call the library: write `single`, `funneled`, \
                          `serialized` or `multiple`";
    let at = input.span();
    let Ok(level) = input.call(Ident::parse_any) else {
        let region = input.parse::<Expr>().map_or_else(|_| at.into(), |expression| Region::of(&expression));
        return problems.fail(region, LEVELS);
    };
    match level.to_string().as_str() {
        "single" => Some("Single"),
        "funneled" => Some("Funneled"),
        "serialized" => Some("Serialized"),
        "multiple" => Some("Multiple"),
        _ => problems.fail(at, LEVELS),
    }
}

/// Whether a text is a size as OpenSHMEM writes it: a decimal number above 0, and a unit or none.
fn is_size(text: &str) -> bool {
    let number = text.strip_suffix(['k', 'K', 'm', 'M', 'g', 'G', 't', 'T']).unwrap_or(text);
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let well_formed = match number.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(number),
    };
    well_formed && number.bytes().any(|byte| (b'1'..=b'9').contains(&byte))
}

/// Moves past the next comma, so that the arguments after it are still checked.
fn skip_past_comma(input: ParseStream<'_>) {
    while !input.is_empty() && !matches!(input.parse::<Option<Token![,]>>(), Ok(Some(_))) {
        skip(input);
    }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Attribute, is_size, parse};
    use crate::diagnostics::Problems;
    use crate::testing::{assert_mistakes, tokens};

    fn parsed(attribute: Attribute, source: &str) -> (Arguments, Problems) {
        let mut problems = Problems::default();
        let arguments = parse(attribute, tokens(source), &mut problems);
        (arguments, problems)
    }

    #[track_caller]
    fn wrong(attribute: Attribute, source: &str, expected: &[(&str, &str)]) {
        assert_mistakes(source, &parsed(attribute, source).1, expected);
    }

    #[test]
    fn a_comma_is_missing() {
        let text = "arguments are separated by commas";
        wrong(Attribute::Main, "npes = 4 heap = \"64M\"", &[("heap", text)]);
        wrong(Attribute::Test, "heap = \"64M\" races, npes = [1] 2", &[("races", text), ("2", text)]);
        wrong(Attribute::Symmetric, "block_cyclic(8) block, crate = a b", &[("block", text), ("b", text)]);
    }

    #[test]
    fn good() {
        let (arguments, problems) =
            parsed(Attribute::Test, "npes = [1, 2, 4_096], heap = \"64M\", races, crate = ::other::shmem,");
        assert!(problems.is_empty());
        assert!(arguments.races);
        assert_eq!(arguments.npes, [1, 2, 4096]);
        assert_eq!(arguments.heap.expect("a heap").value(), "64M");
        assert_eq!(arguments.shmem.expect("a path").segments.len(), 2);

        let (arguments, problems) =
            parsed(Attribute::Main, "crate = \"a::b\", restore = \"c/d\", npes = 3usize");
        assert!(problems.is_empty());
        assert!(!arguments.races);
        assert_eq!(arguments.restore.expect("a directory").value(), "c/d");
        assert_eq!(arguments.npes, [3]);
        assert_eq!(arguments.shmem.expect("a path").segments.len(), 2);
    }

    #[test]
    fn divisions() {
        for (source, name) in [
            ("block", "BlockParts"),
            ("cyclic, crate = a::b", "CyclicParts"),
            ("crate = a::b, block_cyclic(2 * N)", "BlockCyclicParts"),
            ("block2d,", "Block2dParts"),
        ] {
            let (arguments, problems) = parsed(Attribute::Symmetric, source);
            assert!(problems.is_empty(), "{source}");
            let division = arguments.division.expect("a division");
            assert_eq!(division.name, name);
            assert_eq!(division.block.is_some(), name == "BlockCyclicParts");
        }
        let wrong = |source, at, text| wrong(Attribute::Symmetric, source, &[(at, text)]);
        wrong("block, cyclic", "cyclic", "a static is divided in one way");
        wrong("block, halo", "halo", "`halo` needs a value: write `halo = Halo::fixed(1)`");
        wrong("block, halo = 1", "1", "...write `Halo::fixed(1)` or `Halo::periodic(1)`");
        wrong("halo = W, block, halo = W", "halo", "`halo` is given twice");
        wrong("block = 3", "block", "`block` takes no value");
        wrong("block2d(2)", "block2d", "`block2d` takes no value");
        wrong("block_cyclic", "block_cyclic", "`block_cyclic` takes the length");
        wrong("block_cyclic()", "block_cyclic", "`block_cyclic` takes the length");
        wrong("block_cyclic(2, 3)", "block_cyclic", "`block_cyclic` takes the length");
        wrong(
            "blocks",
            "blocks",
            "...takes `block`, `cyclic`, `block_cyclic(k)` or `block2d`, `halo = Halo::fixed(1)` and `crate = path`",
        );
    }

    #[test]
    fn sizes() {
        for good in ["1", "64M", "1.5g", "3.1M", "0.5k", "007", "2T"] {
            assert!(is_size(good), "{good}");
        }
        for bad in ["", "M", "0", "0.0G", "-1", "64 M", "64MB", "1.", ".5", "1e3", "0x10", "1.2.3"] {
            assert!(!is_size(bad), "{bad}");
        }
    }

    #[test]
    fn mistakes() {
        let main = Attribute::Main;
        wrong(main, "pes = 3", &[("pes", "`pes` is not an argument of `#[shmem::main]`")]);
        wrong(main, "3", &[("3", "expected an argument's name")]);
        wrong(main, "npes", &[("npes", "`npes` needs a value: write `npes = 4`")]);
        wrong(main, "npes = ", &[("npes", "`npes` needs a value")]);
        wrong(main, "npes(4)", &[("npes", "`npes` needs a value")]);
        wrong(main, "npes = 1, npes = 2", &[("npes", "`npes` is given twice")]);
        wrong(main, "npes = 0", &[("0", "a job has 1 to 4096 PEs: write a number from 1 to 4096")]);
        wrong(main, "npes = 4097", &[("4097", "a job has 1 to 4096 PEs: write a number from 1 to 4096")]);
        wrong(main, "npes = -1", &[("-1", "a job has 1 to 4096 PEs: write a number from 1 to 4096")]);
        wrong(main, "npes = \"4\"", &[("\"4\"", "`npes` takes a whole number")]);
        wrong(main, "npes = N", &[("N", "`npes` takes a whole number")]);
        wrong(main, "npes = [1]", &[("[1]", "`#[shmem::main]` takes one number")]);
        wrong(Attribute::Test, "npes = []", &[("[]", "the list of numbers of PEs is empty")]);
        wrong(main, "heap = 64", &[("64", "`heap` takes a size as a string")]);
        let levels = "`threads` says which threads of a PE call the library: write `single`, `funneled`";
        for (threads, wrong_part) in
            [("threads = one", "one"), ("threads = 3", "3"), ("threads = \"single\"", "\"single\"")]
        {
            wrong(main, threads, &[(wrong_part, levels)]);
        }
        wrong(main, "threads", &[("threads", "`threads` needs a value: write `threads = single`")]);
        wrong(main, "restore = 3", &[("3", "`restore` takes a directory as a string")]);
        wrong(main, "restore = \"\"", &[("\"\"", "`restore` takes a directory as a string")]);
        wrong(main, "restore", &[("restore", "`restore` needs a value: write `restore = \"checkpoints\"`")]);
        wrong(
            Attribute::Test,
            "restore = \"c\"",
            &[("restore", "`restore` is not an argument of `#[shmem::test]`")],
        );
        wrong(
            main,
            "races",
            &[(
                "races",
                "`races` is an argument of `#[shmem::test]`: a program looks for races if it is run with `SHMEM_RACES=1`",
            )],
        );
        for value in ["races = true", "races = all", "races(all)", "races 1"] {
            wrong(Attribute::Test, value, &[("races", "`races` takes no value: write `races` alone")]);
        }
        wrong(Attribute::Test, "races, npes = 2, races", &[("races", "`races` is given twice")]);
        wrong(main, "heap = \"64MB\"", &[("\"64MB\"", "not a size")]);
        wrong(main, "crate = 3", &[("3", "`crate` takes the path")]);
        wrong(main, "crate", &[("crate", "`crate` needs a value: write `crate = ::other_name`")]);
        wrong(
            Attribute::Test,
            "timeout = 3",
            &[("timeout", "...`#[shmem::test]`, which takes `npes = 4` or")],
        );
        wrong(
            Attribute::Symmetric,
            "npes = 3",
            &[("npes", "...`#[symmetric]`, which takes `block`, `cyclic`")],
        );
        wrong(
            Attribute::Kernel,
            "crate = x",
            &[("crate = x", "`#[shmem::kernel]` takes no arguments: remove them")],
        );
        wrong(
            Attribute::Test,
            "npes = [0, x], heap = 3, other, 7 8, crate = 3",
            &[
                ("0", "a job has 1 to 4096 PEs"),
                ("x", "`npes` takes a whole number"),
                ("3", "`heap` takes"),
                ("other", "`other` is not an argument"),
                ("7", "expected an argument's name"),
                ("3", "`crate` takes"),
            ],
        );
    }
}
