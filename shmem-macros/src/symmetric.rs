//! `#[symmetric] static NAME: TYPE = VALUE;`

use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, GenericArgument, Item, ItemStatic, PathArguments, PathSegment, StaticMutability, Type};

use crate::MAX_RANK;
use crate::arguments::{self, Arguments, Attribute, Division};
use crate::diagnostics::{Problems, Region};
use crate::private::Private;

/// The whole attribute.
///
/// After a mistake in the type or the value the static stays as it was, because it cannot be made
/// symmetric. After any other mistake the expansion is that of the corrected static, so that the
/// uses of the static compile.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> (TokenStream, Problems) {
    let mut problems = Problems::default();
    let arguments = arguments::parse(Attribute::Symmetric, arguments, &mut problems);
    let Some(item_static) = parse(&item, &mut problems) else {
        return (item, problems);
    };
    if let StaticMutability::Mut(token) = &item_static.mutability {
        problems
            .add(token.span, "a symmetric static is written only with `remote!` and `local!`: remove `mut`");
    }
    let mistakes = problems.count();
    let element = element(&item_static.ty, &mut problems);
    if arguments.division.is_some() {
        check_divided(&item_static.ty, &mut problems);
    }
    check_halo(&arguments, &mut problems);
    check_value(&item_static, element, &mut problems);
    let tokens = if problems.count() == mistakes {
        let private = Private::from_argument(arguments.shmem.as_ref());
        generate(&private, &item_static, element, &arguments)
    } else {
        let ItemStatic { attrs, vis, ident, ty, expr, .. } = &item_static;
        quote!(#(#attrs)* #vis static #ident: #ty = #expr;)
    };
    (tokens, problems)
}

// Parse -------------------------------------------------------------------------------------------

/// The item as a static with a type and a value.
fn parse(item: &TokenStream, problems: &mut Problems) -> Option<ItemStatic> {
    if let Ok(item_static) = syn::parse2::<ItemStatic>(item.clone()) {
        return Some(item_static);
    }
    if item.clone().into_iter().any(|token| token.to_string() == "static") {
        // A static without a type or without a value: rustc says so.
        return None;
    }
    let (at, other) = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Fn(item)) => {
            return problems.fail(
                item.sig.fn_token.span,
                "`#[symmetric]` goes on a static: functions take `#[shmem::main]`, `#[shmem::kernel]` or \
                 `#[shmem::test]`",
            );
        }
        Ok(Item::Struct(item)) => {
            return problems.fail(
                item.struct_token.span,
                "`#[symmetric]` goes on a static: write `#[derive(Symmetric)]` on the struct, so that \
                 statics can hold it",
            );
        }
        Ok(Item::Const(item)) => (item.const_token.span.into(), "a constant"),
        Ok(Item::Enum(_)) => (Region::of(item), "an enum"),
        Ok(Item::Union(_)) => (Region::of(item), "a union"),
        Ok(Item::Mod(_)) => (Region::of(item), "a module"),
        Ok(Item::Type(_)) => (Region::of(item), "a type alias"),
        Ok(Item::Trait(_)) => (Region::of(item), "a trait"),
        Ok(Item::Impl(_)) => (Region::of(item), "an impl"),
        Ok(Item::Macro(_)) => (Region::of(item), "a macro call"),
        Ok(Item::Use(_)) => (Region::of(item), "an import"),
        _ => (Region::of(item), "this"),
    };
    problems.fail(
        at,
        format!(
            "`#[symmetric]` goes on a static, not on {other}: write `#[symmetric] static NAME: TYPE = VALUE;`"
        ),
    )
}

// Check -------------------------------------------------------------------------------------------

/// The type of one element of a static. Reports what rustc would only call a missing trait.
fn element<'t>(ty: &'t Type, problems: &mut Problems) -> &'t Type {
    let mut inner = bare(ty);
    let mut axes = 0;
    if let Some(segment) = per_pe_segment(inner) {
        let Some(slot) = single_type_argument(segment) else {
            problems.add(
                Region::of(inner),
                "`PerPe` takes the type of one slot: write `PerPe<T>` or `PerPe<[T; N]>`",
            );
            return inner;
        };
        axes += 1;
        inner = bare(slot);
    }
    while let Type::Array(array) = inner {
        if matches!(array.len, Expr::Infer(_)) {
            problems.add(
                Region::of(&array.len),
                "the length of a symmetric array is not inferred: write it instead of `_`",
            );
        }
        if axes == MAX_RANK {
            problems.add(
                Region::of(&array.len),
                "a symmetric static has at most 4 axes, and this is the fifth: join two of them",
            );
        }
        axes += 1;
        inner = bare(&array.elem);
    }
    if let Some((at, text)) = element_mistake(inner) {
        problems.add(at, text);
    }
    inner
}

/// Reports a type whose elements cannot be divided over the PEs. rustc judges types that this macro does
/// not know.
fn check_divided(ty: &Type, problems: &mut Problems) {
    let inner = bare(ty);
    if per_pe_segment(inner).is_some() {
        problems.add(
            Region::of(inner),
            "`PerPe` has a slot on each PE for each PE, and a global static is one array: write `[T; N]`",
        );
    }
}

/// Reports ghost cells of what has no neighbours.
fn check_halo(arguments: &Arguments, problems: &mut Problems) {
    let Some((at, _)) = arguments.halo else { return };
    match &arguments.division {
        None => problems.add(
            at,
            "ghost cells are copies of what other PEs hold of one array: say how it is divided, as in \
             `#[symmetric(block, halo = Halo::fixed(1))]`",
        ),
        Some(division) if !["BlockParts", "Block2dParts"].contains(&division.name) => problems.add(
            at,
            "ghost cells need neighbours in one block: divide the static with `block`, or with `block2d` if it \
             has two axes",
        ),
        Some(_) => {}
    }
}

/// The value that all elements of nested arrays begin with, if it is written so: `[[v; M]; N]` for
/// `[[T; M]; N]`.
fn repeated<'e>(ty: &Type, value: &'e Expr) -> Option<&'e Expr> {
    match (bare(ty), value) {
        (Type::Array(array), Expr::Repeat(repeat)) => match bare(&array.elem) {
            Type::Array(_) => repeated(&array.elem, &repeat.expr),
            _ => Some(&repeat.expr),
        },
        _ => None,
    }
}

/// Why no symmetric object can have elements of this type. rustc judges types that this macro does
/// not know.
fn element_mistake(ty: &Type) -> Option<(Region, String)> {
    let text = match ty {
        Type::Reference(_) => {
            "a symmetric object holds no references: other PEs have other addresses; store an index instead"
        }
        Type::Ptr(_) => {
            "a symmetric object holds no pointers: other PEs have other addresses; store an index instead"
        }
        Type::FnPtr(_) => {
            "a symmetric object holds no function pointers: other PEs may have other addresses; store a \
             number for the function instead"
        }
        Type::Slice(_) => {
            "the length is missing: write `[T; N]`; for a length known at run time use \
             `world.symmetric_array`"
        }
        Type::TraitObject(_) => {
            "the type of a symmetric object has a size known when it is compiled: write an element, \
             an array `[T; N]` or nested arrays"
        }
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            "a tuple has no fixed layout: write a struct with `#[derive(Clone, Copy, Symmetric)]` \
             and `#[repr(C)]`"
        }
        Type::Path(path) => {
            let segment = path.path.segments.last()?;
            let slot = match single_type_argument(segment) {
                Some(cell) if segment.ident == "Atomic" => cell,
                _ => ty,
            };
            if per_pe_segment(bare(slot)).is_some() {
                let text = "`PerPe` has one slot for each PE and must be the outermost type: write `PerPe<[T; N]>` \
                            instead of `[PerPe<T>; N]`";
                return Some((Region::of(slot), text.to_owned()));
            }
            return Some((Region::of(ty), known_type_mistake(segment)?));
        }
        _ => return None,
    };
    Some((Region::of(ty), text.to_owned()))
}

/// What is wrong with a type of Rust's library.
///
/// A user's own type may have the same name. Generic ones cannot be symmetric anyway, and of the
/// others only the names of the language and of its prelude are here.
fn known_type_mistake(segment: &PathSegment) -> Option<String> {
    let name = segment.ident.to_string();
    let generic = matches!(segment.arguments, PathArguments::AngleBracketed(_));
    let bits = |instead| {
        format!(
            "`{name}` has bit patterns that are not valid values, and a race between PEs could produce one: \
             write {instead}"
        )
    };
    let one_process = |instead: &str| format!("`{name}` works inside one process only: write {instead}");
    Some(match (name.as_str(), generic) {
        ("bool", false) => bits("`u8`"),
        ("char", false) => bits("`u32`"),
        ("Option", true) => bits("a plain element, and reserve one value for `None`"),
        ("str" | "String", false) => {
            format!("`{name}` keeps its bytes in this PE's own memory: write `[u8; N]`")
        }
        ("Vec" | "VecDeque" | "Box" | "Rc" | "Arc" | "HashMap" | "BTreeMap" | "HashSet" | "Cow", true) => {
            format!(
                "`{name}` keeps its elements in this PE's own memory: write `[T; N]`, or use \
                 `world.symmetric_array` for a length known at run time"
            )
        }
        (
            "Mutex" | "RwLock" | "Cell" | "RefCell" | "UnsafeCell" | "OnceLock" | "OnceCell" | "LazyLock",
            true,
        ) => one_process(
            "`Atomic<T>` for a cell that PEs update together, or a plain type, and a `Lock` as a second \
             static that guards it",
        ),
        ("AtomicBool", false) => one_process("`Atomic<u32>`"),
        _ => {
            let element = name.strip_prefix("Atomic")?.to_lowercase();
            let known = ["u32", "u64", "usize", "i32", "i64", "isize"].contains(&element.as_str());
            if !known || generic {
                return None;
            }
            one_process(&format!("`Atomic<{element}>`"))
        }
    })
}

/// Reports a number where the type asks for `Atomic::new` or `PerPe::new`.
fn check_value(item: &ItemStatic, element: &Type, problems: &mut Problems) {
    fn is_number(value: &Expr) -> bool {
        match value {
            Expr::Lit(_) => true,
            Expr::Unary(unary) => is_number(&unary.expr),
            Expr::Paren(inner) => is_number(&inner.expr),
            _ => false,
        }
    }
    let mut value = &*item.expr;
    if per_pe_segment(bare(&item.ty)).is_some() {
        if is_number(value) || matches!(value, Expr::Array(_) | Expr::Repeat(_)) {
            problems.add(
                Region::of(value),
                "`PerPe::new` makes a slot for each PE from one initial value: write `PerPe::new(0)` instead of `0`",
            );
        }
        return;
    }
    loop {
        value = match value {
            Expr::Repeat(repeat) => &repeat.expr,
            Expr::Array(array) => match array.elems.first() {
                Some(first) => first,
                None => return,
            },
            _ => break,
        };
    }
    let is_atomic = matches!(element, Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "Atomic"));
    if is_atomic && is_number(value) {
        problems.add(Region::of(value), "`Atomic::new` makes a cell: write `Atomic::new(0)` instead of `0`");
    }
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

// Expand ------------------------------------------------------------------------------------------

fn generate(private: &Private, item: &ItemStatic, element: &Type, arguments: &Arguments) -> TokenStream {
    let ItemStatic { attrs, vis, ident, ty, expr, .. } = item;
    let here = ident.span();
    let name = Literal::string(&syn::ext::IdentExt::unraw(ident).to_string());
    let type_text = Literal::string(&type_text(ty));
    // A macro of the crate `shmem` makes the static and registers it. It has the `unsafe` for that:
    // here `unsafe` would cover anything that the user calls `shmem`.
    let path = private.name(
        match arguments {
            Arguments { division: None, .. } => "symmetric_static",
            Arguments { halo: None, .. } => "symmetric_global",
            _ => "symmetric_halo",
        },
        here,
    );
    let mut checks = TokenStream::new();
    let item = match &arguments.division {
        None => quote! {
            #(#attrs)* #vis static #ident: [#ty] of [#element] = #expr;
            #name, #type_text
        },
        Some(Division { name: division_name, block, region }) => {
            let division = private.name(division_name, here);
            let division = match block {
                Some(block) => quote!(#division::<{ #block }>),
                None => division,
            };
            // One value for all takes no memory for each. The whole is an expression that is never
            // evaluated, so that rustc compares the lengths.
            let (filled, value) = match repeated(ty, expr) {
                Some(value) => {
                    checks = quote!(const _: fn() -> #ty = || #expr;);
                    (quote!(filled), value.to_token_stream())
                }
                None => (TokenStream::new(), expr.to_token_stream()),
            };
            let layout = |elements: &str| {
                let elements = private.name(elements, here);
                quote!(&<#element as #elements<#ty>>::LAYOUT)
            };
            let mut check = |function: &str, types: TokenStream, region: Region, elements: &str| {
                let layout = layout(elements);
                let call = private.call_of(function, types, region, quote!(#name, #layout));
                checks.extend(quote!(const _: () = #call;));
            };
            // Only these can fail; a check is work for the compiler.
            let elements = if arguments.halo.is_some() { "HaloElementOf" } else { "DividedElementOf" };
            if ["Block2dParts", "BlockCyclicParts"].contains(division_name) {
                check("check_division", quote!(::<#division, _, _>), *region, elements);
            }
            let halo = arguments.halo.as_ref().map(|(_, halo)| {
                check("check_halo", TokenStream::new(), Region::of(halo), elements);
                quote!(with [#halo])
            });
            quote! {
                #(#attrs)* #vis static #ident: [#ty] of [#element] in [#division] #halo = #filled #value;
                #name, #type_text
            }
        }
    };
    let mut item = Group::new(Delimiter::Brace, item);
    item.set_span(Span::mixed_site().located_at(here));
    quote!(#path! #item #checks)
}

/// A type as it is usually written. Tokens print with spaces between them.
fn type_text(ty: &Type) -> String {
    let mut text = ty.to_token_stream().to_string();
    for (spaced, tight) in [(" < ", "<"), (" >", ">"), (" :: ", "::"), (" ;", ";"), (" ,", ",")] {
        text = text.replace(spaced, tight);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::expand;
    use crate::testing::{assert_mistakes, assert_tokens, tokens};

    #[track_caller]
    fn expands(arguments: &str, source: &str, expected: &str) {
        let (actual, problems) = expand(tokens(arguments), tokens(source));
        assert_mistakes(source, &problems, &[]);
        assert_tokens(&actual, expected);
    }

    #[track_caller]
    fn wrong(source: &str, expected: &[(&str, &str)]) {
        let (actual, problems) = expand(tokens(""), tokens(source));
        assert_mistakes(source, &problems, expected);
        assert_tokens(&actual, source);
    }

    #[track_caller]
    fn wrong_type(ty: &str, at: &str, text: &str) {
        wrong(&format!("pub static A: {ty} = x;"), &[(at, text)]);
    }

    #[test]
    fn whole_expansion() {
        expands(
            "crate = other",
            "#[allow(x)] pub(crate) static r#GRID: [[m::Wrap<f64>; 64]; N + 1] = init();",
            "other::__private::symmetric_static! {
                #[allow(x)] pub(crate) static r#GRID: [[[m::Wrap<f64>; 64]; N + 1]] of [m::Wrap<f64>] = init();
                \"GRID\", \"[[m::Wrap<f64>; 64]; N + 1]\"
            }",
        );
    }

    #[test]
    fn global_statics() {
        expands(
            "block_cyclic(8)",
            "static T: [Atomic<u64>; N] = [Atomic::new(0); N];",
            "::shmem::__private::symmetric_global! {
                static T: [[Atomic<u64>; N]] of [Atomic<u64>] in [::shmem::__private::BlockCyclicParts::<{ 8 }>]
                    = filled Atomic::new(0);
                \"T\", \"[Atomic<u64>; N]\"
            }
            const _: fn() -> [Atomic<u64>; N] = || [Atomic::new(0); N];
            const _: () = ::shmem::__private::check_division::<
                ::shmem::__private::BlockCyclicParts::<{ 8 }>, _, _
            >(\"T\", &<Atomic<u64> as ::shmem::__private::DividedElementOf<[Atomic<u64>; N]>>::LAYOUT);",
        );
        expands(
            "block2d",
            "static T: [[f64; 2]; 2] = [[1.0, 2.0]; 2];",
            "::shmem::__private::symmetric_global! {
                static T: [[[f64; 2]; 2]] of [f64] in [::shmem::__private::Block2dParts] = [[1.0, 2.0]; 2];
                \"T\", \"[[f64; 2]; 2]\"
            }
            const _: () = ::shmem::__private::check_division::<::shmem::__private::Block2dParts, _, _>(
                \"T\", &<f64 as ::shmem::__private::DividedElementOf<[[f64; 2]; 2]>>::LAYOUT
            );",
        );
        expands(
            "block, halo = W",
            "static T: [f64; 3] = [1.0, 2.0, 3.0];",
            "::shmem::__private::symmetric_halo! {
                static T: [[f64; 3]] of [f64] in [::shmem::__private::BlockParts] with [W] = [1.0, 2.0, 3.0];
                \"T\", \"[f64; 3]\"
            }
            const _: () = ::shmem::__private::check_halo(
                \"T\", &<f64 as ::shmem::__private::HaloElementOf<[f64; 3]>>::LAYOUT
            );",
        );
        let (_, problems) = expand(tokens("block"), tokens("static T: PerPe<u8> = PerPe::new(0);"));
        assert_mistakes("PerPe", &problems, &[("PerPe<u8>", "`PerPe` has a slot on each PE")]);
        let item = || tokens("static T: [f64; 3] = [0.0; 3];");
        let (_, problems) = expand(tokens("halo = Halo::fixed(1)"), item());
        assert_mistakes("halo alone", &problems, &[("halo", "...say how it is divided")]);
        let (_, problems) = expand(tokens("halo = Halo::fixed(1), block_cyclic(2)"), item());
        assert_mistakes("no blocks", &problems, &[("halo", "ghost cells need neighbours in one block")]);
    }

    #[test]
    fn types() {
        for ty in [
            "u64",
            "(u64)",
            "[[[[u8; 1]; 2]; 3]; 4]",
            "[Atomic<u64>; N]",
            "[Lock; 16]",
            "shmem::PerPe<[f64; 4]>",
            // Types of the user, which rustc judges.
            "Vec3",
            "Vec",
            "AtomicCounter",
        ] {
            let (actual, problems) = expand(tokens(""), tokens(&format!("static A: {ty} = x;")));
            assert_mistakes(ty, &problems, &[]);
            let actual: String = actual.to_string().split_whitespace().collect();
            let expected: String = format!("static A: [{ty}] of [").split(' ').collect();
            assert!(actual.contains(&expected), "{actual}\n{expected}");
        }
    }

    #[test]
    fn mistakes_in_types() {
        wrong_type("&'static u8", "&'static u8", "a symmetric object holds no references");
        wrong_type("[*const u8; 3]", "*const u8", "a symmetric object holds no pointers");
        wrong_type("fn() -> u8", "fn() -> u8", "a symmetric object holds no function pointers");
        wrong_type("[u8]", "[u8]", "the length is missing: write `[T; N]`");
        wrong_type("[[u8]; 3]", "[u8]", "the length is missing: write `[T; N]`");
        wrong_type("dyn Fn()", "dyn Fn()", "the type of a symmetric object has a size");
        wrong_type("(u8, u16)", "(u8, u16)", "a tuple has no fixed layout");
        wrong_type("bool", "bool", "...write `u8`");
        wrong_type("[char; 2]", "char", "...write `u32`");
        wrong_type("String", "String", "...write `[u8; N]`");
        wrong_type("PerPe<Vec<u8>>", "Vec<u8>", "...write `[T; N]`");
        wrong_type("std::sync::Mutex<u8>", "std::sync::Mutex<u8>", "`Mutex` works inside one process only");
        wrong_type("AtomicU64", "AtomicU64", "...write `Atomic<u64>`");
        wrong_type("Option<u8>", "Option<u8>", "`Option` has bit patterns");
        wrong_type("[[[[[u8; 1]; 2]; 3]; 4]; 5]", "1", "a symmetric static has at most 4 axes");
        wrong_type("PerPe<[[[[u8; 1]; 2]; 3]; 4]>", "1", "a symmetric static has at most 4 axes");
        wrong_type("[PerPe<u8>; 2]", "PerPe<u8>", "`PerPe` has one slot for each PE");
        wrong_type("PerPe<PerPe<u8>>", "PerPe<u8>", "`PerPe` has one slot for each PE");
        wrong_type("Atomic<PerPe<u8>>", "PerPe<u8>", "`PerPe` has one slot for each PE");
        wrong_type("PerPe", "PerPe", "`PerPe` takes the type of one slot");
        wrong_type("PerPe<u8, 3>", "PerPe<u8, 3>", "`PerPe` takes the type of one slot");
        wrong_type("[u8; _]", "_", "the length of a symmetric array");
    }

    #[test]
    fn mistakes_in_values() {
        for (ty, value, at, text) in [
            ("Atomic<u64>", "0", "0", "`Atomic::new` makes a cell"),
            ("[Atomic<i32>; 4]", "[-1; 4]", "-1", "`Atomic::new` makes a cell"),
            ("[[shmem::Atomic<i32>; 2]; 4]", "[[3, 4]; 4]", "3", "`Atomic::new` makes a cell"),
            ("PerPe<u64>", "0", "0", "`PerPe::new` makes a slot for each PE"),
            ("PerPe<[f64; 2]>", "[0.0; 2]", "[0.0; 2]", "`PerPe::new` makes a slot for each PE"),
        ] {
            wrong(&format!("static A: {ty} = {value};"), &[(at, text)]);
        }
        // The macro does not know the value of a name or a call.
        expand_is_right("[Atomic<u64>; 2]", "[ZERO; 2]");
        expand_is_right("PerPe<Atomic<u64>>", "PerPe::new(Atomic::new(0))");
    }

    #[track_caller]
    fn expand_is_right(ty: &str, value: &str) {
        let source = format!("static A: {ty} = {value};");
        assert_mistakes(&source, &expand(tokens(""), tokens(&source)).1, &[]);
    }

    #[test]
    fn mistakes_in_items() {
        wrong("const A: u8 = 3;", &[("const", "...not on a constant")]);
        wrong("fn f() { }", &[("fn", "...functions take `#[shmem::main]`")]);
        wrong("struct S { a: u8 }", &[("struct", "...write `#[derive(Symmetric)]`")]);
        wrong("enum E { }", &[("enum E { }", "...not on an enum")]);
        wrong("not an item", &[("not an item", "...not on this")]);
        // rustc reports these itself.
        wrong("static A: u8;", &[]);
        wrong("static A = 3;", &[]);
    }

    #[test]
    fn mut_is_put_right() {
        let (actual, problems) = expand(tokens("krate = x"), tokens("static mut A: u8 = 3;"));
        let expected =
            [("krate", "`krate` is not an argument of `#[symmetric]`"), ("mut", "...remove `mut`")];
        assert_mistakes("static mut", &problems, &expected);
        assert!(actual.to_string().contains("static A : [u8] of [u8] = 3"));
    }
}
