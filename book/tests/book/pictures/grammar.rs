//! The grammar of the macros as railroad diagrams. It is the text that the parsers are tested
//! against, and a crate draws it.

use std::collections::BTreeSet;

use railroad::svg::HDir;
use railroad::{
    Choice, Empty, Node, NonTerminal, Optional, Repeat, Sequence, SimpleEnd,
    SimpleStart, Stack, Terminal,
};
use ungrammar::{Grammar, Rule};

use super::svg::Picture;
use super::{book, check};
use crate::read;

/// A picture: its name, its title, and the rules that it shows.
type Group = (&'static str, &'static str, &'static [&'static str]);

const GROUPS: [Group; 7] = [
    (
        "grammar-remote",
        "remote! and local!",
        &["Remote", "RemoteAction", "Local", "LocalAction", "Assignment"],
    ),
    (
        "grammar-place",
        "A place",
        &["Place", "LocalPlace", "More", "Object", "Field", "Operator"],
    ),
    ("grammar-selector", "A selector", &["Selector", "Whole", "Range"]),
    (
        "grammar-wait",
        "wait! and poll!",
        &["Wait", "Poll", "Cells", "Comparison"],
    ),
    (
        "grammar-collective",
        "collective!",
        &[
            "Collective",
            "Action",
            "Move",
            "OfValue",
            "Reduction",
            "ToAll",
            "Synchronisation",
        ],
    ),
    (
        "grammar-stream",
        "collective! on a stream, and its places",
        &["StreamAction", "PlainPlace", "MoreAscending", "Ascending"],
    ),
    (
        "grammar-attributes",
        "Attributes",
        &[
            "Symmetric",
            "Division",
            "CrateToo",
            "Main",
            "MainList",
            "MainArgument",
            "Test",
            "TestList",
            "TestArgument",
        ],
    ),
];

/// The width of the pictures. The longest rules need it, and their letters can still be read on a phone.
const WIDTH: i64 = 360;

/// How much wider than its longest branch a choice is.
const ARCS: i64 = 48;

/// The parts of a sequence. One that is written again, with a sign between, is a loop.
fn parts(grammar: &Grammar, rules: &[Rule], room: i64) -> Vec<Box<dyn Node>> {
    let mut parts = Vec::new();
    let mut rules = rules.iter().peekable();
    while let Some(rule) = rules.next() {
        let sign = match (rule, rules.peek()) {
            (Rule::Node(one), Some(Rule::Rep(again))) => match &**again {
                Rule::Seq(pair) => match pair.as_slice() {
                    [sign, Rule::Node(other)] if other == one => Some(sign),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        parts.push(match sign {
            Some(sign) => {
                rules.next();
                let one = diagram(grammar, rule, room - ARCS);
                let sign = diagram(grammar, sign, room - ARCS);
                Box::new(Repeat::new(one, sign)) as Box<dyn Node>
            }
            None => diagram(grammar, rule, room),
        });
    }
    parts
}

/// Draws a rule in at most `room` pixels, as far as its words allow.
fn diagram(grammar: &Grammar, rule: &Rule, room: i64) -> Box<dyn Node> {
    match rule {
        Rule::Labeled { rule, .. } => diagram(grammar, rule, room),
        Rule::Node(node) => {
            let other = &grammar[*node];
            // A part of Rust is named in its rule.
            match &other.rule {
                Rule::Token(token) if grammar[*token].name.starts_with('#') => {
                    let name = grammar[*token].name[1..].to_owned();
                    let mut part = NonTerminal::new(name);
                    part.attr("data-is".to_owned())
                        .or_insert("part".to_owned());
                    Box::new(part)
                }
                _ => Box::new(NonTerminal::new(other.name.clone())),
            }
        }
        Rule::Token(token) => {
            Box::new(Terminal::new(grammar[*token].name.clone()))
        }
        Rule::Seq(rules) => {
            let draw = |room| parts(grammar, rules, room);
            let whole = Sequence::new(draw(room));
            if whole.width() <= room {
                return Box::new(whole);
            }
            // In lines, the longest that fit.
            let in_lines = |room| {
                let mut lines: Vec<Vec<Box<dyn Node>>> = vec![Vec::new()];
                let mut used = 0;
                for part in draw(room) {
                    if used > 0 && used + part.width() > room {
                        lines.push(Vec::new());
                        used = 0;
                    }
                    used += part.width() + 10;
                    lines.last_mut().expect("there is one").push(part);
                }
                let lines = lines
                    .into_iter()
                    .map(|line| Box::new(Sequence::new(line)) as Box<dyn Node>);
                Stack::new(lines.collect())
            };
            let shorter = (1..room / 10).map(|less| in_lines(room - 10 * less));
            let mut best = in_lines(room);
            for stack in shorter {
                if best.width() <= room {
                    break;
                }
                if stack.width() < best.width() {
                    best = stack;
                }
            }
            Box::new(best)
        }
        Rule::Alt(rules) => {
            let branches =
                rules.iter().map(|rule| diagram(grammar, rule, room - ARCS));
            Box::new(Choice::new(branches.collect()))
        }
        Rule::Opt(rule) => {
            Box::new(Optional::new(diagram(grammar, rule, room - ARCS)))
        }
        Rule::Rep(rule) => Box::new(Optional::new(Repeat::new(
            diagram(grammar, rule, room - 2 * ARCS),
            Empty,
        ))),
    }
}

#[test]
fn grammar_of_the_macros() {
    let text = read(&book().join("../shmem-macros/grammar.ungram"));
    let grammar: Grammar = text.parse().expect("the grammar");
    let mut drawn = BTreeSet::new();
    for (name, title, rules) in GROUPS {
        let described: Vec<&str> = rules
            .iter()
            .filter_map(|rule| {
                let (_, rest) = text.split_once(&format!("\n{rule} ="))?;
                rest.split("\n\n").next()
            })
            .collect();
        let described = rules.iter().zip(described).map(|(rule, text)| {
            let words: Vec<&str> = text.split_whitespace().collect();
            format!("{rule} is {}. ", words.join(" "))
        });
        let mut picture =
            Picture::new(name, title, described.collect::<String>().trim())
                .of_width(WIDTH as f64);
        let mut top = 0;
        for rule in rules {
            let node = grammar.iter().find(|node| grammar[*node].name == *rule);
            let node = node.unwrap_or_else(|| panic!("no rule {rule}"));
            drawn.insert(*rule);
            let room = WIDTH - 52;
            let line = Sequence::<Box<dyn Node>>::new(vec![
                Box::new(SimpleStart),
                diagram(&grammar, &grammar[node].rule, room),
                Box::new(SimpleEnd),
            ]);
            picture.text(2.0, top as f64 + 14.0, "strong", rule);
            let (height, width) = (line.height(), line.width());
            assert!(width <= WIDTH - 2, "{rule} is {width} wide");
            let drawing = line.draw(1, top + 24, HDir::LTR).to_string();
            picture.drawing((top + 24 + height) as f64, drawing);
            top += height + 40;
        }
        check(&picture);
    }
    // Every rule that is not a part of Rust, and not the list of the macros.
    for node in grammar.iter() {
        let rule = &grammar[node];
        let is_part = matches!(&rule.rule, Rule::Token(token) if grammar[*token].name.starts_with('#'));
        let is_drawn = drawn.contains(rule.name.as_str());
        assert!(
            is_drawn || is_part || rule.name == "Call",
            "{} is not drawn",
            rule.name
        );
    }
}
