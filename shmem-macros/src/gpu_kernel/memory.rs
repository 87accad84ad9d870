//! `remote!`, `local!` and `wait!` in a kernel: one element each.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{BinOp, Expr, ExprMacro, LitStr, Token, bracketed};

use super::function::{Function, Local, Value, line_of, plain_name};
use super::types::{self, Kind};
use crate::diagnostics::Region;
use crate::expressions::is_compound;

/// What stands in the parentheses.
pub(super) struct Place {
    /// `block;` or `warp;`
    pub(super) scope: Option<Ident>,
    pub(super) is_reference: bool,
    pub(super) base: Ident,
    pub(super) index: Vec<Expr>,
    pub(super) brackets: Span,
    /// `= value`, `+= value`, `>= value`
    operation: Option<(Operator, Expr)>,
    /// `= &from[..]`, `=> &mut to[..]`
    pub(super) partner: Option<Partner>,
}

enum Operator {
    Set,
    Update(BinOp),
    Compare(BinOp),
}

/// Where elements come from, or go to.
pub(super) enum Partner {
    Source(Box<Place>),
    Target(Box<Place>),
}

impl Place {
    /// Whether it is several elements, or moved by several threads.
    fn is_moved(&self) -> bool {
        let has_range = self.index.iter().any(|index| matches!(index, Expr::Range(_)));
        has_range || self.scope.is_some() || self.partner.is_some()
    }
}

/// The name of a macro that is called, if it is one of these.
pub(super) fn name_of(call: &ExprMacro) -> String {
    call.mac.path.segments.last().map(|last| plain_name(&last.ident)).unwrap_or_default()
}

/// `base[index, ..]`
pub(super) fn bare(input: ParseStream<'_>) -> syn::Result<Place> {
    let base: Ident = input.parse()?;
    if !input.peek(syn::token::Bracket) {
        return Err(input.error("a place of a kernel has an index for each axis: write `array[i]`"));
    }
    let inside;
    let brackets = bracketed!(inside in input).span.join();
    if inside.peek(Token![@]) {
        return Err(inside.error("a kernel has no global arrays: write the PE and the index"));
    }
    let index: Punctuated<Expr, Token![,]> = Punctuated::parse_terminated(&inside)?;
    let index = index.into_iter().collect();
    Ok(Place { scope: None, is_reference: false, base, index, brackets, operation: None, partner: None })
}

/// `block;` and `warp;`. After one of `others`, a semicolon is none of this.
pub(super) fn scope(input: ParseStream<'_>, others: &[&str]) -> syn::Result<Option<Ident>> {
    if !input.peek(syn::Ident) || !input.peek2(Token![;]) {
        return Ok(None);
    }
    let word: Ident = input.fork().parse()?;
    if others.iter().any(|other| word == other) {
        return Ok(None);
    }
    if word != "block" && word != "warp" {
        return Err(input.error(
            "a kernel is on its stream already: remove the stream and `;`, or write `block;` or `warp;` for what many threads do \
             together",
        ));
    }
    let word = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok(Some(word))
}

fn parse(input: ParseStream<'_>) -> syn::Result<Place> {
    let scope = scope(input, &[])?;
    let is_reference = input.parse::<Option<Token![&]>>()?.is_some();
    let mut place = Place { scope, is_reference, ..bare(input)? };
    if input.is_empty() {
    } else if input.peek(Token![=>]) {
        let at = input.fork();
        input.parse::<Token![=>]>()?;
        if !input.peek(Token![&]) || !input.peek2(Token![mut]) {
            return Err(at.error(
                "a kernel reads one element by value, as in `let x = remote!(array[pe, i]);`, and several into a device array, as in \
                 `remote!(array[pe, 0..4] => &mut other[0..4])`",
            ));
        }
        input.parse::<Token![&]>()?;
        input.parse::<Token![mut]>()?;
        place.partner = Some(Partner::Target(Box::new(bare(input)?)));
    } else if input.peek(Token![=]) && !input.peek(Token![==]) {
        input.parse::<Token![=]>()?;
        if input.peek(Token![&]) {
            input.parse::<Token![&]>()?;
            place.partner = Some(Partner::Source(Box::new(bare(input)?)));
        } else {
            place.operation = Some((Operator::Set, input.parse()?));
        }
    } else {
        let operator: BinOp = input.parse()?;
        let value = input.parse()?;
        let operator =
            if is_compound(&operator) { Operator::Update(operator) } else { Operator::Compare(operator) };
        place.operation = Some((operator, value));
    }
    if !input.is_empty() {
        return Err(input.error("a place of a kernel ends here: remove what follows"));
    }
    Ok(place)
}

/// `&from[a..b]`, which Rust takes as an expression.
fn source(value: &Expr) -> Option<Place> {
    let Expr::Reference(reference) = value else { return None };
    let Expr::Index(index) = &*reference.expr else { return None };
    let Expr::Path(path) = &*index.expr else { return None };
    Some(Place {
        scope: None,
        is_reference: true,
        base: path.path.get_ident()?.clone(),
        index: vec![(*index.index).clone()],
        brackets: index.bracket_token.span.join(),
        operation: None,
        partner: None,
    })
}

/// Where an element lies: the operands of a call, in both languages.
pub(super) struct Element {
    pub(super) local: Local,
    is_remote: bool,
    /// `pe, [i, j]` in Rust, of shared memory `i`.
    pub(super) rust: TokenStream,
    /// `pe, i, j` in C++, of plain local elements without `pe`.
    pub(super) cpp: String,
    pub(super) operands: Vec<Value>,
}

impl Function<'_> {
    pub(super) fn parse_place(&mut self, call: &ExprMacro) -> Option<Place> {
        match parse.parse2(call.mac.tokens.clone()) {
            Ok(place) => Some(place),
            Err(error) => {
                let text = error.to_string();
                let at_the_end = text.strip_prefix("unexpected end of input, ").map(str::to_owned);
                let at = match &at_the_end {
                    Some(_) if call.mac.tokens.is_empty() => Region::of(call),
                    Some(_) => Region::of(&call.mac.tokens),
                    None => error.span().into(),
                };
                let text = at_the_end.unwrap_or(text);
                let text = if text.starts_with("a ") {
                    text
                } else {
                    format!(
                        "a kernel accesses one element, as in `remote!(array[pe, i])` and `local!(array[i, j])`: {text}"
                    )
                };
                self.wrong(at, text)
            }
        }
    }

    /// A call of the library in place of a macro, reported where the macro stands.
    pub(super) fn in_place_of(
        &self,
        call: &ExprMacro,
        function: &str,
        arguments: TokenStream,
    ) -> TokenStream {
        let path = self.device(function, call.mac.path.span());
        let mut group = Group::new(Delimiter::Parenthesis, arguments);
        group.set_span(match &call.mac.delimiter {
            syn::MacroDelimiter::Paren(paren) => paren.span.close(),
            syn::MacroDelimiter::Brace(brace) => brace.span.close(),
            syn::MacroDelimiter::Bracket(bracket) => bracket.span.close(),
        });
        quote!(#path #group)
    }

    /// `write`, where `base` must be declared `mut`. The operands may read it, so `write` borrows it as
    /// shared.
    pub(super) fn after_written(&self, base: &Ident, write: &TokenStream) -> TokenStream {
        let written = self.device("written", base.span());
        let (and, mutable) = (Token![&](base.span()), Token![mut](base.span()));
        quote!({ #written(#and #mutable #base); #write })
    }

    /// Checks the place against its declaration.
    pub(super) fn find(&mut self, place: &Place, is_remote: bool) -> Option<Element> {
        let name = &place.base;
        let Some(local) = self.local(name).cloned() else {
            return self.wrong(
                name.span(),
                format!("`{name}` is no parameter of this function: a kernel accesses device arrays that it gets as `Global<T>`"),
            );
        };
        let rank = match &local.kind {
            Kind::Global { rank, .. } => *rank,
            Kind::Shared if is_remote => {
                return self.wrong(
                    name.span(),
                    format!(
                        "shared memory is that of the block, and no PE reaches it: write `local!({name}[i])`"
                    ),
                );
            }
            Kind::Shared => 1,
            Kind::Array => {
                return self
                    .wrong(name.span(), format!("`{name}` is an array of this thread: write `{name}[i]`"));
            }
            Kind::Scalar(_) | Kind::Value => {
                return self.wrong(name.span(), format!("`{name}` is a number: write `{name}`"));
            }
            Kind::Team => {
                return self.wrong(name.span(), format!("`{name}` is a team, and has no elements"));
            }
        };
        for index in &place.index {
            if let Expr::Range(range) = index {
                return self.wrong(
                    Region::of(range),
                    "a kernel accesses one element at a time: write an index, and loop over the range",
                );
            }
        }
        let wanted = rank + usize::from(is_remote);
        if place.index.len() != wanted {
            let axes = axes(rank);
            let example: Vec<_> = ["i", "j", "k", "l"].into_iter().take(rank).collect();
            let example = example.join(", ");
            let text = if is_remote {
                format!(
                    "`{name}` has {axes}: write the PE and {rank} {}, `remote!({name}[pe, {example}])`",
                    indices(rank)
                )
            } else {
                format!("`{name}` has {axes}: write {rank} {}, `local!({name}[{example}])`", indices(rank))
            };
            return self.wrong(place.brackets, text);
        }
        let operands: Vec<_> = place.index.iter().map(|index| self.value(index)).collect();
        let operands: Vec<Value> = operands.into_iter().collect::<Option<_>>()?;
        let rust: Vec<_> = operands.iter().map(|operand| operand.rust.clone()).collect();
        let mut cpp: Vec<String> = operands.iter().map(|operand| operand.cpp.clone()).collect();
        let is_cell = matches!(local.kind, Kind::Global { atomic: true, .. });
        let rust = match (&local.kind, is_remote) {
            (Kind::Shared, _) => rust[0].clone(),
            (_, true) => {
                let (pe, index) = (&rust[0], &rust[1..]);
                quote_spanned!(place.brackets=> #pe, [#(#index),*])
            }
            (_, false) => {
                let pe = self.device("my_pe", name.span());
                if is_cell {
                    cpp.insert(0, "rs::my_pe()".to_owned());
                }
                quote_spanned!(place.brackets=> #pe(), [#(#rust),*])
            }
        };
        Some(Element { local, is_remote, rust, cpp: cpp.join(", "), operands })
    }

    /// A macro that is a value: `remote!(A[pe, i])`, `local!(A[i])`.
    pub(super) fn read(&mut self, call: &ExprMacro) -> Option<Value> {
        let name = name_of(call);
        if name != "remote" && name != "local" {
            return self.wrong(Region::of(&call.mac.path), other_macro(&name));
        }
        let place = self.parse_place(call)?;
        if place.is_reference {
            return self.wrong(
                Region::of(call),
                "a kernel has no references: read the element, or call `fetch_add`, `fetch_and`, `fetch_or`, `fetch_xor` or `swap` of \
                 a cell",
            );
        }
        if place.is_moved() {
            let range = place.index.iter().find(|index| matches!(index, Expr::Range(_)));
            return self.wrong(
                range.map_or_else(|| Region::of(call), Region::of),
                "several elements are moved by a statement: write `remote!(a[pe, 0..4] => &mut b[0..4])` or `remote!(a[pe, 0..4] = &b[0..4])`",
            );
        }
        if let Some((_, value)) = &place.operation {
            return self
                .wrong(Region::of(value), "an assignment is a statement: write it on a line of its own");
        }
        let element = self.find(&place, name == "remote")?;
        self.in_any_order(Region::of(call), &element.operands.iter().collect::<Vec<_>>());
        let line = line_of(call.mac.path.span());
        let (base, at) = (&place.base, &element.rust);
        let and = Token![&](base.span());
        let (function, cpp) = match (&element.local.kind, element.is_remote) {
            (Kind::Shared, _) => ("SharedArray::read", "read"),
            (Kind::Global { atomic: true, .. }, _) => ("GlobalMemory::read", "remote_fetch"),
            (_, true) => ("GlobalMemory::read", "remote_read"),
            (_, false) => ("GlobalMemory::read", "read"),
        };
        let rust = self.in_place_of(call, function, quote!(#and #base, #at));
        let cpp = format!("rs::{cpp}<{line}>({}, {})", element.local.cpp, element.cpp);
        let mut value = Value::typed(rust, cpp).after(&element.operands);
        value.reads += 1;
        Some(value)
    }

    /// `remote!(A[pe, i]) = value` and `remote!(A[pe, i]) += value`.
    pub(super) fn write(
        &mut self,
        call: &ExprMacro,
        operator: Option<&BinOp>,
        value: &Expr,
    ) -> Option<TokenStream> {
        let name = name_of(call);
        if name != "remote" && name != "local" {
            return self.wrong(Region::of(&call.mac.path), other_macro(&name));
        }
        let place = self.parse_place(call)?;
        if let Some((_, other)) = &place.operation {
            return self.wrong(Region::of(other), "one call writes once: remove one of the two values");
        }
        let operator = operator.map_or(Operator::Set, |operator| Operator::Update(*operator));
        self.store(call, &place, &operator, value)
    }

    fn store(
        &mut self,
        call: &ExprMacro,
        place: &Place,
        operator: &Operator,
        value: &Expr,
    ) -> Option<TokenStream> {
        let name = name_of(call);
        if place.is_reference {
            return self.wrong(Region::of(call), "a write takes the place itself: remove `&`");
        }
        if place.is_moved() && matches!(operator, Operator::Set) {
            let from = self.source_of(value)?;
            return self.moves(call, place, &Partner::Source(Box::new(from)));
        }
        let value = self.value(value)?;
        let element = self.find(place, name == "remote")?;
        let all: Vec<&Value> = [&value].into_iter().chain(&element.operands).collect();
        self.in_any_order(Region::of(call), &all);
        let line = line_of(call.mac.path.span());
        let (base, at, new) = (&place.base, &element.rust, &value.rust);
        let array = &element.local.cpp;
        let and = Token![&](base.span());
        let plain = |function: &mut Self, at: &BinOp| -> Option<TokenStream> {
            function.wrong(
                at.span(),
                format!("`{base}` has plain elements, and only cells are updated atomically: declare it `Global<Atomic<u64>>`, or write `{name}!(...) = ...`"),
            )
        };
        let (function, cpp) = match (operator, &element.local.kind) {
            (Operator::Set, Kind::Shared) => {
                ("SharedArray::write", format!("rs::write<{line}>({array}, {}, {})", value.cpp, element.cpp))
            }
            (Operator::Set, Kind::Global { atomic: true, .. }) => (
                "GlobalMemory::write",
                format!("rs::remote_set<{line}>({array}, {}, {})", value.cpp, element.cpp),
            ),
            (Operator::Set, _) => {
                let remote = if element.is_remote { "remote_" } else { "" };
                (
                    "GlobalMemory::write",
                    format!("rs::{remote}write<{line}>({array}, {}, {})", value.cpp, element.cpp),
                )
            }
            (Operator::Update(op), Kind::Global { atomic: true, element: cell, .. }) => {
                let (function, cpp) = match op {
                    BinOp::AddAssign(_) => ("GlobalMemory::add", "add_to"),
                    BinOp::SubAssign(_) => ("GlobalMemory::sub", "add_to"),
                    BinOp::BitAndAssign(_) => ("GlobalMemory::and", "and_to"),
                    BinOp::BitOrAssign(_) => ("GlobalMemory::or", "or_to"),
                    BinOp::BitXorAssign(_) => ("GlobalMemory::xor", "xor_to"),
                    other => {
                        return self
                            .wrong(other.span(), "a cell has the updates `+=`, `-=`, `&=`, `|=` and `^=`");
                    }
                };
                let operand = match op {
                    BinOp::SubAssign(_) => format!("rs::negated<{}>({})", types::cpp(cell), value.cpp),
                    _ => value.cpp.clone(),
                };
                (function, format!("rs::remote_{cpp}<{line}>({array}, {operand}, {})", element.cpp))
            }
            (Operator::Update(op) | Operator::Compare(op), _) => return plain(self, op),
        };
        self.line(&format!("{cpp};"));
        let write = self.in_place_of(call, function, quote!(#and #base, #new, #at));
        Some(self.after_written(base, &write))
    }

    /// `remote!(&C[pe, i]).fetch_add(value)`; `None` where the method is another one.
    pub(super) fn fetch(
        &mut self,
        call: &ExprMacro,
        method: &Ident,
        arguments: &Punctuated<Expr, Token![,]>,
    ) -> Option<Option<Value>> {
        let function = match plain_name(method).as_str() {
            "swap" => "GlobalMemory::swap",
            "compare_swap" => "GlobalMemory::compare_swap",
            "fetch_add" => "GlobalMemory::fetch_add",
            "fetch_and" => "GlobalMemory::fetch_and",
            "fetch_or" => "GlobalMemory::fetch_or",
            "fetch_xor" => "GlobalMemory::fetch_xor",
            _ => return None,
        };
        Some(self.fetch_by(call, method, function, arguments))
    }

    fn fetch_by(
        &mut self,
        call: &ExprMacro,
        method: &Ident,
        function: &str,
        arguments: &Punctuated<Expr, Token![,]>,
    ) -> Option<Value> {
        let name = name_of(call);
        if name != "remote" && name != "local" {
            return self.wrong(Region::of(&call.mac.path), other_macro(&name));
        }
        let place = self.parse_place(call)?;
        let base = &place.base;
        if !place.is_reference || place.operation.is_some() {
            return self.wrong(
                Region::of(call),
                format!(
                    "a method of a cell takes a reference: write `{name}!(&{base}[...]).{method}(value)`"
                ),
            );
        }
        let wanted = if method == "compare_swap" { 2 } else { 1 };
        if arguments.len() != wanted {
            let takes =
                if wanted == 1 { "one value" } else { "two values, the one to compare with and the new one" };
            return self.wrong(method.span(), format!("`{method}` takes {takes}"));
        }
        let values: Vec<_> = arguments.iter().map(|argument| self.value(argument)).collect();
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        let element = self.find(&place, name == "remote")?;
        if !matches!(element.local.kind, Kind::Global { atomic: true, .. }) {
            return self.wrong(
                base.span(),
                format!("`{base}` has plain elements, and only cells have `{method}`: declare it `Global<Atomic<u64>>`"),
            );
        }
        let all: Vec<&Value> = values.iter().chain(&element.operands).collect();
        self.in_any_order(Region::of(call), &all);
        let line = line_of(call.mac.path.span());
        let (at, new): (_, Vec<_>) = (&element.rust, values.iter().map(|value| &value.rust).collect());
        let new = if wanted == 1 { quote!(#(#new)*) } else { quote!((#(#new),*)) };
        let and = Token![&](base.span());
        let rust = self.in_place_of(call, function, quote!(#and #base, #new, #at));
        let rust = self.after_written(base, &rust);
        let operands: Vec<_> = values.iter().map(|value| value.cpp.as_str()).collect();
        let (operands, array) = (operands.join(", "), &element.local.cpp);
        let cpp = format!("rs::remote_{method}<{line}>({array}, {operands}, {})", element.cpp);
        Some(Value { effects: 1, ..Value::typed(rust, cpp) })
    }

    /// Where several elements come from.
    pub(super) fn source_of(&mut self, value: &Expr) -> Option<Place> {
        if let Some(place) = source(value) {
            return Some(place);
        }
        if let Expr::Macro(call) = value
            && name_of(call) == "local"
        {
            let place = self.parse_place(call)?;
            if place.is_reference && place.operation.is_none() && place.partner.is_none() {
                return Some(place);
            }
        }
        self.wrong(
            Region::of(value),
            "several elements come from a device array: write `= &from[a..b]`, or write one element at a time in a loop",
        )
    }

    /// A macro that is a statement.
    pub(super) fn macro_statement(&mut self, call: &ExprMacro) -> Option<TokenStream> {
        match name_of(call).as_str() {
            "remote" | "local" => {
                let place = self.parse_place(call)?;
                match (&place.operation, &place.partner) {
                    (_, Some(partner)) => self.moves(call, &place, partner),
                    (Some((operator, value)), _) => self.store(call, &place, operator, value),
                    (None, None) => self.wrong(
                        Region::of(call),
                        "the value that is read is dropped: bind it with `let`, or write with `=`",
                    ),
                }
            }
            "wait" => self.wait(call),
            "collective" => self.collective(call),
            "assert" => self.assertion(call),
            other => {
                let text = other_macro(other);
                self.wrong(Region::of(&call.mac.path), text)
            }
        }
    }

    /// `wait!(FLAG[i] >= value)`
    fn wait(&mut self, call: &ExprMacro) -> Option<TokenStream> {
        const FORM: &str = "a wait of a kernel is for one cell of this PE: write `wait!(flag[0] >= 1)`";
        let place = self.parse_place(call)?;
        let Some((Operator::Compare(operator), value)) = &place.operation else {
            return self.wrong(Region::of(call), FORM);
        };
        let (comparison, cpp) = match operator {
            BinOp::Eq(_) => ("Eq", "EQ"),
            BinOp::Ne(_) => ("Ne", "NE"),
            BinOp::Lt(_) => ("Lt", "LT"),
            BinOp::Le(_) => ("Le", "LE"),
            BinOp::Gt(_) => ("Gt", "GT"),
            BinOp::Ge(_) => ("Ge", "GE"),
            other => return self.wrong(other.span(), FORM),
        };
        let value = self.value(value)?;
        let element = self.find(&place, false)?;
        let base = &place.base;
        if !matches!(element.local.kind, Kind::Global { atomic: true, .. }) {
            return self.wrong(
                base.span(),
                format!(
                    "`{base}` has plain elements, and a wait is for a cell: declare it `Global<Atomic<u64>>`"
                ),
            );
        }
        self.together = true;
        let all: Vec<&Value> = [&value].into_iter().chain(&element.operands).collect();
        self.in_any_order(Region::of(call), &all);
        let line = line_of(call.mac.path.span());
        // Of this PE: the waiting routine takes no PE.
        let index = element.cpp.strip_prefix("rs::my_pe(), ").unwrap_or(&element.cpp);
        self.line(&format!(
            "rs::wait<{line}>({}, NVSHMEM_CMP_{cpp}, {}, {index});",
            element.local.cpp, value.cpp
        ));
        let comparison = self.device(&format!("Comparison::{comparison}"), operator.span());
        let and = Token![&](base.span());
        let index: Vec<_> = element.operands.iter().map(|operand| &operand.rust).collect();
        let new = &value.rust;
        let arguments = quote_spanned!(place.brackets=> #and #base, #comparison, #new, [#(#index),*]);
        Some(self.in_place_of(call, "GlobalMemory::wait", arguments))
    }

    /// `assert!(condition)`
    fn assertion(&mut self, call: &ExprMacro) -> Option<TokenStream> {
        const FORM: &str = "an assertion of a kernel has a condition, and a text without numbers: write `assert!(x < y, \"too large\")`";
        let parts: syn::Result<Punctuated<Expr, Token![,]>> =
            Punctuated::parse_terminated.parse2(call.mac.tokens.clone());
        let Ok(parts) = parts else { return self.wrong(Region::of(call), FORM) };
        let mut parts = parts.iter();
        let Some(condition) = parts.next() else { return self.wrong(Region::of(call), FORM) };
        let text: Option<LitStr> = match parts.next() {
            None => None,
            Some(Expr::Lit(literal)) => match &literal.lit {
                syn::Lit::Str(text) if !text.value().contains(['{', '}']) => Some(text.clone()),
                other => return self.wrong(other.span(), FORM),
            },
            Some(other) => return self.wrong(Region::of(other), FORM),
        };
        if let Some(more) = parts.next() {
            return self.wrong(Region::of(more), FORM);
        }
        let value = self.value(condition)?;
        let line = line_of(call.mac.path.span());
        let what = match &text {
            Some(text) => text.value(),
            None => format!("assertion failed: {}", condition.to_token_stream()),
        };
        let escaped: String = what.chars().flat_map(char::escape_default).collect();
        self.line(&format!("if (!{}) RS_PANIC(\"{escaped}\", {line});", value.cpp));
        let (path, rust) = (&call.mac.path, &value.rust);
        let text = text.map(|text| quote!(, #text));
        Some(quote_spanned!(path.span()=> #path!(#rust #text)))
    }
}

/// `1 axis`, `2 axes`
pub(super) fn axes(rank: usize) -> String {
    if rank == 1 { "1 axis".to_owned() } else { format!("{rank} axes") }
}

fn indices(rank: usize) -> &'static str {
    if rank == 1 { "index" } else { "indices" }
}

/// What to write instead of another macro.
fn other_macro(name: &str) -> &'static str {
    match name {
        "println" | "print" | "eprintln" | "eprint" | "dbg" => {
            "a kernel does not print: write values to a device array, and print them on the host"
        }
        "panic" | "unreachable" | "todo" | "unimplemented" => {
            "a kernel ends by an assertion: write `assert!(false, \"why\")`"
        }
        "assert_eq" | "assert_ne" | "debug_assert" => "a kernel has `assert!` alone: write `assert!(x == y)`",
        "wait" => "a wait is a statement: write it on a line of its own",
        "poll" => "a kernel does not test cells: read the cell, as in `local!(flag[0]) >= 1`",
        "collective" => {
            "a collective call of a kernel is a statement: write `collective!(block; DST[..] = sum SRC[..]);` on a line of its own"
        }
        "vec" | "format" => {
            "a kernel has fixed memory: write an array, as in `let mut a: [f32; 4] = [0.0; 4];`"
        }
        _ => {
            "a kernel has the macros `remote!`, `local!`, `wait!`, `collective!` and `assert!`: write out what this one stands for"
        }
    }
}
