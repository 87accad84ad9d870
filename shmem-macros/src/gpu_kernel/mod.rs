//! `#[shmem::gpu::kernel]`: a function of a subset of Rust becomes one of Rust, and a text in C++.
//!
//! | file | what it is for |
//! |---|---|
//! | `types.rs` | the types that a kernel has, and their names in C++ |
//! | `function.rs` | the state of a translation: names, lines, mistakes |
//! | `statements.rs` | `let`, assignments, `if`, loops |
//! | `expressions.rs` | operators, calls, methods |
//! | `memory.rs` | `remote!`, `local!`, `wait!` of one element |
//! | `ranges.rs` | `remote!` and `local!` of several elements |
//! | `collectives.rs` | `collective!` |
//!
//! One walk makes both. Of each expression it makes a [`Value`](function::Value): the tokens of Rust,
//! which are those of the program but for the words of the language, and the text in C++. So rustc
//! checks what the text says. What the walk does not know is a mistake on its token.
//!
//! C++ has no inference from later uses. So a number without a type is a value that takes the type of
//! the other operand, and a variable that is made of such numbers alone needs its type written.

mod collectives;
mod expressions;
mod function;
mod memory;
mod ranges;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{FnArg, ItemFn, Pat, ReturnType, Safety, Type};

use self::function::{Function, Local};
use self::types::Kind;
use crate::arguments::{self, Attribute};
use crate::diagnostics::{Problems, Region};
use crate::private::Private;

/// A parameter: its name and type, and both in C++.
struct Parameter {
    ident: Ident,
    is_mut: Option<syn::Token![mut]>,
    kind: Kind,
    at: Region,
    cpp: String,
}

/// The whole of `#[shmem::gpu::kernel]`.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> (TokenStream, Problems) {
    let mut problems = Problems::default();
    let arguments = arguments::parse(Attribute::GpuKernel, arguments, &mut problems);
    let private = Private::from_argument(arguments.shmem.as_ref());
    let Ok(item_fn) = syn::parse2::<ItemFn>(item.clone()) else {
        problems.add(
            Region::of(&item),
            "`#[shmem::gpu::kernel]` goes on a function with a body: write `fn name(mut array: Global<f32>) { ... }`",
        );
        return (item, problems);
    };
    check(&item_fn, &mut problems);
    let parameters = parameters(&item_fn, &mut problems);
    let result = match &item_fn.sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => match types::scalar_of(ty) {
            Some(scalar) => Some((scalar, ty)),
            None => {
                problems.add(
                    Region::of(&**ty),
                    format!("a kernel function returns a number or nothing: {}", types::SCALARS),
                );
                return (TokenStream::new(), problems);
            }
        },
    };
    let mut function = Function::new(&private, problems, result.is_none());
    for parameter in &parameters {
        let local = Local { cpp: parameter.cpp.clone(), kind: parameter.kind.clone() };
        function.declare(&parameter.ident, local);
    }
    let body = function.block(&item_fn.block, result.is_some());
    let result = result.map(|(scalar, _)| scalar);
    if function.problems.is_empty() {
        return (assemble(&item_fn, &parameters, result, body, &function), Problems::default());
    }
    let problems = std::mem::take(&mut function.problems);
    if parameters.len() < item_fn.sig.inputs.len() {
        return (TokenStream::new(), problems);
    }
    // Without its body, so that rustc does not report that it is not there where it is launched or called.
    let empty = Function::new(&private, Problems::default(), result.is_none());
    let mut allowed = item_fn;
    allowed.attrs.push(syn::parse_quote!(#[allow(warnings)]));
    (assemble(&allowed, &parameters, result, quote!({ loop {} }), &empty), problems)
}

/// Reports what a kernel may not be.
fn check(item: &ItemFn, problems: &mut Problems) {
    let sig = &item.sig;
    let mut refuse = |at: Option<Region>, text: &str| {
        if let Some(at) = at {
            problems.add(at, text);
        }
    };
    refuse(sig.constness.map(|token| token.span.into()), "a kernel runs at run time: remove `const`");
    refuse(sig.asyncness.map(|token| token.span.into()), "a kernel waits by `wait!` alone: remove `async`");
    let unsafety = match &sig.safety {
        Safety::Unsafe(token) => Some(token.span.into()),
        _ => None,
    };
    refuse(unsafety, "everything in a kernel is checked: remove `unsafe`");
    refuse(
        sig.abi.as_ref().map(Region::of),
        "a kernel is called by a launch or by a kernel: remove `extern`",
    );
    refuse(
        Region::of_generics(&sig.generics),
        "a kernel is one function on the GPU: write concrete types instead of generic parameters",
    );
}

/// The parameters, as far as they are right.
fn parameters(item: &ItemFn, problems: &mut Problems) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    if item.sig.inputs.len() > 12 {
        problems.add(Region::of(&item.sig.inputs), "a kernel has 12 parameters at most");
    }
    for input in &item.sig.inputs {
        let FnArg::Typed(typed) = input else {
            problems.add(Region::of(input), "a kernel is no method: write what it needs as parameters");
            continue;
        };
        let Pat::Ident(name) = &*typed.pat else {
            problems.add(Region::of(&*typed.pat), "a parameter of a kernel is a name: write `name: type`");
            continue;
        };
        if name.by_ref.is_some() || name.subpat.is_some() {
            problems.add(Region::of(name), "a parameter of a kernel is a name: write `name: type`");
            continue;
        }
        if let Some(kind) = types::parameter(&typed.ty, problems) {
            let cpp = function::safe_name(&name.ident);
            let at = Region::of(&*typed.ty);
            parameters.push(Parameter { ident: name.ident.clone(), is_mut: name.mutability, kind, at, cpp });
        }
    }
    parameters
}

/// All items that stand in the place of the function.
fn assemble(
    item: &ItemFn,
    parameters: &[Parameter],
    result: Option<&'static str>,
    body: TokenStream,
    function: &Function<'_>,
) -> TokenStream {
    let here = Span::mixed_site();
    let private = function.private;
    let name = &item.sig.ident;
    let (attrs, vis, fn_token) = (&item.attrs, &item.vis, &item.sig.fn_token);
    let device = |name: &str| private.name(&format!("device::{name}"), here);
    let [module_path, line, cfg] = ["module_path", "line", "cfg"].map(|name| private.name(name, here));

    // The text in C++.
    let cpp_parameters: Vec<_> =
        parameters.iter().map(|parameter| format!("{} {}", parameter.kind.cpp(), parameter.cpp)).collect();
    let cpp_result = result.map_or_else(|| "void".to_owned(), types::cpp);
    let head = Literal::string(&format!("{cpp_result} \u{1}\u{1}({})", cpp_parameters.join(", ")));
    let text = Literal::string(&format!("{{\n\u{2}{}}}", function.text));
    let plain_name = Literal::string(&function::plain_name(name));
    let (kernel_function, kernel_text, constant_list) =
        (device("KernelFunction"), device("KernelText"), device("ConstantList"));
    let calls: Vec<_> = function.calls.iter().map(|path| quote!(<#path as #kernel_function>)).collect();
    let constants = function.constants.iter().map(|(path, cpp)| {
        let cpp = Literal::string(cpp);
        // A mistake about its type is reported at the constant.
        let add = private.name("device::ConstantList::add", Region::of(path).start);
        quote!(#add(list, #cpp, #path);)
    });
    let (together, meets) = (function.together, function.meets);
    let line_here = quote_spanned!(name.span()=> #line!());
    let description = quote! {
        impl #kernel_function for #name {
            const TOGETHER: bool = #together #(|| #calls::TOGETHER)*;
            const MEETS: bool = #meets #(|| #calls::MEETS)*;
            const TEXT: &'static #kernel_text = &#kernel_text {
                name: #plain_name,
                module: #module_path!(),
                line: #line_here,
                head: #head,
                body: #text,
                calls: &[#(#calls::TEXT),*],
                constants: |list: &mut #constant_list| { let _ = &list; #(#constants)* },
                overflow: #cfg!(debug_assertions),
            };
        }
    };
    // Under the name of the function there is a type too, which brings its text to those that call it.
    let companion = quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types, missing_docs, missing_debug_implementations, dead_code, unreachable_pub)]
        #vis struct #name {}
    };
    let inputs = parameters.iter().map(|Parameter { ident, is_mut, kind, at, .. }| {
        let ty = kind.rust(private, "'_", *at);
        quote!(#is_mut #ident: #ty)
    });
    if let Some(result) = result {
        let ReturnType::Type(arrow, ty) = &item.sig.output else { unreachable!("it returns a {result}") };
        return quote! {
            #(#attrs)*
            #vis #fn_token #name(#(#inputs),*) #arrow #ty #body
            #companion
            #description
        };
    }
    // A function without its body has unused parameters.
    let allowed = function.text.is_empty().then(|| quote!(#[allow(unused)]));
    let names: Vec<_> = parameters.iter().map(|parameter| &parameter.ident).collect();
    let outer_inputs = parameters.iter().map(|Parameter { ident, kind, at, .. }| {
        let ty = kind.rust(private, "'_", *at);
        quote!(#ident: #ty)
    });
    let types = parameters.iter().map(|parameter| parameter.kind.rust(private, "'static", parameter.at));
    let (kernel, parameters_trait) = (device("Kernel"), device("Parameters"));
    let title = Literal::string(&format!("kernel `{}`", function::plain_name(name)));
    let arguments = Ident::new("arguments", here);
    quote! {
        #(#attrs)*
        #vis #fn_token #name(#(#outer_inputs),*) -> #name {
            <#name as #kernel>::call((#(#names,)*));
            #name {}
        }
        #companion
        #description
        impl #kernel for #name {
            const TITLE: &'static str = #title;
            type Parameters = (#(#types,)*);
            fn call(#arguments: <Self::Parameters as #parameters_trait>::Values<'_>) {
                #allowed
                #[inline]
                #fn_token #name(#(#inputs),*) #body
                let (#(#names,)*) = #arguments;
                #name(#(#names),*)
            }
        }
    }
}

/// A type without the groups and parentheses around it.
fn plain_type(ty: &Type) -> &Type {
    match ty {
        Type::Group(inner) => plain_type(&inner.elem),
        Type::Paren(inner) => plain_type(&inner.elem),
        _ => ty,
    }
}
