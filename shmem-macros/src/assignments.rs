//! `remote!(place) = value` becomes `remote!(place = value)`, throughout a function's body.
//!
//! Rust cannot overload assignment to the result of a macro, so the attributes of functions move
//! the operator inside the parentheses.

use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprMacro, Item, parse_quote};

use crate::expressions::is_compound;

/// Moves the operator of every assignment to a `remote!` or `local!` inside, in closures too.
///
/// Items inside the body are other functions and stay as they are. The arguments of other macros
/// are not expressions yet, so they stay too.
pub(crate) fn move_inside(body: &mut Block) {
    MoveInside.visit_block_mut(body);
}

struct MoveInside;

impl VisitMut for MoveInside {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        // Parentheses around an assignment go. Around the call rustc would warn of them, and its
        // fix, which is made of the user's spans, would drop the place from the program.
        while let Expr::Paren(paren) = expression
            && paren.attrs.is_empty()
            && is_assignment(&paren.expr)
        {
            *expression = (*paren.expr).clone();
        }
        // First what is inside: the value may hold closures with assignments of their own.
        visit_mut::visit_expr_mut(self, expression);
        if let Some(rewritten) = inner_form(expression) {
            *expression = rewritten;
        }
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// Whether it is an assignment to a `remote!` or `local!`, in any number of parentheses.
fn is_assignment(expression: &Expr) -> bool {
    match expression {
        Expr::Paren(paren) => is_assignment(&paren.expr),
        Expr::Assign(assign) => as_call(&assign.left).is_some(),
        Expr::Binary(binary) => is_compound(&binary.op) && as_call(&binary.left).is_some(),
        _ => false,
    }
}

/// The inner form of an assignment to a `remote!` or `local!`.
fn inner_form(expression: &Expr) -> Option<Expr> {
    let (attributes, place, operator, value) = match expression {
        Expr::Assign(assign) => {
            (&assign.attrs, &assign.left, assign.eq_token.to_token_stream(), &assign.right)
        }
        Expr::Binary(binary) if is_compound(&binary.op) => {
            (&binary.attrs, &binary.left, binary.op.to_token_stream(), &binary.right)
        }
        _ => return None,
    };
    let outer = as_call(place)?;
    let mut mac = outer.mac.clone();
    let tokens = &mac.tokens;
    mac.tokens = quote!(#tokens #operator #value);
    let call = Expr::Macro(ExprMacro { attrs: Vec::new(), mac });
    let attrs: Vec<_> = attributes.iter().chain(&outer.attrs).cloned().collect();
    if attrs.is_empty() {
        return Some(call);
    }
    // rustc ignores attributes on a macro call: they move to a block around it.
    Some(parse_quote!(#(#attrs)* { #call }))
}

/// The expression as a call of one of the two macros, under any path.
fn as_call(expression: &Expr) -> Option<&ExprMacro> {
    match expression {
        Expr::Group(group) => as_call(&group.expr),
        Expr::Paren(paren) => as_call(&paren.expr),
        Expr::Macro(call) => {
            let last = &call.mac.path.segments.last()?.ident;
            (last == "remote" || last == "local").then_some(call)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;

    use crate::testing::{assert_tokens, tokens};

    #[track_caller]
    fn rewrites(body: &str, expected: &str) {
        let mut block = syn::parse2(tokens(body)).expect("the test's body is a block");
        super::move_inside(&mut block);
        assert_tokens(&block.to_token_stream(), expected);
    }

    #[test]
    fn assignments() {
        rewrites(
            "{ remote!(A[pe]) = 3; shmem::remote!(A[pe]) += f(x); ::s::local!(A) ^= 1; }",
            "{ remote!(A[pe] = 3); shmem::remote!(A[pe] += f(x)); ::s::local!(A ^= 1); }",
        );
        for operator in ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="] {
            let body = format!("{{ (remote!(A[pe])) {operator} x }}");
            rewrites(&body, &format!("{{ remote!(A[pe] {operator} x) }}"));
        }
    }

    #[test]
    fn nested() {
        rewrites(
            "{ let f = |x| remote!(A[x]) = { local!(B) = 1; x }; if c { local![B] += 1 } }",
            "{ let f = |x| remote!(A[x] = { local!(B = 1); x }); if c { local![B += 1] } }",
        );
        rewrites(
            "{ match x { 1 => remote!(A[0]) = 1, _ => for i in 0..3 { remote!(A[i]) = i; } } }",
            "{ match x { 1 => remote!(A[0] = 1), _ => for i in 0..3 { remote!(A[i] = i); } } }",
        );
    }

    #[test]
    fn parentheses_go() {
        rewrites(
            "{ (remote!(A[pe]) = 3); let f = |x| ((local!(A) += (x))); f((remote!(A[pe]) = (g)(2))) }",
            "{ remote!(A[pe] = 3); let f = |x| local!(A += (x)); f(remote!(A[pe] = (g)(2))) }",
        );
        rewrites(
            "{ match x { 1 => (local!(A) = 1), _ => (y = 2) } }",
            "{ match x { 1 => local!(A = 1), _ => (y = 2) } }",
        );
    }

    #[test]
    fn attributes_move_to_a_block() {
        rewrites("{ #[allow(unused)] remote!(A[pe]) = 3; }", "{ #[allow(unused)] { remote!(A[pe] = 3) }; }");
    }

    #[test]
    fn what_stays() {
        for body in [
            "{ x = remote!(A[pe]); *p += local!(A); remote!(A[pe]) == 3; remote!(A[pe])[3] = 3; }",
            "{ fn item() { remote!(A[pe]) = 3; } const C: () = { local!(A) = 3; }; }",
            "{ assert!({ remote!(A[pe]) = 3; true }); other!(A) = 3; remote(3) }",
        ] {
            rewrites(body, body);
        }
    }
}
