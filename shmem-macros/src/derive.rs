//! `#[derive(Symmetric)]`

use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Data, DeriveInput, Fields, Index, Member, Meta, Path, Token};

use crate::arguments::{self, Attribute};
use crate::diagnostics::{Problems, Region};
use crate::private::Private;

/// The whole derive. After a mistake the type still gets an implementation, so that its uses are
/// no further errors.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    match syn::parse2::<DeriveInput>(input) {
        Ok(input) => expand(&input).unwrap_or_else(|problems| refuse(&input, problems)),
        Err(error) => error.into_compile_error(),
    }
}

/// The implementation, or the mistakes.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream, Problems> {
    let mut problems = Problems::default();
    let shmem = shmem(input, &mut problems);
    check(input, &mut problems);
    match &input.data {
        Data::Struct(data) if problems.is_empty() => {
            Ok(generate(&Private::from_argument(shmem.as_ref()), input, &data.fields))
        }
        _ => Err(problems),
    }
}

/// The argument of `#[symmetric(crate = path)]` on the struct.
fn shmem(input: &DeriveInput, problems: &mut Problems) -> Option<Path> {
    let mut shmem = None;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("symmetric")) {
        match &attribute.meta {
            Meta::List(list) => {
                let tokens = list.tokens.clone();
                shmem = arguments::parse(Attribute::Derive, tokens, problems).shmem.or(shmem);
            }
            _ => problems.add(Region::of(attribute), arguments::name_expected(Attribute::Derive)),
        }
    }
    shmem
}

// Check -------------------------------------------------------------------------------------------

fn check(input: &DeriveInput, problems: &mut Problems) {
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            return problems.add(
                data.enum_token.span,
                "an enum has bit patterns that are not valid values, and a race between PEs could produce one: \
                 store the number, and convert with `TryFrom`",
            );
        }
        Data::Union(data) => {
            return problems.add(
                data.union_token.span,
                "a union can hold bytes that were never written: use a struct whose fields are all `Symmetric`",
            );
        }
    };
    if let Some(generics) = Region::of_generics(&input.generics) {
        problems.add(
            generics,
            "`#[derive(Symmetric)]` checks the layout of one type, so a generic struct cannot have it: \
             write a struct for each type that is used",
        );
    }
    let name = &input.ident;
    if fields.is_empty() {
        problems.add(name.span(), "a struct without fields holds nothing: add a field");
    }
    let mut fixed_layout = false;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        let Meta::List(list) = &attribute.meta else {
            continue;
        };
        let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
        // rustc reports a `repr` that it cannot read.
        for word in parser.parse2(list.tokens.clone()).unwrap_or_default() {
            fixed_layout |= word.path().is_ident("C") || word.path().is_ident("transparent");
            if word.path().is_ident("packed") {
                problems.add(
                    Region::of(&word),
                    "fields of a packed struct are not aligned, and cannot be transferred alone: \
                     remove `packed`, and order the fields so that there is no padding",
                );
            }
        }
    }
    if !fixed_layout {
        problems.add(
            name.span(),
            format!(
                "the layout of `{name}` may differ from one compilation to the next: add `#[repr(C)]`, \
                 or `#[repr(transparent)]` around one field"
            ),
        );
    }
}

// Expand ------------------------------------------------------------------------------------------

/// The call of the macro of the crate `shmem` that checks the struct and implements the trait.
///
/// Soundness rests on that macro alone: its paths are those of the real crate, and nobody can
/// shadow them. What is written here may resolve to anything in the user's scope, so it has no
/// `unsafe`.
fn generate(private: &Private, input: &DeriveInput, fields: &Fields) -> TokenStream {
    let name = &input.ident;
    let here = name.span();
    let mut listed = TokenStream::new();
    for (position, field) in fields.iter().enumerate() {
        let ty = &field.ty;
        let member = match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(Index::from(position)),
        };
        let text = match &member {
            Member::Named(ident) => syn::ext::IdentExt::unraw(ident).to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        let text = Literal::string(&text);
        listed.extend(quote!(#text #member: #ty,));
    }
    let type_name = Literal::string(&syn::ext::IdentExt::unraw(name).to_string());
    let path = private.name("symmetric_struct", here);
    let mut fields = Group::new(Delimiter::Brace, quote!(#type_name #name { #listed }));
    fields.set_span(Span::mixed_site().located_at(here));
    quote!(#path! #fields)
}

/// The mistakes, and an implementation. No program can use it: the macro that makes it also reports
/// the first mistake.
fn refuse(input: &DeriveInput, problems: Problems) -> TokenStream {
    let shmem = shmem(input, &mut Problems::default());
    let private = Private::from_argument(shmem.as_ref());
    problems.into_items_with(|region, text| {
        let name = &input.ident;
        let (generics, arguments, _) = input.generics.split_for_impl();
        // Without the angle brackets.
        let generics = generics.to_token_stream().into_iter().collect::<Vec<_>>();
        let inner = generics.get(1..generics.len().saturating_sub(1)).unwrap_or_default();
        let path = private.name("symmetric_refused", region.start);
        let mut tokens = Group::new(Delimiter::Brace, quote!(#text [#(#inner)*] #name #arguments));
        tokens.set_span(Span::mixed_site().located_at(region.end));
        quote!(#path! #tokens)
    })
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;

    use super::derive;
    use crate::diagnostics::Problems;
    use crate::testing::{assert_mistakes, assert_tokens, tokens};

    fn expand(input: TokenStream) -> Result<TokenStream, Problems> {
        super::expand(&syn::parse2(input).expect("a type"))
    }

    #[track_caller]
    fn wrong(source: &str, expected: &[(&str, &str)]) {
        match expand(tokens(source)) {
            Ok(actual) => panic!("{source} expands to {actual}"),
            Err(problems) => assert_mistakes(source, &problems, expected),
        }
    }

    #[test]
    fn whole_expansion() {
        let source =
            "#[repr(C, align(16))] #[symmetric(crate = s)] struct Body { pos: [f64; 3], r#type: u64 }";
        let expected = "s::__private::symmetric_struct! {
            \"Body\" Body { \"pos\" pos: [f64; 3], \"type\" r#type: u64, }
        }";
        assert_tokens(&expand(tokens(source)).expect("a good struct"), expected);
    }

    #[test]
    fn tuple_struct() {
        let actual = expand(tokens("#[repr(transparent)] struct Id(u64);")).expect("a good struct");
        assert!(actual.to_string().contains("\"0\" 0 : u64"), "{actual}");
    }

    /// The first mistake goes into the macro, with an implementation for all generic arguments.
    #[test]
    fn refused() {
        let refused = derive(tokens(
            "#[symmetric(crate = s)] struct S<'a, const N: usize>(&'a [u8; N]) where u8: Copy;",
        ))
        .to_string();
        let (first, second) = (refused.find("generic struct"), refused.find("the layout of `S`"));
        assert!(first.is_some() && first < second, "{refused}");
        assert!(refused.starts_with("s :: __private :: symmetric_refused !"), "{refused}");
        assert!(refused.contains("['a , const N : usize] S < 'a , N >"), "{refused}");
        assert_eq!(refused.matches("compile_error").count(), 1, "{refused}");
    }

    #[test]
    fn mistakes() {
        wrong("enum E { A }", &[("enum", "an enum has bit patterns")]);
        wrong("union U { a: u8 }", &[("union", "a union can hold")]);
        wrong("#[repr(C)] struct S;", &[("S", "a struct without fields")]);
        wrong("#[repr(C)] struct S<T>(T);", &[("<T>", "...a generic struct cannot")]);
        wrong("#[repr(C)] struct S<'a>(&'a u8);", &[("<'a>", "...a generic struct cannot")]);
        wrong("struct S(u8);", &[("S", "the layout of `S` may differ")]);
        wrong("#[repr(Rust)] struct S(u8);", &[("S", "the layout of `S` may differ")]);
        wrong("#[repr(align(8))] struct S(u8);", &[("S", "the layout of `S` may differ")]);
        wrong("#[repr(C, packed(2))] struct S(u8);", &[("packed(2)", "fields of a packed struct")]);
        wrong("#[repr(C)] #[symmetric] struct S(u8);", &[("#[symmetric]", "expected an argument's name")]);
        wrong(
            "#[repr(packed)] #[symmetric(npes = 3)] struct S<T>;",
            &[
                ("npes", "`npes` is not an argument"),
                ("<T>", "...a generic struct"),
                ("S", "a struct without fields"),
                ("packed", "fields of a packed"),
                ("S", "the layout of `S`"),
            ],
        );
    }
}
