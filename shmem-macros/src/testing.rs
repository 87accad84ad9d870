//! What the unit tests share: source text in, expansion or error messages out.

use proc_macro2::TokenStream;

use crate::diagnostics::Problems;

/// Source text as tokens.
pub(crate) fn tokens(source: &str) -> TokenStream {
    source.parse().expect("the test's source is made of tokens")
}

/// Compares tokens with source text; spaces do not count.
#[track_caller]
pub(crate) fn assert_tokens(actual: &TokenStream, expected: &str) {
    let expected = tokens(expected).to_string();
    // An invisible difference: `quote!` makes other spacing between punctuation than the lexer.
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(
        squeeze(&actual.to_string()),
        squeeze(&expected),
        "\nactual:   {actual}\nexpected: {expected}"
    );
}

/// Compares all mistakes of one call with what each underlines and how its message starts. After
/// `...` stands any part of the message.
#[track_caller]
pub(crate) fn assert_mistakes(source: &str, problems: &Problems, expected: &[(&str, &str)]) {
    let actual = problems.report();
    let fits = actual.len() == expected.len()
        && actual.iter().zip(expected).all(|((at, text), (expected_at, expected_text))| {
            let text_fits = match expected_text.strip_prefix("...") {
                Some(part) => text.contains(part),
                None => text.starts_with(expected_text),
            };
            at == expected_at && text_fits
        });
    assert!(fits, "\n{source}\nactual:   {actual:#?}\nexpected: {expected:#?}");
}
