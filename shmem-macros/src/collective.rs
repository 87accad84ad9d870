//! `collective!(sum x)`: one value of every PE, reduced to one that every PE gets.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, Ident, Token};

use crate::diagnostics::{Mistake, Problems, Region};
use crate::place::select::plain;
use crate::private::Private;

/// The reductions: as they are written, and the type in `__private`.
const REDUCTIONS: [(&str, &str); 7] = [
    ("sum", "Sum"),
    ("prod", "Prod"),
    ("min", "Min"),
    ("max", "Max"),
    ("and", "And"),
    ("or", "Or"),
    ("xor", "Xor"),
];

/// What is written by people who know other libraries.
const MEANT: [(&str, &str); 8] = [
    ("add", "sum"),
    ("plus", "sum"),
    ("product", "prod"),
    ("mul", "prod"),
    ("minimum", "min"),
    ("maximum", "max"),
    ("band", "and"),
    ("bor", "or"),
];

/// Collectives of the language that this version does not have.
const LATER: [&str; 7] = ["broadcast", "collect", "fcollect", "alltoall", "scan", "exscan", "barrier"];

/// The whole way of a call: `shmem ; operation value`.
pub(crate) fn expand(input: TokenStream) -> Result<TokenStream, Problems> {
    let mut problems = Problems::default();
    let mut tokens = input.into_iter();
    let semicolon = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    let shmem: TokenStream = tokens.by_ref().take_while(|token| !semicolon(token)).collect();
    let user: TokenStream = tokens.collect();
    let whole = Region::of(&user);

    let mut parsed = None;
    let parser = |input: ParseStream<'_>| {
        parsed = reduction(input, &mut problems);
        // Whatever was not understood has been reported.
        input.parse::<TokenStream>().map(drop)
    };
    // The parser reads to the end, so it cannot fail.
    let _ = parser.parse2(user);
    match parsed {
        Some((operation, value)) if problems.is_empty() => {
            let private = Private::new(shmem);
            let operation = private.name(operation, whole.start);
            let value = plain(&value);
            let team = private.call("world_team", whole, TokenStream::new());
            Ok(private.call("Team::reduce_value", whole, quote!(#team, #operation, #value)))
        }
        _ => Err(problems),
    }
}

/// `operation value`.
fn reduction(input: ParseStream<'_>, problems: &mut Problems) -> Option<(&'static str, Expr)> {
    if input.is_empty() {
        problems.add(proc_macro2::Span::call_site(), Mistake::CollectiveNoOperation);
        return None;
    }
    let whole = input.fork();
    let Ok(name) = input.call(Ident::parse_any) else {
        problems.add(Region::of(&rest(&whole)), Mistake::CollectiveNoOperation);
        return None;
    };
    let text = name.unraw().to_string();
    let Some((_, operation)) = REDUCTIONS.into_iter().find(|(written, _)| *written == text) else {
        let region = Region::from(name.span());
        if LATER.contains(&text.as_str()) {
            problems.add(region, Mistake::CollectiveLater { what: format!("the collective `{text}`") });
        } else if rest(&whole).into_iter().any(|token| token.to_string() == "=") {
            let what = "the form with a destination, `DST[..] = sum SRC[..]`,".to_owned();
            problems.add(Region::of(&rest(&whole)), Mistake::CollectiveLater { what });
        } else if input.is_empty() {
            // `collective!(x)`
            problems.add(region, Mistake::CollectiveNoOperation);
        } else {
            let meant = MEANT.into_iter().find(|(written, _)| *written == text).map(|(_, meant)| meant);
            problems.add(region, Mistake::CollectiveUnknown { name: text, meant });
        }
        return None;
    };
    if input.is_empty() {
        problems.add(name.span(), Mistake::CollectiveNoValue { operation: text });
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
    if input.peek(Token![;]) {
        let what = "a collective on a team".to_owned();
        problems.add(Region::of(&rest(input)), Mistake::CollectiveLater { what });
        return None;
    }
    if !input.is_empty() {
        problems.add(Region::of(&rest(input)), Mistake::CollectiveAfterValue);
        return None;
    }
    Some((operation, value))
}

/// The tokens that are left.
fn rest(input: ParseStream<'_>) -> TokenStream {
    input.fork().parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::expand;
    use crate::testing::{assert_mistakes, assert_tokens, tokens};

    #[test]
    fn reductions() {
        for (name, ty) in super::REDUCTIONS {
            let actual = expand(tokens(&format!("shmem; {name} x + 1"))).expect(name);
            let expected = format!(
                "shmem::__private::Team::reduce_value(shmem::__private::world_team(), shmem::__private::{ty}, x + 1)"
            );
            assert_tokens(&actual, &expected);
        }
        let call = expand(tokens("shmem; sum(x)")).expect("parentheses");
        let expected =
            "shmem::__private::Team::reduce_value(shmem::__private::world_team(), shmem::__private::Sum, x)";
        assert_tokens(&call, expected);
    }

    #[test]
    fn mistakes() {
        for (source, at, text) in [
            ("", "", "`collective!` needs an operation and a value"),
            ("x", "x", "`collective!` needs an operation and a value"),
            ("3", "3", "`collective!` needs an operation and a value"),
            ("sum", "sum", "a value is missing after `sum`"),
            ("sum x y", "y", "`collective!` takes one operation and one value"),
            ("sum x, y", ", y", "`collective!` takes one operation and one value"),
            ("sum +", "+", "not an expression"),
            ("product x", "product", "there is no collective `product`: write `prod`"),
            ("mean x", "mean", "there is no collective `mean`: the operations"),
            ("scan x", "scan", "the collective `scan` is not available yet"),
            ("A[..] = sum B[..]", "A[..] = sum B[..]", "the form with a destination"),
            ("sum x; on team", "; on team", "a collective on a team"),
        ] {
            match expand(tokens(&format!("shmem; {source}"))) {
                Ok(actual) => panic!("{source} expands to {actual}"),
                Err(problems) => assert_mistakes(source, &problems, &[(at, text)]),
            }
        }
    }
}
