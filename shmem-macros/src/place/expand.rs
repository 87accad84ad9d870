//! The call into `shmem::__private` that a place stands for.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::{Expr, Token};

use super::{Access, Base, Pe, Place, PlaceCall, PlaceMacro, select};
use crate::diagnostics::Region;
use crate::expressions::{is_constant_path, path_text, plain};
use crate::private::Private;

/// The expression for a whole call.
///
/// The value comes before the place, because Rust evaluates it first in `place = value`. rustc
/// reports an error at the value if there is one, else at the place.
pub(super) fn call(call: &PlaceCall, private: &Private) -> TokenStream {
    let by_value = matches!(call.access, Access::Read) && !call.is_reference;
    let reference = refer(&call.place, call.kind, call.place.context.as_ref(), by_value, private);
    let whole = call.place.region;
    match &call.access {
        Access::Read if call.is_reference => reference,
        Access::Read => {
            // The span is the macro's, so that rustc's advice about the value, such as `.to_vec()`,
            // goes after the parenthesis. With a path through a type and a place as its argument,
            // rustc takes `remote!(place) = value` for a pattern and shows the name of the
            // function, which tells the user what to do.
            let here = Span::call_site().into();
            let name = format!("Remote::{}", super::READ);
            private.public_call(&name, here, quote!(*&#reference))
        }
        Access::Write(value) => {
            // Where there is a context, the parentheses say that this is an expression of Rust.
            let inner = match value {
                Expr::Paren(paren) if matches!(*paren.expr, Expr::Reference(_)) => &*paren.expr,
                _ => value,
            };
            private.call("Source::write", Region::of(value), quote!(#inner, #reference))
        }
        Access::WriteFrom(source) => {
            let value = taken(source, call.place.context.as_ref(), private);
            private.call("Source::write", source.region, quote!(#value, #reference))
        }
        Access::Update(function, value) => {
            let cell = private.call("OneElement::one", whole, reference);
            private.call(function, Region::of(value), quote!(#value, #cell))
        }
        Access::ReadInto(buffer) => {
            private.call("Target::read", Region::of(buffer), quote!(#buffer, #reference))
        }
    }
}

/// The remote (or local) reference that a place stands for.
pub(super) fn reference(place: &Place, kind: PlaceMacro, private: &Private) -> TokenStream {
    refer(place, kind, place.context.as_ref(), false, private)
}

/// As [`reference()`], of a place of `local!`, on a stream.
pub(super) fn reference_on(place: &Place, stream: &Expr, private: &Private) -> TokenStream {
    refer(place, PlaceMacro::Local, Some(stream), false, private)
}

/// The source `&E[..]` of a write on `context`.
fn taken(source: &Place, context: Option<&Expr>, private: &Private) -> TokenStream {
    let (object, selectors) = (object(&source.base), selectors(source, false, private));
    let context = context.map(self::context);
    let rank = Literal::usize_unsuffixed(source.selectors.len());
    let source_on = private.name("SourceOn", source.region.start);
    let method = Ident::new("source_on", source.region.start);
    let mut arguments = Group::new(Delimiter::Parenthesis, quote!(#object, #context, #selectors));
    arguments.set_span(source.region.end);
    quote!(#source_on::<#rank, _, _, _>::#method #arguments)
}

/// A reference to the object. `&` has the user's span, so that an error about the object underlines
/// the object.
fn object(base: &Base) -> TokenStream {
    let object = match base {
        Base::Static(path) => path.to_token_stream(),
        Base::Expression(expression @ (Expr::Path(_) | Expr::Field(_) | Expr::Paren(_))) => {
            expression.to_token_stream()
        }
        Base::Expression(expression) => quote!((#expression)),
    };
    let and = Token![&](Region::of(&object).start);
    quote!(#and #object)
}

/// The tuple of the selectors. It has the span of the brackets, so that an error about the number of
/// selectors underlines them.
fn selectors(place: &Place, is_whole: bool, private: &Private) -> Group {
    let path = match &place.base {
        Base::Static(path) => Some(path),
        Base::Expression(_) => None,
    };
    let selectors = place
        .selectors
        .iter()
        .enumerate()
        .map(|(axis, selector)| select::expand(selector, axis, path, is_whole && axis == 0, private));
    let mut selectors = Group::new(Delimiter::Parenthesis, quote!(#(#selectors,)*));
    selectors.set_span(place.brackets);
    selectors
}

/// As [`reference()`], with a check of the size where the place is read `by_value`.
fn refer(
    place: &Place,
    kind: PlaceMacro,
    on: Option<&Expr>,
    by_value: bool,
    private: &Private,
) -> TokenStream {
    let is_whole = matches!(place.pe, Some(Pe::Whole));
    let (object, selectors) = (object(&place.base), selectors(place, is_whole, private));
    let on_context = !is_whole && on.is_some();
    let of_rank = match (is_whole, on_context) {
        (true, _) => "OfWhole",
        (false, true) => "OnContext",
        (false, false) => "OfRank",
    };
    let (method, arguments) = match (kind, &place.pe, on.map(context)) {
        (PlaceMacro::Remote, Some(Pe::Number(pe)), context) => {
            let pe = plain(pe);
            let name = private.name("Pe", Region::of(pe).start);
            let pe = quote!(#name { pe: #pe });
            match context {
                None => ("remote", quote!(#object, #pe, #selectors)),
                Some(context) => ("remote_on", quote!(#object, #context, #pe, #selectors)),
            }
        }
        (PlaceMacro::Remote, _, None) => ("whole", quote!(#object, #selectors)),
        (PlaceMacro::Remote, _, Some(context)) => ("whole_on", quote!(#object, #context, #selectors)),
        (_, _, None) => ("local", quote!(#object, #selectors)),
        (_, _, Some(context)) => ("local_on", quote!(#object, #context, #selectors)),
    };
    let rank = Literal::usize_unsuffixed(place.selectors.len()).to_token_stream();
    // The check is an item inside the constant. A block around the expression would end the life of
    // its temporaries.
    let rank = match place.check_read(by_value, private) {
        Some(check) => quote!({ const _: () = #check; #rank }),
        None => rank,
    };
    let of_rank = private.name(of_rank, place.region.start);
    let method = Ident::new(method, place.region.start);
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(place.region.end);
    // The kind of memory is that of the object.
    let memory = on_context.then(|| quote!(, _));
    let reference = quote!(#of_rank::<#rank, _, _ #memory>::#method #arguments);
    if place.fields.is_empty() {
        return reference;
    }
    // Looked up where this macro is defined, so it cannot clash with a name of the user.
    let it = Ident::new("it", Span::mixed_site());
    let fields = &place.fields;
    private.call("Remote::field", place.region, quote!(#reference, |#it| &#it #(.#fields)*))
}

impl Place {
    /// The check of how much is read by value, where the compiler knows it: in a static, with
    /// constant selectors. The size of a field is not known here, so a read of fields is not
    /// checked.
    fn check_read(&self, by_value: bool, private: &Private) -> Option<TokenStream> {
        let Base::Static(path) = &self.base else {
            return None;
        };
        if !by_value || !self.fields.is_empty() || !is_constant_path(path) {
            return None;
        }
        let mut lengths = Vec::new();
        for (axis, selector) in self.selectors.iter().enumerate() {
            lengths.extend(select::length(selector, axis, path, private)?);
        }
        let name = path_text(path);
        Some(private.call("check_read", self.region, quote!(&#path, #name, &[#(#lengths),*])))
    }
}

/// A reference to the context. `&` has the user's span, so that an error about the type of the
/// context underlines the context.
pub(crate) fn context(expression: &Expr) -> TokenStream {
    let and = Token![&](Region::of(expression).start);
    match plain(expression) {
        expression @ (Expr::Path(_) | Expr::Field(_) | Expr::Paren(_) | Expr::MethodCall(_)) => {
            quote!(#and #expression)
        }
        expression => quote!(#and (#expression)),
    }
}
