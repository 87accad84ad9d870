//! The state of a translation: what names mean, the text so far, and the mistakes.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use syn::Path;
use syn::ext::IdentExt as _;

use super::types::Kind;
use crate::diagnostics::{Problems, Region};
use crate::private::Private;

/// Names that C++, CUDA or the text before a kernel use for something else.
const RESERVED: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr \
    continue decltype default delete do double else enum explicit export extern false float for friend goto if inline int long \
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register return short signed \
    sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while \
    xor xor_eq rs threadIdx blockIdx blockDim gridDim warpSize printf half main";

/// An expression in both languages.
pub(super) struct Value {
    pub(super) rust: TokenStream,
    pub(super) cpp: String,
    /// Whether its type is known without its use.
    pub(super) typed: bool,
    /// How many calls with effects it has.
    pub(super) effects: usize,
    /// How many reads of memory that others write.
    pub(super) reads: usize,
}

impl Value {
    /// One of a known type, without effects.
    pub(super) fn typed(rust: TokenStream, cpp: impl Into<String>) -> Value {
        Value { rust, cpp: cpp.into(), typed: true, effects: 0, reads: 0 }
    }

    /// The same, after the operands that it has.
    pub(super) fn after<'v>(mut self, operands: impl IntoIterator<Item = &'v Value>) -> Value {
        for operand in operands {
            self.effects += operand.effects;
            self.reads += operand.reads;
        }
        self
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) cpp: String,
    pub(super) kind: Kind,
}

/// A function under translation.
pub(super) struct Function<'p> {
    pub(super) private: &'p Private,
    pub(super) problems: Problems,
    /// Whether it is launched: it returns nothing.
    pub(super) is_launched: bool,
    scopes: Vec<Vec<(Ident, Local)>>,
    taken: BTreeSet<String>,
    /// The body in C++, without the braces.
    pub(super) text: String,
    /// What it calls.
    pub(super) calls: Vec<Path>,
    /// The constants of the program that it names, and their names in C++.
    pub(super) constants: Vec<(Path, String)>,
    /// Whether the threads of a block need each other.
    pub(super) together: bool,
    /// Whether it makes collective calls of all PEs.
    pub(super) meets: bool,
}

impl<'p> Function<'p> {
    pub(super) fn new(private: &'p Private, problems: Problems, is_launched: bool) -> Function<'p> {
        Function {
            private,
            problems,
            is_launched,
            scopes: vec![Vec::new()],
            taken: BTreeSet::new(),
            text: String::new(),
            calls: Vec::new(),
            constants: Vec::new(),
            together: false,
            meets: false,
        }
    }

    /// Opens a scope, and closes it after `inside`.
    pub(super) fn scope<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(Vec::new());
        let result = inside(self);
        self.scopes.pop();
        result
    }

    /// How many scopes are open: one outside of `if` and loops.
    pub(super) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// From here on `name` stands for `local`.
    pub(super) fn declare(&mut self, name: &Ident, local: Local) {
        self.taken.insert(local.cpp.clone());
        self.scopes.last_mut().expect("a function has a scope").push((name.clone(), local));
    }

    /// A name in C++ that nothing else in the function has: Rust's shadowing is no redefinition there.
    pub(super) fn fresh(&mut self, name: &Ident) -> String {
        let plain = safe_name(name);
        let mut fresh = plain.clone();
        let mut number = 1;
        while self.taken.contains(&fresh) {
            fresh = format!("{plain}_{number}");
            number += 1;
        }
        self.taken.insert(fresh.clone());
        fresh
    }

    /// What `name` stands for, if it is a variable of the function.
    pub(super) fn local(&self, name: &Ident) -> Option<&Local> {
        let all = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        all.into_iter().find(|(known, _)| known == name).map(|(_, local)| local)
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..self.depth() {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A mistake.
    pub(super) fn wrong<T>(&mut self, at: impl Into<Region>, text: impl ToString) -> Option<T> {
        self.problems.fail(at, text)
    }

    /// `__private::device::NAME`
    pub(super) fn device(&self, name: &str, at: Span) -> TokenStream {
        // With the span of the program alone: a panic is where the program has the macro, and not where
        // the attribute stands.
        self.private.user_name(&format!("device::{name}"), at)
    }

    /// The operands of one call in C++, which has no order among them.
    pub(super) fn in_any_order(&mut self, at: Region, operands: &[&Value]) {
        let effects: usize = operands.iter().map(|operand| operand.effects).sum();
        let reads: usize = operands.iter().map(|operand| operand.reads).sum();
        if effects > 0 && effects + reads > 1 {
            self.problems.add(
                at,
                "the order of the calls and reads in this expression matters, and C++ has none: bind them with `let`, one after the other",
            );
        }
    }
}

/// A name without `r#`.
pub(super) fn plain_name(name: &Ident) -> String {
    name.unraw().to_string()
}

/// A name that C++ takes.
pub(super) fn safe_name(name: &Ident) -> String {
    let name = plain_name(name);
    let is_ascii = name.is_ascii();
    let mut safe: String =
        name.chars().map(|c| if c.is_ascii() { c.to_string() } else { format!("u{:x}", c as u32) }).collect();
    if !is_ascii || RESERVED.split_whitespace().any(|reserved| reserved == safe) || safe.starts_with('_') {
        safe = format!("v_{safe}");
    }
    safe
}

/// The line of the program, for messages on a GPU; 0 in unit tests.
pub(super) fn line_of(span: Span) -> usize {
    if proc_macro::is_available() { span.unwrap().start().line() } else { 0 }
}
