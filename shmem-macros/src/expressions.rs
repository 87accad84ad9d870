//! What the looks of an expression tell: whether it is constant, whether an operator assigns.

use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::{BinOp, Expr, Ident, Lit, Path, PathArguments, Stmt, Type};

/// A path as one writes it: `halo::LEFT`.
pub(crate) fn path_text(path: &Path) -> String {
    let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect();
    let root = if path.leading_colon.is_some() { "::" } else { "" };
    format!("{root}{}", names.join("::"))
}

/// The expression without the parentheses, invisible groups, and braces (as in `{ N }`) around it.
/// The expansion does not need them, and rustc would warn that they are unnecessary.
pub(crate) fn plain(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) if inner.attrs.is_empty() => plain(&inner.expr),
        Expr::Group(inner) if inner.attrs.is_empty() => plain(&inner.expr),
        Expr::Block(block) if block.attrs.is_empty() && block.label.is_none() => {
            match block.block.stmts.as_slice() {
                [Stmt::Expr(inner, None)] => plain(inner),
                _ => expression,
            }
        }
        _ => expression,
    }
}

/// Whether the type of the expression depends on what is asked of it, as that of `n.into()` does.
pub(crate) fn takes_any_type(expression: &Expr) -> bool {
    match expression {
        Expr::MethodCall(call) => {
            let method = call.method.to_string();
            match method.as_str() {
                "into" | "try_into" | "parse" | "sum" | "product" | "unwrap_or_default" => true,
                "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "min" | "max" | "clamp" | "clone" => {
                    takes_any_type(&call.receiver)
                }
                _ => false,
            }
        }
        Expr::Try(inner) => takes_any_type(&inner.expr),
        Expr::Paren(inner) => takes_any_type(&inner.expr),
        _ => false,
    }
}

/// Whether the compiler can know the value: integers, names in capitals, and arithmetic on these.
///
/// A block is not constant. So the user can write `{ N }` for a generic parameter `N`, which the
/// items of the compile-time checks cannot name.
pub(crate) fn is_constant(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Int(_)),
        Expr::Path(path) => path.qself.is_none() && is_constant_path(&path.path),
        Expr::Paren(inner) => is_constant(&inner.expr),
        Expr::Group(inner) => is_constant(&inner.expr),
        Expr::Binary(binary) => {
            is_arithmetic(&binary.op) && is_constant(&binary.left) && is_constant(&binary.right)
        }
        Expr::Cast(cast) => is_integer(&cast.ty) && is_constant(&cast.expr),
        _ => false,
    }
}

/// Whether a path looks like that of a constant. `Self::N` and `T::N` mostly stand in generic code,
/// so they are left to run time.
pub(crate) fn is_constant_path(path: &Path) -> bool {
    let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else {
        return false;
    };
    let parameter = path.segments.len() > 1 && path.leading_colon.is_none() && {
        let first = first.ident.to_string();
        first == "Self" || first.len() == 1 && first.chars().all(char::is_uppercase)
    };
    let generic = path.segments.iter().any(|segment| !matches!(segment.arguments, PathArguments::None));
    is_screaming(&last.ident) && !parameter && !generic
}

/// Whether a type is a primitive integer's name.
fn is_integer(ty: &Type) -> bool {
    const INTEGERS: [&str; 12] =
        ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
    matches!(ty, Type::Path(path) if path.path.get_ident().is_some_and(|ident| INTEGERS.iter().any(|name| ident == name)))
}

/// Whether a name is written like that of a constant: `N`, `LEFT_HALO`, `B2`.
pub(crate) fn is_screaming(name: &Ident) -> bool {
    let name = name.unraw().to_string();
    name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase)
}

/// Whether an operator computes a number, other than bit by bit.
pub(crate) fn is_arithmetic(operator: &BinOp) -> bool {
    use BinOp::*;
    matches!(operator, Add(_) | Sub(_) | Mul(_) | Div(_) | Rem(_) | Shl(_) | Shr(_))
}

/// Whether an operator stores its result in the left operand, as `+=` does.
pub(crate) fn is_compound(operator: &BinOp) -> bool {
    let text = operator.to_token_stream().to_string();
    text.ends_with('=') && !["==", "!=", "<=", ">="].contains(&text.as_str())
}
