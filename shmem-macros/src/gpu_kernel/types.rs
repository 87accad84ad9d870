//! The types that a kernel has, and their names in C++.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use syn::{Expr, GenericArgument, Lifetime, Lit, PathArguments, Type};

use super::plain_type;
use crate::MAX_RANK;
use crate::diagnostics::{Problems, Region};
use crate::private::Private;

/// The numbers of a kernel, for messages.
pub(super) const SCALARS: &str =
    "`bool`, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32 or f64, under these names";

const NAMES: [&str; 13] =
    ["bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"];

/// What a name in a kernel stands for.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A number, or `bool`.
    Scalar(&'static str),
    /// A variable whose type is that of its value.
    Value,
    /// A private array.
    Array,
    /// Shared memory of the block.
    Shared,
    /// A device array: the type of its elements, whether they are cells, and its rank.
    Global { element: &'static str, atomic: bool, rank: usize },
    /// A team of PEs.
    Team,
}

/// The name of a type in C++.
pub(super) fn cpp(scalar: &str) -> String {
    if scalar == "bool" { "bool".to_owned() } else { format!("rs::{scalar}") }
}

/// The number that a name stands for.
pub(super) fn scalar(name: &str) -> Option<&'static str> {
    NAMES.into_iter().find(|known| *known == name)
}

/// The number that a type is.
pub(super) fn scalar_of(ty: &Type) -> Option<&'static str> {
    match plain_type(ty) {
        Type::Path(path) if path.qself.is_none() => scalar(&path.path.get_ident()?.to_string()),
        _ => None,
    }
}

/// Whether a number has a point.
pub(super) fn is_float(scalar: &str) -> bool {
    scalar.starts_with('f')
}

/// The type of a parameter.
pub(super) fn parameter(ty: &Type, problems: &mut Problems) -> Option<Kind> {
    if let Some(scalar) = scalar_of(ty) {
        return Some(Kind::Scalar(scalar));
    }
    let wrong = || {
        format!(
            "a kernel has no parameter of this type: write {SCALARS}, `Global<T>` or `Global<T, RANK>` for a device array, or \
             `GpuTeam`"
        )
    };
    let Type::Path(path) = plain_type(ty) else { return problems.fail(Region::of(ty), wrong()) };
    let last = path.path.segments.last()?;
    if last.ident == "GpuTeam" && last.arguments.is_none() && path.qself.is_none() {
        return Some(Kind::Team);
    }
    if last.ident != "Global" || path.qself.is_some() {
        return problems.fail(Region::of(ty), wrong());
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return problems.fail(Region::of(ty), "a `Global` has a type of elements: write `Global<f32>`");
    };
    let mut given = arguments.args.iter();
    let (element, rank) = (given.next(), given.next());
    if let Some(more) = given.next() {
        return problems.fail(Region::of(more), "a `Global` has elements and a rank: write `Global<f32, 2>`");
    }
    let rank = match rank {
        None => 1,
        Some(GenericArgument::Const(Expr::Lit(literal))) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok().filter(|rank| (1..=MAX_RANK).contains(rank)),
            _ => None,
        }
        .or_else(|| problems.fail(Region::of(literal), "the rank of a device array is 1, 2, 3 or 4"))?,
        Some(other) => {
            return problems.fail(Region::of(other), "the rank is a number: write `Global<f32, 2>`");
        }
    };
    let Some(GenericArgument::Type(element)) = element else {
        return problems.fail(Region::of(ty), "a `Global` has a type of elements: write `Global<f32>`");
    };
    if let Some(number) = scalar_of(element).filter(|name| *name != "bool") {
        return Some(Kind::Global { element: number, atomic: false, rank });
    }
    if let Type::Path(path) = plain_type(element)
        && let Some(last) = path.path.segments.last()
        && last.ident == "Atomic"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = arguments.args.first()
    {
        return match scalar_of(inner) {
            Some(cell @ ("i32" | "u32" | "i64" | "u64" | "isize" | "usize")) => {
                Some(Kind::Global { element: cell, atomic: true, rank })
            }
            _ => problems.fail(
                Region::of(inner),
                "a kernel has cells of i32, u32, i64, u64, isize and usize: write one of these",
            ),
        };
    }
    problems.fail(
        Region::of(element),
        "a device array of a kernel has elements of i8 to i64, u8 to u64, isize, usize, f32 or f64, or `Atomic` cells of \
         integers: write one of these",
    )
}

impl Kind {
    /// The type of a parameter in C++.
    pub(super) fn cpp(&self) -> String {
        match self {
            Kind::Scalar(scalar) => cpp(scalar),
            Kind::Global { element, atomic, rank } => {
                let name = if *atomic { "Cells" } else { "Global" };
                format!("rs::{name}<{}, {rank}>", cpp(element))
            }
            Kind::Team => "rs::Team".to_owned(),
            Kind::Value | Kind::Array | Kind::Shared => unreachable!("no parameter is {self:?}"),
        }
    }

    /// The type of a parameter in Rust.
    pub(super) fn rust(&self, private: &Private, lifetime: &str, at: Region) -> TokenStream {
        match self {
            Kind::Scalar(scalar) => primitive(scalar, at),
            Kind::Global { element, atomic, rank } => {
                let element = primitive(element, at);
                let element = if *atomic {
                    let atomic = private.name("device::Atomic", at.start);
                    quote!(#atomic<#element>)
                } else {
                    element
                };
                let global = private.name("device::GlobalMemory", at.start);
                let lifetime = Lifetime::new(lifetime, Span::mixed_site());
                let rank = Literal::usize_unsuffixed(*rank);
                quote!(#global<#lifetime, #element, #rank>)
            }
            Kind::Team => {
                let team = private.name("device::KernelTeam", at.start);
                let lifetime = Lifetime::new(lifetime, Span::mixed_site());
                quote!(#team<#lifetime>)
            }
            Kind::Value | Kind::Array | Kind::Shared => unreachable!("no parameter is {self:?}"),
        }
    }
}

/// A primitive type, whatever the program calls so.
fn primitive(name: &str, at: Region) -> TokenStream {
    let name = Ident::new(name, at.start);
    quote!(#name)
}
