//! Several elements of device arrays in a kernel: puts and gets of a thread, a warp or a block.
//!
//! The elements lie side by side, so that one routine of NVSHMEM moves them: after a range come `..`
//! alone.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Expr, ExprMacro, ExprMethodCall, ExprRange, Path, RangeLimits, Token};

use super::function::{Function, Value, line_of};
use super::memory::{Partner, Place, axes, name_of};
use super::types::Kind;
use crate::diagnostics::Region;

/// Elements that are moved, in both languages.
pub(super) struct Moved {
    /// The PE, where the place has one.
    pe: Option<Value>,
    /// `[axis, axis]` in Rust.
    pub(super) rust: TokenStream,
    /// `rs::piece<LINE>(array, axis, axis)`
    pub(super) cpp: String,
    /// The values in it, without the PE.
    pub(super) operands: Vec<Value>,
}

impl Function<'_> {
    /// `remote!(to[pe, a..b] = &from[c..d])` and `remote!(from[pe, a..b] => &mut to[c..d])`.
    pub(super) fn moves(
        &mut self,
        call: &ExprMacro,
        place: &Place,
        partner: &Partner,
    ) -> Option<TokenStream> {
        if place.is_reference {
            return self.wrong(Region::of(call), "a move takes the place itself: remove `&`");
        }
        let (function, cpp, other) = match partner {
            Partner::Source(other) => ("GlobalMemory::put", "move_to", other),
            Partner::Target(other) => ("GlobalMemory::get", "move_from", other),
        };
        let (scope, here, there) = self.both(call, place, other)?;
        let line = line_of(call.mac.path.span());
        let (pe_rust, pe_cpp) = self.pe_of(call, &here);
        self.line(&format!("rs::{cpp}<{line}>({}, {}, {pe_cpp}, {});", scope.1, here.cpp, there.cpp));
        let (base, other_base) = (&place.base, &other.base);
        let (and, and_other) = (Token![&](base.span()), Token![&](other_base.span()));
        let (scope, axes, other_axes) = (scope.0, &here.rust, &there.rust);
        let moves = self.in_place_of(
            call,
            function,
            quote!(#and #base, #scope, (#pe_rust, #axes), #and_other #other_base, #other_axes),
        );
        let written = if matches!(partner, Partner::Source(_)) { base } else { other_base };
        Some(self.after_written(written, &moves))
    }

    /// `remote!(&to[pe, a..b]).put_signal(&from[c..d], remote!(&signal[pe, i]), SignalOp::Set(v))`; `None` where
    /// the call is another one.
    pub(super) fn put_signal(&mut self, call: &ExprMethodCall) -> Option<Option<TokenStream>> {
        match &*call.receiver {
            Expr::Macro(receiver) if call.method == "put_signal" => Some(self.put_signal_to(call, receiver)),
            _ => None,
        }
    }

    fn put_signal_to(&mut self, call: &ExprMethodCall, receiver: &ExprMacro) -> Option<TokenStream> {
        const FORM: &str = "a put with a signal has a source, a cell on the same PE and its update: write \
                            `remote!(&to[pe, a..b]).put_signal(&from[c..d], remote!(&signal[pe, 0]), SignalOp::Set(1))`";
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let [source, Expr::Macro(signal), Expr::Call(operation)] = arguments[..] else {
            return self.wrong(call.method.span(), FORM);
        };
        let place = self.parse_place(receiver)?;
        let is_right = place.is_reference && place.partner.is_none() && name_of(receiver) == "remote";
        if !is_right || name_of(signal) != "remote" {
            return self.wrong(call.method.span(), FORM);
        }
        let Some((path, op)) = signal_operation(operation) else {
            return self.wrong(Region::of(operation), FORM);
        };
        let other = self.source_of(source)?;
        let (scope, here, there) = self.both(receiver, &place, &other)?;
        let cell = self.parse_place(signal)?;
        if !cell.is_reference || cell.partner.is_some() || cell.scope.is_some() {
            return self.wrong(Region::of(signal), FORM);
        }
        let value = self.value(&operation.args[0])?;
        let element = self.find(&cell, true)?;
        if !matches!(element.local.kind, Kind::Global { atomic: true, element: "u64", .. }) {
            return self.wrong(
                cell.base.span(),
                format!("a signal is a cell of u64: declare `{}: Global<Atomic<u64>>`", cell.base),
            );
        }
        let all: Vec<&Value> =
            here.operands.iter().chain(&there.operands).chain(&element.operands).chain([&value]).collect();
        self.in_any_order(Region::of(call), &all);
        let line = line_of(call.method.span());
        let (pe_rust, pe_cpp) = self.pe_of(receiver, &here);
        self.line(&format!(
            "rs::move_with_signal<{line}>({}, {}, {pe_cpp}, {}, {op}, {}, {}, {});",
            scope.1, here.cpp, there.cpp, value.cpp, element.local.cpp, element.cpp
        ));
        let (base, other_base, cell_base) = (&place.base, &other.base, &cell.base);
        let [and, and_other, and_cell] = [base, other_base, cell_base].map(|base| Token![&](base.span()));
        let (scope, axes, other_axes, at, new) =
            (scope.0, &here.rust, &there.rust, &element.rust, &value.rust);
        let moves = self.in_place_of(
            receiver,
            "GlobalMemory::put_signal",
            quote! {
                #and #base, #scope, (#pe_rust, #axes), (#and_other #other_base, #other_axes), (#and_cell #cell_base, #at), #path(#new)
            },
        );
        let moves = self.after_written(cell_base, &moves);
        Some(self.after_written(base, &moves))
    }

    /// The scope in both languages, and both places.
    fn both(
        &mut self,
        call: &ExprMacro,
        place: &Place,
        other: &Place,
    ) -> Option<((TokenStream, &'static str), Moved, Moved)> {
        let (name, cpp) = match &place.scope {
            None => ("Thread", "rs::Thread{}"),
            Some(word) if word == "warp" => ("Warp", "rs::Warp{}"),
            Some(_) => ("Block", "rs::Block{}"),
        };
        let at = place.scope.as_ref().map_or(call.mac.path.span(), Ident::span);
        let scope = self.device(&format!("ThreadScope::{name}"), at);
        self.together |= place.scope.is_some();
        if let Some(word) = &other.scope {
            return self.wrong(word.span(), "the threads that move are named once: remove this");
        }
        let here = self.moved(place, name_of(call) == "remote", false)?;
        let there = self.moved(other, false, false)?;
        let all: Vec<&Value> = here.operands.iter().chain(&here.pe).chain(&there.operands).collect();
        self.in_any_order(Region::of(call), &all);
        Some(((scope, cpp), here, there))
    }

    /// The PE in both languages: this one where none is written.
    fn pe_of(&self, call: &ExprMacro, moved: &Moved) -> (TokenStream, String) {
        match &moved.pe {
            Some(pe) => (pe.rust.clone(), pe.cpp.clone()),
            None => {
                let pe = self.device("my_pe", call.mac.path.span());
                (quote!(#pe()), "rs::my_pe()".to_owned())
            }
        }
    }

    /// Checks elements that are moved against their declaration. One alone is a mistake, unless it
    /// `may_be_one`.
    pub(super) fn moved(&mut self, place: &Place, is_remote: bool, may_be_one: bool) -> Option<Moved> {
        let name = &place.base;
        let Some(local) = self.local(name).cloned() else {
            return self.wrong(
                name.span(),
                format!("`{name}` is no parameter of this function: a kernel moves elements of device arrays that it gets as `Global<T>`"),
            );
        };
        let rank = match local.kind {
            Kind::Global { atomic: false, rank, .. } => rank,
            Kind::Global { .. } => {
                return self.wrong(
                    name.span(),
                    format!(
                        "`{name}` has cells, which move one by one: write an index, and loop over the range"
                    ),
                );
            }
            _ => {
                return self.wrong(
                    name.span(),
                    format!("`{name}` is no device array: copy its elements one by one, in a loop"),
                );
            }
        };
        let mut index = place.index.iter();
        let pe = match is_remote {
            true => index.next().map(|pe| self.value(pe)),
            false => None,
        };
        let index: Vec<&Expr> = index.collect();
        if index.len() != rank || is_remote && pe.is_none() {
            let axes = axes(rank);
            let pe = if is_remote { "the PE and " } else { "" };
            return self.wrong(
                place.brackets,
                format!("`{name}` has {axes}: write {pe}an index or a range for each"),
            );
        }
        // An error was reported.
        let pe = match pe {
            Some(None) => return None,
            Some(Some(pe)) => Some(pe),
            None => None,
        };
        let first = index.iter().position(|index| matches!(index, Expr::Range(_)));
        if first.is_none() && !may_be_one {
            return self.wrong(
                place.brackets,
                "one element is moved by one thread: write `remote!(to[pe, i]) = local!(from[i])`, or a range",
            );
        }
        let after = first.map_or(index.len(), |first| first + 1);
        let is_whole = |index: &&&Expr| matches!(index, Expr::Range(range) if range.start.is_none() && range.end.is_none());
        if let Some(after) = index[after..].iter().find(|index| !is_whole(index)) {
            return self.wrong(
                Region::of(*after),
                "the elements that a kernel moves lie side by side: after a range write `..`, and loop over the rows",
            );
        }
        let mut moved = Moved { pe, rust: TokenStream::new(), cpp: String::new(), operands: Vec::new() };
        let (mut rust, mut cpp) = (Vec::new(), vec![local.cpp]);
        for index in index {
            let (axis, text) = match index {
                Expr::Range(range) => self.range_of(range, &mut moved.operands)?,
                other => {
                    let value = self.value(other)?;
                    let axis = self.axis("At", other.span(), &[&value]);
                    let text = format!("rs::at_index({})", value.cpp);
                    moved.operands.push(value);
                    (axis, text)
                }
            };
            rust.push(axis);
            cpp.push(text);
        }
        moved.rust = quote_spanned!(place.brackets=> [#(#rust),*]);
        moved.cpp = format!("rs::piece<{}>({})", line_of(name.span()), cpp.join(", "));
        Some(moved)
    }

    /// A range on an axis, in both languages.
    fn range_of(&mut self, range: &ExprRange, operands: &mut Vec<Value>) -> Option<(TokenStream, String)> {
        let end = |limit: &Option<Box<Expr>>, function: &mut Self| match limit {
            Some(limit) => function.value(limit).map(Some),
            None => Some(None),
        };
        let (start, stop) = (end(&range.start, self), end(&range.end, self));
        let (start, stop) = (start?, stop?);
        let is_inclusive = matches!(range.limits, RangeLimits::Closed(_));
        let (name, text) = match (&start, &stop) {
            (None, None) => ("All", "all"),
            (Some(_), None) => ("From", "onward"),
            (None, Some(_)) if is_inclusive => {
                return self.wrong(Region::of(range), "write where the range begins, as in `0..=3`");
            }
            (None, Some(_)) => ("To", "up_to"),
            (Some(_), Some(_)) if is_inclusive => ("Through", "through"),
            (Some(_), Some(_)) => ("Between", "between"),
        };
        let values: Vec<Value> = start.into_iter().chain(stop).collect();
        let axis = self.axis(name, range.limits.span(), &values.iter().collect::<Vec<_>>());
        let cpp: Vec<_> = values.iter().map(|value| value.cpp.as_str()).collect();
        let text = format!("rs::{text}({})", cpp.join(", "));
        operands.extend(values);
        Some((axis, text))
    }

    fn axis(&self, name: &str, at: Span, values: &[&Value]) -> TokenStream {
        let axis = self.device(&format!("KernelAxis::{name}"), at);
        let values = values.iter().map(|value| &value.rust);
        if values.len() == 0 { axis } else { quote_spanned!(at=> #axis(#(#values),*)) }
    }
}

/// `SignalOp::Set(v)`: the path, and whether it adds, in C++.
fn signal_operation(call: &syn::ExprCall) -> Option<(&Path, &'static str)> {
    let Expr::Path(path) = &*call.func else { return None };
    let op = match path.path.segments.last()?.ident.to_string().as_str() {
        "Set" => "false",
        "Add" => "true",
        _ => return None,
    };
    (call.args.len() == 1).then_some((&path.path, op))
}
