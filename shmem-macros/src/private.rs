//! The one way from an expansion into the crate `shmem`: the functions of its module `__private`.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;

use crate::diagnostics::Region;

/// The path `shmem::__private`, under the name by which the user knows `shmem`.
pub(crate) struct Private {
    shmem: TokenStream,
}

impl Private {
    /// From the tokens of the crate's path: what `$crate` stands for in a macro of `shmem`, or the
    /// argument `crate = path`.
    pub(crate) fn new(shmem: TokenStream) -> Private {
        Private { shmem }
    }

    /// From the argument `crate = path` of an attribute, `::shmem` without it.
    pub(crate) fn from_argument(path: Option<&Path>) -> Private {
        Private::new(
            path.map_or_else(|| quote_spanned!(Span::mixed_site()=> ::shmem), ToTokens::to_token_stream),
        )
    }

    /// `shmem::__private::NAME`. rustc reports an error about it at `at`.
    pub(crate) fn name(&self, name: &str, at: Span) -> TokenStream {
        self.path(&format!("__private::{name}"), at)
    }

    /// `shmem::__private::NAME`, as if the user had written it at `at`: for what an attribute writes into the
    /// user's code, where [`name`](Private::name) would stand at the attribute.
    pub(crate) fn user_name(&self, name: &str, at: Span) -> TokenStream {
        let respanned = |mut token: TokenTree| {
            token.set_span(at);
            token
        };
        let mut path: TokenStream = self.shmem.clone().into_iter().map(respanned).collect();
        for segment in format!("__private::{name}").split("::") {
            let segment = Ident::new(segment, at);
            path.extend(quote_spanned!(at=> :: #segment));
        }
        path
    }

    /// `shmem::__private::NAME(ARGUMENTS)`. An error about the whole call underlines `region`.
    pub(crate) fn call(&self, name: &str, region: Region, arguments: TokenStream) -> TokenStream {
        self.public_call(&format!("__private::{name}"), region, arguments)
    }

    /// `shmem::__private::NAME::<TYPES>(ARGUMENTS)`, as [`call`](Private::call).
    pub(crate) fn call_of(
        &self,
        name: &str,
        types: TokenStream,
        region: Region,
        arguments: TokenStream,
    ) -> TokenStream {
        let path = self.name(name, region.start);
        let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
        arguments.set_span(self.origin().located_at(region.end));
        quote!(#path #types #arguments)
    }

    /// `shmem::NAME(ARGUMENTS)`, for a name that messages show.
    pub(crate) fn public_call(&self, name: &str, region: Region, arguments: TokenStream) -> TokenStream {
        let path = self.path(name, region.start);
        let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
        arguments.set_span(self.origin().located_at(region.end));
        quote!(#path #arguments)
    }

    /// `shmem::NAME`, reported at `at`. Its names are looked up as if it stood where the crate's
    /// path was written.
    fn path(&self, name: &str, at: Span) -> TokenStream {
        let span = self.origin().located_at(at);
        let mut path: TokenStream = self.shmem.clone().into_iter().map(|token| locate(token, at)).collect();
        for segment in name.split("::") {
            let segment = Ident::new(segment, span);
            path.extend(quote_spanned!(span=> :: #segment));
        }
        path
    }

    /// Where the crate's path was written.
    fn origin(&self) -> Span {
        let first = self.shmem.clone().into_iter().next();
        first.map_or_else(Span::mixed_site, |token| token.span())
    }
}

/// `token` at another place in the source. Names are looked up as before.
fn locate(mut token: TokenTree, at: Span) -> TokenTree {
    token.set_span(token.span().located_at(at));
    token
}

#[cfg(test)]
mod tests {
    use proc_macro2::{TokenStream, TokenTree};

    use crate::arguments::Attribute;
    use crate::place::PlaceMacro;
    use crate::testing::tokens;
    use crate::{collective, derive, function, place, symmetric, wait};

    /// All tokens in order, with the opening delimiters of groups.
    fn flat(stream: TokenStream, into: &mut Vec<String>) {
        for token in stream {
            match token {
                TokenTree::Group(group) => {
                    let text = group.to_string();
                    into.extend(text.chars().next().map(String::from));
                    flat(group.stream(), into);
                }
                other => into.push(other.to_string()),
            }
        }
    }

    /// What an expansion adds is looked up where the user is. So it has no `unsafe`, which would
    /// cover the user's code; it names Rust's own crates through `__private` only; and it calls no
    /// methods, which any trait in scope could provide.
    #[test]
    fn expansions_count_on_nothing_in_scope() {
        let place = |kind, call: &str| place::expand(kind, tokens(&format!("s; {call}")));
        let item = |(tokens, problems): (TokenStream, crate::diagnostics::Problems)| {
            if problems.is_empty() { Ok(tokens) } else { Err(problems) }
        };
        let expansions = [
            place(PlaceMacro::Remote, "A[0, 1, 2..N, 3.., x..;s]"),
            place(PlaceMacro::Remote, "&A[0].field"),
            place(PlaceMacro::Remote, "A[0, [1, 2], [i, 3], @list, 0..4;-2]"),
            place(PlaceMacro::Remote, "&a[0, range;2, range;-s]"),
            place(PlaceMacro::Remote, "context; a[0, ..] = value"),
            place(PlaceMacro::Remote, "A[0] += 1"),
            place(PlaceMacro::Remote, "A[0, ..] => &mut buffer"),
            place(PlaceMacro::Local, "A[.., N, ..=4]"),
            collective::expand(tokens("s; A[..] = sum B[..]; on team")),
            collective::expand(tokens("s; scan x")),
            collective::expand(tokens("s; barrier")),
            wait::expand(wait::WaitMacro::Wait, tokens("s; any A[..] != 0; except status")),
            wait::expand(wait::WaitMacro::Poll, tokens("s; A >= 3")),
            Ok(derive::derive(tokens("#[repr(C)] #[symmetric(crate = s)] struct S { a: u8 }"))),
            Ok(derive::derive(tokens("#[repr(C)] #[symmetric(crate = s)] struct S<T> { a: T }"))),
            item(symmetric::expand(tokens("crate = s"), tokens("pub static A: PerPe<[u64; 3]> = x;"))),
            item(symmetric::expand(
                tokens("crate = s, block_cyclic(3)"),
                tokens("static A: [u64; 3] = [x; 3];"),
            )),
            item(symmetric::expand(
                tokens("crate = s, block2d, halo = W"),
                tokens("static A: [[u64; 3]; 2] = x;"),
            )),
            item(function::start(
                Attribute::Main,
                tokens("crate = s, npes = 4, heap = \"1M\""),
                tokens("fn main(w: &World) -> T {}"),
            )),
            item(function::start(Attribute::Test, tokens("crate = s"), tokens("fn sums() {}"))),
        ];
        for expansion in expansions {
            let expansion = expansion.unwrap_or_else(|problems| panic!("{:?}", problems.report()));
            let text = expansion.to_string();
            let mut all = Vec::new();
            flat(expansion, &mut all);
            for foreign in ["unsafe", "core", "std", "alloc", "use"] {
                assert!(!all.iter().any(|token| token == foreign), "`{foreign}` in {text}");
            }
            for three in all.windows(3) {
                let is_call = three[0] == "." && (three[2] == "(" || three[2] == ":");
                assert!(!is_call, "`.{}` is called in {text}", three[1]);
            }
        }
    }
}
