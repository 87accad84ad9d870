//! Tokens to a [`Call`]. A mistake is reported, and reading goes on after it where it can.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Expr, ExprPath, Ident, Lit, Token, token};

use super::table::{self, Collective, Kind, READY, Root, Value};
use super::{Action, Call, Data};
use crate::diagnostics::{Problems, Region};
use crate::expressions::plain;
use crate::place::{self, LocalPlace};
use crate::reading::{expression, is_semicolon, not_an_expression, read, rest, skip, stream};

/// Reads the user's tokens. `None` when too little was understood; there is a problem then.
pub(super) fn call(user: TokenStream, problems: &mut Problems) -> Option<Call> {
    let region = Region::of(&user);
    let (stream, user) = stream(user, &["on", "from", "to", "with"], may_be_stream);
    // No action has a semicolon outside of brackets. So each side is read whatever the other one
    // is.
    let mut tokens = user.into_iter().peekable();
    let mut head = TokenStream::new();
    while let Some(token) = tokens.next_if(|token| !is_semicolon(token)) {
        head.extend([token]);
    }
    let semicolon = tokens.next();
    let tail: TokenStream = tokens.collect();

    let action = read(head, problems, action);
    let team = semicolon
        .map(|semicolon| read(tail, problems, |input, problems| team(input, semicolon.span(), problems)));
    let team = match team {
        Some(team) => Some(team?),
        None => None,
    };
    let action = action?;
    if stream.is_some() {
        on_stream(&action, problems);
    }
    Some(Call { stream, action, team, region })
}

/// A path that is no word of `collective!`, a field, a call, or something in parentheses.
fn may_be_stream(head: &Expr) -> bool {
    match head {
        Expr::Path(path) => {
            path.path.get_ident().is_none_or(|word| table::meant(&word.to_string()).is_none())
        }
        Expr::Field(_)
        | Expr::Paren(_)
        | Expr::Call(_)
        | Expr::MethodCall(_)
        | Expr::Reference(_)
        | Expr::Try(_)
        | Expr::Index(_)
        | Expr::Group(_) => true,
        _ => false,
    }
}

/// Reports a collective that streams do not have.
fn on_stream(Action { collective, at, data, root, ready, .. }: &Action, problems: &mut Problems) {
    let word = collective.word;
    if !collective.has_stream_form() {
        let words = table::words(Collective::has_stream_form);
        problems.add(
            *at,
            format!("a stream has no `{word}`: write one of {words}, or make the call without the stream"),
        );
    } else if matches!(data, Data::Value(_)) {
        problems.add(
            *at,
            format!("a collective on a stream returns nothing: write `DST[..] = {word} SRC[..]`, with device arrays"),
        );
    } else if let Some(root) = root
        && collective.root == Root::MayTo
    {
        problems
            .add(Region::of(root), format!("on a stream all PEs get the result of `{word}`: remove `to`"));
    } else if let Some(region) = ready {
        problems.add(*region, format!("a stream has no `{READY}`: remove this"));
    }
}

/// What stands before the semicolon.
fn action(input: ParseStream<'_>, problems: &mut Problems) -> Option<Action> {
    if input.is_empty() {
        return problems.fail(
            Span::call_site(),
            "`collective!` is empty: write `collective!(sum x)` for one value of each PE, or \
             `collective!(DST[..] = sum SRC[..])`",
        );
    }
    if has_destination(input) { with_places(input, problems) } else { with_value(input, problems) }
}

/// Whether it is an assignment: an operator that stores, and before it what can be a place.
fn has_destination(input: ParseStream<'_>) -> bool {
    let second = input.fork();
    if let Ok(name) = second.call(Ident::parse_any) {
        // `sum x`; a destination may be called `sum`, and then goes on otherwise.
        let call = second.peek(token::Paren) && Collective::find(&name.to_string()).is_none();
        let place = call || second.peek(token::Bracket) || second.peek(Token![.]) || second.peek(Token![::]);
        if !place && assignment(&second).is_none() {
            return false;
        }
    }
    assignment_in(input).is_some()
}

fn no_word() -> String {
    format!(
        "a collective is missing: write `sum x` for one value of each PE, or `DST[..] = sum SRC[..]`, \
         with `sum` or one of {}",
        table::words(|one| !one.is_bare() && one.word != "sum")
    )
}

fn not_a_place(role: &str) -> String {
    format!(
        "the {role} must be a place in symmetric memory: write the name of an object with selectors, as in \
         `GRID[0..8]`, or put an expression for the object in parentheses, as in `(grids[k])[0..8]`"
    )
}

fn takes_nothing(&Collective { word, .. }: &Collective) -> String {
    format!(
        "`{word}` takes no data: write `collective!({word})`, or \
         `collective!({word}; on team)`"
    )
}

const COMMA: &str = "`collective!` takes one value or one source: write one call for each; \
    `team.reduce_values(...)` reduces a slice of values";
const ON_WITHOUT_SEMICOLON: &str = "the team comes after a semicolon: write `; on team`";

// DST[..] = sum SRC[..] ---------------------------------------------------------------------------

fn with_places(input: ParseStream<'_>, problems: &mut Problems) -> Option<Action> {
    let destination = place(input, "destination", problems);
    let between = to_assignment(input);
    if destination.is_some() && !between.is_empty() {
        problems.add(Region::of(&between), not_a_place("destination"));
    }
    let Some((operator, region)) = assignment(input) else {
        return problems.fail(Region::of(&between), no_word());
    };
    match operator {
        "=" => {}
        "==" => problems.add(region, "`==` compares: write `=` to store the result in the destination"),
        _ => problems.add(
            region,
            format!(
                "`collective!` overwrites its destination and has no `{operator}`: write `=`, and combine \
                 with the old values in another statement"
            ),
        ),
    }
    for _ in operator.chars() {
        skip(input);
    }
    if input.is_empty() {
        return problems.fail(region, no_word());
    }
    let (collective, at) = word(input, problems)?;
    if collective.is_bare() {
        return problems.fail(at, takes_nothing(collective));
    }
    let operation = operation(collective, at, input, problems)?;
    has_data(collective, at, input, problems)?;
    if collective.value == Value::Only {
        let word = collective.word;
        let text = format!(
            "`{word}` returns the value and its PE, and has no destination: write \
             `let (value, pe) = collective!({word} x);`"
        );
        return problems.fail(at, text);
    }
    let source = place(input, "source", problems)?;
    if !input.is_empty() && root_word(input).is_none() && !behind(input) {
        let text = if input.peek(Token![,]) { COMMA.to_owned() } else { not_a_place("source") };
        return problems.fail(Region::of(&rest(input)), text);
    }
    let ready = ready(collective, input);
    let root = root(collective, at, input, problems)?;
    let data = Data::Places(Box::new((destination?, source)));
    Some(Action { collective, operation, at, data, root, ready })
}

/// A place, with what does not belong before it.
fn place(input: ParseStream<'_>, role: &'static str, problems: &mut Problems) -> Option<LocalPlace> {
    if let Ok(and) = input.parse::<Token![&]>() {
        let mut region = Region::from(and.span);
        if let Ok(Some(token)) = input.parse::<Option<Token![mut]>>() {
            region = region.to(token.span);
        }
        problems.add(region, format!("the {role} is a place, not a reference: remove this"));
    }
    let ahead = input.fork();
    let is_value = if ahead.peek(token::Paren) {
        false
    } else {
        // An invisible group, which a macro of the user makes, may hold a path.
        ahead.parse::<ExprPath>().is_err() || ahead.peek(Token![!]) || ahead.peek(token::Paren)
    };
    if is_value {
        let tokens = to_assignment(input);
        return problems.fail(Region::of(&tokens), not_a_place(role));
    }
    let place = place::of_collective(input, problems);
    if place.is_none() {
        to_assignment(input);
    }
    place
}

// sum x -------------------------------------------------------------------------------------------

fn with_value(input: ParseStream<'_>, problems: &mut Problems) -> Option<Action> {
    let whole = input.fork();
    let (collective, at) = word(input, problems)?;
    let word = collective.word;
    let none =
        Action { collective, operation: collective.operation, at, data: Data::None, root: None, ready: None };
    if collective.is_bare() {
        if input.is_empty() {
            return Some(none);
        }
        let text = if behind(input) { ON_WITHOUT_SEMICOLON.to_owned() } else { takes_nothing(collective) };
        return problems.fail(Region::of(&rest(input)), text);
    }
    // Of one that takes no value, that is reported.
    let operation = match collective.value {
        Value::None { .. } => collective.operation,
        _ => operation(collective, at, input, problems)?,
    };
    has_data(collective, at, input, problems)?;
    if !begins_with_branch(input) && assignment_in(input).is_some() {
        return problems.fail(
            Region::of(&rest(&whole)),
            format!(
                "the destination comes first, then `=` and the collective: write `DST[..] = {} SRC[..]`",
                collective.words()
            ),
        );
    }
    if let Value::None { it } = collective.value {
        return problems.fail(at, format!("`{word}` {it}: write {}", collective.example()));
    }
    let all = input.fork();
    let value = input.parse::<Expr>();
    let is_slice = collective.value == Value::Slice;
    if !is_slice && value.as_ref().map_or(true, |value| is_selection(value, &all)) {
        // `sum ROW[0..8]`, and what is no expression in Rust, such as `sum ROW[0..8;2]`: a place.
        let ahead = all.fork();
        if let Some(place) = place::local(&ahead, &mut Problems::default())
            && (ahead.is_empty() || root_word(&ahead).is_some())
        {
            if collective.value == Value::Only {
                let text =
                    format!("`{word}` takes one value: write `local!(SRC[i])` for that of one element");
                return problems.fail(place.region(), text);
            }
            return problems.fail(
                place.region(),
                format!(
                    "`{word}` without a destination takes one value: write `DST[..] = {} SRC[..]` \
                     for a selection, and `local!(SRC[i])` for the value of one element",
                    collective.words()
                ),
            );
        }
    }
    let value = match value {
        Ok(value) => value,
        Err(error) => return problems.fail(Region::of(&rest(&all)), not_an_expression(&error)),
    };
    if let Some(region) = ready(collective, input) {
        problems.add(
            region,
            format!(
                "`{word}` of a value has no destination that could be ready: remove `{READY}`, or write \
                 `DST[..] = {word} SRC[..] {READY}`"
            ),
        );
    }
    let root = root(collective, at, input, problems)?;
    Some(Action { operation, data: Data::Value(Box::new(value)), root, ..none })
}

/// Whether a value looks like a selection: `ROW[0..8]`, or `GRID[1, 2]`, which is read as
/// `GRID[1]`.
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

// Their parts -------------------------------------------------------------------------------------

/// The name of a collective.
fn word(input: ParseStream<'_>, problems: &mut Problems) -> Option<(&'static Collective, Region)> {
    let all = input.fork();
    let Ok(name) = input.call(Ident::parse_any) else {
        return problems.fail(Region::of(&rest(&all)), no_word());
    };
    let text = name.unraw().to_string();
    if let Some(collective) = Collective::find(&text) {
        return Some((collective, name.span().into()));
    }
    let is_place = input.peek(token::Bracket) || input.peek(Token![.]) || input.peek(Token![::]);
    let meant = table::meant(&text);
    // `x`, or `A[..]`: a value or a place alone.
    if is_place || input.is_empty() && meant.is_none() {
        return problems.fail(Region::of(&rest(&all)), no_word());
    }
    let instead = match meant {
        Some(meant) => format!("write {meant}"),
        None => format!("there are {}, as in `collective!(sum x)`", table::words(|_| true)),
    };
    problems.fail(name.span(), format!("there is no collective `{text}`: {instead}"))
}

/// The operation of a collective: its own, or the next word.
fn operation(
    collective: &Collective,
    at: Region,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Option<Option<&'static str>> {
    if !collective.takes_operation() {
        return Some(collective.operation);
    }
    let word = collective.word;
    let operations = || table::words(|one| one.kind == Kind::Reduction);
    let ahead = input.fork();
    let name = ahead.call(Ident::parse_any).ok().map(|name| name.unraw().to_string());
    // What goes on so is a place of that name.
    let is_place = ahead.peek(token::Bracket) || ahead.peek(Token![.]) || ahead.peek(Token![::]);
    match name.as_deref().and_then(Collective::find) {
        Some(Collective { kind: Kind::Reduction, operation, .. }) if !is_place => {
            skip(input);
            Some(*operation)
        }
        Some(Collective { root: Root::With, .. }) if !is_place && !ahead.is_empty() => problems
            .fail(input.span(), format!("`{word}` takes no function: write one of {} instead", operations())),
        Some(other) if !is_place && !ahead.is_empty() => problems.fail(
            input.span(),
            format!(
                "`{word}` takes a reduction, and `{}` is none: write one of {}",
                other.word,
                operations()
            ),
        ),
        _ => problems.fail(
            at,
            format!(
                "the operation is missing after `{word}`: write {}, with one of {}",
                collective.example(),
                operations()
            ),
        ),
    }
}

/// That data follows the word; and not `scan max x`, of which nothing else is read.
fn has_data(
    collective: &Collective,
    at: Region,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Option<()> {
    if input.is_empty() || begins_with_root(input) {
        let example = collective.example();
        let text = format!("the source or the value is missing after the collective: write {example}");
        return problems.fail(at, text);
    }
    let ahead = input.fork();
    let reduction = match ahead.call(Ident::parse_any) {
        Ok(name) if collective.kind == Kind::Scan => Collective::find(&name.unraw().to_string()),
        _ => None,
    };
    // A value or a place may have the name of an operation; then it ends here, or goes on
    // otherwise.
    let goes_on = ahead.peek(Ident::peek_any) && !ahead.peek(Token![as]) && !behind(&ahead);
    let (Some(Collective { word: of, operation: Some(ty), kind: Kind::Reduction, .. }), true) =
        (reduction, goes_on || ahead.peek(Lit))
    else {
        return Some(());
    };
    let (word, method) = (collective.word, collective.method());
    let text = match collective.operation {
        _ if *ty == "Sum" => format!("`{word}` always adds: remove `{of}`"),
        Some(_) => format!(
            "`{word}` in `collective!` always adds: for `{of}` call the method, as in \
             `team.{method}({ty}, local!(&DST[..]), local!(&SRC[..]))` or `team.{method}_value({ty}, x)`, \
             with `shmem::reduction::{ty}`"
        ),
        None => format!(
            "`{word}` always adds: for `{of}` use `Team::scan` or `Team::scan_value`, which include this \
             PE's own values"
        ),
    };
    problems.fail(input.span(), text)
}

/// `to ready`, of a collective that may have it.
fn ready(collective: &Collective, input: ParseStream<'_>) -> Option<Region> {
    if collective.root != Root::MayToReady || !peek(input, "to") {
        return None;
    }
    let ahead = input.fork();
    skip(&ahead);
    if !peek(&ahead, "ready") {
        return None;
    }
    let to = Region::of(&input.call(Ident::parse_any).ok()?);
    Some(to.to(Region::of(&input.call(Ident::parse_any).ok()?)))
}

/// `from root`, `to root` or `with join`, and that nothing else is left.
fn root(
    collective: &Collective,
    at: Region,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Option<Option<Expr>> {
    let (word, expected) = (collective.word, collective.root.word());
    let mut root = None;
    if let Some(written) = root_word(input) {
        let from = Region::of(&input.call(Ident::parse_any).ok()?);
        let is_function = written == "with";
        if input.is_empty() || behind(input) {
            let (what, example) = if is_function { ("function", "join") } else { ("PE", "0") };
            let text = format!("the {what} is missing after `{written}`: write `{written} {example}`");
            return problems.fail(from, text);
        }
        let pe = expression(input, problems)?;
        let both = from.to(Region::of(&pe));
        if is_function && collective.root != Root::With {
            problems
                .add(both, format!("`{word}` takes no function: remove this, or write `reduce x with join`"));
        } else if matches!(collective.root, Root::None | Root::MayToReady)
            || collective.root == Root::MayTo && written == "from"
        {
            let with_root = table::words(|one| one.root.word() == written);
            let does = if written == "from" { "reads from all PEs" } else { "gives the result to all PEs" };
            let other =
                if collective.kind == Kind::Pairwise && written == "to" { " or `pairwise`" } else { "" };
            let text = format!(
                "`{word}` {does}, and only {with_root} take `{written}` and a PE: remove this{other}"
            );
            problems.add(both, text);
        } else if collective.root == Root::With && !is_function {
            problems.add(
                both,
                format!("`{word}` gives the result to all PEs, and takes a function: write `with join`"),
            );
        } else if written != expected {
            problems.add(from, format!("`{word}` takes `{expected}` and a PE: write `{expected} 0`"));
        } else if let (Expr::Range(_), false) = (plain(&pe), is_function) {
            problems
                .add(Region::of(&pe), format!("`{written}` takes one PE, not a range: write `{written} 0`"));
        }
        root = Some(pe);
    } else if collective.root.is_needed() && (input.is_empty() || behind(input)) {
        let text = if collective.root == Root::With {
            format!(
                "`{word}` needs the function that joins two values: write `with join` after the source or the \
                 value, or the operation instead of `{word}`, as in `sum x`"
            )
        } else {
            let does = if expected == "from" { "has" } else { "gets" };
            format!(
                "`{word}` needs the PE that {does} the values: write `{expected} 0` after the source or the value"
            )
        };
        problems.add(at, text);
    }
    if input.is_empty() {
        return Some(root);
    }
    let text = if behind(input) {
        ON_WITHOUT_SEMICOLON
    } else if input.peek(Token![,]) {
        COMMA
    } else {
        "unexpected tokens: write `; on team` or nothing after the source or the value, and where a \
         collective has a root `from` or `to` and a PE, or `with` and a function"
    };
    problems.fail(Region::of(&rest(input)), text)
}

/// The word before a root or a function, if it is next.
fn root_word(input: ParseStream<'_>) -> Option<&'static str> {
    ["from", "to", "with"].into_iter().find(|word| peek(input, word))
}

/// Whether `on team` comes without its semicolon.
fn behind(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    if ahead.peek(Token![,]) {
        skip(&ahead);
    }
    peek(&ahead, "on")
}

/// `on team`, after the semicolon.
fn team(input: ParseStream<'_>, semicolon: Span, problems: &mut Problems) -> Option<Expr> {
    const FROM_AFTER_TEAM: &str =
        "`from` comes before the team: write `DST[..] = broadcast SRC[..] from 0; on team`";
    const TO_AFTER_TEAM: &str = "`to` comes before the team: write `DST[..] = gather SRC[..] to 0; on team`";
    const WITH_AFTER_TEAM: &str = "`with` comes before the team: write `reduce x with join; on team`";
    let after_team = |word| match word {
        "from" => FROM_AFTER_TEAM,
        "to" => TO_AFTER_TEAM,
        _ => WITH_AFTER_TEAM,
    };
    if let Some(word) = root_word(input) {
        return problems.fail(Region::of(&rest(input)), after_team(word));
    }
    if !peek(input, "on") {
        let rest = rest(input);
        let at = if rest.is_empty() { semicolon.into() } else { Region::of(&rest) };
        return problems.fail(
            at,
            "`on` and a team come after the semicolon: write `; on team`, or remove the semicolon for all PEs",
        );
    }
    let on = input.call(Ident::parse_any).ok()?;
    if input.is_empty() {
        return problems.fail(
            on.span(),
            "a team is missing after `on`: write `; on team`, or remove `; on` for all PEs",
        );
    }
    let team = expression(input, problems)?;
    if input.is_empty() {
        return Some(team);
    }
    let region = Region::of(&rest(input));
    while input.peek(Token![;]) || input.peek(Token![,]) {
        skip(input);
    }
    let text = if peek(input, "on") {
        "a collective runs on one team: make a team of the PEs of both, or write two calls"
    } else if let Some(word) = root_word(input) {
        after_team(word)
    } else {
        "unexpected tokens after the team: remove this"
    };
    problems.fail(region, text)
}

// Looking ahead -----------------------------------------------------------------------------------

/// Whether the next token is the word.
fn peek(input: ParseStream<'_>, word: &str) -> bool {
    input.fork().call(Ident::parse_any).is_ok_and(|name| name == word)
}

/// Whether `from root`, `to root` or `with join` is next, and not a value with the name `from`, `to` or
/// `with`.
fn begins_with_root(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    let Some(word) = root_word(&ahead) else { return false };
    skip(&ahead);
    word == "with" && ahead.peek(Token![|])
        || ahead.peek(Lit)
        || ahead.peek(Ident::peek_any) && !ahead.peek(Token![as]) && !peek(&ahead, word)
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

/// Whether `with |a, b| …` is next: what compares or assigns in the closure is its own affair.
fn begins_with_closure(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    peek(&ahead, "with") && {
        skip(&ahead);
        ahead.peek(Token![|]) || ahead.peek(Token![move])
    }
}

/// The tokens in front of that operator, or all, or those before a closure; they are read.
fn to_assignment(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && assignment(input).is_none() && !begins_with_closure(input) {
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
