//! Selectors: which indices of one axis a selection takes.
//!
//! ```text
//! selector = index | range [ ";" [ "-" ] step ] | "[" index { "," index } "]" | "@" list
//! range    = [ start ] ".." [ end ] | [ start ] "..=" end | variable
//! ```
//!
//! A new form of a selector is its syntax here, a type in `select/selectors.rs` of shmem-core, and
//! tests.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::parse::ParseStream;
use syn::{Expr, ExprRange, Lit, Path, RangeLimits, Token, UnOp};

use crate::diagnostics::{Problems, Region};
use crate::expressions::{is_constant, path_text, plain, takes_any_type};
use crate::private::Private;

/// One selector as it was written.
pub(super) struct Selector {
    pub(super) kind: SelectorKind,
    pub(super) region: Region,
}

/// The forms of a selector.
pub(super) enum SelectorKind {
    /// `i`: one position; the result has no such axis.
    Index(Expr),
    /// `a..b;s` and all its shortened forms.
    Range { start: Option<Box<Expr>>, limits: RangeLimits, end: Option<Box<Expr>>, step: Option<Step> },
    /// `range;s`, where the range is in a variable.
    Variable { range: Box<Expr>, step: Step },
    /// `[i, j, k]`
    Items(Vec<Expr>),
    /// `@list`
    List(Box<Expr>),
}

impl SelectorKind {
    /// Whether it is a list, or a range that descends.
    pub(super) fn is_irregular(&self) -> bool {
        match self {
            SelectorKind::Index(_) => false,
            SelectorKind::Range { step, .. } => step.as_ref().is_some_and(|step| step.descends),
            SelectorKind::Variable { step, .. } => step.descends,
            SelectorKind::Items(_) | SelectorKind::List(_) => true,
        }
    }
}

/// What comes after `;`.
pub(super) struct Step {
    /// Without its sign.
    size: Expr,
    /// Whether a minus sign is written before it.
    descends: bool,
}

// Parse -------------------------------------------------------------------------------------------

/// The selectors between the brackets. One with a mistake is reported and `None`; those after it
/// are still read.
pub(super) fn parse_list(input: ParseStream<'_>, problems: &mut Problems) -> Vec<Option<Selector>> {
    let mut selectors = Vec::new();
    while !input.is_empty() {
        selectors.push(parse(input, problems));
        // `parse` stops at a comma or at the end.
        let _ = input.parse::<Token![,]>();
    }
    selectors
}

const COLON: &str = "a range is written with dots: `a..b` instead of `a:b`, `a..b;step` with a step, \
                     `..` for the whole axis";
const AFTER_SELECTOR: &str = "unexpected tokens after the selector: selectors are separated by commas, \
                              and a step comes after a semicolon, as in `[pe, 0..8, 0..64;2]`";

fn not_a_selector(why: &syn::Error) -> String {
    format!("not a selector: {why}; write an index `i`, a range `a..b`, `a..b;step`, or `..`")
}

/// One selector, up to the next comma or the end.
fn parse(input: ParseStream<'_>, problems: &mut Problems) -> Option<Selector> {
    if input.peek(Token![,]) {
        return problems.fail(
            input.span(),
            "a selector is missing: write an index `i`, a range `a..b`, or `..` for the whole axis",
        );
    }
    if input.peek(Token![:]) && !input.peek(Token![::]) {
        return problems.fail(skip_to_comma(input), COLON);
    }
    if input.peek(Token![*]) && (input.peek2(Token![,]) || is_last_token(input)) {
        return problems.fail(skip_to_comma(input), "`*` is not a selector: write `..` for the whole axis");
    }
    if input.peek(Token![@]) {
        return parse_listed(input, problems);
    }
    let all = input.fork();
    let expression = match input.parse::<Expr>() {
        Ok(expression) => bare_range(expression),
        Err(error) => {
            let tokens = tokens_to_comma(&all);
            skip_to_comma(input);
            if ends_with_inclusive(&tokens) {
                return problems.fail(
                    Region::of(&tokens),
                    "`..=` needs an end: write `a..=b`, or `a..` for all up to the end of the axis",
                );
            }
            return problems.fail(Region::of(&tokens), not_a_selector(&error));
        }
    };
    let region = Region::of(&expression);

    if input.peek(Token![:]) {
        return problems.fail(region.to(skip_to_comma(input)), COLON);
    }
    if input.peek(Token![..]) {
        return problems.fail(skip_to_comma(input), "the step comes after a semicolon: write `a..b;step`");
    }
    if !input.is_empty() && !input.peek(Token![,]) && !input.peek(Token![;]) {
        return problems.fail(skip_to_comma(input), AFTER_SELECTOR);
    }

    let step = match input.parse::<Option<Token![;]>>() {
        Ok(Some(semicolon)) => Some((semicolon, parse_step(input, problems, semicolon)?)),
        _ => None,
    };
    match (expression, step) {
        (Expr::Range(ExprRange { start, limits, end, .. }), step) => {
            let region = step.as_ref().map_or(region, |(_, step)| region.to(Region::of(step)));
            let step = step.map(|(_, step)| signed(step));
            Some(Selector { kind: SelectorKind::Range { start, limits, end, step }, region })
        }
        (Expr::Array(_), Some((semicolon, step))) => {
            problems.fail(Region::from(semicolon.span).to(Region::of(&step)), LIST_STEP)
        }
        (index, Some((semicolon, step))) if is_constant(&index) => problems.fail(
            Region::from(semicolon.span).to(Region::of(&step)),
            "an index takes no step: write a range, as in `a..b;step` or `a..;step`",
        ),
        (range, Some((_, step))) => {
            let region = region.to(Region::of(&step));
            let (range, step) = (Box::new(range), signed(step));
            Some(Selector { kind: SelectorKind::Variable { range, step }, region })
        }
        (Expr::Array(list), None) => {
            Some(Selector { kind: SelectorKind::Items(list.elems.into_iter().collect()), region })
        }
        (Expr::Repeat(list), None) => problems.fail(
            Region::of(&list),
            "a list of indices is written `[i, j, k]`, and `@list` where it is in a variable",
        ),
        (index, None) => Some(Selector { kind: SelectorKind::Index(index), region }),
    }
}

const LIST_STEP: &str = "a list of indices takes no step: write the indices that you mean";

/// `@list`
fn parse_listed(input: ParseStream<'_>, problems: &mut Problems) -> Option<Selector> {
    let at = input.parse::<Token![@]>().ok()?;
    if input.is_empty() || input.peek(Token![,]) {
        return problems
            .fail(at.span, "the list is missing after `@`: write `@list`, with a slice of `usize`");
    }
    let all = input.fork();
    let list = match input.parse::<Expr>() {
        Ok(list) => list,
        Err(error) => {
            skip_to_comma(input);
            return problems.fail(skip_to_comma(&all), not_a_selector(&error));
        }
    };
    if input.peek(Token![;]) {
        return problems.fail(skip_to_comma(input), LIST_STEP);
    }
    if !input.is_empty() && !input.peek(Token![,]) {
        return problems.fail(skip_to_comma(input), AFTER_SELECTOR);
    }
    let region = Region::from(at.span).to(Region::of(&list));
    Some(match list {
        Expr::Range(range) => {
            return problems.fail(
                Region::from(at.span).to(Region::of(&range)),
                "`@` comes before a list of indices: a range is written without it",
            );
        }
        Expr::Array(list) => Selector { kind: SelectorKind::Items(list.elems.into_iter().collect()), region },
        list => Selector { kind: SelectorKind::List(Box::new(list)), region },
    })
}

/// A step without its sign.
fn signed(step: Expr) -> Step {
    match plain(&step) {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            Step { size: (*unary.expr).clone(), descends: true }
        }
        _ => Step { size: step, descends: false },
    }
}

/// A range without parentheses and invisible groups around it. `$range:expr` in a macro of the user
/// is an invisible group.
fn bare_range(expression: Expr) -> Expr {
    fn is_range(expression: &Expr) -> bool {
        match expression {
            Expr::Range(_) => true,
            Expr::Paren(inner) => is_range(&inner.expr),
            Expr::Group(inner) => is_range(&inner.expr),
            _ => false,
        }
    }
    match expression {
        Expr::Paren(inner) if is_range(&inner.expr) => bare_range(*inner.expr),
        Expr::Group(inner) if is_range(&inner.expr) => bare_range(*inner.expr),
        other => other,
    }
}

/// The step after `;`.
fn parse_step(input: ParseStream<'_>, problems: &mut Problems, semicolon: Token![;]) -> Option<Expr> {
    if input.is_empty() || input.peek(Token![,]) {
        return problems.fail(semicolon.span, "the step is missing after `;`: write `a..b;step`");
    }
    let all = input.fork();
    let step = match input.parse::<Expr>() {
        Ok(step) => step,
        Err(error) => {
            skip_to_comma(input);
            return problems.fail(skip_to_comma(&all), not_a_selector(&error));
        }
    };
    if input.peek(Token![;]) {
        return problems.fail(skip_to_comma(input), "a range takes one step: write `a..b;step`");
    }
    if !input.is_empty() && !input.peek(Token![,]) {
        return problems.fail(skip_to_comma(input), AFTER_SELECTOR);
    }
    Some(step)
}

/// Whether one token is left.
fn is_last_token(input: ParseStream<'_>) -> bool {
    input.cursor().token_tree().is_some_and(|(_, rest)| rest.eof())
}

/// The tokens up to the next comma; they are read.
fn tokens_to_comma(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend(input.parse::<TokenTree>());
    }
    tokens
}

/// Moves to the next comma, and returns what was skipped.
fn skip_to_comma(input: ParseStream<'_>) -> Region {
    Region::of(&tokens_to_comma(input))
}

/// Whether the tokens end with `..=`.
fn ends_with_inclusive(tokens: &TokenStream) -> bool {
    let tokens: Vec<_> = tokens.clone().into_iter().map(|token| token.to_string()).collect();
    tokens.ends_with(&[".".into(), ".".into(), "=".into()])
}

// Check -------------------------------------------------------------------------------------------

/// Reports negative numbers and a step of 0.
pub(super) fn check(selector: &Selector, problems: &mut Problems) {
    let (mut numbers, step) = match &selector.kind {
        SelectorKind::Index(index) => (vec![index], None),
        SelectorKind::Range { start, end, step, .. } => {
            (start.iter().chain(end).map(Box::as_ref).collect(), step.as_ref())
        }
        SelectorKind::Variable { step, .. } => (Vec::new(), Some(step)),
        SelectorKind::Items(items) => (items.iter().collect(), None),
        SelectorKind::List(_) => (Vec::new(), None),
    };
    let step = step.map(|step| &step.size);
    numbers.extend(step);
    for number in numbers.into_iter().filter(|number| is_negative(number)) {
        problems.add(
            Region::of(number),
            "indices and bounds are not negative: write the distance from the start, such as `len - 1` for \
             the last element",
        );
    }
    if let Some(step) = step.filter(|step| is_zero(step)) {
        problems.add(Region::of(step), "a step of 0 never advances: write 1 or more");
    }
}

/// Whether an expression begins with a minus sign, which `usize` does not have.
pub(super) fn is_negative(expression: &Expr) -> bool {
    matches!(plain(expression), Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)))
}

/// Whether an expression is the literal 0.
fn is_zero(expression: &Expr) -> bool {
    matches!(plain(expression), Expr::Lit(literal)
        if matches!(&literal.lit, Lit::Int(number) if number.base10_digits() == "0"))
}

// Expand ------------------------------------------------------------------------------------------

/// The expression for one selector. rustc knows the extents of `object`, the path of a static.
/// Directly after `@`, a variable may also be a list.
///
/// The check of a constant selector is an item, `const _: () = ...`, which `cargo check` evaluates
/// too. It stands inside the selector's own expression. A block around the whole call would end the
/// life of the temporaries of `remote!(&...)` too early.
pub(super) fn expand(
    selector: &Selector,
    axis: usize,
    object: Option<&Path>,
    after_at: bool,
    private: &Private,
) -> TokenStream {
    let region = selector.region;
    let call = |name: &str, arguments: TokenStream| private.call(name, region, arguments);
    // A selector that is known at run time. `&` has the user's span, so that an error about the
    // type of the selector underlines it.
    let dynamic = |value: TokenStream| {
        let and = Token![&](region.start);
        let mut value = Group::new(Delimiter::Parenthesis, value);
        value.set_span(region.end);
        call("Selector::selector", quote!(#and #value))
    };
    let axis = Literal::usize_unsuffixed(axis);
    let name = object.map(path_text);

    let expansion = match &selector.kind {
        SelectorKind::Index(index) => {
            let value = plain(index);
            match object {
                Some(object) if is_constant(index) => {
                    // The value goes through a variable, so that rustc reports a wrong type at the
                    // value and shows no function of this library.
                    let at = Ident::new("at", Span::mixed_site());
                    let check = call("check_index", quote!(&#object, #name, #axis, #at));
                    let size = private.name("Size", region.start);
                    call("Position", quote!({ const _: () = { let #at: #size = #value; #check }; #value }))
                }
                // Such a value has no type of its own: it is an index.
                _ if takes_any_type(value) => call("Position", quote!(#value)),
                _ if after_at => {
                    let and = Token![&](region.start);
                    let mut value = Group::new(Delimiter::Parenthesis, value.to_token_stream());
                    value.set_span(region.end);
                    call("GlobalSelector::global_selector", quote!(#and #value))
                }
                _ => dynamic(value.to_token_stream()),
            }
        }
        SelectorKind::Range { start: None, end: None, step: None, .. } => private.name("All", region.start),
        SelectorKind::Range { start, limits, end, step } => {
            let step = step.as_ref().map(|step| &step.size);
            let constant = constant_range(start, end, step);
            let (from, by) = (number_or(start.as_deref(), 0), number_or(step, 1));
            let inclusive = matches!(limits, RangeLimits::Closed(_));
            match (end.as_deref().map(plain), object) {
                (Some(end), _) if constant => {
                    let to = if inclusive {
                        // At the end of the range, because rustc underlines `+` when it overflows.
                        let here = Span::call_site().located_at(Region::of(end).start);
                        quote_spanned!(here=> (#end) + 1)
                    } else {
                        quote!(#end)
                    };
                    let check = match object {
                        Some(object) => call("check_range", quote!(&#object, #name, #axis, #from, #to, #by)),
                        None => call("check_span", quote!(#from, #to, #by)),
                    };
                    let length = call("span_len", quote!(#from, #to, #by));
                    let span = private.name("Span", region.start);
                    quote!(#span::<{ #length }>::new({ const _: () = #check; #from }, #to, #by))
                }
                (None, Some(object)) if constant => {
                    let check = call("check_rest", quote!(&#object, #name, #axis, #from, #by));
                    let length = call("rest_len", quote!(&#object, #axis, #from, #by));
                    let rest = private.name("Rest", region.start);
                    quote!(#rest::<{ #length }>::new({ const _: () = #check; #from }, #by))
                }
                (Some(end), _) if inclusive => {
                    let through = private.name("Through", region.start);
                    dynamic(quote!(#through { start: #from, last: #end, step: #by }))
                }
                (Some(end), _) => {
                    let to = private.name("To", region.start);
                    dynamic(quote!(#to { start: #from, end: #end, step: #by }))
                }
                (None, _) => {
                    let open = private.name("From", region.start);
                    dynamic(quote!(#open { start: #from, step: #by }))
                }
            }
        }
        SelectorKind::Variable { range, step } => {
            let (range, step) = (plain(range), plain(&step.size));
            let (and, end) = (Token![&](region.start), Region::of(range).end);
            let mut range = Group::new(Delimiter::Parenthesis, range.to_token_stream());
            range.set_span(end);
            call("TakesStep::with_step", quote!(#and #range, #step))
        }
        SelectorKind::Items(items) => {
            let values = items.iter().map(plain);
            let list = if items.iter().all(is_constant) {
                // An item, so that its address is one for ever. No program has a constant of this
                // name.
                let (list, size) =
                    (Ident::new("__SHMEM_LIST", Span::mixed_site()), private.name("Size", region.start));
                let length = Literal::usize_unsuffixed(items.len());
                let check = object.map(|object| {
                    let check = call("check_list", quote!(&#object, #name, #axis, &#list));
                    quote!(const _: () = #check;)
                });
                quote!({ const #list: [#size; #length] = [#(#values),*]; #check &#list })
            } else {
                let and = Token![&](region.start);
                quote!(#and [#(#values),*])
            };
            call("Listed::new", list)
        }
        SelectorKind::List(list) => {
            let (list, and) = (plain(list), Token![&](region.start));
            let mut list = Group::new(Delimiter::Parenthesis, list.to_token_stream());
            list.set_span(region.end);
            call("List::list", quote!(#and #list))
        }
    };
    let descends = match &selector.kind {
        SelectorKind::Range { step: Some(step), .. } | SelectorKind::Variable { step, .. } => step.descends,
        _ => false,
    };
    if descends { call("Back::new", expansion) } else { expansion }
}

/// Whether the compiler can know the numbers of a range.
fn constant_range(start: &Option<Box<Expr>>, end: &Option<Box<Expr>>, step: Option<&Expr>) -> bool {
    start.iter().chain(end).map(Box::as_ref).chain(step).all(is_constant)
}

/// A bound or a step as it was written, or what it is where it is left out.
fn number_or(number: Option<&Expr>, default: usize) -> TokenStream {
    match number {
        Some(number) => plain(number).to_token_stream(),
        None => Literal::usize_unsuffixed(default).to_token_stream(),
    }
}

/// How many elements a selector takes of an axis of the static `object`, where it is constant;
/// `Some(None)` for an index.
pub(super) fn length(
    selector: &Selector,
    axis: usize,
    object: &Path,
    private: &Private,
) -> Option<Option<TokenStream>> {
    let region = selector.region;
    match &selector.kind {
        SelectorKind::Index(index) => is_constant(index).then_some(None),
        SelectorKind::Range { start, limits, end, step } => {
            let step = step.as_ref().map(|step| &step.size);
            if !constant_range(start, end, step) {
                return None;
            }
            let axis = Literal::usize_unsuffixed(axis);
            let (from, by) = (number_or(start.as_deref(), 0), number_or(step, 1));
            Some(Some(match end.as_deref().map(plain) {
                None => private.call("rest_len", region, quote!(&#object, #axis, #from, #by)),
                Some(end) => {
                    // The check of the range reports an end that is too large.
                    let length = match limits {
                        RangeLimits::Closed(_) => "through_len",
                        RangeLimits::HalfOpen(_) => "span_len",
                    };
                    private.call(length, region, quote!(#from, #end, #by))
                }
            }))
        }
        SelectorKind::Items(items) => Some(Some(Literal::usize_unsuffixed(items.len()).to_token_stream())),
        SelectorKind::Variable { .. } | SelectorKind::List(_) => None,
    }
}
