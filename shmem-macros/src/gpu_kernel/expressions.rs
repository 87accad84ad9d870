//! Operators, calls, methods.

use quote::{ToTokens as _, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{BinOp, Block, Expr, ExprCall, ExprMethodCall, Ident, Lit, Path, PathArguments, Stmt, UnOp};

use super::function::{Function, Value, line_of, plain_name};
use super::memory::axes;
use super::types::{self, Kind};
use crate::diagnostics::Region;
use crate::expressions::is_screaming;

/// The words of a kernel: functions without arguments that return a `usize`.
const WORDS: [&str; 7] =
    ["thread_index", "block_index", "block_size", "grid_size", "global_index", "my_pe", "n_pes"];
/// Those that return nothing, and what they are in C++.
const ORDERS: [(&str, &str); 3] =
    [("block_barrier", "__syncthreads()"), ("fence", "nvshmem_fence()"), ("quiet", "nvshmem_quiet()")];
/// The methods of numbers: the name, how many arguments, and whether the line is needed.
const METHODS: [(&str, usize, bool); 11] = [
    ("wrapping_add", 1, false),
    ("wrapping_sub", 1, false),
    ("wrapping_mul", 1, false),
    ("min", 1, false),
    ("max", 1, false),
    ("abs", 0, true),
    ("sqrt", 0, false),
    ("floor", 0, false),
    ("ceil", 0, false),
    ("trunc", 0, false),
    ("mul_add", 2, false),
];

/// The function in C++ for an operator.
pub(super) fn operator(operator: &BinOp, line: usize) -> Option<String> {
    let (name, with_line) = match operator {
        BinOp::Add(_) => ("add", true),
        BinOp::Sub(_) => ("sub", true),
        BinOp::Mul(_) => ("mul", true),
        BinOp::Div(_) => ("div", true),
        BinOp::Rem(_) => ("rem", true),
        BinOp::Shl(_) => ("shl", true),
        BinOp::Shr(_) => ("shr", true),
        BinOp::BitAnd(_) => ("bit_and", false),
        BinOp::BitOr(_) => ("bit_or", false),
        BinOp::BitXor(_) => ("bit_xor", false),
        BinOp::Eq(_) => ("eq", false),
        BinOp::Ne(_) => ("ne", false),
        BinOp::Lt(_) => ("lt", false),
        BinOp::Le(_) => ("le", false),
        BinOp::Gt(_) => ("gt", false),
        BinOp::Ge(_) => ("ge", false),
        _ => return None,
    };
    Some(if with_line { format!("rs::{name}<{line}>") } else { format!("rs::{name}") })
}

/// The digits of a whole number.
pub(super) fn digits(literal: &Expr) -> Option<String> {
    match literal {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => Some(format!("{}ull", number.base10_digits())),
            _ => None,
        },
        Expr::Paren(inner) => digits(&inner.expr),
        Expr::Group(inner) => digits(&inner.expr),
        _ => None,
    }
}

impl Function<'_> {
    /// The value of an expression whose type is known without its use.
    pub(super) fn typed_value(&mut self, expression: &Expr) -> Option<Value> {
        let value = self.value(expression)?;
        if !value.typed {
            return self.wrong(
                Region::of(expression),
                "the type of this number is not written: write it, as in `let x: f32 = 1.0;` or `1.0_f32`",
            );
        }
        Some(value)
    }

    /// An element or a variable that is assigned to.
    pub(super) fn place(&mut self, place: &Expr) -> Option<Value> {
        match place {
            Expr::Path(path) => {
                let Some(name) = path.path.get_ident() else {
                    return self.wrong(Region::of(place), "a kernel assigns to its variables");
                };
                match self.local(name) {
                    Some(local) if matches!(local.kind, Kind::Scalar(_) | Kind::Value) => {
                        let cpp = local.cpp.clone();
                        Some(Value::typed(quote!(#name), cpp))
                    }
                    Some(_) => self.wrong(
                        name.span(),
                        format!("`{name}` is assigned element by element, as in `{name}[i] = x` or `local!({name}[i]) = x`"),
                    ),
                    // rustc says that there is no such variable.
                    None => Some(Value::typed(quote!(#name), plain_name(name))),
                }
            }
            Expr::Index(_) => self.value(place),
            Expr::Paren(inner) => self.place(&inner.expr),
            Expr::Group(inner) => self.place(&inner.expr),
            other => self.wrong(
                Region::of(other),
                "a kernel assigns to variables, elements of arrays, and `remote!` and `local!` places",
            ),
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expression: &Expr) -> Option<Value> {
        match expression {
            Expr::Lit(literal) => self.literal(&literal.lit),
            Expr::Path(path) if path.qself.is_none() => self.path(&path.path),
            Expr::Paren(inner) => {
                let mut value = self.value(&inner.expr)?;
                let rust = value.rust;
                value.rust = quote_spanned!(inner.paren_token.span.join()=> (#rust));
                Some(value)
            }
            Expr::Group(inner) => self.value(&inner.expr),
            Expr::Unary(unary) => {
                let line = line_of(unary.op.span());
                let name = match unary.op {
                    UnOp::Neg(_) => format!("rs::neg<{line}>"),
                    UnOp::Not(_) => "rs::bit_not".to_owned(),
                    _ => return self.wrong(unary.op.span(), "a kernel has no references: remove `*`"),
                };
                let value = self.value(&unary.expr)?;
                if !value.typed && matches!(unary.op, UnOp::Not(_)) {
                    return self.wrong(
                        Region::of(&*unary.expr),
                        "the type of this number is not written: write it, as in `!0_u32`",
                    );
                }
                let (op, rust) = (&unary.op, value.rust);
                Some(Value { rust: quote!(#op #rust), cpp: format!("{name}({})", value.cpp), ..value })
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::Cast(cast) => {
                let Some(to) = types::scalar_of(&cast.ty) else {
                    return self.wrong(Region::of(&*cast.ty), format!("`as` makes {}", types::SCALARS));
                };
                let value = self.value(&cast.expr)?;
                let (rust, token, ty) = (value.rust, &cast.as_token, &cast.ty);
                Some(Value {
                    rust: quote!(#rust #token #ty),
                    cpp: format!("rs::as<{}>({})", types::cpp(to), value.cpp),
                    typed: true,
                    ..value
                })
            }
            Expr::If(conditional) => self.choice(conditional),
            Expr::Block(block) if block.label.is_none() => {
                let inner = self.only_expression(&block.block)?;
                let mut value = self.value(inner)?;
                let rust = value.rust;
                value.rust = quote_spanned!(block.block.brace_token.span.join()=> { #rust });
                Some(value)
            }
            Expr::Index(index) => self.element(index),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            Expr::Macro(call) => self.read(call),
            other => {
                let text = refused(other);
                self.wrong(Region::of(other), text)
            }
        }
    }

    fn literal(&mut self, literal: &Lit) -> Option<Value> {
        let rust = literal.to_token_stream();
        match literal {
            Lit::Bool(value) => Some(Value::typed(rust, value.value.to_string())),
            Lit::Int(number) => {
                let digits = number.base10_digits();
                match number.suffix() {
                    "" if digits.parse::<u64>().is_ok() => {
                        Some(Value { typed: false, ..Value::typed(rust, format!("rs::i({digits}ull)")) })
                    }
                    suffix if types::scalar(suffix).is_some() && digits.parse::<u64>().is_ok() => {
                        let point = if types::is_float(suffix) { ".0" } else { "ull" };
                        let suffix = if suffix == "f32" { "rs::f32" } else { &types::cpp(suffix) };
                        Some(Value::typed(rust, format!("({suffix}){digits}{point}")))
                    }
                    _ => self.wrong(literal.span(), "numbers of a kernel have 64 bits at most"),
                }
            }
            Lit::Float(number) => {
                let digits = number.base10_digits();
                let point = if digits.contains(['e', 'E', '.']) { "" } else { ".0" };
                match number.suffix() {
                    "" => {
                        let cpp = format!("rs::f({digits}{point}f, {digits}{point})");
                        Some(Value { typed: false, ..Value::typed(rust, cpp) })
                    }
                    "f32" => Some(Value::typed(rust, format!("{digits}{point}f"))),
                    "f64" => Some(Value::typed(rust, format!("{digits}{point}"))),
                    _ => self.wrong(literal.span(), "floats of a kernel are f32 and f64"),
                }
            }
            _ => self.wrong(literal.span(), "a kernel has numbers and `bool`, and no text"),
        }
    }

    /// A variable, or a constant of the program.
    fn path(&mut self, path: &Path) -> Option<Value> {
        let rust = path.to_token_stream();
        if let Some(name) = path.get_ident()
            && let Some(local) = self.local(name)
        {
            return match local.kind {
                Kind::Scalar(_) | Kind::Value => Some(Value::typed(rust, local.cpp.clone())),
                Kind::Array => self.wrong(
                    name.span(),
                    format!("an array of a kernel is used element by element: write `{name}[i]`"),
                ),
                Kind::Shared => {
                    self.wrong(name.span(), format!("shared memory is accessed by elements: write `local!({name}[i])`"))
                }
                Kind::Team => self.wrong(
                    name.span(),
                    format!("`{name}` is a team: write `; on {name}` in a collective call, `{name}.my_pe()` or `{name}.n_pes()`"),
                ),
                Kind::Global { .. } => self.wrong(
                    name.span(),
                    format!("a device array is accessed by elements: write `local!({name}[i])` or `remote!({name}[pe, i])`"),
                ),
            };
        }
        let last = path.segments.last()?;
        if !matches!(last.arguments, PathArguments::None) {
            return self.wrong(Region::of(path), "a kernel has variables, and constants of the program");
        }
        if !is_screaming(&last.ident) {
            if path.segments.len() > 1 {
                return self.wrong(
                    Region::of(path),
                    "a kernel has its variables, and constants of the program in CAPITALS: pass it as a parameter",
                );
            }
            // rustc says that there is no such variable.
            return Some(Value::typed(rust, plain_name(&last.ident)));
        }
        let names: Vec<_> = path.segments.iter().map(|segment| plain_name(&segment.ident)).collect();
        let cpp = format!("c_{}", names.join("_"));
        if !self.constants.iter().any(|(_, known)| *known == cpp) {
            self.constants.push((path.clone(), cpp.clone()));
        }
        Some(Value::typed(rust, cpp))
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Option<Value> {
        let (left, right) = (self.value(&binary.left), self.value(&binary.right));
        let (left, right) = (left?, right?);
        let at = Region::of(binary);
        let op = &binary.op;
        let (l, r) = (&left.rust, &right.rust);
        let rust = quote!(#l #op #r);
        let logical = match op {
            BinOp::And(_) => Some("&&"),
            BinOp::Or(_) => Some("||"),
            _ => None,
        };
        if let Some(sign) = logical {
            let cpp = format!("({} {sign} {})", left.cpp, right.cpp);
            return Some(Value::typed(rust, cpp).after([&left, &right]));
        }
        let Some(name) = operator(op, line_of(op.span())) else {
            return self.wrong(at, "an assignment is a statement: write it on a line of its own");
        };
        let shifts = matches!(op, BinOp::Shl(_) | BinOp::Shr(_));
        if !left.typed && (shifts || !right.typed) {
            return self.wrong(
                Region::of(&*binary.left),
                "the type of this number is not written: write it, as in `1_u32`",
            );
        }
        self.in_any_order(at, &[&left, &right]);
        Some(Value::typed(rust, format!("{name}({}, {})", left.cpp, right.cpp)).after([&left, &right]))
    }

    /// An `if` that has a value.
    fn choice(&mut self, conditional: &syn::ExprIf) -> Option<Value> {
        if let Expr::Let(pattern) = &*conditional.cond {
            return self.wrong(Region::of(pattern), "a kernel has no patterns: compare with `==` and `<`");
        }
        let Some((else_token, otherwise)) = &conditional.else_branch else {
            return self.wrong(Region::of(conditional), "an `if` that has a value needs an `else`");
        };
        let condition = self.value(&conditional.cond)?;
        let then = self.only_expression(&conditional.then_branch)?;
        let then = self.value(then)?;
        let (otherwise, other_rust) = match &**otherwise {
            Expr::Block(block) => {
                let inner = self.only_expression(&block.block)?;
                let value = self.value(inner)?;
                let rust = &value.rust;
                let rust = quote_spanned!(block.block.brace_token.span.join()=> { #rust });
                (value, rust)
            }
            nested => {
                let value = self.value(nested)?;
                let rust = value.rust.clone();
                (value, rust)
            }
        };
        let (if_token, test, yes) = (&conditional.if_token, &condition.rust, &then.rust);
        let value = Value {
            rust: quote_spanned!(conditional.then_branch.brace_token.span.join()=> #if_token #test { #yes } #else_token #other_rust),
            cpp: format!("({} ? {} : {})", condition.cpp, then.cpp, otherwise.cpp),
            typed: then.typed || otherwise.typed,
            effects: 0,
            reads: 0,
        };
        Some(value.after([&condition, &then, &otherwise]))
    }

    /// The one expression of a block that is a value.
    fn only_expression<'e>(&mut self, block: &'e Block) -> Option<&'e Expr> {
        match block.stmts.as_slice() {
            [Stmt::Expr(expression, None)] => Some(expression),
            _ => self.wrong(
                Region::of(block),
                "a block that is a value has one expression: declare a variable with `let mut` before, and assign to it inside",
            ),
        }
    }

    /// `array[i]`
    fn element(&mut self, index: &syn::ExprIndex) -> Option<Value> {
        let Expr::Path(path) = &*index.expr else {
            return self
                .wrong(Region::of(&*index.expr), "a kernel takes elements of its arrays: write `array[i]`");
        };
        let Some(name) = path.path.get_ident() else {
            return self.wrong(
                Region::of(path),
                "a kernel takes elements of its own arrays: pass the number as a parameter",
            );
        };
        let cpp = match self.local(name) {
            Some(local) if matches!(local.kind, Kind::Array) => local.cpp.clone(),
            Some(local) => {
                let text = match local.kind {
                    Kind::Global { .. } => {
                        format!(
                            "elements of a device array are accessed by macros: write `local!({name}[i])` or `remote!({name}[pe, i])`"
                        )
                    }
                    Kind::Shared => format!(
                        "elements of shared memory are accessed by `local!`: write `local!({name}[i])`"
                    ),
                    _ => format!("`{name}` is no array"),
                };
                return self.wrong(Region::of(index), text);
            }
            None => plain_name(name),
        };
        let at = self.value(&index.index)?;
        let line = line_of(index.bracket_token.span.open());
        let i = &at.rust;
        Some(
            Value::typed(
                quote_spanned!(index.bracket_token.span.join()=> #name[#i]),
                format!("rs::at<{line}>({cpp}, {})", at.cpp),
            )
            .after([&at]),
        )
    }

    /// A word of the language, or another kernel function.
    fn call(&mut self, call: &ExprCall) -> Option<Value> {
        let Expr::Path(path) = &*call.func else {
            return self.wrong(Region::of(&*call.func), "a kernel calls functions by their names");
        };
        if path.qself.is_some()
            || path.path.segments.iter().any(|part| !matches!(part.arguments, PathArguments::None))
        {
            return self.wrong(
                Region::of(&*call.func),
                "a kernel calls kernel functions, which have no generic parameters",
            );
        }
        if let Some(name) = path.path.get_ident() {
            let text = plain_name(name);
            if WORDS.contains(&text.as_str()) {
                self.no_arguments(call)?;
                let word = self.device(&text, name.span());
                return Some(Value::typed(
                    quote_spanned!(call.paren_token.span.join()=> #word()),
                    format!("rs::{text}()"),
                ));
            }
            if let Some((_, cpp)) = ORDERS.iter().find(|(order, _)| *order == text) {
                self.no_arguments(call)?;
                self.together |= text == "block_barrier";
                let word = self.device(&text, name.span());
                return Some(Value {
                    effects: 1,
                    ..Value::typed(quote_spanned!(call.paren_token.span.join()=> #word()), *cpp)
                });
            }
            if text.starts_with(char::is_uppercase) {
                return self.wrong(
                    name.span(),
                    "a kernel calls kernel functions: it has numbers, and no other types",
                );
            }
            if text == "shared" {
                return self.wrong(
                    Region::of(call),
                    "shared memory is a variable: write `let mut tile = shared::<[f32; 64]>();`",
                );
            }
        }
        let arguments: Vec<_> = call.args.iter().map(|argument| self.argument(argument)).collect();
        let arguments: Vec<Value> = arguments.into_iter().collect::<Option<_>>()?;
        self.in_any_order(Region::of(call), &arguments.iter().collect::<Vec<_>>());
        let written = quote!(#path).to_string();
        let number = match self.calls.iter().position(|known| quote!(#known).to_string() == written) {
            Some(number) => number,
            None => {
                self.calls.push(path.path.clone());
                self.calls.len() - 1
            }
        };
        let (rust, cpp): (Vec<_>, Vec<_>) =
            arguments.iter().map(|argument| (&argument.rust, argument.cpp.as_str())).unzip();
        let cpp = format!("\u{1}{number}\u{1}({})", cpp.join(", "));
        Some(Value {
            effects: 1,
            ..Value::typed(quote_spanned!(call.paren_token.span.join()=> #path(#(#rust),*)), cpp)
        })
    }

    fn no_arguments(&mut self, call: &ExprCall) -> Option<()> {
        if call.args.is_empty() {
            return Some(());
        }
        self.wrong(Region::of(&call.args), "this takes no arguments: remove them")
    }

    /// An argument of a kernel function: a value, a device array, or a team.
    fn argument(&mut self, argument: &Expr) -> Option<Value> {
        if let Expr::Path(path) = argument
            && let Some(name) = path.path.get_ident()
            && let Some(local) = self.local(name)
            && matches!(local.kind, Kind::Global { .. } | Kind::Team)
        {
            return Some(Value::typed(quote!(#name), local.cpp.clone()));
        }
        self.value(argument)
    }

    /// A method of a number, of a device array, or of a cell.
    fn method(&mut self, call: &ExprMethodCall) -> Option<Value> {
        let ExprMethodCall { receiver, method, args, .. } = call;
        if let Expr::Macro(place) = &**receiver
            && let Some(value) = self.fetch(place, method, args)
        {
            return value;
        }
        let name = plain_name(method);
        if let Expr::Path(path) = &**receiver
            && let Some(array) = path.path.get_ident()
            && let Some(local) = self.local(array).cloned()
        {
            match local.kind {
                Kind::Global { rank, .. } => return self.of_array(call, array, &local.cpp, rank),
                Kind::Team => return self.of_team(call, array, &local.cpp),
                _ => {}
            }
        }
        let known = METHODS.iter().find(|(known, count, _)| *known == name && *count == args.len());
        let Some((_, _, with_line)) = known else {
            return self.wrong(
                method.span(),
                "a kernel has no such method: numbers have `min`, `max`, `abs`, `wrapping_add`, `wrapping_sub` and `wrapping_mul`, \
                 floats `sqrt`, `floor`, `ceil`, `trunc` and `mul_add`, device arrays `len()` and `extent(axis)`, and cells \
                 `fetch_add`, `fetch_and`, `fetch_or`, `fetch_xor`, `swap` and `compare_swap`",
            );
        };
        let value = self.typed_value(receiver)?;
        let arguments: Vec<_> = args.iter().map(|argument| self.value(argument)).collect();
        let arguments: Vec<Value> = arguments.into_iter().collect::<Option<_>>()?;
        let all: Vec<&Value> = [&value].into_iter().chain(&arguments).collect();
        self.in_any_order(Region::of(call), &all);
        let line = if *with_line { format!("<{}>", line_of(method.span())) } else { String::new() };
        let cpp: Vec<_> = all.iter().map(|value| value.cpp.as_str()).collect();
        let cpp = format!("rs::{name}{line}({})", cpp.join(", "));
        let (receiver, rust) = (&value.rust, arguments.iter().map(|argument| &argument.rust));
        let dot = &call.dot_token;
        let rust = quote_spanned!(call.paren_token.span.join()=> #receiver #dot #method(#(#rust),*));
        Some(Value::typed(rust, cpp).after(all))
    }

    /// `array.len()` and `array.extent(axis)`.
    fn of_array(&mut self, call: &ExprMethodCall, array: &Ident, cpp: &str, rank: usize) -> Option<Value> {
        let method = &call.method;
        match (plain_name(method).as_str(), call.args.len()) {
            ("len", 0) => {
                let len = self.device("GlobalMemory::elements", method.span());
                Some(Value::typed(quote_spanned!(array.span()=> #len(&#array)), format!("{cpp}.len()")))
            }
            ("extent", 1) => {
                let axis = &call.args[0];
                let number = match axis {
                    Expr::Lit(literal) => match &literal.lit {
                        Lit::Int(number) => number.base10_parse::<usize>().ok().filter(|axis| *axis < rank),
                        _ => None,
                    },
                    _ => None,
                };
                let Some(number) = number else {
                    return self.wrong(
                        Region::of(axis),
                        format!("`{array}` has {}: write the number of one, from 0 on", axes(rank)),
                    );
                };
                let extent = self.device("GlobalMemory::extent_of", method.span());
                let cells = self
                    .local(array)
                    .is_some_and(|local| matches!(local.kind, Kind::Global { atomic: true, .. }));
                let cells = if cells { ".cells" } else { "" };
                Some(Value::typed(
                    quote_spanned!(array.span()=> #extent(&#array, #axis)),
                    format!("{cpp}{cells}.extents[{number}]"),
                ))
            }
            _ => self.wrong(method.span(), "a device array of a kernel has `len()` and `extent(axis)`"),
        }
    }
}

/// What to write instead of an expression that a kernel has not.
fn refused(expression: &Expr) -> &'static str {
    match expression {
        Expr::Match(_) => "a kernel has no `match`: write `if` and `else if`",
        Expr::Closure(_) => {
            "a kernel has no closures: write the code in a loop, or a function marked with `#[shmem::gpu::kernel]`"
        }
        Expr::Reference(_) => "a kernel has no references: pass numbers and device arrays by value",
        Expr::Tuple(_) | Expr::Struct(_) | Expr::Field(_) => {
            "a kernel has no tuples and structs: use a variable for each number"
        }
        Expr::Array(_) | Expr::Repeat(_) => "an array is a variable: write `let mut a: [f32; 4] = [0.0; 4];`",
        Expr::Range(_) => "a range stands after `in` of a `for` only",
        Expr::Try(_) => "a kernel has no `?`: check with `if`",
        Expr::Let(_) => "a kernel has no patterns: compare with `==` and `<`",
        Expr::Unsafe(_) => "everything in a kernel is checked: remove `unsafe`",
        Expr::Await(_) | Expr::Async(_) => "a kernel waits by `wait!` alone",
        Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {
            "a loop of a kernel has no value: assign to a variable inside"
        }
        Expr::Assign(_) => "an assignment is a statement: write it on a line of its own",
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => {
            "this is a statement: write it on a line of its own"
        }
        _ => {
            "a kernel does not have this: it has numbers, arrays, operators, `if`, loops, and calls of kernel functions"
        }
    }
}
