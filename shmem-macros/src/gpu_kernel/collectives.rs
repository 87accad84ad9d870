//! Collective calls in a kernel, by a thread, a warp or a block.
//!
//! The words are those that streams have. A routine of NVSHMEM stands for each call, whose name has
//! the type, so the text names it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Expr, ExprMacro, Token};

use super::function::{Function, Value, line_of, plain_name};
use super::memory::{Place, bare, scope};
use super::types::{self, Kind};
use crate::collective::table::{self, Collective, Kind as Form};
use crate::diagnostics::Region;

/// What stands in the parentheses.
struct Call {
    scope: Option<Ident>,
    word: Ident,
    collective: &'static Collective,
    /// The operation of a reduction, such as `sum`; empty for other calls.
    operation: &'static str,
    places: Option<(Place, Place)>,
    root: Option<Expr>,
    team: Option<Ident>,
}

/// `sum`
fn word(input: ParseStream<'_>) -> syn::Result<(Ident, &'static Collective)> {
    let word: Ident = input.call(Ident::parse_any)?;
    match Collective::find(&plain_name(&word)) {
        Some(collective) if collective.has_stream_form() => Ok((word, collective)),
        _ => {
            let words = table::words(Collective::has_stream_form);
            Err(syn::Error::new(word.span(), format!("a kernel has no `{word}`: write one of {words}")))
        }
    }
}

fn parse(input: ParseStream<'_>) -> syn::Result<Call> {
    const FORM: &str = "a collective call of a kernel stores its result in a device array: write `collective!(block; DST[..] = sum SRC[..])`";
    let scope = scope(input, &["barrier", "sync"])?;
    let mut call = if input.peek(syn::Ident) && input.peek2(syn::token::Bracket) {
        let to = bare(input)?;
        if !input.peek(Token![=]) || input.peek(Token![==]) {
            return Err(input.error(FORM));
        }
        input.parse::<Token![=]>()?;
        let (word, collective) = word(input)?;
        if collective.is_bare() {
            return Err(syn::Error::new(
                word.span(),
                format!("`{word}` takes no data: write `collective!(block; {word})`"),
            ));
        }
        let operation = match collective.kind {
            Form::Reduction => collective.word,
            Form::Blocks => {
                let (operation, of) = self::word(input)?;
                if of.kind != Form::Reduction {
                    let words = table::words(|one| one.kind == Form::Reduction);
                    return Err(syn::Error::new(
                        operation.span(),
                        format!("after `{word}` comes an operation: write one of {words}"),
                    ));
                }
                of.word
            }
            _ => "",
        };
        if input.peek(Token![&]) {
            return Err(input.error("a source of a collective call is a place, not a reference: remove `&`"));
        }
        let from = bare(input)?;
        let mut root = None;
        if collective.root.is_needed() {
            let is_there = input.peek(syn::Ident) && input.fork().parse::<Ident>()? == "from";
            if !is_there {
                return Err(syn::Error::new(
                    word.span(),
                    format!(
                        "`{word}` has a root: write `from` and its number in the team, as in `DST[..] = {word} SRC[..] from 0`"
                    ),
                ));
            }
            input.parse::<Ident>()?;
            root = Some(input.parse()?);
        }
        Call { scope, word, collective, operation, places: Some((to, from)), root, team: None }
    } else {
        let (word, collective) = word(input)?;
        if !collective.is_bare() {
            return Err(syn::Error::new(word.span(), FORM));
        }
        Call { scope, word, collective, operation: "", places: None, root: None, team: None }
    };
    if input.peek(Token![;]) {
        input.parse::<Token![;]>()?;
        let on: Ident = input.parse()?;
        if on != "on" {
            return Err(syn::Error::new(on.span(), "after the semicolon comes the team: write `; on team`"));
        }
        call.team = Some(input.parse()?);
    }
    if !input.is_empty() {
        return Err(
            input.error("a collective call of a kernel ends here: remove what follows, or write `; on team`")
        );
    }
    Ok(call)
}

/// What NVSHMEM calls a type of elements; of their bits alone, where `is_bits` says so.
fn name_of(element: &str, is_bits: bool) -> &'static str {
    match element {
        // The device library has nothing for `signed char`.
        "i8" if !is_bits => "char",
        "i16" if !is_bits => "short",
        "i32" if !is_bits => "int",
        "i64" if !is_bits => "longlong",
        "isize" if !is_bits => "long",
        "u8" | "i8" => "uchar",
        "u16" | "i16" => "ushort",
        "u32" | "i32" => "uint",
        "u64" | "i64" => "ulonglong",
        "usize" | "isize" => "ulong",
        "f32" => "float",
        _ => "double",
    }
}

/// The type in C++ of what has the name.
fn type_of(element: &str, is_bits: bool) -> String {
    match element {
        "i8" if !is_bits => "char".to_owned(),
        _ if is_bits && element.starts_with('i') => types::cpp(&element.replacen('i', "u", 1)),
        _ => types::cpp(element),
    }
}

impl Function<'_> {
    /// `collective!(block; to[..] = sum from[..]; on team)`
    pub(super) fn collective(&mut self, call: &ExprMacro) -> Option<TokenStream> {
        let parsed = match parse.parse2(call.mac.tokens.clone()) {
            Ok(parsed) => parsed,
            Err(error) => {
                let text = error.to_string();
                let end = text.strip_prefix("unexpected end of input, ");
                let at = if end.is_some() { Region::of(call) } else { error.span().into() };
                let text = end.unwrap_or(&text);
                let is_ours = text.starts_with("a ") || text.starts_with('`') || text.starts_with("after ");
                let text = match is_ours {
                    true => text.to_owned(),
                    false => format!(
                        "a collective call of a kernel is `collective!(block; DST[..] = sum SRC[..])` or `collective!(barrier)`: {text}"
                    ),
                };
                return self.wrong(at, text);
            }
        };
        let Call { scope, word, collective, operation, places, root, team } = &parsed;
        let (scope_name, [scope_cpp, prefix, suffix]) = match scope {
            None => ("Thread", ["rs::Thread{}", "nvshmem", ""]),
            Some(word) if word == "warp" => ("Warp", ["rs::Warp{}", "nvshmemx", "_warp"]),
            Some(_) => ("Block", ["rs::Block{}", "nvshmemx", "_block"]),
        };
        self.together = true;
        let at = scope.as_ref().map_or(call.mac.path.span(), Ident::span);
        let scope_rust = self.device(&format!("ThreadScope::{scope_name}"), at);
        let (team_rust, team_cpp) = self.team(call, team.as_ref())?;
        let line = line_of(call.mac.path.span());
        let method = collective.method();
        let Some(places) = places else {
            let routine = if method == "sync" { "team_sync" } else { method };
            self.line(&format!("rs::{method}<{line}>({scope_cpp}, {team_cpp}, {prefix}_{routine}{suffix});"));
            let function = format!("team_{method}");
            return Some(self.in_place_of(call, &function, quote!((#scope_rust, #team_rust))));
        };
        let (to, from) = places;
        let (to_moved, from_moved) = (self.moved(to, false, true), self.moved(from, false, true));
        let (to_moved, from_moved) = (to_moved?, from_moved?);
        let root = match root {
            None => None,
            Some(root) => Some(self.value(root)?),
        };
        let element = match self.local(&to.base).map(|local| &local.kind) {
            Some(Kind::Global { element, .. }) => *element,
            _ => unreachable!("`moved` lets device arrays through"),
        };
        let is_bits = matches!(operation, &"and" | &"or" | &"xor");
        if is_bits && types::is_float(element) {
            return self.wrong(
                word.span(),
                format!("`{operation}` takes integers, and `{}` has {element}: write `sum`, `prod`, `min` or `max`", to.base),
            );
        }
        let all: Vec<&Value> = to_moved.operands.iter().chain(&from_moved.operands).chain(&root).collect();
        self.in_any_order(Region::of(call), &all);
        let typed = name_of(element, is_bits);
        let routine = match (collective.kind, method) {
            (Form::Reduction, _) => format!("{typed}_{operation}_reduce"),
            (Form::Blocks, _) => format!("{typed}_{operation}_reducescatter"),
            (_, method) => format!("{typed}_{method}"),
        };
        let root_cpp = root.as_ref().map_or_else(String::new, |root| format!("{}, ", root.cpp));
        self.line(&format!(
            "rs::{method}<{line}, {}>({scope_cpp}, {team_cpp}, {}, {}, {root_cpp}{prefix}_{routine}{suffix});",
            type_of(element, is_bits),
            to_moved.cpp,
            from_moved.cpp
        ));
        let operation = match collective.kind {
            Form::Reduction | Form::Blocks => {
                let name = Collective::find(operation).and_then(|one| one.operation);
                let name = self.device(name.expect("a reduction has one"), word.span());
                Some(quote!(#name,))
            }
            _ => None,
        };
        let (base, other) = (&to.base, &from.base);
        let (and, and_other) = (Token![&](base.span()), Token![&](other.span()));
        let (axes, other_axes) = (&to_moved.rust, &from_moved.rust);
        let root = root.map(|root| {
            let rust = root.rust;
            quote!(#rust,)
        });
        let made = self.in_place_of(
            call,
            &format!("GlobalMemory::{method}"),
            quote!(#and #base, (#scope_rust, #team_rust), #operation #root #axes, #and_other #other, #other_axes),
        );
        Some(self.after_written(base, &made))
    }

    /// The team of a call, in both languages.
    fn team(&mut self, call: &ExprMacro, team: Option<&Ident>) -> Option<(TokenStream, String)> {
        let Some(name) = team else {
            self.meets = true;
            let none = self.private.user_name("Option::None", call.mac.path.span());
            return Some((none, "rs::Team{NVSHMEM_TEAM_WORLD}".to_owned()));
        };
        match self.local(name).cloned() {
            Some(local) if matches!(local.kind, Kind::Team) => {
                let some = self.private.user_name("Option::Some", name.span());
                let and = Token![&](name.span());
                Some((quote_spanned!(name.span()=> #some(#and #name)), local.cpp))
            }
            _ => self.wrong(
                name.span(),
                format!("`{name}` is no team of this function: declare a parameter `{name}: GpuTeam`, and launch with `&gpu.team(&team)?`"),
            ),
        }
    }

    /// `team.my_pe()` and `team.n_pes()`.
    pub(super) fn of_team(&mut self, call: &syn::ExprMethodCall, team: &Ident, cpp: &str) -> Option<Value> {
        let method = &call.method;
        let name = plain_name(method);
        if !["my_pe", "n_pes"].contains(&name.as_str()) || !call.args.is_empty() {
            return self.wrong(method.span(), "a team of a kernel has `my_pe()` and `n_pes()`");
        }
        let function = self.device(&format!("KernelTeam::{name}"), method.span());
        let at: Span = team.span();
        Some(Value::typed(quote_spanned!(at=> #function(&#team)), format!("{cpp}.{name}()")))
    }
}
