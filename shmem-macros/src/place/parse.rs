//! Tokens to a [`PlaceCall`]. A mistake is reported, and reading goes on after it where it can.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::buffer::Cursor;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::parse::discouraged::Speculative as _;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Expr, ExprField, ExprParen, ExprPath, Ident, Index, LitFloat, Member, Token, bracketed, token,
};

use super::select::{self, Selector, SelectorKind};
use super::{Access, Base, Pe, Place, PlaceCall, PlaceMacro};
use crate::MAX_RANK;
use crate::diagnostics::{Problems, Region};
use crate::expressions::{is_compound, is_screaming, path_text};
use crate::reading::{expression, is_semicolon, not_an_expression, read, rest, skip};

/// Reads the user's tokens. `None` after a mistake that leaves too little to go on with.
pub(super) fn call(kind: PlaceMacro, user: TokenStream, problems: &mut Problems) -> Option<PlaceCall> {
    let mut user: Vec<TokenTree> = user.into_iter().collect();
    let context = context_tokens(&mut user).map(|tokens| context(kind, tokens, problems));
    let mut call = read(user.into_iter().collect(), problems, |input, problems| {
        user_tokens(kind, context.is_some(), input, problems)
    })?;
    if let Some(context) = context {
        call.place.context = Some(context?);
    }
    Some(call)
}

/// Takes `context ;` off the head of the tokens. A semicolon at the end is not one of a context.
fn context_tokens(user: &mut Vec<TokenTree>) -> Option<Vec<TokenTree>> {
    let at = user.iter().position(is_semicolon)?;
    if at + 1 == user.len() {
        return None;
    }
    let place = user.split_off(at + 1);
    Some(std::mem::replace(user, place))
}

/// `context ;`. `None` after a mistake.
fn context(kind: PlaceMacro, mut tokens: Vec<TokenTree>, problems: &mut Problems) -> Option<Expr> {
    let all = Region::of(&tokens.iter().cloned().collect::<TokenStream>());
    if kind == PlaceMacro::Local {
        return problems.fail(
            all,
            "`local!` takes no context, because access to this PE's own copy completes at once: remove it",
        );
    }
    tokens.pop();
    if tokens.is_empty() {
        return problems.fail(
            all,
            "a context is missing before `;`: write `remote!(ctx; A[pe])`, or remove the semicolon",
        );
    }
    // A place with several selectors is no expression, so the sign alone tells.
    let assigns =
        tokens.iter().any(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '='));
    let written: TokenStream = tokens.into_iter().collect();
    let region = Region::of(&written);
    match syn::parse2::<Expr>(written) {
        Ok(context) if assignment(&context).is_none() => Some(context),
        Err(error) if !assigns => problems.fail(region, not_an_expression(&error)),
        _ => problems.fail(
            region,
            "one call has one place, and only a context comes before `;`, as in `remote!(ctx; A[pe])`: \
             write two calls for two places",
        ),
    }
}

/// `[ "&" ] place [ access ]`
fn user_tokens(
    kind: PlaceMacro,
    on_context: bool,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Option<PlaceCall> {
    if input.is_empty() {
        let name = kind.name();
        let places = match kind {
            PlaceMacro::Local => "`local!(COUNT)` or `local!(GRID[0..8])`",
            _ => "`remote!(COUNT[pe])` or `remote!(GRID[pe, 0..8])`",
        };
        return problems.fail(Span::call_site(), format!("`{name}` needs a place, such as {places}"));
    }
    let reference = prefix(kind, input, problems);
    let place = place(kind, input, problems);
    let operator = operator(&input.fork());
    let access = access(kind, on_context, input, problems);
    let (place, access) = (place?, access?);
    if let (Some(and), Some((operator, _))) = (reference, operator) {
        problems.add(
            and.span,
            format!(
                "`&` makes a remote reference and moves no data, so it takes no `{operator}`: remove `&`"
            ),
        );
    }
    Some(PlaceCall { kind, is_reference: reference.is_some(), place, access })
}

/// What stands before the place: `&`, and what does not belong there.
fn prefix(kind: PlaceMacro, input: ParseStream<'_>, problems: &mut Problems) -> Option<Token![&]> {
    let outside = |operator: &str| {
        let call = kind.name();
        format!("`{operator}` goes in front of the macro: write `{operator}{call}(...)`")
    };
    let mut reference = None;
    loop {
        let at = input.span();
        if input.peek(Token![#]) {
            for attribute in input.call(Attribute::parse_outer).ok()? {
                problems
                    .add(Region::of(&attribute), "a place takes no attribute: put it on the whole statement");
            }
        } else if let Ok(and) = input.parse::<Token![&]>() {
            if reference.is_some() {
                problems.add(at, "one `&` is enough for a remote reference: remove the other");
            }
            reference = Some(and);
        } else if input.parse::<Token![mut]>().is_ok() {
            problems.add(at, "a remote reference is made with `&` alone, and can write too: remove `mut`");
        } else if input.parse::<Token![*]>().is_ok() {
            problems.add(at, "a place is already the value, not a pointer to it: remove `*`");
        } else if input.parse::<Token![-]>().is_ok() {
            problems.add(at, outside("-"));
        } else if input.parse::<Token![!]>().is_ok() {
            problems.add(at, outside("!"));
        } else {
            return reference;
        }
    }
}

/// `base [ brackets ] { "." field }`
pub(super) fn place(kind: PlaceMacro, input: ParseStream<'_>, problems: &mut Problems) -> Option<Place> {
    const CALL_IN_BASE: &str =
        "a call in front of the brackets needs parentheses, as in `(grid(k))[pe, 0..8]`";
    let first = input.cursor();
    let base = base(input, problems)?;
    let name = match &base {
        Expr::Path(path) => path_text(&path.path),
        _ => "(...)".to_owned(),
    };
    if let Some(call) = call_with_brackets(first, input) {
        skip_to_operator(input);
        return problems.fail(call, CALL_IN_BASE);
    }
    let inner_fields = fields(kind, input, problems)?;

    if !input.peek(token::Bracket) {
        if input.peek(token::Paren) {
            let call = next_span(input);
            skip_to_operator(input);
            return problems.fail(call, CALL_IN_BASE);
        }
        let region = region_since(first, input);
        if kind == PlaceMacro::Remote {
            let name = with_fields(&name, &inner_fields);
            skip_to_operator(input);
            return problems.fail(
                region,
                format!(
                    "`remote!` needs to know the PE: write `{name}[pe]`, or `{name}[pe, 0..8]` for a part \
                     of an array; `local!({name})` is this PE's own copy"
                ),
            );
        }
        // Without brackets nothing marks where the object ends and its fields begin. A static or an
        // object in parentheses is the whole base. In other paths, such as `self.count`, the fields
        // are part of it.
        let (base, fields) = match base {
            Expr::Path(path) if !is_static(&path) => {
                (field_chain(Expr::Path(path), inner_fields), Vec::new())
            }
            base => (base, inner_fields),
        };
        let base = finish(base);
        let (selectors, brackets) = (Vec::new(), region.start);
        return Some(Place { context: None, base, pe: None, selectors, brackets, fields, region });
    }

    let base = finish(field_chain(base, inner_fields));
    let brackets = next_span(input);
    let (pe, selectors) = selection(kind, &name, input, problems);
    let mut complete = selectors.is_some();
    while input.peek(token::Bracket) {
        let (right, wrong, collection) = match kind {
            PlaceMacro::Remote => ("[pe, i]", "[pe][i]", "(grids[k])[pe, i]"),
            PlaceMacro::Local | PlaceMacro::Collective => ("[i, j]", "[i][j]", "(grids[k])[i, j]"),
        };
        problems.add(
            next_span(input),
            format!(
                "all selectors share one pair of brackets: write `{right}` instead of `{wrong}`, \
                 or `{collection}` for an object in a collection"
            ),
        );
        complete = false;
        skip(input);
    }
    let fields = fields(kind, input, problems);
    if input.peek(token::Bracket) {
        let remedy = match kind {
            PlaceMacro::Collective => "end the place with the field, `BODIES[..].mass`".to_owned(),
            _ => format!("read the field, then index the result, as in `{}(...)[k]`", kind.name()),
        };
        problems.add(next_span(input), format!("the macro cannot index a field: {remedy}"));
        complete = false;
        skip_to_operator(input);
    }
    let region = region_since(first, input);
    if kind == PlaceMacro::Remote && pe.is_none() || !complete {
        return None;
    }
    Some(Place { context: None, base, pe, selectors: selectors?, brackets, fields: fields?, region })
}

/// The base, after its fields are known.
fn finish(base: Expr) -> Base {
    match base {
        Expr::Path(path) if is_static(&path) => Base::Static(path.path),
        other => Base::Expression(other),
    }
}

/// Whether the last name of a path looks like that of a static.
fn is_static(path: &ExprPath) -> bool {
    path.qself.is_none() && path.path.segments.last().is_some_and(|segment| is_screaming(&segment.ident))
}

/// A path, or an expression in parentheses.
fn base(input: ParseStream<'_>, problems: &mut Problems) -> Option<Expr> {
    // `$object:expr` in a macro of the user is one invisible group.
    if let Some(expression) = grouped_base(input) {
        return Some(expression);
    }
    let start = next_span(input);
    if input.peek(token::Paren) {
        return match parenthesised(input) {
            Ok(expression) => Some(expression),
            Err(error) => {
                // Only an object stands in parentheses, and brackets follow it.
                if input.peek(token::Bracket) || input.peek(Token![.]) {
                    problems.add(start, not_an_expression(&error));
                } else {
                    problems.add(
                        start,
                        "a place has no parentheses around it: remove them, or put only the expression \
                         before the brackets in parentheses, as in `(grids[k])[pe, 0..8]`",
                    );
                }
                skip_to_operator(input);
                None
            }
        };
    }
    match input.parse::<ExprPath>() {
        Ok(path) if !input.peek(Token![!]) || input.peek(Token![!=]) => Some(Expr::Path(path)),
        _ => {
            skip_to_operator(input);
            problems.fail(
                start,
                "not a place: start with the name of a symmetric object, as in `GRID[pe, 0..8]`, \
                 or put an expression in parentheses, as in `(grids[k])[pe, 0..8]`",
            )
        }
    }
}

/// The contents of an invisible group that is followed by brackets or fields.
fn grouped_base(input: ParseStream<'_>) -> Option<Expr> {
    let (inside, _, after) = input.cursor().group(Delimiter::None)?;
    let expression = match after.token_tree()?.0 {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => inside.token_stream(),
        TokenTree::Punct(dot) if dot.as_char() == '.' => inside.token_stream(),
        _ => return None,
    };
    let expression = syn::parse2(expression).ok()?;
    skip(input);
    Some(expression)
}

/// `(expression)`, with its parentheses.
fn parenthesised(input: ParseStream<'_>) -> syn::Result<Expr> {
    let (inside, span) = input.step(|cursor| match cursor.group(Delimiter::Parenthesis) {
        Some((inside, span, rest)) => Ok(((inside.token_stream(), span), rest)),
        None => Err(cursor.error("expected `(`")),
    })?;
    Ok(Expr::Paren(ExprParen {
        attrs: Vec::new(),
        paren_token: token::Paren { span },
        expr: Box::new(syn::parse2(inside)?),
    }))
}

/// From `first` to the end of a method call that is followed by brackets, as in
/// `heat.grid(k)[pe, i]`. The user means the object that it returns.
fn call_with_brackets(first: Cursor<'_>, input: ParseStream<'_>) -> Option<Region> {
    let ahead = input.fork();
    let mut method = false;
    while ahead.peek(Token![.]) && ahead.peek2(Ident::peek_any) {
        skip(&ahead);
        skip(&ahead);
        method = true;
    }
    if !method || !ahead.peek(token::Paren) {
        return None;
    }
    skip(&ahead);
    ahead.peek(token::Bracket).then(|| region_since(first, &ahead))
}

/// `{ "." field }`. `None` after a mistake.
fn fields(kind: PlaceMacro, input: ParseStream<'_>, problems: &mut Problems) -> Option<Vec<Member>> {
    const NOT_A_FIELD: &str = "after `.` comes the name or the number of a field";
    let mut fields = Vec::new();
    while input.peek(Token![.]) && !input.peek(Token![..]) {
        let dot = input.parse::<Token![.]>().ok()?;
        if input.peek(LitFloat) {
            // `.0.1` reaches a macro as the number `0.1`.
            let number = input.parse::<LitFloat>().ok()?;
            let parts: Result<Vec<u32>, _> = number.to_string().split('.').map(str::parse).collect();
            let Ok(parts) = parts else {
                return problems.fail(number.span(), NOT_A_FIELD);
            };
            let span = number.span();
            fields.extend(parts.into_iter().map(|index| Member::Unnamed(Index { index, span })));
        } else if let Ok(member) = input.parse::<Member>() {
            if input.peek(token::Paren) || input.peek(Token![::]) {
                let Member::Named(method) = &member else {
                    return problems.fail(member.span(), NOT_A_FIELD);
                };
                skip_to_operator(input);
                return problems.fail(method.span(), method_after_place(kind, &method.unraw()));
            }
            fields.push(member);
        } else {
            let at = if input.is_empty() { dot.span } else { input.span() };
            skip_to_operator(input);
            return problems.fail(at, NOT_A_FIELD);
        }
    }
    Some(fields)
}

fn method_after_place(kind: PlaceMacro, method: &Ident) -> String {
    let call = kind.name();
    match kind {
        PlaceMacro::Collective => format!(
            "a place has no methods: put an expression for the object in parentheses, as in \
             `(object.{method}(...))[0..8]`"
        ),
        _ => format!(
            "a method is called on the result of the macro: write `{call}(&...).{method}(...)` to call it on the \
             reference, `{call}(...).{method}(...)` on the value"
        ),
    }
}

/// The brackets: the PE, and the selectors, when all of them were understood.
fn selection(
    kind: PlaceMacro,
    name: &str,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> (Option<Pe>, Option<Vec<Selector>>) {
    let whole = next_span(input);
    let inside = || -> syn::Result<_> {
        let content;
        bracketed!(content in input);
        Ok(content)
    };
    let Ok(content) = inside() else {
        return (None, None);
    };
    if content.is_empty() {
        let (scalar, array) = match kind {
            PlaceMacro::Remote => ("[pe]", "[pe, ..]"),
            PlaceMacro::Local | PlaceMacro::Collective => ("", "[..]"),
        };
        problems.add(
            whole,
            format!("empty brackets: write `{name}{scalar}` for a scalar, `{name}{array}` for a whole array"),
        );
        return (None, None);
    }
    let whole = if kind == PlaceMacro::Remote { whole_array(&content, problems) } else { None };
    let mut list = match whole {
        Some(false) => return (None, None),
        _ => select::parse_list(&content, problems),
    };
    let mut pe = None;
    if whole.is_some() {
        pe = Some(Pe::Whole);
    } else if kind == PlaceMacro::Remote {
        match list.remove(0) {
            Some(Selector { kind: SelectorKind::Index(index), .. }) => pe = Some(Pe::Number(Box::new(index))),
            Some(range) => problems.add(
                range.region,
                "the PE comes first and is one number, not a range: write `[pe, a..b]`, in a loop for several PEs",
            ),
            None => {}
        }
    }
    if let Some(Pe::Number(pe)) = &pe
        && select::is_negative(pe)
    {
        problems.add(
            Region::of(pe),
            "the number of a PE is not negative: the first PE is 0, the last one is `world.n_pes() - 1`",
        );
    }
    for selector in list.iter().flatten() {
        select::check(selector, problems);
        if kind == PlaceMacro::Collective && selector.kind.is_irregular() {
            problems.add(
                selector.region,
                "a collective takes an index or a range that ascends on each axis, the same on every PE: move \
                 the elements of a list to an array of their own first, as in `local!(B[..] = local!(&A[@list]))`",
            );
        }
    }
    if let Some(Some(fifth)) = list.get(MAX_RANK) {
        problems.add(
            fifth.region,
            "symmetric objects have at most 4 axes, and this is the fifth selector: remove it",
        );
    }
    (pe, list.into_iter().collect())
}

/// `@` in the place of the PE: whether a selector follows. `None` where there is none.
fn whole_array(content: ParseStream<'_>, problems: &mut Problems) -> Option<bool> {
    let at = content.parse::<Option<Token![@]>>().ok()??;
    if content.is_empty() || content.peek(Token![,]) {
        problems.add(
            at.span,
            "a selector is missing after `@`: write `[@i]`, `[@a..b]` or `[@list]` for elements of a whole global array",
        );
        return Some(false);
    }
    if content.peek(Token![@]) {
        problems.add(
            content.span(),
            "one `@` is enough for a list of indices of a global array: remove the other",
        );
        return Some(false);
    }
    Some(true)
}

/// What follows the place.
fn access(
    kind: PlaceMacro,
    on_context: bool,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Option<Access> {
    if input.is_empty() {
        return Some(Access::Read);
    }
    let call = kind.name();
    let Some((operator, region)) = operator(input) else {
        let rest = rest(input);
        if rest.to_string() == ";" {
            return problems.fail(Region::of(&rest), semicolon(kind));
        }
        return problems.fail(
            Region::of(&rest),
            format!(
                "`{call}` takes one place, then nothing, `= value`, `+= value` (or `-=`, `&=`, `|=`, \
                 `^=`) or `=> &mut buffer`: compute with the result outside the macro"
            ),
        );
    };
    match operator {
        "==" | "!=" | "<=" | ">=" => {
            return problems.fail(
                region,
                format!("`{operator}` goes after the macro: write `{call}(...) {operator} value`"),
            );
        }
        "*=" | "/=" | "%=" | "<<=" | ">>=" => problems.add(
            region,
            format!(
                "there is no atomic `{operator}`, only `+=`, `-=`, `&=`, `|=` and `^=`: where no other PE writes the element, \
                 read it, compute, and write the result; for a cell of integers, use `remote!(&...).compare_exchange(old, new)` \
                 in a loop"
            ),
        ),
        _ => {}
    }
    if on_context
        && operator == "="
        && let Some(source) = source(input)
    {
        return Some(Access::WriteFrom(Box::new(source)));
    }
    let value = value(kind, operator, region, input, problems)?;
    match operator {
        "=" => Some(Access::Write(value)),
        "=>" => Some(Access::ReadInto(value)),
        "+=" => Some(Access::Update("Arithmetic::add", value)),
        "-=" => Some(Access::Update("Arithmetic::sub", value)),
        "&=" => Some(Access::Update("Bitwise::and", value)),
        "|=" => Some(Access::Update("Bitwise::or", value)),
        "^=" => Some(Access::Update("Bitwise::xor", value)),
        _ => None,
    }
}

/// `& local`, up to the end, where it is one: otherwise it is an expression of Rust, and nothing is
/// read.
fn source(input: ParseStream<'_>) -> Option<Place> {
    let ahead = input.fork();
    ahead.parse::<Token![&]>().ok()?;
    let mut problems = Problems::default();
    let source = place(PlaceMacro::Local, &ahead, &mut problems)?;
    let is_place =
        ahead.is_empty() && problems.is_empty() && !source.selectors.is_empty() && source.fields.is_empty();
    is_place.then(|| {
        input.advance_to(&ahead);
        source
    })
}

fn semicolon(kind: PlaceMacro) -> String {
    format!("the semicolon goes after the parenthesis: write `{}(...);`", kind.name())
}

/// The value or buffer after an operator, up to the end.
fn value(
    kind: PlaceMacro,
    operator: &str,
    at: Region,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Option<Expr> {
    if input.is_empty() {
        return match operator {
            "=>" => problems.fail(at, "a buffer is missing after `=>`: write `=> &mut buffer`"),
            _ => problems.fail(at, format!("a value is missing after `{operator}`")),
        };
    }
    let value = expression(input, problems)?;
    if !input.is_empty() {
        let rest = rest(input);
        if rest.to_string() == ";" {
            return problems.fail(Region::of(&rest), semicolon(kind));
        }
        return problems
            .fail(Region::of(&rest), "unexpected tokens after the value: close the parenthesis here");
    }
    if let Some(second) = assignment(&value) {
        return problems.fail(
            Region::of(&second),
            format!("one call takes one operator: `{second}` is the second, write two statements"),
        );
    }
    Some(value)
}

/// The operator of an expression that assigns.
fn assignment(expression: &Expr) -> Option<TokenStream> {
    match expression {
        Expr::Assign(assign) => Some(assign.eq_token.to_token_stream()),
        Expr::Binary(binary) if is_compound(&binary.op) => Some(binary.op.to_token_stream()),
        _ => None,
    }
}

/// The operator at the head of the input, the longest first.
fn operator(input: ParseStream<'_>) -> Option<(&'static str, Region)> {
    macro_rules! operators {
        ($($token:tt)*) => {$(
            if input.peek(Token![$token]) {
                let token = input.parse::<Token![$token]>().ok()?;
                return Some((stringify!($token), Region::of(&token)));
            }
        )*};
    }
    operators!(<<= >>= == != <= >= => += -= &= |= ^= *= /= %= =);
    None
}

/// The part of the place from `first` to where the input stands now.
fn region_since(first: Cursor<'_>, input: ParseStream<'_>) -> Region {
    let now = input.cursor();
    let start = first.span();
    let (mut cursor, mut end) = (first, start);
    while cursor != now {
        let Some((token, rest)) = cursor.token_tree() else {
            break;
        };
        end = token.span();
        cursor = rest;
    }
    Region { start, end }
}

/// The next token; the whole of it where it is a pair of brackets.
fn next_span(input: ParseStream<'_>) -> Span {
    input.cursor().token_tree().map_or_else(|| input.span(), |(token, _)| token.span())
}

/// Moves to the operator after a place with a mistake, so that what follows is still checked.
fn skip_to_operator(input: ParseStream<'_>) {
    while !input.is_empty() && operator(&input.fork()).is_none() {
        skip(input);
    }
}

/// `base.a.b`
fn field_chain(base: Expr, fields: Vec<Member>) -> Expr {
    fields.into_iter().fold(base, |base, member| {
        Expr::Field(ExprField {
            attrs: Vec::new(),
            dot_token: Token![.](member.span()),
            base: Box::new(base),
            member,
        })
    })
}

/// The name of an object and the fields that belong to it.
fn with_fields(name: &str, fields: &[Member]) -> String {
    fields.iter().fold(name.to_owned(), |text, member| match member {
        Member::Named(ident) => format!("{text}.{}", Ident::unraw(ident)),
        Member::Unnamed(index) => format!("{text}.{}", index.index),
    })
}
