//! `let`, assignments, `if`, loops.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{
    BinOp, Block, Expr, ExprForLoop, ExprIf, Local as Let, Pat, PatIdent, RangeLimits, Stmt, Token, Type,
};

use super::function::{Function, Local, Value, line_of};
use super::types::{self, Kind};
use super::{expressions, plain_type};
use crate::diagnostics::Region;
use crate::expressions::is_compound;

impl Function<'_> {
    /// A block with its braces; whether its last expression is what the function `returns`.
    pub(super) fn block(&mut self, block: &Block, returns: bool) -> TokenStream {
        let mut statements = TokenStream::new();
        let last = block.stmts.len().saturating_sub(1);
        for (position, statement) in block.stmts.iter().enumerate() {
            let is_tail = returns && position == last;
            statements.extend(self.statement(statement, is_tail));
        }
        let mut group = proc_macro2::Group::new(proc_macro2::Delimiter::Brace, statements);
        group.set_span(block.brace_token.span.join());
        group.into_token_stream()
    }

    /// A block, in a scope of its own.
    fn inner_block(&mut self, block: &Block, returns: bool) -> TokenStream {
        self.scope(|function| function.block(block, returns))
    }

    fn statement(&mut self, statement: &Stmt, is_tail: bool) -> TokenStream {
        let made = match statement {
            Stmt::Local(binding) => self.binding(binding),
            Stmt::Item(item) => {
                self.wrong(Region::of(item), "a kernel has no items inside: move it out of the function")
            }
            Stmt::Macro(call) => {
                let expression: Expr =
                    Expr::Macro(syn::ExprMacro { attrs: call.attrs.clone(), mac: call.mac.clone() });
                if is_tail && call.semi_token.is_none() {
                    self.tail(&expression)
                } else {
                    let semi = call.semi_token;
                    self.effect(&expression).map(|rust| quote!(#rust #semi))
                }
            }
            Stmt::Expr(expression, None) if is_tail => self.tail(expression),
            Stmt::Expr(expression, semi) => self.effect(expression).map(|rust| quote!(#rust #semi)),
        };
        made.unwrap_or_default()
    }

    /// `let [mut] name[: TYPE] = value;`
    fn binding(&mut self, binding: &Let) -> Option<TokenStream> {
        let Let { attrs, let_token, pat, init, .. } = binding;
        let (pat, ty) = match pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        let Some(init) = init else {
            return self
                .wrong(Region::of(binding), "a variable of a kernel has a value: write `let x = ...;`");
        };
        if let Some((token, _)) = &init.diverge {
            return self.wrong(token.span, "a kernel has no `let ... else`: write `if`");
        }
        if let (Pat::Wild(wild), None) = (pat, ty) {
            let value = self.value(&init.expr)?;
            self.line(&format!("(void){};", value.cpp));
            let rust = value.rust;
            return Some(quote!(#(#attrs)* #let_token #wild = #rust;));
        }
        // Several names, each with its own value.
        if let (Pat::Tuple(names), Expr::Tuple(values), None) = (pat, &*init.expr, ty)
            && names.elems.len() == values.elems.len()
        {
            let values: Vec<_> = values.elems.iter().map(|value| self.typed_value(value)).collect();
            let mut patterns = Vec::new();
            let mut tokens = Vec::new();
            let mut declared = Vec::new();
            for (name, value) in names.elems.iter().zip(values) {
                let name = self.name_of(name)?;
                let value = value?;
                let cpp = self.fresh(&name.ident);
                self.line(&format!("auto {cpp} = {};", value.cpp));
                declared.push((name.ident.clone(), Local { cpp, kind: Kind::Value }));
                patterns.push(quote!(#name));
                tokens.push(value.rust);
            }
            for (name, local) in declared {
                self.declare(&name, local);
            }
            return Some(quote!(#(#attrs)* #let_token (#(#patterns),*) = (#(#tokens),*);));
        }
        let name = self.name_of(pat)?.clone();
        if let Some(shared) = self.shared(&name, ty, &init.expr) {
            let rust = shared?;
            return Some(quote_spanned!(let_token.span=> #(#attrs)* #let_token #name = #rust;));
        }
        let (rust, kind, declaration) = match ty {
            None => {
                let value = self.typed_value(&init.expr)?;
                (value.rust, Kind::Value, ("auto".to_owned(), value.cpp))
            }
            Some(ty) => match plain_type(ty) {
                Type::Array(array) => {
                    let Some(element) = types::scalar_of(&array.elem) else {
                        return self.wrong(
                            Region::of(&*array.elem),
                            format!("an array of a kernel has elements of {}", types::SCALARS),
                        );
                    };
                    let len = self.length(&array.len)?;
                    let (rust, cpp) = self.array(&init.expr, element, &len)?;
                    (rust, Kind::Array, (format!("rs::Array<{}, {len}>", types::cpp(element)), cpp))
                }
                _ => {
                    let Some(scalar) = types::scalar_of(ty) else {
                        return self.wrong(
                            Region::of(ty),
                            format!(
                                "a variable of a kernel is {}, or an array of these, as [f32; 4]",
                                types::SCALARS
                            ),
                        );
                    };
                    let value = self.value(&init.expr)?;
                    (value.rust, Kind::Scalar(scalar), (types::cpp(scalar), value.cpp))
                }
            },
        };
        let cpp = self.fresh(&name.ident);
        let (cpp_type, cpp_value) = declaration;
        self.line(&format!("{cpp_type} {cpp} = {cpp_value};"));
        self.declare(&name.ident, Local { cpp, kind });
        let annotation = ty.map(|ty| quote!(: #ty));
        Some(quote_spanned!(let_token.span=> #(#attrs)* #let_token #name #annotation = #rust;))
    }

    /// The name that a pattern is.
    fn name_of<'e>(&mut self, pat: &'e Pat) -> Option<&'e PatIdent> {
        match pat {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Some(name),
            other => self
                .wrong(Region::of(other), "a variable of a kernel is a name: write `let x = ...;` for each"),
        }
    }

    /// A constant length, in C++.
    fn length(&mut self, len: &Expr) -> Option<String> {
        let value = self.value(len)?;
        Some(if value.typed { value.cpp } else { format!("rs::usize({})", expressions::digits(len)?) })
    }

    /// `let mut tile = shared::<[T; N]>();`
    fn shared(&mut self, name: &PatIdent, ty: Option<&Type>, init: &Expr) -> Option<Option<TokenStream>> {
        let Expr::Call(call) = init else { return None };
        let Expr::Path(path) = &*call.func else { return None };
        if path.path.segments.len() != 1 || path.path.segments[0].ident != "shared" {
            return None;
        }
        Some(self.shared_of(name, ty, call, &path.path.segments[0]))
    }

    fn shared_of(
        &mut self,
        name: &PatIdent,
        ty: Option<&Type>,
        call: &syn::ExprCall,
        word: &syn::PathSegment,
    ) -> Option<TokenStream> {
        const FORM: &str =
            "shared memory is a fixed array of numbers: write `let mut tile = shared::<[f32; 64]>();`";
        if let Some(ty) = ty {
            return self.wrong(Region::of(ty), FORM);
        }
        let syn::PathArguments::AngleBracketed(arguments) = &word.arguments else {
            return self.wrong(Region::of(call), FORM);
        };
        let Some(syn::GenericArgument::Type(given)) = arguments.args.first() else {
            return self.wrong(Region::of(call), FORM);
        };
        let Type::Array(array) = plain_type(given) else { return self.wrong(Region::of(given), FORM) };
        let Some(element) = types::scalar_of(&array.elem) else {
            return self.wrong(Region::of(&*array.elem), FORM);
        };
        if !call.args.is_empty() || arguments.args.len() > 1 {
            return self.wrong(Region::of(call), FORM);
        }
        if !self.is_launched || self.depth() > 1 {
            return self.wrong(
                Region::of(call),
                "all threads of a block have the same shared memory: declare it in the kernel itself, outside of `if` and loops",
            );
        }
        let len = self.length(&array.len)?;
        let cpp = self.fresh(&name.ident);
        self.line(&format!("__shared__ rs::Array<{}, {len}> {cpp};", types::cpp(element)));
        self.line(&format!("rs::clear({cpp});"));
        self.declare(&name.ident, Local { cpp, kind: Kind::Shared });
        self.together = true;
        let shared = self.device("shared", word.ident.span());
        let (element, len) = (&array.elem, &array.len);
        let len = match len {
            Expr::Lit(_) | Expr::Path(_) => quote!(#len),
            _ => quote!({ #len }),
        };
        Some(quote_spanned!(word.ident.span()=> #shared::<#element, #len>()))
    }

    /// The initial value of an array.
    fn array(&mut self, init: &Expr, element: &str, len: &str) -> Option<(TokenStream, String)> {
        let cpp_element = types::cpp(element);
        match init {
            Expr::Repeat(repeat) => {
                let value = self.value(&repeat.expr)?;
                let (rust, count) = (value.rust, &repeat.len);
                let rust = quote_spanned!(repeat.bracket_token.span.join()=> [#rust; #count]);
                Some((rust, format!("rs::repeat<{cpp_element}, {len}>({})", value.cpp)))
            }
            Expr::Array(list) => {
                let values: Vec<_> = list.elems.iter().map(|value| self.value(value)).collect();
                let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
                self.in_any_order(Region::of(init), &values.iter().collect::<Vec<_>>());
                let rust = values.iter().map(|value| &value.rust);
                let cpp: Vec<_> = values.iter().map(|value| format!("({cpp_element}){}", value.cpp)).collect();
                let array = quote_spanned!(list.bracket_token.span.join()=> [#(#rust),*]);
                Some((array, format!("rs::Array<{cpp_element}, {len}>{{{{{}}}}}", cpp.join(", "))))
            }
            Expr::Path(_) => self.wrong(
                Region::of(init),
                "an array of a kernel is not copied whole: write `[0.0; 4]` or `[1, 2, 3]`, and copy the elements in a loop",
            ),
            other => self.wrong(Region::of(other), "an array of a kernel begins as `[0.0; 4]` or `[1, 2, 3]`"),
        }
    }

    /// The last expression of a function that returns a value.
    fn tail(&mut self, expression: &Expr) -> Option<TokenStream> {
        match expression {
            Expr::If(conditional) if conditional.else_branch.is_some() => self.conditional(conditional, true),
            Expr::Block(block) if block.label.is_none() => {
                self.line("{");
                let rust = self.inner_block(&block.block, true);
                self.line("}");
                Some(rust)
            }
            Expr::Return(_) | Expr::Loop(_) => self.effect(expression),
            _ => {
                let value = self.value(expression)?;
                self.line(&format!("return {};", value.cpp));
                Some(value.rust)
            }
        }
    }

    /// An expression that is a statement.
    fn effect(&mut self, expression: &Expr) -> Option<TokenStream> {
        match expression {
            Expr::Assign(assign) => {
                if let Expr::Macro(place) = &*assign.left {
                    return self.write(place, None, &assign.right);
                }
                let equals = assign.eq_token;
                let value = self.value(&assign.right)?;
                let place = self.place(&assign.left)?;
                self.in_any_order(Region::of(expression), &[&value, &place]);
                self.line(&format!("{} = {};", place.cpp, value.cpp));
                let (place, value) = (place.rust, value.rust);
                Some(quote!(#place #equals #value))
            }
            Expr::Binary(binary) if is_compound(&binary.op) => {
                if let Expr::Macro(place) = &*binary.left {
                    return self.write(place, Some(&binary.op), &binary.right);
                }
                let value = self.value(&binary.right)?;
                let place = self.place(&binary.left)?;
                self.in_any_order(Region::of(expression), &[&value, &place]);
                let operator = expressions::operator(&plain_operator(&binary.op), line_of(binary.op.span()))?;
                self.line(&format!("{} = {operator}({}, {});", place.cpp, place.cpp, value.cpp));
                let (place, op, value) = (place.rust, &binary.op, value.rust);
                Some(quote!(#place #op #value))
            }
            Expr::If(conditional) => self.conditional(conditional, false),
            Expr::While(each) => {
                self.no_label(each.label.as_ref())?;
                let (while_token, condition) = (&each.while_token, self.condition(&each.cond)?);
                self.line(&format!("while ({}) {{", condition.cpp));
                let body = self.looped(&each.body);
                let condition = condition.rust;
                Some(quote!(#while_token #condition #body))
            }
            Expr::Loop(each) => {
                self.no_label(each.label.as_ref())?;
                let loop_token = &each.loop_token;
                self.line("while (true) {");
                let body = self.looped(&each.body);
                Some(quote!(#loop_token #body))
            }
            Expr::ForLoop(each) => self.for_loop(each),
            Expr::Block(block) => {
                self.no_label(block.label.as_ref())?;
                self.line("{");
                let rust = self.inner_block(&block.block, false);
                self.line("}");
                Some(rust)
            }
            Expr::Break(leave) => {
                self.no_label(leave.label.as_ref())?;
                if let Some(value) = &leave.expr {
                    return self.wrong(
                        Region::of(&**value),
                        "a loop of a kernel has no value: assign to a variable before `break`",
                    );
                }
                self.line("break;");
                Some(leave.to_token_stream())
            }
            Expr::Continue(next) => {
                self.no_label(next.label.as_ref())?;
                self.line("continue;");
                Some(next.to_token_stream())
            }
            Expr::Return(end) => {
                let token = &end.return_token;
                match &end.expr {
                    None => {
                        self.line("return;");
                        Some(quote!(#token))
                    }
                    Some(value) => {
                        let value = self.value(value)?;
                        self.line(&format!("return {};", value.cpp));
                        let value = value.rust;
                        Some(quote!(#token #value))
                    }
                }
            }
            Expr::Paren(inner) => self.effect(&inner.expr),
            Expr::Group(inner) => self.effect(&inner.expr),
            Expr::Call(_) | Expr::MethodCall(_) => {
                if let Expr::MethodCall(call) = expression
                    && let Some(put) = self.put_signal(call)
                {
                    return put;
                }
                let value = self.value(expression)?;
                self.line(&format!("{};", value.cpp));
                Some(value.rust)
            }
            Expr::Macro(call) => self.macro_statement(call),
            other => {
                // What it may not be at all is said first.
                self.value(other)?;
                self.wrong(Region::of(other), "this has no effect: assign it, or remove it")
            }
        }
    }

    fn no_label(&mut self, label: Option<&impl ToTokens>) -> Option<()> {
        match label {
            None => Some(()),
            Some(label) => {
                self.wrong(Region::of(label), "loops of a kernel have no labels: use a variable and `if`")
            }
        }
    }

    /// The body of a loop, and the brace after it.
    fn looped(&mut self, body: &Block) -> TokenStream {
        let rust = self.inner_block(body, false);
        self.line("}");
        rust
    }

    /// What stands after `if` or `while`.
    fn condition(&mut self, condition: &Expr) -> Option<Value> {
        if let Expr::Let(pattern) = condition {
            return self.wrong(Region::of(pattern), "a kernel has no patterns: compare with `==` and `<`");
        }
        self.value(condition)
    }

    /// An `if`, whose branches end what the function `returns`, or are statements.
    fn conditional(&mut self, conditional: &ExprIf, returns: bool) -> Option<TokenStream> {
        let ExprIf { if_token, cond, then_branch, else_branch, .. } = conditional;
        let condition = self.condition(cond)?;
        self.line(&format!("if ({}) {{", condition.cpp));
        let then = self.inner_block(then_branch, returns);
        let otherwise = match else_branch {
            None => None,
            Some((token, branch)) => {
                self.line("} else {");
                let branch = match &**branch {
                    Expr::If(nested) => {
                        // A block of its own in C++: what its condition needs may be lines.
                        self.scope(|function| function.conditional(nested, returns))?
                    }
                    Expr::Block(block) => self.inner_block(&block.block, returns),
                    other => return self.wrong(Region::of(other), "after `else` comes a block"),
                };
                Some(quote!(#token #branch))
            }
        };
        self.line("}");
        let condition = condition.rust;
        Some(quote!(#if_token #condition #then #otherwise))
    }

    /// `for i in a..b { ... }`
    fn for_loop(&mut self, each: &ExprForLoop) -> Option<TokenStream> {
        let ExprForLoop { label, for_token, pat, in_token, expr, body, .. } = each;
        self.no_label(label.as_ref())?;
        let (rust, cpp) = self.range(expr)?;
        let range = self.fresh(&syn::Ident::new("range", for_token.span));
        self.line(&format!("for (auto {range} = {cpp}; {range}.more();) {{"));
        let (pattern, body) = {
            let take = |function: &mut Self| -> Option<_> {
                let pattern = match &**pat {
                    Pat::Wild(wild) => {
                        function.line(&format!("{range}.take();"));
                        quote!(#wild)
                    }
                    other => {
                        let name = function.name_of(other)?.clone();
                        let cpp = function.fresh(&name.ident);
                        function.line(&format!("auto {cpp} = {range}.take();"));
                        function.declare(&name.ident, Local { cpp, kind: Kind::Value });
                        quote!(#name)
                    }
                };
                Some((pattern, function.block(body, false)))
            };
            self.scope(take)?
        };
        self.line("}");
        Some(quote!(#for_token #pattern #in_token #rust #body))
    }

    /// What a `for` goes over.
    fn range(&mut self, range: &Expr) -> Option<(TokenStream, String)> {
        const FORM: &str = "a `for` of a kernel goes over a range: write `a..b`, `a..=b`, `(a..b).step_by(n)` or `(a..b).rev()`";
        match range {
            Expr::Paren(inner) => {
                let (rust, cpp) = self.range(&inner.expr)?;
                Some((quote_spanned!(inner.paren_token.span.join()=> (#rust)), cpp))
            }
            Expr::Group(inner) => self.range(&inner.expr),
            Expr::Range(limits) => {
                let (Some(start), Some(end)) = (&limits.start, &limits.end) else {
                    return self.wrong(Region::of(limits), FORM);
                };
                let (start, end) = (self.value(start), self.value(end));
                let (start, end) = (start?, end?);
                if !start.typed && !end.typed {
                    return self.wrong(
                        Region::of(limits),
                        "the type of this range is not written: give one end a type, as in `0..10_usize`",
                    );
                }
                self.in_any_order(Region::of(limits), &[&start, &end]);
                let name = match limits.limits {
                    RangeLimits::HalfOpen(_) => "range",
                    RangeLimits::Closed(_) => "range_inclusive",
                };
                let cpp = format!("rs::{name}({}, {})", start.cpp, end.cpp);
                let (start, dots, end) = (start.rust, &limits.limits, end.rust);
                Some((quote!(#start #dots #end), cpp))
            }
            Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
                let (rust, cpp) = self.range(&call.receiver)?;
                let step = self.value(&call.args[0])?;
                let (line, method, step_rust) = (line_of(call.method.span()), &call.method, step.rust);
                let dot = &call.dot_token;
                let adapted = quote_spanned!(call.paren_token.span.join()=> #rust #dot #method(#step_rust));
                self.only_once(range, &call.receiver)?;
                Some((adapted, format!("rs::step_by<{line}>({cpp}, {})", step.cpp)))
            }
            Expr::MethodCall(call) if call.method == "rev" && call.args.is_empty() => {
                let (rust, cpp) = self.range(&call.receiver)?;
                self.only_once(range, &call.receiver)?;
                let method = &call.method;
                let dot = &call.dot_token;
                Some((
                    quote_spanned!(call.paren_token.span.join()=> #rust #dot #method()),
                    format!("rs::rev({cpp})"),
                ))
            }
            other => self.wrong(Region::of(other), FORM),
        }
    }

    /// A range is changed by one method.
    fn only_once(&mut self, whole: &Expr, receiver: &Expr) -> Option<()> {
        match receiver {
            Expr::MethodCall(_) => {
                self.wrong(Region::of(whole), "a range of a kernel has one of `step_by` and `rev`")
            }
            Expr::Paren(inner) => self.only_once(whole, &inner.expr),
            _ => Some(()),
        }
    }
}

/// `+` of `+=`.
fn plain_operator(operator: &BinOp) -> BinOp {
    let span = operator.span();
    macro_rules! plain {
        ($($with:ident $without:ident $token:tt)*) => {
            match operator {
                $(BinOp::$with(_) => BinOp::$without(Token![$token](span)),)*
                other => *other,
            }
        };
    }
    plain! {
        AddAssign Add +
        SubAssign Sub -
        MulAssign Mul *
        DivAssign Div /
        RemAssign Rem %
        BitAndAssign BitAnd &
        BitOrAssign BitOr |
        BitXorAssign BitXor ^
        ShlAssign Shl <<
        ShrAssign Shr >>
    }
}
