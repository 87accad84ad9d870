//! `#[shmem::main]`, `#[shmem::test]` and `#[shmem::kernel]`.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    AttrStyle, FnArg, ItemFn, ItemImpl, LitStr, ReturnType, Safety, Signature, TraitItemFn, Type, Visibility,
};

use crate::arguments::{self, Arguments, Attribute};
use crate::assignments;
use crate::diagnostics::{Problems, Region};
use crate::private::Private;

/// The number of PEs of a test that names none.
const TEST_PES: usize = 2;

/// The whole of `#[shmem::kernel]`: only the assignments in the body change.
pub(crate) fn kernel(arguments: TokenStream, item: TokenStream) -> (TokenStream, Problems) {
    let mut problems = Problems::default();
    arguments::parse(Attribute::Kernel, arguments, &mut problems);
    let Some(mut function) = function(Attribute::Kernel, &item, &mut problems) else {
        return (item, problems);
    };
    assignments::move_inside(&mut function.block);
    (function.into_token_stream(), problems)
}

/// The whole of `#[shmem::main]` and `#[shmem::test]`.
///
/// After a mistake in the arguments the function is expanded without them. After one in the
/// signature the function is still compiled, inside another of its name: so rustc reports mistakes
/// in the body too, and does not report that there is no `main`.
pub(crate) fn start(
    attribute: Attribute,
    arguments: TokenStream,
    item: TokenStream,
) -> (TokenStream, Problems) {
    let mut problems = Problems::default();
    let arguments = arguments::parse(attribute, arguments, &mut problems);
    let Some(mut function) = function(attribute, &item, &mut problems) else {
        return (item, problems);
    };
    assignments::move_inside(&mut function.block);
    let mistakes = problems.count();
    check(attribute, &function, &mut problems);
    let tokens = if problems.count() == mistakes {
        expand(attribute, &arguments, &function)
    } else {
        without_start(&function)
    };
    (tokens, problems)
}

/// The item as a function.
fn function(attribute: Attribute, item: &TokenStream, problems: &mut Problems) -> Option<ItemFn> {
    if let Ok(function) = syn::parse2::<ItemFn>(item.clone()) {
        return Some(function);
    }
    let at = Region::of(item);
    match attribute {
        Attribute::Main => {
            problems.fail(at, "`#[shmem::main]` goes on a function: write `fn main(world: &World) { ... }`")
        }
        Attribute::Test => {
            problems.fail(at, "`#[shmem::test]` goes on a function: write `fn name(world: &World) { ... }`")
        }
        // A function without a body, as in a trait, is not an item.
        _ if syn::parse2::<TraitItemFn>(item.clone()).is_ok() => problems.fail(
            at,
            "`#[shmem::kernel]` rewrites a function's body, and this one has none: \
             write it where the method is implemented",
        ),
        _ => match syn::parse2::<ItemImpl>(item.clone()) {
            Ok(item) => problems.fail(
                item.impl_token.span,
                "`#[shmem::kernel]` goes on one function: write it on each method that needs it",
            ),
            Err(_) => problems.fail(at, "`#[shmem::kernel]` goes on a function or method with a body"),
        },
    }
}

/// Reports what `main` or a test may not be.
fn check(attribute: Attribute, function: &ItemFn, problems: &mut Problems) {
    let Signature { constness, asyncness, safety, abi, generics, inputs, variadic, .. } = &function.sig;
    let is_test = attribute == Attribute::Test;
    let attribute = attribute.name();
    if let Some(token) = constness {
        problems.add(
            token.span,
            format!("`#[{attribute}]` takes a function that runs at run time: remove `const`"),
        );
    }
    if let Some(token) = asyncness {
        problems.add(
            token.span,
            format!(
                "`#[{attribute}]` takes an ordinary function: remove `async`, and start the executor inside it"
            ),
        );
    }
    if let Safety::Unsafe(token) = safety {
        problems.add(
            token.span,
            format!("`#[{attribute}]` takes a safe function, because the library calls it: remove `unsafe`"),
        );
    }
    if let Some(abi) = abi {
        problems.add(
            Region::of(abi),
            format!("`#[{attribute}]` takes a function with Rust's calling convention: remove `extern`"),
        );
    }
    if let Some(generics) = Region::of_generics(generics) {
        problems.add(
            generics,
            format!("`#[{attribute}]` takes a function without generic parameters: write concrete types"),
        );
    }
    let one_argument =
        format!("`#[{attribute}]` passes one argument at most, `world: &World`: remove this one");
    for (position, input) in inputs.iter().enumerate() {
        match input {
            FnArg::Receiver(receiver) => problems.add(
                Region::of(receiver),
                format!("`#[{attribute}]` takes a free function: replace `self` by `world: &World`"),
            ),
            _ if position > 0 => problems.add(Region::of(input), &one_argument),
            FnArg::Typed(parameter) => match &*parameter.ty {
                Type::Reference(reference) if reference.mutability.is_none() => {}
                other => problems.add(
                    Region::of(other),
                    format!("`#[{attribute}]` passes the world by shared reference: write `world: &World`"),
                ),
            },
        }
    }
    if let Some(variadic) = variadic {
        problems.add(Region::of(variadic), one_argument);
    }
    for other in function.attrs.iter().filter(|_| is_test) {
        let path = other.path();
        let ends_with_test = path.segments.last().is_some_and(|last| last.ident == "test");
        if path.is_ident("test") || path.segments.len() > 2 && ends_with_test {
            problems.add(
                Region::of(other),
                "`#[shmem::test]` makes the function a test already: remove this `#[test]`",
            );
        }
    }
}

/// The function of the user inside one that hands it to the launcher.
fn expand(attribute: Attribute, arguments: &Arguments, function: &ItemFn) -> TokenStream {
    let private = Private::from_argument(arguments.shmem.as_ref());
    let here = Span::mixed_site();
    let ItemFn { vis, sig, .. } = function;
    let (outer, user) = split(function);
    let name = &sig.ident;
    // `Some` and `None` too: in the user's crate `core` and `std` may be other crates.
    let some = private.name("Option::Some", here);
    let none = private.name("Option::None", here);
    let text = |argument: &Option<LitStr>| match argument {
        Some(text) => quote!(#some(#text)),
        None => quote!(#none),
    };
    let (heap, restore) = (text(&arguments.heap), text(&arguments.restore));
    let threads = match arguments.threads {
        Some(level) => {
            let level = private.name(&format!("ThreadLevel::{level}"), here);
            quote!(#some(#level))
        }
        None => quote!(#none),
    };
    let body = closure(&private, sig);

    if attribute == Attribute::Main {
        let npes = match arguments.npes.first() {
            Some(count) => {
                let count = Literal::usize_unsuffixed(*count);
                quote!(#some(#count))
            }
            None => quote!(#none),
        };
        let options = private.name("launch::JobOptions", here);
        let launch = private.name("launch::main", here);
        let exit_code = private.name("ExitCode", here);
        let mut block = Group::new(
            Delimiter::Brace,
            quote!(#user #launch(#options { npes: #npes, heap: #heap, threads: #threads, restore: #restore }, #body)),
        );
        block.set_span(function.block.brace_token.span.join());
        // `fn` and the braces have the user's spans. Nothing calls a function other than `main`,
        // and rustc warns of that, but not about a function that a macro wrote.
        let user_fn = &sig.fn_token;
        quote! {
            #(#outer)*
            #vis #user_fn #name() -> #exit_code #block
        }
    } else {
        let counts = if arguments.npes.is_empty() { &[TEST_PES][..] } else { &arguments.npes };
        let counts = counts.iter().map(|count| Literal::usize_unsuffixed(*count));
        let launch = private.name("launch::test", here);
        let options = private.name("launch::TestOptions", here);
        let races = arguments.races;
        let test = private.name("test_attribute", here);
        let [concat, module_path, stringify] =
            ["concat", "module_path", "stringify"].map(|name| private.name(name, here));
        quote! {
            #(#outer)*
            #[#test]
            #vis fn #name() {
                #user
                #launch(
                    #concat!(#module_path!(), "::", #stringify!(#name)),
                    #options { npes: &[#(#counts),*], heap: #heap, races: #races },
                    #body,
                )
            }
        }
    }
}

/// The closure that runs the user's function on a PE and returns how it ended.
fn closure(private: &Private, sig: &Signature) -> TokenStream {
    let name = &sig.ident;
    let world = Ident::new("world", Span::mixed_site());
    let (parameter, call) = match sig.inputs.first() {
        None => (quote!(_), quote!(#name())),
        Some(FnArg::Typed(parameter)) => {
            // So rustc reports a parameter that is no `&World` at its type.
            let span = Region::of(&parameter.ty).start;
            let world_there = Ident::new("world", Span::mixed_site().located_at(span));
            (quote!(#world), quote!(#name(#world_there)))
        }
        Some(FnArg::Receiver(_)) => (quote!(#world), quote!(#name(#world))),
    };
    if let ReturnType::Type(_, ty) = &sig.output
        && matches!(**ty, Type::Never(_))
    {
        return quote!(|#parameter| #call);
    }
    let returned = Ident::new("returned", Span::mixed_site());
    let returns = private.name("launch::Returns::of", Span::mixed_site());
    // So rustc reports a type that `main` cannot return where that type is written.
    let there = match &sig.output {
        ReturnType::Type(_, ty) => Span::mixed_site().located_at(Region::of(ty).start),
        ReturnType::Default => Span::mixed_site(),
    };
    let name = private.name("launch::ReturnForm::outcome", there);
    let value = Ident::new("returned", there);
    let outcome = quote_spanned!(there=> #name(&#returns(&#returned)[()], #value));
    quote! {
        |#parameter| {
            let #returned = #call;
            #outcome
        }
    }
}

/// The function as it is, inside another of its name that can be a `main` or a test.
fn without_start(function: &ItemFn) -> TokenStream {
    let ItemFn { vis, sig, .. } = function;
    let (outer, user) = split(function);
    let outer = outer.iter().filter(|attribute| !attribute.path().is_ident("test"));
    let name = &sig.ident;
    quote! {
        #(#outer)*
        #vis fn #name() {
            #[allow(unused)]
            #user
        }
    }
}

/// The attributes of a function, and the function without them and without its visibility.
fn split(function: &ItemFn) -> (Vec<syn::Attribute>, ItemFn) {
    let (outer, inner) =
        function.attrs.iter().cloned().partition(|attribute| matches!(attribute.style, AttrStyle::Outer));
    let user = ItemFn { attrs: inner, vis: Visibility::Inherited, ..function.clone() };
    (outer, user)
}

#[cfg(test)]
mod tests {
    use super::{kernel, start};
    use crate::arguments::Attribute;
    use crate::testing::{assert_mistakes, assert_tokens, tokens};

    #[track_caller]
    fn expands(attribute: Attribute, arguments: &str, source: &str, expected: &str) {
        let (actual, problems) = start(attribute, tokens(arguments), tokens(source));
        assert_mistakes(source, &problems, &[]);
        assert_tokens(&actual, &expected.replace("P::", "::shmem::__private::"));
    }

    #[track_caller]
    fn wrong(attribute: Attribute, source: &str, expected: &[(&str, &str)]) {
        let (_, problems) = start(attribute, tokens(""), tokens(source));
        assert_mistakes(source, &problems, expected);
    }

    /// The closure that calls the user's function.
    fn closure(parameter: &str, call: &str) -> String {
        format!(
            "|{parameter}| {{
                let returned = {call};
                P::launch::ReturnForm::outcome(&P::launch::Returns::of(&returned)[()], returned)
            }}"
        )
    }

    #[test]
    fn main_with_everything() {
        expands(
            Attribute::Main,
            "npes = 4, threads = single, heap = \"64M\", restore = \"c\"",
            "#[allow(x)] pub fn main(w: &World) -> Result<(), E> { #![allow(y)] remote!(A[0]) = 3; f(w) }",
            &format!(
                "#[allow(x)] pub fn main() -> P::ExitCode {{
                    fn main(w: &World) -> Result<(), E> {{ #![allow(y)] remote!(A[0] = 3); f(w) }}
                    P::launch::main(P::launch::JobOptions {{
                        npes: P::Option::Some(4),
                        heap: P::Option::Some(\"64M\"),
                        threads: P::Option::Some(P::ThreadLevel::Single),
                        restore: P::Option::Some(\"c\")
                    }}, {})
                }}",
                closure("world", "main(world)")
            ),
        );
    }

    #[test]
    fn main_with_nothing() {
        expands(
            Attribute::Main,
            "",
            "fn main() {}",
            &format!(
                "fn main() -> P::ExitCode {{
                    fn main() {{}}
                    P::launch::main(P::launch::JobOptions {{
                        npes: P::Option::None,
                        heap: P::Option::None,
                        threads: P::Option::None,
                        restore: P::Option::None
                    }}, {})
                }}",
                closure("_", "main()")
            ),
        );
    }

    #[test]
    fn main_that_never_returns() {
        let (actual, _) = start(Attribute::Main, tokens(""), tokens("fn main() -> ! { loop {} }"));
        assert!(actual.to_string().contains("| _ | main ()"), "{actual}");
    }

    #[test]
    fn test_with_counts() {
        expands(
            Attribute::Test,
            "npes = [1, 2]",
            "#[ignore] fn sums(_: &World) {}",
            &format!(
                "#[ignore] #[P::test_attribute] fn sums() {{
                    fn sums(_: &World) {{}}
                    P::launch::test(
                        P::concat!(P::module_path!(), \"::\", P::stringify!(sums)),
                        P::launch::TestOptions {{ npes: &[1, 2], heap: P::Option::None, races: false }},
                        {},
                    )
                }}",
                closure("world", "sums(world)")
            ),
        );
    }

    #[test]
    fn test_without_counts() {
        let (actual, _) = start(Attribute::Test, tokens(""), tokens("fn t() {}"));
        assert!(actual.to_string().contains("& [2]"), "{actual}");
        assert!(actual.to_string().contains("races : false"), "{actual}");
        let (actual, _) = start(Attribute::Test, tokens("races"), tokens("fn t() {}"));
        assert!(actual.to_string().contains("& [2]"), "{actual}");
        assert!(actual.to_string().contains("races : true"), "{actual}");
    }

    #[test]
    fn signatures() {
        for attribute in [Attribute::Main, Attribute::Test] {
            wrong(attribute, "async fn f() {}", &[("async", "...remove `async`")]);
            wrong(attribute, "const fn f() {}", &[("const", "...remove `const`")]);
            wrong(attribute, "unsafe fn f() {}", &[("unsafe", "...remove `unsafe`")]);
            wrong(attribute, "extern \"C\" fn f() {}", &[("extern \"C\"", "...remove `extern`")]);
            wrong(attribute, "fn f<T>() {}", &[("<T>", "...without generic parameters")]);
            wrong(attribute, "fn f() where u8: X {}", &[("where u8: X", "...without generic parameters")]);
            wrong(attribute, "fn f(&self) {}", &[("&self", "...takes a free function")]);
            wrong(attribute, "fn f(w: &World, x: u8) {}", &[("x: u8", "...one argument at most")]);
            wrong(attribute, "fn f(w: World) {}", &[("World", "...write `world: &World`")]);
            wrong(attribute, "fn f(w: &mut World) {}", &[("&mut World", "...write `world: &World`")]);
            wrong(attribute, "struct S;", &[("struct S;", "...goes on a function")]);
            wrong(
                attribute,
                "async unsafe fn f<T>(w: u8, x: u8) {}",
                &[
                    ("async", "...remove `async`"),
                    ("unsafe", "...remove `unsafe`"),
                    ("<T>", "...generic"),
                    ("u8", "...`world: &World`"),
                    ("x: u8", "...one argument"),
                ],
            );
        }
        wrong(Attribute::Test, "#[test] fn f() {}", &[("#[test]", "...a test already")]);
        wrong(
            Attribute::Test,
            "#[core::prelude::v1::test] fn f() {}",
            &[("#[core::prelude::v1::test]", "...a test already")],
        );
    }

    #[test]
    fn after_a_mistake_the_function_is_still_compiled() {
        let source = "async fn main(x: u8) { remote!(A[0]) = 3; }";
        let (actual, _) = start(Attribute::Main, tokens(""), tokens(source));
        assert_tokens(&actual, "fn main() { #[allow(unused)] async fn main(x: u8) { remote!(A[0] = 3); } }");
        let (actual, _) = start(Attribute::Main, tokens("npes = 0"), tokens("fn main() {}"));
        assert!(actual.to_string().contains("launch :: main"), "{actual}");
        let (actual, _) = start(Attribute::Main, tokens(""), tokens("struct S;"));
        assert_tokens(&actual, "struct S;");
    }

    #[test]
    fn kernels() {
        let source = "#[inline] pub async fn f<T>(&self, x: T) -> u8 { remote!(A[0]) += 3; x }";
        let (actual, problems) = kernel(tokens(""), tokens(source));
        assert_mistakes(source, &problems, &[]);
        assert_tokens(&actual, "#[inline] pub async fn f<T>(&self, x: T) -> u8 { remote!(A[0] += 3); x }");
        for (arguments, source, at, text) in [
            ("npes = 3", "fn f() {}", "npes = 3", "...takes no arguments: remove them"),
            ("", "impl X { }", "impl", "...each method"),
            ("", "fn f();", "fn f();", "...this one has none"),
            ("", "struct S;", "struct S;", "...goes on a function or method"),
        ] {
            let (_, problems) = kernel(tokens(arguments), tokens(source));
            assert_mistakes(source, &problems, &[(at, text)]);
        }
    }
}
