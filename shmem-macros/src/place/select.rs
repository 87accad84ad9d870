//! Selectors: what one axis of an object contributes to a selection.
//!
//! ```text
//! selector = index | [ start ] ".." [ end ] [ ";" step ] | start "..=" end [ ";" step ]
//! ```

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{BinOp, Expr, ExprRange, Lit, Path, PathArguments, RangeLimits, Token, Type, UnOp};

use super::is_screaming;
use crate::diagnostics::{Mistake, Problems, Region};
use crate::private::Private;

/// One selector as it was written.
pub(super) struct Selector {
    pub(super) kind: SelectorKind,
    pub(super) region: Region,
}

/// The forms of a selector.
pub(super) enum SelectorKind {
    /// `i`: one position; the axis is gone from the result.
    Index(Expr),
    /// `a..b;s` and all its shortened forms.
    Range { start: Option<Box<Expr>>, limits: RangeLimits, end: Option<Box<Expr>>, step: Option<Box<Expr>> },
}

// Parse ------------------------------------------------------------------------------------------------------

/// The comma-separated selectors between the brackets. A selector that cannot be read is reported and left out
/// as `None`; the ones after it are still read.
pub(super) fn parse_list(input: ParseStream<'_>, problems: &mut Problems) -> Vec<Option<Selector>> {
    let mut selectors = Vec::new();
    while !input.is_empty() {
        selectors.push(parse(input, problems));
        if input.is_empty() {
            break;
        }
        if let Err(error) = input.parse::<Token![,]>() {
            // `parse` stops at a comma or at the end, so this is never reached.
            problems.add(error.span(), Mistake::AfterSelector);
            skip_to_comma(input);
        }
    }
    selectors
}

/// One selector, up to the next comma or the end.
fn parse(input: ParseStream<'_>, problems: &mut Problems) -> Option<Selector> {
    if input.peek(Token![,]) {
        problems.add(input.span(), Mistake::EmptySelector);
        return None;
    }
    if input.peek(Token![:]) && !input.peek(Token![::]) {
        problems.add(skip_to_comma(input), Mistake::Colon);
        return None;
    }
    if input.peek(Token![*]) && (input.peek2(Token![,]) || input.fork().step(ends_after_one).is_ok()) {
        problems.add(skip_to_comma(input), Mistake::Star);
        return None;
    }
    let all = input.fork();
    let expression = match input.parse::<Expr>() {
        Ok(expression) => bare_range(expression),
        Err(error) => {
            let tokens = tokens_to_comma(&all);
            skip_to_comma(input);
            let mistake = if ends_with_inclusive(&tokens) {
                Mistake::InclusiveWithoutEnd
            } else {
                Mistake::NotASelector { why: error.to_string() }
            };
            problems.add(Region::of(&tokens), mistake);
            return None;
        }
    };
    let region = Region::of(&expression);

    if !input.is_empty() && !input.peek(Token![,]) && !input.peek(Token![;]) {
        let mistake = if input.peek(Token![:]) {
            Mistake::Colon
        } else if input.peek(Token![..]) {
            Mistake::ThirdBound
        } else {
            Mistake::AfterSelector
        };
        let whole = matches!(mistake, Mistake::Colon);
        let rest = skip_to_comma(input);
        problems.add(if whole { region.to(rest) } else { rest }, mistake);
        return None;
    }

    let step = match input.parse::<Option<Token![;]>>() {
        Ok(Some(semicolon)) => Some((semicolon, parse_step(input, problems, semicolon)?)),
        _ => None,
    };
    match (expression, step) {
        (Expr::Range(range), step) => {
            let step = step.map(|(_, step)| step);
            let region = step.as_ref().map_or(region, |step| region.to(Region::of(step)));
            let ExprRange { start, limits, end, .. } = range;
            let step = step.map(Box::new);
            Some(Selector { kind: SelectorKind::Range { start, limits, end, step }, region })
        }
        (_, Some((semicolon, step))) => {
            problems.add(Region::from(semicolon.span).to(Region::of(&step)), Mistake::StepOnIndex);
            None
        }
        (Expr::Array(array), None) => {
            problems.add(Region::of(&array), Mistake::IndexList);
            None
        }
        (index, None) => Some(Selector { kind: SelectorKind::Index(index), region }),
    }
}

/// A range without parentheses and invisible groups around it: a macro of the user may pass one on as
/// `$range:expr`.
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
        problems.add(semicolon.span, Mistake::EmptyStep);
        return None;
    }
    let all = input.fork();
    let step = match input.parse::<Expr>() {
        Ok(step) => step,
        Err(error) => {
            skip_to_comma(input);
            problems.add(skip_to_comma(&all), Mistake::NotASelector { why: error.to_string() });
            return None;
        }
    };
    if !input.is_empty() && !input.peek(Token![,]) {
        let mistake = if input.peek(Token![;]) { Mistake::SecondStep } else { Mistake::AfterSelector };
        problems.add(skip_to_comma(input), mistake);
        return None;
    }
    Some(step)
}

/// Moves behind one token tree if nothing follows it.
fn ends_after_one<'c>(cursor: syn::parse::StepCursor<'c, '_>) -> syn::Result<((), syn::buffer::Cursor<'c>)> {
    match cursor.token_tree() {
        Some((_, rest)) if rest.eof() => Ok(((), rest)),
        _ => Err(cursor.error("more than one token")),
    }
}

/// The tokens up to the next comma; they are read.
fn tokens_to_comma(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        match input.parse::<proc_macro2::TokenTree>() {
            Ok(token) => tokens.extend([token]),
            Err(_) => break,
        }
    }
    tokens
}

/// Moves to the next comma, and says what was passed over.
fn skip_to_comma(input: ParseStream<'_>) -> Region {
    Region::of(&tokens_to_comma(input))
}

/// Whether the tokens end with `..=`.
fn ends_with_inclusive(tokens: &TokenStream) -> bool {
    let tokens: Vec<_> = tokens.clone().into_iter().map(|token| token.to_string()).collect();
    tokens.ends_with(&[".".into(), ".".into(), "=".into()])
}

// Check ------------------------------------------------------------------------------------------------------

/// Finds negative numbers and a step of 0.
pub(super) fn check(selector: &Selector, problems: &mut Problems) {
    let (numbers, step) = match &selector.kind {
        SelectorKind::Index(index) => (vec![index], None),
        SelectorKind::Range { start, end, step, .. } => {
            (start.iter().chain(end).chain(step).map(Box::as_ref).collect(), step.as_deref())
        }
    };
    for number in numbers {
        if is_negative(number) {
            problems.add(Region::of(number), Mistake::NegativeSelector);
        }
    }
    if let Some(step) = step
        && is_zero(step)
    {
        problems.add(Region::of(step), Mistake::ZeroStep);
    }
}

/// Whether an expression begins with a minus sign; `usize` has none.
pub(super) fn is_negative(expression: &Expr) -> bool {
    matches!(plain(expression), Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)))
}

/// Whether an expression is the literal 0.
fn is_zero(expression: &Expr) -> bool {
    matches!(plain(expression), Expr::Lit(literal)
        if matches!(&literal.lit, Lit::Int(number) if number.base10_digits() == "0"))
}

// Expand -----------------------------------------------------------------------------------------------------

/// The expression for one selector. `object` is the path of a static, whose extents are known to the compiler.
///
/// The check of a constant selector is an item, `const _: () = ...`, because those are evaluated by
/// `cargo check` too. It stands inside the selector's own expression, so that the expression around it stays
/// bare: the temporaries of `remote!(&...)` live as long as those of the statement.
pub(super) fn expand(
    selector: &Selector,
    axis: usize,
    object: Option<&Path>,
    private: &Private,
) -> TokenStream {
    let region = selector.region;
    let call = |name: &str, arguments: TokenStream| private.call(name, region, arguments);
    // A selector that run time knows, with the `&` of the user's place: an error about its type underlines it.
    let dynamic = |value: TokenStream| {
        let and = Token![&](region.start);
        let mut value = Group::new(Delimiter::Parenthesis, value);
        value.set_span(region.end);
        call("Selector::selector", quote!(#and #value))
    };
    let axis = proc_macro2::Literal::usize_unsuffixed(axis);
    let name = object.map(path_text);

    match &selector.kind {
        SelectorKind::Index(index) => {
            let value = plain(index);
            match object {
                Some(object) if is_constant(index) => {
                    // The value goes through a variable: one of another type is reported at the value, and not at a function of ours.
                    let at = Ident::new("at", Span::mixed_site());
                    let check = call("check_index", quote!(&#object, #name, #axis, #at));
                    let size = private.name("Size", region.start);
                    call("Position", quote!({ const _: () = { let #at: #size = #value; #check }; #value }))
                }
                // Its type is left open for a range in a variable, but where only the selector says what it is.
                _ if takes_any_type(value) => call("Position", quote!(#value)),
                _ => dynamic(value.to_token_stream()),
            }
        }
        SelectorKind::Range { start: None, end: None, step: None, .. } => private.name("All", region.start),
        SelectorKind::Range { start, limits, end, step } => {
            let constant = [start, end, step].into_iter().flatten().all(|number| is_constant(number));
            let or = |number: &Option<Box<Expr>>, default: TokenStream| match number {
                Some(number) => plain(number).to_token_stream(),
                None => default,
            };
            let from = or(start, quote!(0));
            let by = or(step, quote!(1));
            let inclusive = matches!(limits, RangeLimits::Closed(_));
            match (end.as_deref().map(plain), object) {
                (Some(end), _) if constant => {
                    let to = if inclusive {
                        // Where the end is: `+` is what rustc underlines when it overflows.
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
    }
}

/// How many elements a selector picks on an axis of the static `object`, where constants say it: nothing for one index.
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
            if ![start, end, step].into_iter().flatten().all(|number| is_constant(number)) {
                return None;
            }
            let axis = proc_macro2::Literal::usize_unsuffixed(axis);
            let from = start.as_deref().map_or_else(|| quote!(0), |start| plain(start).to_token_stream());
            let by = step.as_deref().map_or_else(|| quote!(1), |step| plain(step).to_token_stream());
            Some(Some(match end.as_deref().map(plain) {
                None => private.call("rest_len", region, quote!(&#object, #axis, #from, #by)),
                Some(end) => {
                    // One that is too large is reported by the check of the range.
                    let length = match limits {
                        RangeLimits::Closed(_) => "through_len",
                        RangeLimits::HalfOpen(_) => "span_len",
                    };
                    private.call(length, region, quote!(#from, #end, #by))
                }
            }))
        }
    }
}

/// A path as one writes it: `halo::LEFT`.
pub(super) fn path_text(path: &Path) -> String {
    let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect();
    let root = if path.leading_colon.is_some() { "::" } else { "" };
    format!("{root}{}", names.join("::"))
}

/// The expression without its own parentheses, invisible groups, and the braces of `{ N }`: where the
/// expression goes it needs none, and rustc would call the user's own ones unnecessary.
pub(crate) fn plain(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) if inner.attrs.is_empty() => plain(&inner.expr),
        Expr::Group(inner) if inner.attrs.is_empty() => plain(&inner.expr),
        Expr::Block(block) if block.attrs.is_empty() && block.label.is_none() => {
            match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(inner, None)] => plain(inner),
                _ => expression,
            }
        }
        _ => expression,
    }
}

/// Whether the expression has whatever type is asked of it, as `n.into()` has: then an index is asked of it.
fn takes_any_type(expression: &Expr) -> bool {
    match expression {
        Expr::MethodCall(call) => {
            let method = call.method.to_string();
            match method.as_str() {
                "into" | "try_into" | "parse" | "sum" | "product" | "unwrap_or_default" => true,
                "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "min" | "max" | "clamp" | "clone" => {
                    takes_any_type(&call.receiver)
                }
                _ => false,
            }
        }
        Expr::Try(inner) => takes_any_type(&inner.expr),
        Expr::Paren(inner) => takes_any_type(&inner.expr),
        _ => false,
    }
}

/// Whether the compiler can know the value: integers, constants by the look of their names, and arithmetic.
///
/// A block is not constant: `{ N }` is the way out where `N` is a generic parameter, which the items of the
/// compile-time checks cannot name.
pub(super) fn is_constant(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Int(_)),
        Expr::Path(path) => path.qself.is_none() && is_constant_path(&path.path),
        Expr::Paren(inner) => is_constant(&inner.expr),
        Expr::Group(inner) => is_constant(&inner.expr),
        Expr::Binary(binary) => {
            let arithmetic = matches!(
                binary.op,
                BinOp::Add(_)
                    | BinOp::Sub(_)
                    | BinOp::Mul(_)
                    | BinOp::Div(_)
                    | BinOp::Rem(_)
                    | BinOp::Shl(_)
                    | BinOp::Shr(_)
            );
            arithmetic && is_constant(&binary.left) && is_constant(&binary.right)
        }
        Expr::Cast(cast) => is_integer(&cast.ty) && is_constant(&cast.expr),
        _ => false,
    }
}

/// Whether a path looks like a constant's. `Self::N` and `T::N` belong to generic code as a rule, so they are
/// left to run time.
pub(super) fn is_constant_path(path: &Path) -> bool {
    let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else {
        return false;
    };
    let parameter = path.segments.len() > 1 && path.leading_colon.is_none() && {
        let first = first.ident.to_string();
        first == "Self" || first.len() == 1 && first.chars().all(char::is_uppercase)
    };
    let generic = path.segments.iter().any(|segment| !matches!(segment.arguments, PathArguments::None));
    is_screaming(&last.ident) && !parameter && !generic
}

/// Whether a type is a primitive integer's name.
fn is_integer(ty: &Type) -> bool {
    const INTEGERS: [&str; 12] =
        ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
    matches!(ty, Type::Path(path) if path.path.get_ident().is_some_and(|ident| INTEGERS.iter().any(|name| ident == name)))
}
