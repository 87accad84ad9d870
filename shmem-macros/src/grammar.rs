//! The grammar in `grammar.ungram` is that of the parsers. Sentences that are derived from it at random
//! are accepted. Sentences with one mistake are refused, if the grammar does not have them.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Block, Expr, ExprPath, Item, Macro, Stmt};
use ungrammar::{Grammar, Node, Rule};

use crate::arguments::Attribute;
use crate::assignments::move_inside;
use crate::place::PlaceMacro;
use crate::testing::tokens;
use crate::wait::WaitMacro;
use crate::{collective, function, place, symmetric, wait};

/// What stands for each part of Rust.
const PARTS: [(&str, &[&str]); 26] = [
    ("#PE", &["pe", "0", "(me + 1) % n"]),
    ("#buffer", &["&mut buffer", "&mut rows[3..]"]),
    ("#context", &["ctx", "streams[k]"]),
    ("#expression", &["grids[k]", "grid(k)"]),
    ("#field", &["mass", "0"]),
    ("#folder", &["\"checkpoints\""]),
    ("#function", &["fn name(world: &World) { }"]),
    ("#join", &["join", "|a, b| a + b"]),
    ("#length", &["8", "K"]),
    ("#list", &["list", "&picked[..n]"]),
    ("#new value", &["1.5", "[0; 4]", "f(x)", "&row"]),
    ("#number", &["i", "3", "n - 1", "N", "f(x)"]),
    ("#PEs", &["4", "1"]),
    ("#crate", &["::other", "\"other\""]),
    ("#path", &["GRID", "grid", "model::GRID"]),
    ("#range", &["part", "parts[k]"]),
    ("#root", &["0", "root"]),
    ("#size", &["\"64M\""]),
    ("#slice", &["&values", "&rows[3..]"]),
    ("#static", &["static GRID: [[f64; 8]; 8] = [[0.0; 8]; 8];"]),
    ("#status", &["&seen", "seen"]),
    ("#step", &["2", "step"]),
    ("#stream", &["stream", "streams[k]"]),
    ("#team", &["team", "teams[k]"]),
    ("#value", &["x", "3.5", "local!(COUNT)"]),
    ("#width", &["Halo::fixed(1)"]),
];

fn grammar() -> Grammar {
    include_str!("../grammar.ungram").parse().expect("the grammar")
}

fn node(grammar: &Grammar, name: &str) -> Node {
    grammar.iter().find(|node| grammar[*node].name == name).unwrap_or_else(|| panic!("no rule {name}"))
}

/// A text in pieces: brackets, commas, semicolons and `&`, and what is between them and spaces. An item
/// is one piece.
fn pieces(text: &str) -> Vec<String> {
    if text.starts_with("fn ") || text.starts_with("static ") {
        return vec![text.to_owned()];
    }
    let mut spaced = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_reference = letter == '&' && letters.peek().is_some_and(|next| next.is_alphabetic());
        if is_reference || "()[]{},;".contains(letter) {
            spaced.extend([' ', letter, ' ']);
        } else {
            spaced.push(letter);
        }
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Derives a sentence from `rule`, in pieces.
fn derive(grammar: &Grammar, rule: &Rule, rng: &mut Rng, sentence: &mut Vec<String>) {
    match rule {
        Rule::Labeled { rule, .. } => derive(grammar, rule, rng, sentence),
        Rule::Node(node) => derive(grammar, &grammar[*node].rule, rng, sentence),
        Rule::Token(token) => {
            let name = &grammar[*token].name;
            let text = match name.strip_prefix('#').filter(|rest| !rest.starts_with('[')) {
                None => name.as_str(),
                Some(_) => {
                    let (_, samples) = PARTS.iter().find(|(part, _)| part == name).expect("samples");
                    samples[rng.usize(..samples.len())]
                }
            };
            sentence.extend(pieces(text));
        }
        Rule::Seq(rules) => rules.iter().for_each(|rule| derive(grammar, rule, rng, sentence)),
        Rule::Alt(rules) => derive(grammar, &rules[rng.usize(..rules.len())], rng, sentence),
        Rule::Opt(rule) => {
            if rng.bool() {
                derive(grammar, rule, rng, sentence);
            }
        }
        Rule::Rep(rule) => (0..rng.usize(..3)).for_each(|_| derive(grammar, rule, rng, sentence)),
    }
}

/// Whether the grammar has a sentence. A part of Rust may be more than one part of the sentence.
struct Recogniser<'g> {
    grammar: &'g Grammar,
    sentence: &'g [String],
    /// For parts of Rust that begin at a place: where they may end.
    ends: BTreeMap<(bool, usize), BTreeSet<usize>>,
}

impl Recogniser<'_> {
    fn accepts(mut self, start: &str) -> bool {
        let rule = &self.grammar[node(self.grammar, start)].rule;
        self.ends_of(rule, BTreeSet::from([0])).contains(&self.sentence.len())
    }

    /// Where what `rule` derives may end, if it begins at one of `starts`.
    fn ends_of(&mut self, rule: &Rule, starts: BTreeSet<usize>) -> BTreeSet<usize> {
        let grammar = self.grammar;
        match rule {
            Rule::Labeled { rule, .. } => self.ends_of(rule, starts),
            Rule::Node(node) => self.ends_of(&grammar[*node].rule, starts),
            Rule::Token(token) => {
                let name = &grammar[*token].name;
                let is_part = PARTS.iter().any(|(part, _)| part == name);
                starts.into_iter().flat_map(|at| self.ends_of_token(name, is_part, at)).collect()
            }
            Rule::Seq(rules) => rules.iter().fold(starts, |starts, rule| self.ends_of(rule, starts)),
            Rule::Alt(rules) => rules.iter().flat_map(|rule| self.ends_of(rule, starts.clone())).collect(),
            Rule::Opt(rule) => {
                let mut ends = self.ends_of(rule, starts.clone());
                ends.extend(starts);
                ends
            }
            Rule::Rep(rule) => {
                let (mut ends, mut last) = (starts.clone(), starts);
                while !last.is_empty() {
                    last = self.ends_of(rule, last).difference(&ends).copied().collect();
                    ends.extend(&last);
                }
                ends
            }
        }
    }

    fn ends_of_token(&mut self, name: &str, is_part: bool, at: usize) -> BTreeSet<usize> {
        if !is_part {
            let word = pieces(name);
            let fits = self.sentence[at..].starts_with(&word);
            return fits.then_some(at + word.len()).into_iter().collect();
        }
        // A function and a static are no expressions, and a number may be the name of a field.
        let samples = PARTS.iter().find(|(part, _)| *part == name).map_or(&[][..], |(_, samples)| samples);
        let samples = samples.iter().map(|sample| pieces(sample));
        let samples: Vec<usize> = samples
            .filter(|sample| self.sentence[at..].starts_with(sample))
            .map(|sample| at + sample.len())
            .collect();
        let sentence = self.sentence;
        let is_path = name == "#path";
        let ends = self.ends.entry((is_path, at)).or_insert_with(|| {
            let is_rust = |end: &usize| {
                let Ok(tokens) = sentence[at..*end].join(" ").parse::<TokenStream>() else { return false };
                match is_path {
                    true => syn::parse2::<ExprPath>(tokens).is_ok(),
                    false => syn::parse2::<Expr>(tokens).is_ok(),
                }
            };
            (at + 1..=sentence.len()).filter(is_rust).collect()
        });
        let mut ends = ends.clone();
        ends.extend(samples);
        ends
    }
}

/// Whether a macro accepts its tokens.
fn accepts_call(call: &Macro) -> bool {
    let input = tokens(&format!("shmem; {}", call.tokens));
    let name = call.path.get_ident().map(ToString::to_string).unwrap_or_default();
    match name.as_str() {
        "remote" => place::expand(PlaceMacro::Remote, input).is_ok(),
        "local" => place::expand(PlaceMacro::Local, input).is_ok(),
        "wait" => wait::expand(WaitMacro::Wait, input).is_ok(),
        "poll" => wait::expand(WaitMacro::Poll, input).is_ok(),
        "collective" => collective::expand(input).is_ok(),
        _ => false,
    }
}

/// Whether the macros accept a sentence: a call, maybe with an operator after it, or an item with an
/// attribute.
fn accepts(sentence: &[String]) -> bool {
    let text = sentence.join(" ");
    let Ok(tokens) = text.parse::<TokenStream>() else { return false };
    if text.starts_with('#') {
        let Ok(mut item) = syn::parse2::<Item>(tokens) else { return false };
        let attributes = match &mut item {
            Item::Fn(item) => std::mem::take(&mut item.attrs),
            Item::Static(item) => std::mem::take(&mut item.attrs),
            _ => return false,
        };
        let [attribute] = attributes.as_slice() else { return false };
        let arguments = match &attribute.meta {
            syn::Meta::Path(_) => TokenStream::new(),
            syn::Meta::List(list) => list.tokens.clone(),
            syn::Meta::NameValue(_) => return false,
        };
        let item = item.to_token_stream();
        let path = attribute.path().to_token_stream().to_string();
        let (_, problems) = match path.replace(' ', "").as_str() {
            "symmetric" => symmetric::expand(arguments, item),
            "shmem::main" => function::start(Attribute::Main, arguments, item),
            "shmem::test" => function::start(Attribute::Test, arguments, item),
            _ => return false,
        };
        return problems.is_empty();
    }
    let Ok(mut block) = syn::parse_str::<Block>(&format!("{{ {text}; }}")) else { return false };
    move_inside(&mut block);
    match block.stmts.as_slice() {
        [Stmt::Macro(statement)] => accepts_call(&statement.mac),
        [Stmt::Expr(Expr::Macro(call), Some(_))] => accepts_call(&call.mac),
        _ => false,
    }
}

/// Whether a sentence gives an argument of an attribute twice, which the grammar does not say.
fn is_twice(sentence: &[String]) -> bool {
    let names = ["npes", "heap", "threads", "restore", "races", "crate"];
    names.iter().any(|name| sentence.iter().filter(|part| part == name).count() > 1)
}

const STARTS: [&str; 9] =
    ["Remote", "Local", "Assignment", "Wait", "Poll", "Collective", "Symmetric", "Main", "Test"];
/// Sentences of each kind.
const COUNT: usize = 300;

fn sentences(grammar: &Grammar, start: &str) -> Vec<Vec<String>> {
    let mut rng = Rng::with_seed(7);
    let rule = &grammar[node(grammar, start)].rule;
    let derived = (0..COUNT).map(|_| {
        let mut sentence = Vec::new();
        derive(grammar, rule, &mut rng, &mut sentence);
        sentence
    });
    derived.filter(|sentence| !is_twice(sentence)).collect()
}

#[test]
fn what_the_grammar_derives_is_accepted() {
    let grammar = grammar();
    let mut refused = BTreeMap::new();
    for start in STARTS {
        for sentence in sentences(&grammar, start) {
            let recogniser = Recogniser { grammar: &grammar, sentence: &sentence, ends: BTreeMap::new() };
            assert!(recogniser.accepts(start), "derived, and not recognised: {}", sentence.join(" "));
            if !accepts(&sentence) {
                // The shortest tells most.
                let shortest: &mut Vec<String> = refused.entry(start).or_insert_with(|| sentence.clone());
                if sentence.len() < shortest.len() {
                    *shortest = sentence;
                }
            }
        }
    }
    let refused: Vec<String> = refused.values().map(|sentence| sentence.join(" ")).collect();
    assert!(refused.is_empty(), "in the grammar, and refused: {refused:#?}");
}

#[test]
fn what_the_grammar_does_not_have_is_refused() {
    let grammar = grammar();
    let mut rng = Rng::with_seed(11);
    let mut all = Vec::new();
    for start in STARTS {
        let sentences = sentences(&grammar, start);
        let (mut outside, mut accepted) = (0, Vec::new());
        for sentence in sentences.iter().take(COUNT) {
            let mut mutant = sentence.clone();
            // Parts of other sentences come in too.
            let other = &sentences[rng.usize(..sentences.len())];
            let part = other[rng.usize(..other.len())].clone();
            let at = rng.usize(..mutant.len());
            match rng.usize(..4) {
                0 => drop(mutant.remove(at)),
                1 => mutant.insert(at, part),
                2 => mutant[at] = part,
                _ => mutant.swap(at, (at + 1) % sentence.len()),
            }
            // It may have become a sentence of another kind.
            let is_inside = |start| {
                Recogniser { grammar: &grammar, sentence: &mutant, ends: BTreeMap::new() }.accepts(start)
            };
            // Parentheses around a statement are Rust's.
            if mutant[0] == "(" || STARTS.into_iter().any(is_inside) {
                continue;
            }
            outside += 1;
            if accepts(&mutant) {
                accepted.push(mutant.join(" "));
            }
        }
        assert!(outside > 50, "{start}: only {outside} mutants are outside of the grammar");
        all.extend(accepted);
    }
    all.sort_by_key(String::len);
    assert!(all.is_empty(), "outside of the grammar, and accepted: {all:#?}");
}

/// Every part of Rust has samples, every rule is reached, and every word of `collective!` is there.
#[test]
fn the_grammar_is_whole() {
    let grammar = grammar();
    let tokens: BTreeSet<&str> = grammar.tokens().map(|token| grammar[token].name.as_str()).collect();
    for one in collective::table::COLLECTIVES {
        assert!(tokens.contains(one.word), "{} is not in the grammar", one.word);
    }
}
