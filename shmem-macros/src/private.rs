//! The one way from an expansion into the crate `shmem`: the functions of its module `__private`.

use std::iter;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;

use crate::diagnostics::Region;

/// The path `shmem::__private`, under whatever name the user knows `shmem`.
pub(crate) struct Private {
    shmem: TokenStream,
}

impl Private {
    /// From the tokens of the crate's path: what `$crate` stands for in a wrapper, or the argument
    /// `crate = path`.
    pub(crate) fn new(shmem: TokenStream) -> Private {
        Private { shmem }
    }

    /// From the argument `crate = path` of an attribute, `::shmem` without it.
    pub(crate) fn from_argument(path: Option<&Path>) -> Private {
        Private::new(
            path.map_or_else(|| quote_spanned!(Span::mixed_site()=> ::shmem), ToTokens::to_token_stream),
        )
    }

    /// `shmem::__private::NAME`. An error about it is reported at `at`; names are looked up as if it stood
    /// where the crate's path comes from.
    pub(crate) fn name(&self, name: &str, at: Span) -> TokenStream {
        let span = self.origin().located_at(at);
        let mut path: TokenStream = self.shmem.clone().into_iter().map(|token| locate(token, at)).collect();
        for segment in iter::once("__private").chain(name.split("::")) {
            let segment = Ident::new(segment, span);
            path.extend(quote_spanned!(span=> :: #segment));
        }
        path
    }

    /// `shmem::__private::NAME(ARGUMENTS)`. An error about the call as a whole underlines `region`.
    pub(crate) fn call(&self, name: &str, region: Region, arguments: TokenStream) -> TokenStream {
        let path = self.name(name, region.start);
        let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
        arguments.set_span(self.origin().located_at(region.end));
        quote!(#path #arguments)
    }

    /// Where the crate's path was written.
    fn origin(&self) -> Span {
        let first = self.shmem.clone().into_iter().next();
        first.map_or_else(Span::mixed_site, |token| token.span())
    }
}

/// `token`, at another place in the source, but with its names looked up as before.
fn locate(mut token: TokenTree, at: Span) -> TokenTree {
    token.set_span(token.span().located_at(at));
    token
}
