//! What the parsers of the macros share.
//!
//! `remote!`, `local!`, `collective!`, `wait!` and `poll!` get `shmem ; tokens of the user`: the
//! macro of the crate `shmem` that users call writes `$crate ;` in front.

use proc_macro2::{TokenStream, TokenTree};
use syn::Expr;
use syn::parse::{ParseStream, Parser as _};

use crate::diagnostics::{Problems, Region};
use crate::private::Private;

/// Splits `shmem ; tokens of the user`.
pub(crate) fn split(input: TokenStream) -> (Private, TokenStream) {
    let mut tokens = input.into_iter();
    let shmem = tokens.by_ref().take_while(|token| !is_semicolon(token)).collect();
    (Private::new(shmem), tokens.collect())
}

pub(crate) fn is_semicolon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';')
}

/// Takes `stream ;` off the head of the tokens, if that is there: an expression that `is_stream` accepts,
/// where none of `words` follows the semicolon.
pub(crate) fn stream(
    user: TokenStream,
    words: &[&str],
    is_stream: impl FnOnce(&Expr) -> bool,
) -> (Option<Expr>, TokenStream) {
    let tokens: Vec<TokenTree> = user.clone().into_iter().collect();
    let Some(at) = tokens.iter().position(is_semicolon) else { return (None, user) };
    let (head, tail) = (&tokens[..at], &tokens[at + 1..]);
    let is_other = match tail.first() {
        None => true,
        Some(TokenTree::Ident(first)) => words.iter().any(|word| first == word),
        Some(_) => false,
    };
    match syn::parse2::<Expr>(head.iter().cloned().collect()) {
        Ok(stream) if !is_other && is_stream(&stream) => (Some(stream), tail.iter().cloned().collect()),
        _ => (None, user),
    }
}

/// Hands `tokens` to a parser that reports its own mistakes.
pub(crate) fn read<T>(
    tokens: TokenStream,
    problems: &mut Problems,
    parser: impl FnOnce(ParseStream<'_>, &mut Problems) -> Option<T>,
) -> Option<T> {
    let before = problems.count();
    let mut parsed = None;
    let whole = |input: ParseStream<'_>| {
        parsed = parser(input, problems);
        // What the parser left over, it has reported.
        input.parse::<TokenStream>().map(drop)
    };
    // Only here syn reports what is left over inside brackets, such as the `2` of `roots[1, 2]`.
    if let Err(error) = whole.parse2(tokens)
        && problems.count() == before
    {
        problems.add(error.span(), not_an_expression(&error));
    }
    parsed
}

/// The expression at the head of the input. A mistake underlines all that is left.
pub(crate) fn expression(input: ParseStream<'_>, problems: &mut Problems) -> Option<Expr> {
    let all = input.fork();
    match input.parse() {
        Ok(expression) => Some(expression),
        Err(error) => problems.fail(Region::of(&rest(&all)), not_an_expression(&error)),
    }
}

/// The text of a mistake that syn found in an expression.
pub(crate) fn not_an_expression(why: &syn::Error) -> String {
    format!("not an expression: {why}")
}

/// The tokens that are left; they are not read.
pub(crate) fn rest(input: ParseStream<'_>) -> TokenStream {
    input.fork().parse().unwrap_or_default()
}

/// Reads one token, or one pair of brackets with what is inside; nothing at the end.
pub(crate) fn skip(input: ParseStream<'_>) {
    let _ = input.parse::<TokenTree>();
}
