//! Tokens to a [`Call`]. What cannot be read is reported, and reading goes on behind it.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprPath, Ident, Index, Member, Token, bracketed, token};

use super::select::{self, Selector, SelectorKind, path_text};
use super::{Action, Base, Call, Kind, Operator, Place, check, is_screaming, nowhere};
use crate::diagnostics::{Mistake, Problems, Region};
use crate::private::Private;

/// Reads `shmem ; tokens of the user`. `None` when too little was understood to go on; there is a problem then.
pub(super) fn call(kind: Kind, input: TokenStream, problems: &mut Problems) -> Option<Call> {
    let mut tokens = input.into_iter();
    let shmem: TokenStream = tokens.by_ref().take_while(|token| !is_semicolon(token)).collect();
    let private = Private::new(shmem);
    let mut user: Vec<TokenTree> = tokens.collect();
    let context = context_tokens(&mut user).map(|tokens| context(kind, tokens, problems));

    let mut parsed = None;
    let parser = |input: ParseStream<'_>| {
        parsed = user_tokens(kind, input, problems);
        // Whatever was not understood has been reported.
        input.step(|cursor| Ok(((), skip_all(*cursor))))
    };
    if let Err(error) = parser.parse2(user.into_iter().collect()) {
        problems.add(error.span(), Mistake::NotAnExpression { why: error.to_string() });
    }
    let (reference, mut place, action) = parsed?;
    if let Some(context) = context {
        place.context = Some(context?);
    }
    Some(Call { private, kind, reference, place, action })
}

/// Takes `context ;` off the head of the tokens, with the semicolon. A semicolon at the end has nothing behind it, and is
/// reported as what it is.
fn context_tokens(user: &mut Vec<TokenTree>) -> Option<Vec<TokenTree>> {
    let at = user.iter().position(is_semicolon)?;
    if at + 1 == user.len() {
        return None;
    }
    let place = user.split_off(at + 1);
    Some(std::mem::replace(user, place))
}

/// `context ;`. `None` after a mistake.
fn context(kind: Kind, tokens: Vec<TokenTree>, problems: &mut Problems) -> Option<Expr> {
    let all: TokenStream = tokens.iter().cloned().collect();
    if kind == Kind::Local {
        problems.add(Region::of(&all), Mistake::ContextOfLocal);
        return None;
    }
    if tokens.len() == 1 {
        problems.add(Region::of(&all), Mistake::NoContext);
        return None;
    }
    let written: TokenStream = tokens[..tokens.len() - 1].iter().cloned().collect();
    let region = Region::of(&written);
    // A place with several selectors is no expression, so the sign alone tells.
    let assigns = written.clone().into_iter().any(|token| is_sign(&token, '='));
    match syn::parse2::<Expr>(written) {
        Ok(Expr::Assign(_)) => problems.add(region, Mistake::OperatorInContext),
        Ok(Expr::Binary(binary)) if is_assignment(&binary.op) => {
            problems.add(region, Mistake::OperatorInContext);
        }
        Ok(context) => return Some(context),
        Err(_) if assigns => problems.add(region, Mistake::OperatorInContext),
        Err(error) => problems.add(region, Mistake::NotAnExpression { why: error.to_string() }),
    }
    None
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn is_semicolon(token: &TokenTree) -> bool {
    is_sign(token, ';')
}

fn skip_all(mut cursor: syn::buffer::Cursor<'_>) -> syn::buffer::Cursor<'_> {
    while let Some((_, rest)) = cursor.token_tree() {
        cursor = rest;
    }
    cursor
}

/// `[&] place [action]`.
fn user_tokens(
    kind: Kind,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> Option<(Option<Token![&]>, Place, Action)> {
    if input.is_empty() {
        problems.add(nowhere(), Mistake::NoPlace { call: kind.name() });
        return None;
    }
    let reference = prefix(kind, input, problems);
    let place = place(kind, input, problems);
    let action = action(kind, input, problems);
    Some((reference, place?, action?))
}

/// What stands in front of the place: `&`, and what does not belong there.
fn prefix(kind: Kind, input: ParseStream<'_>, problems: &mut Problems) -> Option<Token![&]> {
    let mut reference = None;
    loop {
        if input.peek(Token![#]) {
            match input.call(Attribute::parse_outer) {
                Ok(attributes) => {
                    for attribute in attributes {
                        problems.add(Region::of(&attribute), Mistake::AttributeInPlace);
                    }
                }
                Err(_) => return reference,
            }
        } else if let Ok(and) = input.parse::<Token![&]>() {
            if reference.is_some() {
                problems.add(and.span, Mistake::SecondReference);
            }
            reference = Some(and);
        } else if let Ok(Some(token)) = input.parse::<Option<Token![mut]>>() {
            problems.add(token.span, Mistake::MutableReference);
        } else if let Ok(Some(star)) = input.parse::<Option<Token![*]>>() {
            problems.add(star.span, Mistake::Dereference);
        } else if let Ok(Some(minus)) = input.parse::<Option<Token![-]>>() {
            problems.add(minus.span, Mistake::UnaryOperator { call: kind.name(), operator: "-".into() });
        } else if let Ok(Some(not)) = input.parse::<Option<Token![!]>>() {
            problems.add(not.span, Mistake::UnaryOperator { call: kind.name(), operator: "!".into() });
        } else {
            return reference;
        }
    }
}

/// `base [brackets] {.field}`.
pub(super) fn place(kind: Kind, input: ParseStream<'_>, problems: &mut Problems) -> Option<Place> {
    let first = input.cursor();
    let base = base(input, problems)?;
    let name = base.name();
    if let Some(call) = call_with_brackets(first, input) {
        problems.add(call, Mistake::CallInBase);
        skip_to_operator(input);
        return None;
    }
    let inner_fields = fields(kind, input, problems)?;

    if !input.peek(token::Bracket) {
        if input.peek(token::Paren) {
            problems.add(next_span(input), Mistake::CallInBase);
            skip_to_operator(input);
            return None;
        }
        let region = region_since(first, input);
        if kind == Kind::Remote {
            let name = with_fields(&name, &inner_fields);
            problems.add(region, Mistake::NoPe { name });
            skip_to_operator(input);
            return None;
        }
        // A scalar has no brackets, so nothing marks where the object ends and its fields begin. A static or
        // parenthesised object is the whole base; of other paths, such as `self.count`, the fields are part.
        let (base, fields) = match base {
            Parsed::Path(path) if !is_static(&path) => {
                (Base::Expression(field_chain(Expr::Path(path), inner_fields)), Vec::new())
            }
            base => (base.finish(), inner_fields),
        };
        return Some(Place {
            context: None,
            base,
            pe: None,
            selectors: Vec::new(),
            brackets: region.start,
            fields,
            region,
        });
    }

    let base = if inner_fields.is_empty() {
        base.finish()
    } else {
        Base::Expression(field_chain(base.into_expression(), inner_fields))
    };
    let brackets = next_span(input);
    let (pe, selectors) = selection(kind, &name, input, problems);
    let mut complete = selectors.is_some();
    while input.peek(token::Bracket) {
        problems.add(next_span(input), Mistake::SecondBrackets { call: kind.name() });
        complete = false;
        skip_one(input);
    }
    let fields = fields(kind, input, problems);
    if input.peek(token::Bracket) {
        problems.add(next_span(input), Mistake::IndexAfterField { call: kind.name() });
        complete = false;
        skip_to_operator(input);
    }
    let region = region_since(first, input);
    if kind == Kind::Remote && pe.is_none() || !complete {
        return None;
    }
    Some(Place { context: None, base, pe, selectors: selectors?, brackets, fields: fields?, region })
}

/// The base before it is known whether fields belong to it.
enum Parsed {
    Path(ExprPath),
    Expression(Expr),
}

impl Parsed {
    fn finish(self) -> Base {
        match self {
            Parsed::Path(path) if is_static(&path) => Base::Static(path.path),
            Parsed::Path(path) => Base::Expression(Expr::Path(path)),
            Parsed::Expression(expression) => Base::Expression(expression),
        }
    }

    fn into_expression(self) -> Expr {
        match self {
            Parsed::Path(path) => Expr::Path(path),
            Parsed::Expression(expression) => expression,
        }
    }

    /// What to call the object in a message.
    fn name(&self) -> String {
        match self {
            Parsed::Path(path) => path_text(&path.path),
            Parsed::Expression(_) => "(...)".to_owned(),
        }
    }
}

/// Whether a path is a static's, by the look of its last name.
fn is_static(path: &ExprPath) -> bool {
    path.qself.is_none() && path.path.segments.last().is_some_and(|segment| is_screaming(&segment.ident))
}

fn base(input: ParseStream<'_>, problems: &mut Problems) -> Option<Parsed> {
    // What a macro of the user passes on as `$object:expr` is one invisible group.
    if let Some(expression) = grouped_base(input) {
        return Some(match expression {
            Expr::Path(path) => Parsed::Path(path),
            other => Parsed::Expression(other),
        });
    }
    if input.peek(token::Paren) {
        let whole = next_span(input);
        return match parenthesised(input) {
            Ok(expression) => Some(Parsed::Expression(expression)),
            Err(error) => {
                // Only an object stands in parentheses, and brackets follow it.
                let mistake = if input.peek(token::Bracket) || input.peek(Token![.]) {
                    Mistake::NotAnExpression { why: error.to_string() }
                } else {
                    Mistake::PlaceInParentheses
                };
                problems.add(whole, mistake);
                skip_to_operator(input);
                None
            }
        };
    }
    let start = next_span(input);
    match input.parse::<ExprPath>() {
        Ok(_) if input.peek(Token![!]) && !input.peek(Token![!=]) => {
            problems.add(start, Mistake::NotAPlace);
            skip_to_operator(input);
            None
        }
        Ok(path) => Some(Parsed::Path(path)),
        Err(_) => {
            problems.add(start, Mistake::NotAPlace);
            skip_to_operator(input);
            None
        }
    }
}

/// The contents of an invisible group that has brackets or fields behind it.
fn grouped_base(input: ParseStream<'_>) -> Option<Expr> {
    let ahead = input.fork();
    let tokens = ahead
        .step(|cursor| match cursor.group(Delimiter::None) {
            Some((inside, _, rest)) => Ok((inside.token_stream(), rest)),
            None => Err(cursor.error("no group")),
        })
        .ok()?;
    if !ahead.peek(token::Bracket) && !ahead.peek(Token![.]) {
        return None;
    }
    let expression = syn::parse2::<Expr>(tokens).ok()?;
    input
        .step(|cursor| match cursor.group(Delimiter::None) {
            Some((_, _, rest)) => Ok(((), rest)),
            None => Err(cursor.error("no group")),
        })
        .ok()?;
    Some(expression)
}

/// `(expression)`, with its parentheses.
fn parenthesised(input: ParseStream<'_>) -> syn::Result<Expr> {
    let (inside, span) = input.step(|cursor| match cursor.group(Delimiter::Parenthesis) {
        Some((inside, span, rest)) => Ok(((inside.token_stream(), span), rest)),
        None => Err(cursor.error("expected `(`")),
    })?;
    Ok(Expr::Paren(syn::ExprParen {
        attrs: Vec::new(),
        paren_token: token::Paren { span },
        expr: Box::new(syn::parse2(inside)?),
    }))
}

/// From `first` to the end of a method call that has brackets behind it, as in `heat.grid(k)[pe, i]`: the object is
/// what it returns.
fn call_with_brackets(first: syn::buffer::Cursor<'_>, input: ParseStream<'_>) -> Option<Region> {
    let ahead = input.fork();
    let mut method = false;
    while ahead.peek(Token![.]) && ahead.peek2(Ident::peek_any) {
        skip_one(&ahead);
        skip_one(&ahead);
        method = true;
    }
    if !method || !ahead.peek(token::Paren) {
        return None;
    }
    skip_one(&ahead);
    ahead.peek(token::Bracket).then(|| region_since(first, &ahead))
}

/// `{.field}`. `None` after a mistake.
fn fields(kind: Kind, input: ParseStream<'_>, problems: &mut Problems) -> Option<Vec<Member>> {
    let mut fields = Vec::new();
    while input.peek(Token![.]) && !input.peek(Token![..]) {
        let Ok(dot) = input.parse::<Token![.]>() else {
            return None;
        };
        if input.peek(syn::LitFloat) {
            // `.0.1` reaches a macro as the number `0.1`.
            let Ok(number) = input.parse::<syn::LitFloat>() else {
                return None;
            };
            let parts: Option<Vec<u32>> =
                number.to_string().split('.').map(|part| part.parse().ok()).collect();
            let Some(parts) = parts else {
                problems.add(number.span(), Mistake::NotAField);
                return None;
            };
            fields
                .extend(parts.into_iter().map(|index| Member::Unnamed(Index { index, span: number.span() })));
        } else if let Ok(member) = input.parse::<Member>() {
            if input.peek(token::Paren) || input.peek(Token![::]) {
                let Member::Named(method) = &member else {
                    problems.add(member.span(), Mistake::NotAField);
                    return None;
                };
                problems.add(
                    method.span(),
                    Mistake::MethodAfterPlace { call: kind.name(), method: method.unraw().to_string() },
                );
                skip_to_operator(input);
                return None;
            }
            fields.push(member);
        } else {
            let at = if input.is_empty() { dot.span } else { input.span() };
            problems.add(at, Mistake::NotAField);
            skip_to_operator(input);
            return None;
        }
    }
    Some(fields)
}

/// The brackets: the PE, and the selectors, when all of them were understood.
fn selection(
    kind: Kind,
    name: &str,
    input: ParseStream<'_>,
    problems: &mut Problems,
) -> (Option<Expr>, Option<Vec<Selector>>) {
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
        problems.add(whole, Mistake::EmptyBrackets { call: kind.name(), name: name.to_owned() });
        return (None, None);
    }
    let mut list = select::parse_list(&content, problems);
    let mut pe = None;
    if kind == Kind::Remote {
        match list.remove(0) {
            Some(Selector { kind: SelectorKind::Index(index), .. }) => pe = Some(index),
            Some(range) => problems.add(range.region, Mistake::RangeAsPe),
            None => {}
        }
    }
    check::selection(pe.as_ref(), &list, problems);
    (pe, list.into_iter().collect())
}

/// What follows the place.
fn action(kind: Kind, input: ParseStream<'_>, problems: &mut Problems) -> Option<Action> {
    if input.is_empty() {
        return Some(Action::Read);
    }
    let operator = operator(input);
    let Some(operator) = operator else {
        let region = rest(input);
        let mistake = if region.1 == ";" {
            Mistake::Semicolon { call: kind.name() }
        } else {
            Mistake::AfterPlace { call: kind.name() }
        };
        problems.add(region.0, mistake);
        return None;
    };
    match operator.text {
        "==" | "!=" | "<=" | ">=" => {
            let mistake = Mistake::Comparison { call: kind.name(), operator: operator.text.into() };
            problems.add(operator.region, mistake);
            return None;
        }
        "*=" | "/=" | "%=" | "<<=" | ">>=" => {
            problems.add(operator.region, Mistake::NoSuchAtomic { operator: operator.text.into() });
        }
        _ => {}
    }
    let value = value(kind, &operator, input, problems)?;
    match operator.text {
        "=" => Some(Action::Write(operator, value)),
        "=>" => Some(Action::ReadInto(operator, value)),
        "+=" => Some(Action::Update("Arithmetic::add", operator, value)),
        "-=" => Some(Action::Update("Arithmetic::sub", operator, value)),
        "&=" => Some(Action::Update("Bitwise::and", operator, value)),
        "|=" => Some(Action::Update("Bitwise::or", operator, value)),
        "^=" => Some(Action::Update("Bitwise::xor", operator, value)),
        _ => None,
    }
}

/// The value or buffer behind an operator, up to the end.
fn value(kind: Kind, operator: &Operator, input: ParseStream<'_>, problems: &mut Problems) -> Option<Expr> {
    if input.is_empty() {
        problems.add(operator.region, Mistake::NoValue { operator: operator.text.into() });
        return None;
    }
    let all = input.fork();
    let value = match input.parse::<Expr>() {
        Ok(value) => value,
        Err(error) => {
            problems.add(rest(&all).0, Mistake::NotAnExpression { why: error.to_string() });
            return None;
        }
    };
    if !input.is_empty() {
        let (region, text) = rest(input);
        let mistake = match text.as_str() {
            ";" => Mistake::Semicolon { call: kind.name() },
            _ => Mistake::AfterValue,
        };
        problems.add(region, mistake);
        return None;
    }
    match &value {
        Expr::Assign(assign) => {
            problems.add(assign.eq_token.span, Mistake::SecondOperator { operator: "=".into() });
            None
        }
        Expr::Binary(binary) if is_assignment(&binary.op) => {
            let region = Region::of(&binary.op);
            let operator = quote::ToTokens::to_token_stream(&binary.op).to_string();
            problems.add(region, Mistake::SecondOperator { operator });
            None
        }
        _ => Some(value),
    }
}

/// Whether an operator stores: `+=` and its like.
fn is_assignment(operator: &syn::BinOp) -> bool {
    quote::ToTokens::to_token_stream(operator).to_string().ends_with('=')
        && !matches!(operator, syn::BinOp::Eq(_) | syn::BinOp::Ne(_) | syn::BinOp::Le(_) | syn::BinOp::Ge(_))
}

/// The operator at the head of the input, the longest first.
fn operator(input: ParseStream<'_>) -> Option<Operator> {
    macro_rules! operators {
        ($($token:tt)*) => {$(
            if input.peek(Token![$token]) {
                let token = input.parse::<Token![$token]>().ok()?;
                return Some(Operator { text: stringify!($token), region: Region::of(&token) });
            }
        )*};
    }
    operators!(<<= >>= == != <= >= => += -= &= |= ^= *= /= %= =);
    None
}

/// The part of the place from `first` to where the input stands now.
fn region_since(first: syn::buffer::Cursor<'_>, input: ParseStream<'_>) -> Region {
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

/// Everything that is left; it is read. Also its text.
fn rest(input: ParseStream<'_>) -> (Region, String) {
    let tokens: TokenStream = input.parse().unwrap_or_default();
    (Region::of(&tokens), tokens.to_string())
}

fn skip_one(input: ParseStream<'_>) {
    // At the end of the input there is nothing to skip.
    let _ = input.parse::<TokenTree>();
}

/// Moves to the operator behind a place that was not understood, so that what follows is still checked.
fn skip_to_operator(input: ParseStream<'_>) {
    while !input.is_empty() && operator(&input.fork()).is_none() {
        skip_one(input);
    }
}

/// `base.a.b`
fn field_chain(base: Expr, fields: Vec<Member>) -> Expr {
    fields.into_iter().fold(base, |base, member| {
        Expr::Field(syn::ExprField {
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
