//! The mistakes of one macro call: where each one is, what it says, and how the compiler is told.
//!
//! The text of a mistake stands where the mistake is found. It says what is wrong and what to write
//! instead, and it names what the user wrote where that is short.

use proc_macro2::{Delimiter, Group, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Generics;

/// What an error underlines: from the start of one token to the end of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) start: Span,
    pub(crate) end: Span,
}

impl Region {
    /// All tokens of `syntax`; the place of the macro call when there are none.
    pub(crate) fn of(syntax: &impl ToTokens) -> Region {
        let mut tokens = syntax.to_token_stream().into_iter();
        match tokens.next() {
            None => Span::call_site().into(),
            Some(first) => {
                let end = tokens.last().map_or(first.span(), |last| last.span());
                Region { start: first.span(), end }
            }
        }
    }

    /// The generic parameters of an item, or else its `where` clause, or else nothing.
    pub(crate) fn of_generics(generics: &Generics) -> Option<Region> {
        let clause = generics.where_clause.as_ref().map(Region::of);
        if generics.params.is_empty() { clause } else { Some(Region::of(generics)) }
    }

    /// From the start of this region to the end of `other`.
    pub(crate) fn to(self, other: impl Into<Region>) -> Region {
        Region { start: self.start, end: other.into().end }
    }
}

impl From<Span> for Region {
    fn from(span: Span) -> Region {
        Region { start: span, end: span }
    }
}

/// The mistakes of one macro call, so that all of them are reported at once.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<(Region, String)>,
}

impl Problems {
    /// Adds a mistake. Its text says what is wrong and what to write instead.
    pub(crate) fn add(&mut self, region: impl Into<Region>, text: impl ToString) {
        self.list.push((region.into(), text.to_string()));
    }

    /// Adds a mistake after which a parser cannot go on, and returns the parser's `None`.
    pub(crate) fn fail<T>(&mut self, region: impl Into<Region>, text: impl ToString) -> Option<T> {
        self.add(region, text);
        None
    }

    /// Whether nothing was wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many mistakes there are so far.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// The errors as one expression. rustc gives the last error any type that is asked for, so it
    /// reports nothing but the mistakes.
    pub(crate) fn into_expression(self) -> TokenStream {
        let errors = self.errors();
        quote!({ #(#errors);* })
    }

    /// The errors as items, next to the item that they are about.
    pub(crate) fn into_items(self) -> TokenStream {
        let errors = self.errors();
        quote!(#(#errors;)*)
    }

    fn errors(&self) -> impl Iterator<Item = TokenStream> + '_ {
        self.list.iter().map(|(region, text)| compile_error(*region, text))
    }

    /// The errors as items; `item` makes the first one from its text.
    pub(crate) fn into_items_with(
        mut self,
        item: impl FnOnce(Region, Literal) -> TokenStream,
    ) -> TokenStream {
        if self.list.is_empty() {
            return TokenStream::new();
        }
        let (region, text) = self.list.remove(0);
        let item = item(region, Literal::string(&text));
        let others = self.into_items();
        quote!(#item #others)
    }

    /// Each mistake as the source text that it underlines, and its message.
    #[cfg(test)]
    pub(crate) fn report(&self) -> Vec<(String, String)> {
        let underlined = |region: &Region| {
            let span = region.start.join(region.end).unwrap_or(region.start);
            span.source_text().unwrap_or_default()
        };
        self.list.iter().map(|(region, text)| (underlined(region), text.clone())).collect()
    }
}

/// `::core::compile_error!("text")`. rustc underlines a macro call from its first token to its
/// last, so the path carries the start of the region and the parentheses carry its end.
fn compile_error(region: Region, text: &str) -> TokenStream {
    let mut text = Literal::string(text);
    text.set_span(region.end);
    let mut arguments = Group::new(Delimiter::Parenthesis, TokenTree::from(text).into());
    arguments.set_span(region.end);
    let mut bang = Punct::new('!', Spacing::Alone);
    bang.set_span(region.start);
    let path = quote_spanned!(region.start=> ::core::compile_error);
    quote!(#path #bang #arguments)
}
