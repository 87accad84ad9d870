//! `wait!(any FLAGS[..] != 0)` and `poll!`: cells compared with a value.
//!
//! ```text
//! call = [ "all" | "any" | "some" ] place CMP value [ ";" "except" status ]
//! CMP  = "==" | "!=" | "<" | "<=" | ">" | ">="
//! ```

use proc_macro2::{Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{BinOp, Expr, Ident, Lit, Token, token};

use crate::diagnostics::{Mistake, Problems, Region};
use crate::place::select::plain;
use crate::place::{self, LocalPlace};
use crate::private::Private;

/// Which macro was called.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Wait,
    Poll,
}

impl Kind {
    /// The macro's name as it is written.
    fn name(self) -> &'static str {
        match self {
            Kind::Wait => "wait!",
            Kind::Poll => "poll!",
        }
    }

    /// The name of the method, without what the word adds to it.
    fn method(self) -> &'static str {
        match self {
            Kind::Wait => "wait_until",
            Kind::Poll => "test",
        }
    }
}

/// The words for several cells.
const WORDS: [&str; 3] = ["all", "any", "some"];

/// Other words that are written before the place, and what to do about them.
const MEANT: [(&str, &str); 12] = [
    ("each", "write `all`"),
    ("every", "write `all`"),
    ("both", "write `all`"),
    ("one", "write `any` for one of several cells, or nothing for a single one"),
    ("first", "write `any`"),
    ("either", "write `any`"),
    ("which", "write `some` for the positions of all that compare, or `any` for one of them"),
    ("until", "write the place first"),
    ("for", "write the place first"),
    ("not", "write the opposite comparison, such as `!=` for `==`"),
    ("none", "write `all` and the opposite comparison, such as `!=` for `==`"),
    ("now", "`poll!` looks without waiting"),
];

/// What is understood of a call.
struct Call {
    word: Option<String>,
    place: LocalPlace,
    /// The variant of `Comparison`, and where the operator is.
    comparison: (&'static str, Region),
    value: Expr,
    status: Option<Expr>,
}

/// The whole way of a call: `shmem ; tokens of the user`.
pub(crate) fn expand(kind: Kind, input: TokenStream) -> Result<TokenStream, Problems> {
    let mut problems = Problems::default();
    let mut tokens = input.into_iter();
    let semicolon = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    let shmem: TokenStream = tokens.by_ref().take_while(|token| !semicolon(token)).collect();

    let mut parsed = None;
    let parser = |input: ParseStream<'_>| {
        parsed = call(kind, input, &mut problems);
        // Whatever was not understood has been reported.
        input.parse::<TokenStream>().map(drop)
    };
    // The parser reads to the end, so it cannot fail.
    let _ = parser.parse2(tokens.collect());
    match parsed {
        Some(call) if problems.is_empty() => Ok(expansion(kind, &call, &Private::new(shmem))),
        _ => Err(problems),
    }
}

/// The call of a method on the cells.
///
/// By its path, so that an error about what it asks for underlines the place, the value or the status.
fn expansion(kind: Kind, call: &Call, private: &Private) -> TokenStream {
    let (comparison, operator) = call.comparison;
    let comparison = private.name(&format!("Comparison::{comparison}"), operator.start);
    let mut method = kind.method().to_owned();
    if let Some(word) = &call.word {
        method = format!("{method}_{word}");
    }
    let value = plain(&call.value);
    let cells = call.place.reference(private);
    let (ty, cells) = match &call.status {
        None => ("Remote", cells),
        Some(status) => {
            let region = Region::of(status);
            // With the user's span, so that an error about the status underlines it.
            let and = Token![&](region.start);
            let status = plain(status);
            ("Except", private.call("Remote::except", region, quote!(#cells, #and #status)))
        }
    };
    let region = Region::of(&call.value);
    private.call(&format!("{ty}::{method}"), region, quote!(#cells, #comparison, #value))
}

// Parse ------------------------------------------------------------------------------------------------------

fn call(kind: Kind, input: ParseStream<'_>, problems: &mut Problems) -> Option<Call> {
    if input.is_empty() {
        problems.add(Span::call_site(), Mistake::WaitNothing { call: kind.name() });
        return None;
    }
    let word = word(kind, input, problems);
    prefix(input, problems);
    let place = place(kind, input, problems);
    if place.is_none() {
        // It has been reported.
        skip_to_comparison(input);
        if input.is_empty() {
            return None;
        }
    }
    let (comparison, text) = comparison(kind, place.as_ref(), input, problems)?;
    let value = value(kind, &text, comparison.1, input, problems);
    let status = match &value {
        Some(_) => status(kind, word.is_some(), input, problems),
        None => None,
    };
    Some(Call { word, place: place?, comparison, value: value?, status })
}

/// `all`, `any` or `some`, when a place follows it: the same word may be the name of an object.
fn word(kind: Kind, input: ParseStream<'_>, problems: &mut Problems) -> Option<String> {
    let ahead = input.fork();
    let name = ahead.call(Ident::parse_any).ok()?;
    let text = name.to_string();
    let known = WORDS.contains(&text.as_str());
    let meant = MEANT.into_iter().find(|(written, _)| *written == text).map(|(_, instead)| instead);
    // `x.y`, `x::y`, `x[..]` and `x >= 3` are places; `f(x)` is a call, unless `f` is one of the words.
    let follows = ahead.peek(Ident::peek_any)
        || ahead.peek(token::Group)
        || known && ahead.peek(token::Paren)
        || known && is_prefix(&ahead);
    // In `FLAG is 3` and `FLAG in 1..3` the place comes first, and what is wrong is behind it.
    if !follows || !known && meant.is_none() && !is_comparison(&ahead) {
        return None;
    }
    // There is a name, so this cannot fail.
    let _ = input.call(Ident::parse_any);
    if !known {
        let instead = meant.unwrap_or("before the place come `all`, `any`, `some` or nothing");
        problems.add(name.span(), Mistake::WaitUnknownWord { call: kind.name(), name: text, instead });
        // Taken for a word that can have an `except` behind it.
        return Some("any".to_owned());
    }
    Some(text)
}

/// A place of `local!`. `None` after a mistake, which is reported.
fn place(kind: Kind, input: ParseStream<'_>, problems: &mut Problems) -> Option<LocalPlace> {
    if input.is_empty() {
        problems.add(Span::call_site(), Mistake::WaitNothing { call: kind.name() });
        return None;
    }
    if input.peek(Lit) {
        problems.add(input.span(), Mistake::WaitValueFirst { call: kind.name() });
        return None;
    }
    let ahead = input.fork();
    if let Ok(name) = ahead.call(Ident::parse_any)
        && (name == "remote" || name == "local")
        && ahead.peek(Token![!])
        && !ahead.peek(Token![!=])
    {
        problems.add(name.span(), Mistake::WaitOtherMacro { call: kind.name(), method: kind.method() });
        return None;
    }
    place::local(input, problems)
}

/// Whether a place and a comparison follow.
fn is_comparison(ahead: ParseStream<'_>) -> bool {
    let ahead = ahead.fork();
    let mut ignored = Problems::default();
    place::local(&ahead, &mut ignored).is_some() && at_comparison(&ahead)
}

/// Whether one of the operators stands here that do not belong in front of a place.
fn is_prefix(input: ParseStream<'_>) -> bool {
    input.peek(Token![&]) || input.peek(Token![*])
}

/// Reports `&`, `*` and their like in front of the place.
fn prefix(input: ParseStream<'_>, problems: &mut Problems) {
    loop {
        let operator = if input.peek(Token![&]) {
            "&"
        } else if input.peek(Token![*]) {
            "*"
        } else if input.peek(Token![!]) {
            "!"
        } else if input.peek(Token![-]) {
            "-"
        } else if input.peek(Token![mut]) {
            "mut"
        } else {
            return;
        };
        problems.add(input.span(), Mistake::WaitPrefix { operator: operator.to_owned() });
        skip_one(input);
    }
}

/// The comparisons, the longest first, and the variants of `Comparison`.
macro_rules! comparisons {
    ($input:ident, $found:ident, $($token:tt $variant:literal),*) => {$(
        if $input.peek(Token![$token]) {
            let token = $input.parse::<Token![$token]>().ok()?;
            return $found($variant, Region::of(&token), stringify!($token));
        }
    )*};
}

/// The comparison behind the place, and its text.
fn comparison(
    kind: Kind,
    place: Option<&LocalPlace>,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Option<((&'static str, Region), String)> {
    let call = kind.name();
    // What is written for a comparison by mistake.
    for (first, second, instead) in [
        ('=', '>', "write `>=`"),
        ('=', '<', "write `<=`"),
        ('<', '>', "write `!=`"),
        ('<', '<', "write `<` or `<=`"),
        ('>', '>', "write `>` or `>=`"),
    ] {
        if let Some(region) = two(input, first, second) {
            let operator = format!("{first}{second}");
            problems.add(region, Mistake::WaitNoSuchComparison { operator, instead });
            return None;
        }
    }
    let found = |variant, region: Region, text: &str| Some(((variant, region), text.to_owned()));
    comparisons!(input, found, == "Eq", != "Ne", <= "Le", >= "Ge", < "Lt", > "Gt");
    if let Ok(Some(equals)) = input.parse::<Option<Token![=]>>() {
        problems.add(equals.span, Mistake::WaitAssignment { call });
        // What follows is checked all the same.
        return Some((("Eq", equals.span.into()), "=".to_owned()));
    }
    let missing = Mistake::WaitNoComparison { call };
    if !input.is_empty() && !input.peek(Token![;]) {
        problems.add(Region::of(&rest(input)), missing);
    } else if let Some(place) = place {
        problems.add(place.region(), missing);
    }
    None
}

/// Two signs next to each other.
fn two(input: ParseStream<'_>, first: char, second: char) -> Option<Region> {
    let (one, rest) = input.cursor().punct()?;
    if one.as_char() != first || one.spacing() != Spacing::Joint {
        return None;
    }
    let (two, _) = rest.punct()?;
    (two.as_char() == second).then(|| Region::from(one.span()).to(two.span()))
}

/// The value behind the comparison, up to a semicolon or the end.
fn value(
    kind: Kind,
    operator: &str,
    at: Region,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Option<Expr> {
    if input.is_empty() || input.peek(Token![;]) {
        problems.add(at, Mistake::WaitNoValue { operator: operator.to_owned() });
        return None;
    }
    let all = input.fork();
    let value = match input.parse::<Expr>() {
        Ok(value) => value,
        Err(error) => {
            problems.add(Region::of(&rest(&all)), Mistake::NotAnExpression { why: error.to_string() });
            return None;
        }
    };
    if let Some(region) = second_comparison(&value) {
        problems.add(region, Mistake::WaitSecondComparison { call: kind.name() });
        return None;
    }
    Some(value)
}

/// The operator that makes a truth value, or an assignment, of what should be a number.
fn second_comparison(value: &Expr) -> Option<Region> {
    match value {
        Expr::Assign(assign) => Some(assign.eq_token.span.into()),
        Expr::Binary(binary) => {
            let number = matches!(
                binary.op,
                BinOp::Add(_)
                    | BinOp::Sub(_)
                    | BinOp::Mul(_)
                    | BinOp::Div(_)
                    | BinOp::Rem(_)
                    | BinOp::BitXor(_)
                    | BinOp::BitAnd(_)
                    | BinOp::BitOr(_)
                    | BinOp::Shl(_)
                    | BinOp::Shr(_)
            );
            (!number).then(|| Region::of(&binary.op.to_token_stream()))
        }
        _ => None,
    }
}

/// `; except status`
fn status(kind: Kind, several: bool, input: ParseStream<'_>, problems: &mut Problems) -> Option<Expr> {
    if input.is_empty() {
        return None;
    }
    let all = input.fork();
    if input.parse::<Token![;]>().is_err() {
        problems.add(Region::of(&rest(&all)), Mistake::WaitAfterValue { call: kind.name() });
        return None;
    }
    let Some(except) = input.call(Ident::parse_any).ok().filter(|word| word == "except") else {
        problems.add(Region::of(&rest(&all)), Mistake::WaitAfterSemicolon);
        return None;
    };
    if !several {
        problems.add(except.span(), Mistake::WaitExceptOfOne);
        return None;
    }
    if input.is_empty() {
        problems.add(except.span(), Mistake::WaitNoStatus);
        return None;
    }
    let all = input.fork();
    let status = match input.parse::<Expr>() {
        Ok(status) => status,
        Err(error) => {
            problems.add(Region::of(&rest(&all)), Mistake::NotAnExpression { why: error.to_string() });
            return None;
        }
    };
    if !input.is_empty() {
        problems.add(Region::of(&rest(input)), Mistake::WaitAfterStatus);
        return None;
    }
    Some(status)
}

/// Whether a comparison stands here, or what is written for one.
fn at_comparison(input: ParseStream<'_>) -> bool {
    input.peek(Token![==])
        || input.peek(Token![!=])
        || input.peek(Token![<])
        || input.peek(Token![>])
        || input.peek(Token![=])
}

/// Moves behind a place that was not understood, so that what follows is still checked.
fn skip_to_comparison(input: ParseStream<'_>) {
    while !input.is_empty() && !at_comparison(input) {
        skip_one(input);
    }
}

fn skip_one(input: ParseStream<'_>) {
    // At the end of the input there is nothing to skip.
    let _ = input.parse::<TokenTree>();
}

/// The tokens that are left.
fn rest(input: ParseStream<'_>) -> TokenStream {
    input.fork().parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Kind, expand};
    use crate::testing::{assert_mistakes, assert_tokens, tokens};

    #[track_caller]
    fn expands(kind: Kind, source: &str, expected: &str) {
        match expand(kind, tokens(&format!("shmem; {source}"))) {
            Ok(actual) => assert_tokens(&actual, &expected.replace("__", "shmem::__private::")),
            Err(problems) => panic!("{source}: {:?}", problems.report()),
        }
    }

    #[test]
    fn comparisons() {
        for (operator, variant) in
            [("==", "Eq"), ("!=", "Ne"), ("<", "Lt"), ("<=", "Le"), (">", "Gt"), (">=", "Ge")]
        {
            for spaces in ["", " "] {
                let source = format!("FLAG{spaces}{operator}{spaces}-v");
                let expected = format!(
                    "__Remote::wait_until(__OfRank::<0, _, _>::local(&FLAG, ()), __Comparison::{variant}, -v)"
                );
                expands(Kind::Wait, &source, &expected);
            }
        }
    }

    #[test]
    fn words() {
        let flags = "__OfRank::<1, _, _>::local(&flags, (__Selector::selector(&(i)),))";
        let rest = |call: &str, source: &str| format!("__Remote::{call}({source}, __Comparison::Ne, a + 1)");
        expands(Kind::Wait, "flags[i] != a + 1", &rest("wait_until", flags));
        expands(Kind::Wait, "all flags[i] != a + 1", &rest("wait_until_all", flags));
        expands(Kind::Wait, "any flags[i] != a + 1", &rest("wait_until_any", flags));
        expands(Kind::Wait, "some flags[i] != a + 1", &rest("wait_until_some", flags));
        expands(Kind::Poll, "flags[i] != (a + 1)", &rest("test", flags));
        expands(Kind::Poll, "all flags[i] != a + 1", &rest("test_all", flags));
        expands(Kind::Poll, "any flags[i] != a + 1", &rest("test_any", flags));
        expands(Kind::Poll, "some flags[i] != a + 1", &rest("test_some", flags));
        expands(
            Kind::Wait,
            "all (grids[k])[i] != a + 1",
            &rest("wait_until_all", "__OfRank::<1, _, _>::local(&(grids[k]), (__Selector::selector(&(i)),))"),
        );
        expands(
            Kind::Wait,
            "any self.flags[i] != a + 1",
            &rest("wait_until_any", "__OfRank::<1, _, _>::local(&self.flags, (__Selector::selector(&(i)),))"),
        );
        expands(
            Kind::Wait,
            "self.flags[i] != a + 1",
            &rest("wait_until", "__OfRank::<1, _, _>::local(&self.flags, (__Selector::selector(&(i)),))"),
        );
    }

    /// An object may have the name of a word.
    #[test]
    fn objects_named_like_words() {
        for name in ["all", "any", "some", "except", "all::any", "some.all", "r#all"] {
            let expected = format!(
                "__Remote::wait_until(__OfRank::<1, _, _>::local(&{name}, (__Selector::selector(&(i)),)), __Comparison::Eq, 1)"
            );
            expands(Kind::Wait, &format!("{name}[i] == 1"), &expected);
            let expected = format!(
                "__Remote::wait_until_any(__OfRank::<1, _, _>::local(&{name}, (__Selector::selector(&(i)),)), __Comparison::Eq, 1)"
            );
            expands(Kind::Wait, &format!("any {name}[i] == 1"), &expected);
        }
        expands(
            Kind::Poll,
            "all == 1",
            "__Remote::test(__OfRank::<0, _, _>::local(&all, ()), __Comparison::Eq, 1)",
        );
    }

    #[test]
    fn status() {
        let cells = "__OfRank::<1, _, _>::local(&f, (__All,))";
        expands(
            Kind::Wait,
            "any f[..] < v; except done",
            &format!("__Except::wait_until_any(__Remote::except({cells}, &done), __Comparison::Lt, v)"),
        );
        expands(
            Kind::Poll,
            "some f[..] < { v }; except self.done[1..]",
            &format!("__Except::test_some(__Remote::except({cells}, &self.done[1..]), __Comparison::Lt, v)"),
        );
    }

    #[test]
    fn mistakes() {
        for (source, mistakes) in [
            ("", &[("", "`wait!` needs a cell, a comparison and a value")][..]),
            ("FLAG", &[("FLAG", "a comparison is missing: write one of")]),
            ("any F[..]", &[("F[..]", "a comparison is missing: write one of")]),
            ("FLAG is 3", &[("is 3", "a comparison is missing")]),
            ("FLAG in 1..3", &[("in 1..3", "a comparison is missing")]),
            ("FLAG += 3", &[("+= 3", "a comparison is missing")]),
            ("FLAG 3", &[("3", "a comparison is missing")]),
            ("FLAG = 3", &[("=", "`wait!` compares: write `==`")]),
            ("FLAG => 3", &[("=>", "`=>` is not a comparison: write `>=`")]),
            ("FLAG =< 3", &[("=<", "`=<` is not a comparison: write `<=`")]),
            ("FLAG <> 3", &[("<>", "`<>` is not a comparison: write `!=`")]),
            ("FLAG >= ", &[(">=", "a value is missing after `>=`")]),
            ("all F[..] == ; except s", &[("==", "a value is missing after `==`")]),
            ("FLAG >= +", &[("+", "not an expression")]),
            ("FLAG > 1 && G > 2", &[("&&", "one call makes one comparison")]),
            ("FLAG > a > 2", &[(">", "one call makes one comparison")]),
            ("FLAG == a = 2", &[("=", "one call makes one comparison")]),
            ("every F[..] != 0", &[("every", "`every` is not a word of `wait!`: write `all`")]),
            ("no F[..] != 0", &[("no", "`no` is not a word of `wait!`: before the place come")]),
            ("now F != 0", &[("now", "`now` is not a word of `wait!`: `poll!` looks without waiting")]),
            ("&F != 0", &[("&", "the place stands for the cells themselves: remove `&`")]),
            ("all &F[..] != 0", &[("&", "the place stands for the cells themselves: remove `&`")]),
            ("!F != 0", &[("!", "the place stands for the cells themselves: remove `!`")]),
            ("3 <= FLAG", &[("3", "the cell comes first")]),
            ("-3 <= FLAG", &[("-", "the place stands for"), ("3", "the cell comes first")]),
            ("remote!(F[1]) >= 3", &[("remote", "`wait!` takes the place itself, on this PE")]),
            ("F.get() >= 3", &[("get", "methods belong behind the macro")]),
            ("FLAG >= 3;", &[(";", "after the semicolon comes `except status`")]),
            ("any F[..] >= 3; unless s", &[("; unless s", "after the semicolon comes `except status`")]),
            ("any F[..] >= 3; except", &[("except", "a status is missing after `except`")]),
            ("any F[..] >= 3; except s t", &[("t", "unexpected tokens after the status")]),
            ("any F[..] >= 3, except s", &[(", except s", "unexpected tokens after the value")]),
            ("FLAG >= 3; except s", &[("except", "`except` leaves some of several cells out")]),
            // All mistakes at once.
            (
                "each F[0..4;0, *] = ; except s",
                &[
                    ("each", "`each` is not a word of `wait!`"),
                    ("*", "`*` selects nothing"),
                    ("0", "a step of 0"),
                    ("=", "`wait!` compares"),
                    ("=", "a value is missing"),
                ],
            ),
        ] {
            match expand(Kind::Wait, tokens(&format!("shmem; {source}"))) {
                Ok(actual) => panic!("{source} expands to {actual}"),
                Err(problems) => assert_mistakes(source, &problems, mistakes),
            }
        }
        match expand(Kind::Poll, tokens("shmem; FLAG = 1")) {
            Ok(actual) => panic!("expands to {actual}"),
            Err(problems) => {
                assert_mistakes("FLAG = 1", &problems, &[("=", "`poll!` compares: write `==`")]);
            }
        }
    }
}
