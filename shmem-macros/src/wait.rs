//! `wait!(any FLAGS[..] != 0)` and `poll!`: cells compared with a value.
//!
//! ```text
//! call = [ stream ";" ] [ "all" | "any" | "some" ] place CMP value [ ";" "except" status ]
//! CMP  = "==" | "!=" | "<" | "<=" | ">" | ">="
//! ```

use proc_macro2::{Spacing, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{BinOp, Expr, Ident, Lit, Token, token};

use crate::diagnostics::{Problems, Region};
use crate::expressions::{is_arithmetic, plain};
use crate::place::{self, LocalPlace};
use crate::private::Private;
use crate::reading::{expression, read, rest, skip, split, stream};

/// Which macro was called.
#[derive(Clone, Copy)]
pub(crate) enum WaitMacro {
    Wait,
    Poll,
}

impl WaitMacro {
    /// The macro's name as it is written.
    fn name(self) -> &'static str {
        match self {
            WaitMacro::Wait => "wait!",
            WaitMacro::Poll => "poll!",
        }
    }

    /// The name of the method for one cell. A word adds to it, as in `wait_until_all`.
    fn method(self) -> &'static str {
        match self {
            WaitMacro::Wait => "wait_until",
            WaitMacro::Poll => "test",
        }
    }
}

/// The words for several cells.
const WORDS: [&str; 3] = ["all", "any", "some"];

/// Other words that people write before the place, and what to write instead.
const MEANT: [(&str, &str); 12] = [
    ("each", "write `all`"),
    ("every", "write `all`"),
    ("both", "write `all`"),
    ("one", "write `any` for one of several cells, or nothing for a single one"),
    ("first", "write `any`"),
    ("either", "write `any`"),
    ("which", "write `some` for the positions of all cells that match, or `any` for one of them"),
    ("until", "write the place first"),
    ("for", "write the place first"),
    ("not", "write the opposite comparison, such as `!=` for `==`"),
    ("none", "write `all` and the opposite comparison, such as `!=` for `==`"),
    ("now", "`poll!` tests without waiting"),
];

/// What is understood of a call.
struct WaitCall {
    word: Option<String>,
    place: LocalPlace,
    /// The variant of `Comparison`, and where the operator is.
    comparison: (&'static str, Region),
    value: Expr,
    status: Option<Expr>,
}

/// A whole call: `shmem ; tokens of the user`.
pub(crate) fn expand(kind: WaitMacro, input: TokenStream) -> Result<TokenStream, Problems> {
    let mut problems = Problems::default();
    let (private, user) = split(input);
    let (stream, user) = stream(user, &["except"], |head| second_comparison(head).is_none());
    match read(user, &mut problems, |input, problems| call(kind, input, problems)) {
        Some(call) if problems.is_empty() => {
            if let Some(stream) = &stream {
                check_on_stream(kind, &call, stream, &mut problems);
            }
            if problems.is_empty() {
                Ok(expansion(kind, &call, stream.as_ref(), &private))
            } else {
                Err(problems)
            }
        }
        _ => Err(problems),
    }
}

/// The call of a method on the cells, by its path: so an error about its types underlines the
/// place, the value or the status.
fn expansion(kind: WaitMacro, call: &WaitCall, stream: Option<&Expr>, private: &Private) -> TokenStream {
    let (comparison, operator) = call.comparison;
    let comparison = private.name(&format!("Comparison::{comparison}"), operator.start);
    let mut method = kind.method().to_owned();
    if let Some(word) = &call.word {
        method = format!("{method}_{word}");
    }
    let value = plain(&call.value);
    let cells = match stream {
        None => call.place.reference(private),
        Some(stream) => {
            method.push_str("_on_stream");
            call.place.reference_on(stream, private)
        }
    };
    let (ty, cells) = match &call.status {
        None => ("Remote", cells),
        Some(status) => {
            let region = Region::of(status);
            // `&` has the user's span, so that an error about the status underlines the status.
            let and = Token![&](region.start);
            let status = plain(status);
            ("Except", private.call("Remote::except", region, quote!(#cells, #and #status)))
        }
    };
    let region = Region::of(&call.value);
    private.call(&format!("{ty}::{method}"), region, quote!(#cells, #comparison, #value))
}

// Parse -------------------------------------------------------------------------------------------

/// What a wait on a stream cannot have.
fn check_on_stream(kind: WaitMacro, call: &WaitCall, stream: &Expr, problems: &mut Problems) {
    let region = Region::of(stream);
    if let WaitMacro::Poll = kind {
        problems.add(
            region,
            "`poll!` tests now, and a stream does everything later: remove the stream, or write `wait!`",
        );
    }
    if let Some(word) = call.word.as_deref().filter(|word| *word != "all") {
        problems.add(
            call.place.region(),
            format!("a wait on a stream returns nothing, and `{word}` returns positions: write `all`, or wait for one cell"),
        );
    }
    if let Some(status) = &call.status {
        problems.add(
            Region::of(status),
            "a wait on a stream takes no `except`: wait for the other cells in calls of their own",
        );
    }
}

fn call(kind: WaitMacro, input: ParseStream<'_>, problems: &mut Problems) -> Option<WaitCall> {
    let word = word(kind, input, problems);
    prefix(input, problems);
    if input.is_empty() {
        let call = kind.name();
        return problems.fail(
            Span::call_site(),
            format!(
                "`{call}` needs a cell, a comparison and a value, as in `{call}(FLAG >= 3)` or \
                 `{call}(any FLAGS[..] != 0)`"
            ),
        );
    }
    let place = place(kind, input, problems);
    if place.is_none() {
        // It has been reported.
        skip_to_comparison(input);
        if input.is_empty() {
            return None;
        }
    }
    let (comparison, text) = comparison(kind, place.as_ref(), input, problems)?;
    let value = value(kind, text, comparison.1, input, problems)?;
    let status = status(kind, word.is_some(), input, problems);
    Some(WaitCall { word, place: place?, comparison, value, status })
}

/// `all`, `any` or `some`, when a place follows it: the same word may be the name of an object.
fn word(kind: WaitMacro, input: ParseStream<'_>, problems: &mut Problems) -> Option<String> {
    let ahead = input.fork();
    let name = ahead.call(Ident::parse_any).ok()?;
    let text = name.to_string();
    let known = WORDS.contains(&text.as_str());
    let meant = MEANT.into_iter().find(|(written, _)| *written == text).map(|(_, instead)| instead);
    // `x.y`, `x::y`, `x[..]` and `x >= 3` start with a place. `f(x)` is a call, unless `f` is a
    // word.
    let follows = ahead.peek(Ident::peek_any)
        || ahead.peek(token::Group)
        || known && ahead.peek(token::Paren)
        || known && is_prefix(&ahead);
    // In `FLAG is 3` and `FLAG in 1..3` the place comes first, and the mistake is after it.
    if !follows || !known && meant.is_none() && !is_comparison(&ahead) {
        return None;
    }
    skip(input);
    if !known {
        let call = kind.name();
        let instead = meant.unwrap_or("write `all`, `any`, `some` or nothing before the place");
        problems.add(name.span(), format!("`{text}` is not a word of `{call}`: {instead}"));
        // An `except` after it is no second mistake.
        return Some("any".to_owned());
    }
    Some(text)
}

/// A place of `local!`. `None` after a mistake, which is reported.
fn place(kind: WaitMacro, input: ParseStream<'_>, problems: &mut Problems) -> Option<LocalPlace> {
    let (call, method) = (kind.name(), kind.method());
    if input.peek(Lit) {
        return problems.fail(
            input.span(),
            format!("the cell comes first, then the comparison and the value, as in `{call}(FLAG >= 3)`"),
        );
    }
    let ahead = input.fork();
    if let Ok(name) = ahead.call(Ident::parse_any)
        && (name == "remote" || name == "local")
        && ahead.peek(Token![!])
        && !ahead.peek(Token![!=])
    {
        return problems.fail(
            name.span(),
            format!(
                "`{call}` takes a place on this PE without a macro, as in `{call}(FLAG >= 3)`: for a cell \
                 of another PE write `remote!(&FLAG[pe]).{method}(Comparison::Ge, 3)`"
            ),
        );
    }
    place::local(input, problems)
}

/// Whether a place and a comparison follow.
fn is_comparison(ahead: ParseStream<'_>) -> bool {
    let ahead = ahead.fork();
    place::local(&ahead, &mut Problems::default()).is_some() && at_comparison(&ahead)
}

/// Whether an operator is next that does not belong before a place.
fn is_prefix(input: ParseStream<'_>) -> bool {
    input.peek(Token![&]) || input.peek(Token![*])
}

/// Reports operators before the place.
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
        problems.add(input.span(), format!("the place is written without an operator: remove `{operator}`"));
        skip(input);
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

/// The comparison after the place, and its text.
fn comparison(
    kind: WaitMacro,
    place: Option<&LocalPlace>,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Option<((&'static str, Region), &'static str)> {
    let call = kind.name();
    // Signs that people write for a comparison.
    for (first, second, instead) in [
        ('=', '>', "write `>=`"),
        ('=', '<', "write `<=`"),
        ('<', '>', "write `!=`"),
        ('<', '<', "write `<` or `<=`"),
        ('>', '>', "write `>` or `>=`"),
    ] {
        if let Some(region) = two(input, first, second) {
            return problems.fail(region, format!("`{first}{second}` is not a comparison: {instead}"));
        }
    }
    let found = |variant, region: Region, text| Some(((variant, region), text));
    comparisons!(input, found, == "Eq", != "Ne", <= "Le", >= "Ge", < "Lt", > "Gt");
    if let Ok(equals) = input.parse::<Token![=]>() {
        problems.add(equals.span, format!("`{call}` compares and does not assign: write `==`"));
        // What follows is checked all the same.
        return found("Eq", equals.span.into(), "=");
    }
    let ends = input.is_empty() || input.peek(Token![;]);
    let at = if ends { place?.region() } else { Region::of(&rest(input)) };
    problems.fail(
        at,
        format!(
            "a comparison is missing: write one of `==`, `!=`, `<`, `<=`, `>` and `>=` after the place, and \
             a value, as in `{call}(FLAG != 0)`"
        ),
    )
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

/// The value after the comparison, up to a semicolon or the end.
fn value(
    kind: WaitMacro,
    operator: &str,
    at: Region,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Option<Expr> {
    if input.is_empty() || input.peek(Token![;]) {
        return problems.fail(at, format!("a value is missing after `{operator}`"));
    }
    let value = expression(input, problems)?;
    match second_comparison(&value) {
        Some(region) => problems.fail(
            region,
            format!("one call makes one comparison with a number: for two write `{}` twice", kind.name()),
        ),
        None => Some(value),
    }
}

/// The operator, if the value is a truth value or an assignment instead of a number.
fn second_comparison(value: &Expr) -> Option<Region> {
    let bitwise =
        |operator: &BinOp| matches!(operator, BinOp::BitXor(_) | BinOp::BitAnd(_) | BinOp::BitOr(_));
    match value {
        Expr::Assign(assign) => Some(assign.eq_token.span.into()),
        Expr::Binary(binary) if !is_arithmetic(&binary.op) && !bitwise(&binary.op) => {
            Some(Region::of(&binary.op))
        }
        _ => None,
    }
}

/// `; except status`
fn status(kind: WaitMacro, several: bool, input: ParseStream<'_>, problems: &mut Problems) -> Option<Expr> {
    if input.is_empty() {
        return None;
    }
    let all = Region::of(&rest(input));
    if input.parse::<Token![;]>().is_err() {
        return problems.fail(
            all,
            format!(
                "unexpected tokens after the value: close the parenthesis here, or exclude cells after a \
                 semicolon, as in `{}(any FLAGS[..] != 0; except status)`",
                kind.name()
            ),
        );
    }
    let Some(except) = input.call(Ident::parse_any).ok().filter(|word| word == "except") else {
        return problems.fail(
            all,
            "only `except status` may follow this semicolon: the semicolon of a statement goes after the parenthesis",
        );
    };
    if !several {
        return problems.fail(
            except.span(),
            "`except` needs several cells: write `all`, `any` or `some` before the place",
        );
    }
    if input.is_empty() {
        return problems.fail(
            except.span(),
            "a status is missing after `except`: write a list of `bool`, true for each cell to exclude",
        );
    }
    let status = expression(input, problems)?;
    if !input.is_empty() {
        return problems.fail(
            Region::of(&rest(input)),
            "unexpected tokens after the status: close the parenthesis here",
        );
    }
    Some(status)
}

/// Whether a comparison is next, or what people write for one.
fn at_comparison(input: ParseStream<'_>) -> bool {
    input.peek(Token![==])
        || input.peek(Token![!=])
        || input.peek(Token![<])
        || input.peek(Token![>])
        || input.peek(Token![=])
}

/// Moves past a place that was not understood, so that what follows is still checked.
fn skip_to_comparison(input: ParseStream<'_>) {
    while !input.is_empty() && !at_comparison(input) {
        skip(input);
    }
}

#[cfg(test)]
mod tests {
    use super::{WaitMacro, expand};
    use crate::testing::{assert_mistakes, assert_tokens, tokens};

    #[track_caller]
    fn expands(kind: WaitMacro, source: &str, expected: &str) {
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
                expands(WaitMacro::Wait, &source, &expected);
            }
        }
    }

    #[test]
    fn words() {
        let flags = "__OfRank::<1, _, _>::local(&flags, (__Selector::selector(&(i)),))";
        let rest = |call: &str, source: &str| format!("__Remote::{call}({source}, __Comparison::Ne, a + 1)");
        expands(WaitMacro::Wait, "flags[i] != a + 1", &rest("wait_until", flags));
        expands(WaitMacro::Wait, "all flags[i] != a + 1", &rest("wait_until_all", flags));
        expands(WaitMacro::Wait, "any flags[i] != a + 1", &rest("wait_until_any", flags));
        expands(WaitMacro::Wait, "some flags[i] != a + 1", &rest("wait_until_some", flags));
        expands(WaitMacro::Poll, "flags[i] != (a + 1)", &rest("test", flags));
        expands(WaitMacro::Poll, "all flags[i] != a + 1", &rest("test_all", flags));
        expands(WaitMacro::Poll, "any flags[i] != a + 1", &rest("test_any", flags));
        expands(WaitMacro::Poll, "some flags[i] != a + 1", &rest("test_some", flags));
        expands(
            WaitMacro::Wait,
            "all (grids[k])[i] != a + 1",
            &rest("wait_until_all", "__OfRank::<1, _, _>::local(&(grids[k]), (__Selector::selector(&(i)),))"),
        );
        expands(
            WaitMacro::Wait,
            "any self.flags[i] != a + 1",
            &rest("wait_until_any", "__OfRank::<1, _, _>::local(&self.flags, (__Selector::selector(&(i)),))"),
        );
        expands(
            WaitMacro::Wait,
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
            expands(WaitMacro::Wait, &format!("{name}[i] == 1"), &expected);
            let expected = format!(
                "__Remote::wait_until_any(__OfRank::<1, _, _>::local(&{name}, (__Selector::selector(&(i)),)), __Comparison::Eq, 1)"
            );
            expands(WaitMacro::Wait, &format!("any {name}[i] == 1"), &expected);
        }
        expands(
            WaitMacro::Poll,
            "all == 1",
            "__Remote::test(__OfRank::<0, _, _>::local(&all, ()), __Comparison::Eq, 1)",
        );
    }

    #[test]
    fn status() {
        let cells = "__OfRank::<1, _, _>::local(&f, (__All,))";
        expands(
            WaitMacro::Wait,
            "any f[..] < v; except done",
            &format!("__Except::wait_until_any(__Remote::except({cells}, &done), __Comparison::Lt, v)"),
        );
        expands(
            WaitMacro::Poll,
            "some f[..] < { v }; except self.done[1..]",
            &format!("__Except::test_some(__Remote::except({cells}, &self.done[1..]), __Comparison::Lt, v)"),
        );
    }

    #[test]
    fn on_streams() {
        let cells = |rank: usize, selectors: &str| {
            format!("__OnContext::<{rank}, _, _, _>::local_on(&f, &s, ({selectors}))")
        };
        expands(
            WaitMacro::Wait,
            "s; f[i] >= v",
            &format!(
                "__Remote::wait_until_on_stream({}, __Comparison::Ge, v)",
                cells(1, "__Selector::selector(&(i)),")
            ),
        );
        expands(
            WaitMacro::Wait,
            "s; all f[..] != v",
            &format!("__Remote::wait_until_all_on_stream({}, __Comparison::Ne, v)", cells(1, "__All,")),
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
            ("FLAG = 3", &[("=", "`wait!` compares and does not assign: write `==`")]),
            ("FLAG => 3", &[("=>", "`=>` is not a comparison: write `>=`")]),
            ("FLAG =< 3", &[("=<", "`=<` is not a comparison: write `<=`")]),
            ("FLAG <> 3", &[("<>", "`<>` is not a comparison: write `!=`")]),
            ("FLAG >= ", &[(">=", "a value is missing after `>=`")]),
            ("all F[..] == ; except s", &[("==", "a value is missing after `==`")]),
            ("FLAG >= +", &[("+", "not an expression")]),
            ("FLAG >= roots[1, 2]", &[(",", "not an expression")]),
            ("any F[..] >= 3; except done[1, 2]", &[(",", "not an expression")]),
            ("FLAG > 1 && G > 2", &[("&&", "one call makes one comparison")]),
            ("FLAG > a > 2", &[(">", "one call makes one comparison")]),
            ("FLAG == a = 2", &[("=", "one call makes one comparison")]),
            ("every F[..] != 0", &[("every", "`every` is not a word of `wait!`: write `all`")]),
            ("no F[..] != 0", &[("no", "`no` is not a word of `wait!`: write `all`")]),
            ("now F != 0", &[("now", "`now` is not a word of `wait!`: `poll!` tests without waiting")]),
            ("&F != 0", &[("&", "the place is written without an operator: remove `&`")]),
            ("all &F[..] != 0", &[("&", "the place is written without an operator: remove `&`")]),
            ("!F != 0", &[("!", "the place is written without an operator: remove `!`")]),
            ("3 <= FLAG", &[("3", "the cell comes first")]),
            ("-3 <= FLAG", &[("-", "the place is written without"), ("3", "the cell comes first")]),
            ("remote!(F[1]) >= 3", &[("remote", "`wait!` takes a place on this PE")]),
            ("F.get() >= 3", &[("get", "a method is called on the result of the macro")]),
            ("FLAG >= 3;", &[(";", "only `except status` may follow")]),
            ("any F[..] >= 3; unless s", &[("; unless s", "only `except status` may follow")]),
            ("any F[..] >= 3; except", &[("except", "a status is missing after `except`")]),
            ("any F[..] >= 3; except s t", &[("t", "unexpected tokens after the status")]),
            ("any F[..] >= 3, except s", &[(", except s", "unexpected tokens after the value")]),
            ("FLAG >= 3; except s", &[("except", "`except` needs several cells")]),
            // All mistakes at once.
            (
                "each F[0..4;0, *] = ; except s",
                &[
                    ("each", "`each` is not a word of `wait!`"),
                    ("*", "`*` is not a selector"),
                    ("0", "a step of 0"),
                    ("=", "`wait!` compares"),
                    ("=", "a value is missing"),
                ],
            ),
        ] {
            match expand(WaitMacro::Wait, tokens(&format!("shmem; {source}"))) {
                Ok(actual) => panic!("{source} expands to {actual}"),
                Err(problems) => assert_mistakes(source, &problems, mistakes),
            }
        }
        match expand(WaitMacro::Poll, tokens("shmem; FLAG = 1")) {
            Ok(actual) => panic!("expands to {actual}"),
            Err(problems) => {
                assert_mistakes(
                    "FLAG = 1",
                    &problems,
                    &[("=", "`poll!` compares and does not assign: write `==`")],
                );
            }
        }
    }
}
