//! `#[symmetric] static NAME: TYPE = VALUE;`

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Expr, GenericArgument, Item, ItemStatic, PathArguments, PathSegment, StaticMutability, Token, Type,
};

use crate::arguments::{self, Attribute};
use crate::diagnostics::{Mistake, Problems, Region};
use crate::private::Private;

/// The most axes of a static.
const MAX_RANK: usize = 4;

/// The whole way of the attribute.
///
/// After a mistake in the type the static is left as it was, because it cannot be made symmetric. Any other
/// mistake is put right in the expansion, so that what uses the static is compiled as usual.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> (TokenStream, Problems) {
    let mut problems = Problems::default();
    let arguments = arguments::parse(Attribute::Symmetric, arguments, &mut problems);
    let Some(item_static) = parse(&item, &mut problems) else {
        return (item, problems);
    };
    if let StaticMutability::Mut(token) = &item_static.mutability {
        problems.add(token.span, Mistake::SymmetricMut);
    }
    let mistakes = problems.count();
    let shape = shape(&item_static.ty, &mut problems);
    let tokens = if problems.count() == mistakes {
        generate(&Private::from_argument(arguments.shmem.as_ref()), &item_static, &shape)
    } else {
        let ItemStatic { attrs, vis, ident, ty, expr, .. } = &item_static;
        quote!(#(#attrs)* #vis static #ident: #ty = #expr;)
    };
    (tokens, problems)
}

// Parse ------------------------------------------------------------------------------------------------------

/// The item as a static with a type and a value.
fn parse(item: &TokenStream, problems: &mut Problems) -> Option<ItemStatic> {
    if let Ok(item_static) = syn::parse2::<ItemStatic>(item.clone()) {
        return Some(item_static);
    }
    if item.clone().into_iter().any(|token| token.to_string() == "static") {
        // A static without a type or without a value: rustc says so.
        return None;
    }
    let other = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Const(item)) => {
            problems.add(item.const_token.span, Mistake::SymmetricNotAStatic { item: "a constant" });
            return None;
        }
        Ok(Item::Fn(item)) => {
            problems.add(item.sig.fn_token.span, Mistake::SymmetricOnFunction);
            return None;
        }
        Ok(Item::Struct(item)) => {
            problems.add(item.struct_token.span, Mistake::SymmetricOnStruct);
            return None;
        }
        Ok(Item::Enum(_)) => "an enum",
        Ok(Item::Union(_)) => "a union",
        Ok(Item::Mod(_)) => "a module",
        Ok(Item::Type(_)) => "a type alias",
        Ok(Item::Trait(_)) => "a trait",
        Ok(Item::Impl(_)) => "an impl",
        Ok(Item::Macro(_)) => "a macro call",
        Ok(Item::Use(_)) => "an import",
        _ => "this",
    };
    problems.add(Region::of(item), Mistake::SymmetricNotAStatic { item: other });
    None
}

// Check ------------------------------------------------------------------------------------------------------

/// The type of a static, taken apart.
struct Shape<'t> {
    /// What one element is.
    element: &'t Type,
    /// Whether the first axis has one position for each PE.
    per_pe: bool,
    /// The written lengths of the other axes, outermost first.
    lengths: Vec<&'t Expr>,
}

/// Takes a type apart, and reports what teaches better here than as a missing trait.
fn shape<'t>(ty: &'t Type, problems: &mut Problems) -> Shape<'t> {
    let mut inner = bare(ty);
    let mut per_pe = false;
    if let Some(segment) = per_pe_segment(inner) {
        match single_type_argument(segment) {
            Some(slot) => {
                per_pe = true;
                inner = bare(slot);
            }
            None => {
                problems.add(Region::of(inner), Mistake::PerPeArguments);
                return Shape { element: inner, per_pe, lengths: Vec::new() };
            }
        }
    }
    let mut lengths = Vec::new();
    while let Type::Array(array) = inner {
        if matches!(array.len, Expr::Infer(_)) {
            problems.add(Region::of(&array.len), Mistake::ArrayLength);
        }
        if lengths.len() + usize::from(per_pe) == MAX_RANK {
            problems.add(Region::of(&array.len), Mistake::TooManyAxes);
        }
        lengths.push(&array.len);
        inner = bare(&array.elem);
    }
    check_element(inner, problems);
    Shape { element: inner, per_pe, lengths }
}

/// Reports an element type that no symmetric object can have. Types that are not known here are left to rustc.
fn check_element(ty: &Type, problems: &mut Problems) {
    let mistake = match ty {
        Type::Reference(_) => Mistake::ReferenceType,
        Type::Ptr(_) => Mistake::PointerType,
        Type::FnPtr(_) => Mistake::FunctionType,
        Type::Slice(_) => Mistake::SliceType,
        Type::TraitObject(_) => Mistake::UnsizedType,
        Type::Tuple(tuple) if !tuple.elems.is_empty() => Mistake::TupleType,
        Type::Path(path) => {
            let Some(segment) = path.path.segments.last() else {
                return;
            };
            if segment.ident == "PerPe" {
                problems.add(Region::of(ty), Mistake::PerPeInside);
                return;
            }
            if let Some(inner) = single_type_argument(segment)
                && segment.ident == "Atomic"
                && per_pe_segment(bare(inner)).is_some()
            {
                problems.add(Region::of(inner), Mistake::PerPeInside);
                return;
            }
            match named_mistake(segment) {
                Some(mistake) => mistake,
                None => return,
            }
        }
        _ => return,
    };
    problems.add(Region::of(ty), mistake);
}

/// What is wrong with a well-known type. A user's own type of the same name is possible: generic ones cannot
/// be symmetric anyway, and of the others only the names of the language and of its prelude are listed.
fn named_mistake(segment: &PathSegment) -> Option<Mistake> {
    let name = segment.ident.to_string();
    let generic = matches!(segment.arguments, PathArguments::AngleBracketed(_));
    Some(match (name.as_str(), generic) {
        ("bool", false) => Mistake::InvalidBits { name, instead: "u8" },
        ("char", false) => Mistake::InvalidBits { name, instead: "u32" },
        ("str" | "String", false) => Mistake::StringType { name },
        ("Vec" | "VecDeque" | "Box" | "Rc" | "Arc" | "HashMap" | "BTreeMap" | "HashSet" | "Cow", true) => {
            Mistake::OwningType { name }
        }
        (
            "Mutex" | "RwLock" | "Cell" | "RefCell" | "UnsafeCell" | "OnceLock" | "OnceCell" | "LazyLock",
            true,
        ) => Mistake::LockedType { name },
        ("Option", true) => Mistake::OptionType,
        ("AtomicBool", false) => Mistake::StdAtomic { name, element: "u32".to_owned() },
        _ => {
            let element = name.strip_prefix("Atomic")?.to_lowercase();
            let known = ["u32", "u64", "usize", "i32", "i64", "isize"].contains(&element.as_str());
            if !known || generic {
                return None;
            }
            Mistake::StdAtomic { name, element }
        }
    })
}

/// The type without parentheses and invisible groups around it.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => bare(&inner.elem),
        Type::Group(inner) => bare(&inner.elem),
        _ => ty,
    }
}

/// The last segment of a path that ends with `PerPe`.
fn per_pe_segment(ty: &Type) -> Option<&PathSegment> {
    let Type::Path(path) = ty else { return None };
    path.path.segments.last().filter(|segment| segment.ident == "PerPe")
}

/// `T` of `Name<T>`.
fn single_type_argument(segment: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(list) = &segment.arguments else {
        return None;
    };
    match list.args.first() {
        Some(GenericArgument::Type(ty)) if list.args.len() == 1 => Some(ty),
        _ => None,
    }
}

// Expand -----------------------------------------------------------------------------------------------------

fn generate(private: &Private, item: &ItemStatic, shape: &Shape<'_>) -> TokenStream {
    let ItemStatic { attrs, vis, ident, ty, expr, .. } = item;
    let region = Region::of(ty);
    let here = ident.span();
    let element = shape.element;

    let fix = private.name("Fix", region.start);
    let per_pe = shape.per_pe.then(|| private.name("PerPeDim", region.start)).into_iter();
    let fixed = shape.lengths.iter().map(|length| quote!(#fix<{ #length }>));
    let axes = per_pe.chain(fixed);

    // Angle brackets have spans too: an error about the type as a whole underlines all of it.
    let handle = private.name("Static", region.start);
    let mut close = proc_macro2::Punct::new('>', proc_macro2::Spacing::Alone);
    close.set_span(region.end);

    // The entry asks for an element that can be symmetric. Its argument stands where the element's type does, so
    // that rustc underlines the type.
    let place = Region::of(element);
    let and = Token![&](here.located_at(place.start));
    let mut object = ident.clone();
    object.set_span(here.located_at(place.end));

    let init = private.name("Init", region.start);
    let new_init = private.name("Init::new", here);
    let submit = private.name("inventory::submit", here);
    let entry = private.name("StaticEntry::new", place.start);
    let new_static = private.name("Static::new", here);
    let info = private.name("StaticInfo::new", here);
    let name = Literal::string(&syn::ext::IdentExt::unraw(ident).to_string());
    let type_text = Literal::string(&type_text(ty));
    quote! {
        #(#attrs)*
        #vis static #ident: #handle<#element, (#(#axes,)*) #close = {
            static __SHMEM_INIT: #init<#ty> = #new_init(#expr);
            #submit! { #entry(#and #object, &__SHMEM_INIT) }
            #new_static(#info(
                #name,
                ::core::module_path!(),
                ::core::file!(),
                ::core::line!(),
                ::core::column!(),
                #type_text
            ))
        };
    }
}

/// A type as one writes it: tokens may print with spaces around them.
fn type_text(ty: &Type) -> String {
    let mut text = ty.to_token_stream().to_string();
    for (spaced, tight) in [(" < ", "<"), (" >", ">"), (" :: ", "::"), (" ;", ";"), (" ,", ",")] {
        text = text.replace(spaced, tight);
    }
    text
}
