//! Tokens to a [`Call`]. What cannot be read is reported, and reading goes on behind it.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, ExprPath, Ident, Lit, Token, token};

use super::words::{self, Kind, Word};
use super::{Action, Call, Data, is_semicolon};
use crate::diagnostics::{Mistake, Problems, Region};
use crate::place::select::plain;
use crate::place::{self, LocalPlace};

/// Reads the user's tokens. `None` when too little was understood; there is a problem then.
pub(super) fn call(user: TokenStream, problems: &mut Problems) -> Option<Call> {
    let region = Region::of(&user);
    // No action has a semicolon outside of brackets, so both sides of it are read whatever the other one is.
    let mut tokens = user.into_iter().peekable();
    let mut head = TokenStream::new();
    while let Some(token) = tokens.next_if(|token| !is_semicolon(token)) {
        head.extend([token]);
    }
    let semicolon = tokens.next();
    let tail: TokenStream = tokens.collect();

    let action = read(head, problems, action);
    let team = semicolon.map(|semicolon| {
        let parser =
            |input: ParseStream<'_>, problems: &mut Problems| team(input, semicolon.span(), problems);
        read(tail, problems, parser)
    });
    let team = match team {
        Some(team) => Some(team?),
        None => None,
    };
    Some(Call { action: action?, team, region })
}

/// Hands `tokens` to a parser that reports its own problems.
fn read<T>(
    tokens: TokenStream,
    problems: &mut Problems,
    parser: impl FnOnce(ParseStream<'_>, &mut Problems) -> Option<T>,
) -> Option<T> {
    let before = problems.count();
    let mut parsed = None;
    let whole = |input: ParseStream<'_>| {
        parsed = parser(input, problems);
        // Whatever was not understood has been reported.
        input.parse::<TokenStream>().map(drop)
    };
    // What is left over inside of brackets is found at the end only, such as the `2` of `roots[1, 2]`.
    if let Err(error) = whole.parse2(tokens)
        && problems.count() == before
    {
        problems.add(error.span(), Mistake::NotAnExpression { why: error.to_string() });
    }
    parsed
}

/// What stands in front of the semicolon.
fn action(input: ParseStream<'_>, problems: &mut Problems) -> Option<Action> {
    if input.is_empty() {
        problems.add(Span::call_site(), Mistake::CollectiveNothing);
        return None;
    }
    if has_destination(input) { with_places(input, problems) } else { with_value(input, problems) }
}

/// Whether an assignment is written: some operator that stores, and in front of it what can be a place.
fn has_destination(input: ParseStream<'_>) -> bool {
    let second = input.fork();
    if let Ok(name) = second.call(Ident::parse_any) {
        // `sum x`; a destination may be called `sum`, and then goes on otherwise.
        let call = second.peek(token::Paren) && Word::find(&name.to_string()).is_none();
        let place = call || second.peek(token::Bracket) || second.peek(Token![.]) || second.peek(Token![::]);
        if !place && assignment(&second).is_none() {
            return false;
        }
    }
    assignment_in(input).is_some()
}

// DST[..] = sum SRC[..] --------------------------------------------------------------------------------------

fn with_places(input: ParseStream<'_>, problems: &mut Problems) -> Option<Action> {
    let destination = place(input, "destination", problems);
    let between = to_assignment(input);
    if destination.is_some() && !between.is_empty() {
        problems.add(Region::of(&between), Mistake::CollectiveNotAPlace { role: "destination" });
    }
    let Some((operator, region)) = assignment(input) else {
        problems.add(Region::of(&between), Mistake::CollectiveNoWord);
        return None;
    };
    if operator != "=" {
        problems.add(region, Mistake::CollectiveOperator { operator: operator.to_owned() });
    }
    for _ in operator.chars() {
        skip(input);
    }
    if input.is_empty() {
        problems.add(region, Mistake::CollectiveNoWord);
        return None;
    }
    let (word, at) = word(input, problems)?;
    if word.is_bare() {
        problems.add(at, Mistake::CollectiveTakesNothing { word: word.name });
        return None;
    }
    scan_of_something(word, input, problems)?;
    if input.is_empty() || begins_with_root(input) {
        problems.add(at, Mistake::CollectiveNoData { example: word.example() });
        return None;
    }
    let source = place(input, "source", problems)?;
    if !input.is_empty() && !peek(input, "from") && !behind(input) {
        let mistake = if input.peek(Token![,]) {
            Mistake::CollectiveComma
        } else {
            Mistake::CollectiveNotAPlace { role: "source" }
        };
        problems.add(Region::of(&rest(input)), mistake);
        return None;
    }
    let root = root(word, at, input, problems)?;
    Some(Action { word, at, data: Data::Places(Box::new((destination?, source))), root })
}

/// A place, with what does not belong in front of it.
fn place(input: ParseStream<'_>, role: &'static str, problems: &mut Problems) -> Option<LocalPlace> {
    if let Ok(and) = input.parse::<Token![&]>() {
        let mut region = Region::from(and.span);
        if let Ok(Some(token)) = input.parse::<Option<Token![mut]>>() {
            region = region.to(token.span);
        }
        problems.add(region, Mistake::CollectiveReference { role });
    }
    let ahead = input.fork();
    let not_a_place = if ahead.peek(token::Paren) {
        false
    } else {
        // An invisible group, which a macro of the user makes, may hold a path.
        ahead.parse::<ExprPath>().is_err() || ahead.peek(Token![!]) || ahead.peek(token::Paren)
    };
    if not_a_place {
        let tokens = to_assignment(input);
        problems.add(Region::of(&tokens), Mistake::CollectiveNotAPlace { role });
        return None;
    }
    let place = place::of_collective(input, problems);
    if place.is_none() {
        to_assignment(input);
    }
    place
}

// sum x ------------------------------------------------------------------------------------------------------

fn with_value(input: ParseStream<'_>, problems: &mut Problems) -> Option<Action> {
    let whole = input.fork();
    let (word, at) = word(input, problems)?;
    let none = Action { word, at, data: Data::None, root: None };
    if word.is_bare() {
        if input.is_empty() {
            return Some(none);
        }
        let mistake = if behind(input) {
            Mistake::CollectiveOnWithoutSemicolon
        } else {
            Mistake::CollectiveTakesNothing { word: word.name }
        };
        problems.add(Region::of(&rest(input)), mistake);
        return None;
    }
    scan_of_something(word, input, problems)?;
    if !begins_with_branch(input) && assignment_in(input).is_some() {
        let mistake = Mistake::CollectiveWordInFront { word: word.name };
        problems.add(Region::of(&rest(&whole)), mistake);
        return None;
    }
    if input.is_empty() || begins_with_root(input) {
        problems.add(at, Mistake::CollectiveNoData { example: word.example() });
        return None;
    }
    if word.kind == Kind::Alltoall {
        problems.add(at, Mistake::CollectiveNoValue);
        return None;
    }
    let all = input.fork();
    let value = input.parse::<Expr>();
    if word.kind != Kind::Collect && value.as_ref().map_or(true, |value| is_selection(value, &all)) {
        // `sum ROW[0..8]`, and what is no expression in Rust, such as `sum ROW[0..8;2]`: a place.
        let ahead = all.fork();
        if let Some(place) = place::local(&ahead, &mut Problems::default())
            && (ahead.is_empty() || peek(&ahead, "from"))
        {
            let mistake = Mistake::CollectiveSelection { word: word.name };
            problems.add(place.region(), mistake);
            return None;
        }
    }
    let value = match value {
        Ok(value) => value,
        Err(error) => {
            problems.add(Region::of(&rest(&all)), Mistake::NotAnExpression { why: error.to_string() });
            return None;
        }
    };
    let root = root(word, at, input, problems)?;
    Some(Action { data: Data::Value(Box::new(value)), root, ..none })
}

/// Whether a value looks like a selection: `ROW[0..8]`, or `GRID[1, 2]`, which is read as `GRID[1]`.
fn is_selection(value: &Expr, tokens: ParseStream<'_>) -> bool {
    let Expr::Index(index) = plain(value) else {
        return false;
    };
    let separates = |token| matches!(token, TokenTree::Punct(mark) if matches!(mark.as_char(), ',' | ';'));
    let mut groups = rest(tokens).into_iter().filter_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => Some(group.stream()),
        _ => None,
    });
    matches!(&*index.index, Expr::Range(_)) || groups.any(|inside| inside.into_iter().any(separates))
}

// Their parts ------------------------------------------------------------------------------------------------

/// The name of a collective.
fn word(input: ParseStream<'_>, problems: &mut Problems) -> Option<(&'static Word, Region)> {
    let all = input.fork();
    let Ok(name) = input.call(Ident::parse_any) else {
        problems.add(Region::of(&rest(&all)), Mistake::CollectiveNoWord);
        return None;
    };
    let text = name.unraw().to_string();
    if let Some(word) = Word::find(&text) {
        return Some((word, name.span().into()));
    }
    let is_place = input.peek(token::Bracket) || input.peek(Token![.]) || input.peek(Token![::]);
    let meant = words::meant(&text);
    // `x`, or `A[..]`: a value or a place alone.
    if is_place || input.is_empty() && meant.is_none() {
        problems.add(Region::of(&rest(&all)), Mistake::CollectiveNoWord);
    } else {
        problems.add(name.span(), Mistake::CollectiveUnknown { name: text, meant });
    }
    None
}

/// `scan max x`: reported, and nothing else is read.
fn scan_of_something(word: &Word, input: ParseStream<'_>, problems: &mut Problems) -> Option<()> {
    let ahead = input.fork();
    if !matches!(word.kind, Kind::Scan | Kind::Exscan) {
        return Some(());
    }
    let Ok(operation) = ahead.call(Ident::parse_any) else {
        return Some(());
    };
    let text = operation.unraw().to_string();
    let is_reduction = Word::find(&text).is_some_and(|word| matches!(word.kind, Kind::Reduce(_)));
    // A value or a place may have the name of an operation; then it ends here, or goes on otherwise.
    let goes_on = ahead.peek(Ident::peek_any) && !ahead.peek(Token![as]) && !behind(&ahead);
    if !is_reduction || !(goes_on || ahead.peek(Lit)) {
        return Some(());
    }
    let mistake = Mistake::CollectiveScanOf { word: word.name, operation: text };
    problems.add(operation.span(), mistake);
    None
}

/// `from root`, and that nothing else is left.
fn root(word: &Word, at: Region, input: ParseStream<'_>, problems: &mut Problems) -> Option<Option<Expr>> {
    let mut root = None;
    if peek(input, "from") {
        let from = Region::of(&input.call(Ident::parse_any).ok()?);
        if input.is_empty() || behind(input) {
            problems.add(from, Mistake::CollectiveNoRoot);
            return None;
        }
        let all = input.fork();
        match input.parse::<Expr>() {
            Ok(expression) => root = Some(expression),
            Err(error) => {
                problems.add(Region::of(&rest(&all)), Mistake::NotAnExpression { why: error.to_string() });
                return None;
            }
        }
        if word.kind != Kind::Broadcast {
            let region = root.as_ref().map_or(from, |root| from.to(Region::of(root)));
            problems.add(region, Mistake::CollectiveFrom { word: word.name });
        } else if let Some(Expr::Range(_)) = root.as_ref().map(plain) {
            problems.add(Region::of(&root), Mistake::CollectiveRoots);
        }
    } else if word.kind == Kind::Broadcast && (input.is_empty() || behind(input)) {
        problems.add(at, Mistake::CollectiveFromMissing);
    }
    if input.is_empty() {
        return Some(root);
    }
    let mistake = if behind(input) {
        Mistake::CollectiveOnWithoutSemicolon
    } else if input.peek(Token![,]) {
        Mistake::CollectiveComma
    } else {
        Mistake::CollectiveRest
    };
    problems.add(Region::of(&rest(input)), mistake);
    None
}

/// Whether `on team` comes without its semicolon.
fn behind(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    if ahead.peek(Token![,]) {
        skip(&ahead);
    }
    peek(&ahead, "on")
}

/// `on team`, behind the semicolon.
fn team(input: ParseStream<'_>, semicolon: Span, problems: &mut Problems) -> Option<Expr> {
    if input.is_empty() {
        problems.add(semicolon, Mistake::CollectiveSemicolon);
        return None;
    }
    if peek(input, "from") {
        problems.add(Region::of(&rest(input)), Mistake::CollectiveFromBehind);
        return None;
    }
    if !peek(input, "on") {
        problems.add(Region::of(&rest(input)), Mistake::CollectiveSemicolon);
        return None;
    }
    let on = input.call(Ident::parse_any).ok()?;
    if input.is_empty() {
        problems.add(on.span(), Mistake::CollectiveNoTeam);
        return None;
    }
    let all = input.fork();
    let team = match input.parse::<Expr>() {
        Ok(team) => team,
        Err(error) => {
            problems.add(Region::of(&rest(&all)), Mistake::NotAnExpression { why: error.to_string() });
            return None;
        }
    };
    if input.is_empty() {
        return Some(team);
    }
    let region = Region::of(&rest(input));
    while input.peek(Token![;]) || input.peek(Token![,]) {
        skip(input);
    }
    let mistake = if peek(input, "on") {
        Mistake::CollectiveTwoTeams
    } else if peek(input, "from") {
        Mistake::CollectiveFromBehind
    } else {
        Mistake::CollectiveAfterTeam
    };
    problems.add(region, mistake);
    None
}

// Looking ahead ----------------------------------------------------------------------------------------------

/// Whether the next token is the word.
fn peek(input: ParseStream<'_>, word: &str) -> bool {
    input.fork().call(Ident::parse_any).is_ok_and(|name| name == word)
}

/// Whether `from root` is next, and not a value with the name `from`.
fn begins_with_root(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    if !peek(&ahead, "from") {
        return false;
    }
    skip(&ahead);
    ahead.peek(Lit) || ahead.peek(Ident::peek_any) && !ahead.peek(Token![as]) && !peek(&ahead, "from")
}

/// Whether a value begins that may have `=` outside of brackets, as in `if let`.
fn begins_with_branch(input: ParseStream<'_>) -> bool {
    input.peek(Token![if]) || input.peek(Token![while])
}

/// The operator at the head of the input, if it stores or is one of those that are taken for it.
fn assignment(input: ParseStream<'_>) -> Option<(&'static str, Region)> {
    macro_rules! operators {
        ($($token:tt)*) => {$(
            if input.peek(Token![$token]) {
                let token = input.fork().parse::<Token![$token]>().ok()?;
                return Some((stringify!($token), Region::of(&token)));
            }
        )*};
    }
    operators!(<<= >>= == => += -= &= |= ^= *= /= %= =);
    None
}

/// The first such operator outside of brackets.
fn assignment_in(input: ParseStream<'_>) -> Option<(&'static str, Region)> {
    let ahead = input.fork();
    to_assignment(&ahead);
    assignment(&ahead)
}

/// The tokens in front of that operator, or all; they are read.
fn to_assignment(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && assignment(input).is_none() {
        let pair = input.peek(Token![<=]) || input.peek(Token![>=]) || input.peek(Token![!=]);
        let inclusive = input.peek(Token![..=]);
        for _ in 0..if inclusive { 3 } else { 1 + usize::from(pair) } {
            if let Ok(token) = input.parse::<TokenTree>() {
                tokens.extend([token]);
            }
        }
    }
    tokens
}

/// The tokens that are left; they are not read.
fn rest(input: ParseStream<'_>) -> TokenStream {
    input.fork().parse().unwrap_or_default()
}

fn skip(input: ParseStream<'_>) {
    // At the end of the input there is nothing to skip.
    let _ = input.parse::<TokenTree>();
}
