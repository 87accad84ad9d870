//! `#[derive(Symmetric)]`

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Data, DeriveInput, Fields, Index, Member, Meta, Path, Token};

use crate::arguments::{self, Attribute};
use crate::diagnostics::{Mistake, Problems, Region};
use crate::private::Private;

/// The whole way of the derive.
pub(crate) fn expand(input: TokenStream) -> Result<TokenStream, Problems> {
    let mut problems = Problems::default();
    let input = match syn::parse2::<DeriveInput>(input) {
        Ok(input) => input,
        Err(error) => {
            problems.add(error.span(), Mistake::NotAnExpression { why: error.to_string() });
            return Err(problems);
        }
    };
    let shmem = shmem(&input, &mut problems);
    check(&input, &mut problems);
    match &input.data {
        Data::Struct(data) if problems.is_empty() => {
            Ok(generate(&Private::from_argument(shmem.as_ref()), &input, &data.fields))
        }
        _ => Err(problems),
    }
}

/// The argument of `#[symmetric(crate = path)]` on the struct.
fn shmem(input: &DeriveInput, problems: &mut Problems) -> Option<Path> {
    let mut shmem = None;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("symmetric")) {
        let tokens = match &attribute.meta {
            Meta::List(list) => list.tokens.clone(),
            _ => {
                let mistake = Mistake::ArgumentName { attribute: "symmetric", takes: "`crate = path`" };
                problems.add(Region::of(attribute), mistake);
                continue;
            }
        };
        shmem = arguments::parse(Attribute::Derive, tokens, problems).shmem.or(shmem);
    }
    shmem
}

// Check ------------------------------------------------------------------------------------------------------

fn check(input: &DeriveInput, problems: &mut Problems) {
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            problems.add(data.enum_token.span, Mistake::DeriveOnEnum);
            return;
        }
        Data::Union(data) => {
            problems.add(data.union_token.span, Mistake::DeriveOnUnion);
            return;
        }
    };
    let generics = &input.generics;
    if !generics.params.is_empty() {
        problems.add(Region::of(generics), Mistake::DeriveGeneric);
    } else if let Some(clause) = &generics.where_clause {
        problems.add(Region::of(clause), Mistake::DeriveGeneric);
    }
    if fields.is_empty() {
        problems.add(input.ident.span(), Mistake::DeriveWithoutFields);
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
                problems.add(Region::of(&word), Mistake::DerivePacked);
            }
        }
    }
    if !fixed_layout {
        let name = input.ident.to_string();
        problems.add(input.ident.span(), Mistake::DeriveWithoutRepr { name });
    }
}

// Expand -----------------------------------------------------------------------------------------------------

fn generate(private: &Private, input: &DeriveInput, fields: &Fields) -> TokenStream {
    let name = &input.ident;
    let here = name.span();
    let symmetric = private.name("Symmetric", here);

    let mut field_checks = TokenStream::new();
    let mut layout = TokenStream::new();
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
        let there = Span::mixed_site().located_at(Region::of(ty).start);
        field_checks.extend(quote_spanned!(there=> every_field_is_symmetric::<#ty>();));
        layout.extend(quote! {
            (#text, ::core::mem::offset_of!(#name, #member), ::core::mem::size_of::<#ty>()),
        });
    }
    let type_name = Literal::string(&syn::ext::IdentExt::unraw(name).to_string());
    let arguments = quote!(#type_name, ::core::mem::size_of::<#name>(), &[#layout]);
    let check_padding = private.call("check_padding", here.into(), arguments);
    quote! {
        const _: () = {
            const fn every_field_is_symmetric<T: #symmetric>() {}
            #field_checks
            const _: () = #check_padding;
            // SAFETY: the checks above hold: the layout is fixed, every field is symmetric, and no byte is
            // padding; `Copy` and `'static` are asked for by the trait.
            unsafe impl #symmetric for #name {}
        };
    }
}
