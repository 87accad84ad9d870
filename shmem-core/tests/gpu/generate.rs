//! Random kernels of the subset, as text of Rust.
//!
//! They are compiled with the tests, so they stand in a file, which the generator writes:
//! `KERNELS=overwrite cargo test -p shmem-core --features gpu --test gpu random_kernels`. A test compares
//! the two.

use std::fmt::Write as _;

use crate::random::Random;

/// How many kernels there are, and from which number they are drawn.
pub(crate) const COUNT: usize = 24;
const SEED: u64 = 2026;

const INTEGERS: [&str; 10] = ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"];
const FLOATS: [&str; 2] = ["f32", "f64"];

struct Kernel<'r> {
    random: &'r mut Random,
    /// Variables that can be read, with their types.
    variables: Vec<(String, &'static str)>,
    arrays: Vec<(String, &'static str)>,
    named: usize,
    text: String,
    depth: usize,
}

impl Kernel<'_> {
    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.random.below(list.len())]
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.random.below(n) == 0
    }

    fn name(&mut self, start: &str) -> String {
        self.named += 1;
        format!("{start}{}", self.named)
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn any_type(&mut self) -> &'static str {
        match self.random.below(8) {
            0 => "bool",
            1 | 2 => self.pick(&FLOATS),
            _ => self.pick(&INTEGERS),
        }
    }

    fn value(&mut self, ty: &'static str, depth: usize) -> String {
        if depth == 0 || self.one_in(6) {
            let known: Vec<String> =
                self.variables.iter().filter(|(_, of)| *of == ty).map(|(name, _)| name.clone()).collect();
            if !known.is_empty() && !self.one_in(4) {
                let at = self.random.below(known.len());
                return known[at].clone();
            }
            let at = self.random.below(self.variables.len());
            let (other, of) = self.variables[at].clone();
            if ty != "bool" && (of != "bool" || !FLOATS.contains(&ty)) && !self.one_in(3) {
                return format!("({other} as {ty})");
            }
            return self.literal(ty);
        }
        let array = self.arrays.iter().find(|(_, of)| *of == ty).map(|(name, _)| name.clone());
        if let Some(array) = array
            && self.one_in(4)
        {
            let index = self.value("usize", depth - 1);
            return format!("{array}[({index}) % 4]");
        }
        if self.one_in(8) {
            let (test, yes, no) =
                (self.value("bool", depth - 1), self.value(ty, depth - 1), self.value(ty, depth - 1));
            return format!("(if {test} {{ {yes} }} else {{ {no} }})");
        }
        match ty {
            "bool" => self.truth(depth - 1),
            "f32" | "f64" => self.float(ty, depth - 1),
            _ => self.integer(ty, depth - 1),
        }
    }

    fn literal(&mut self, ty: &'static str) -> String {
        let number = self.random.below(100);
        match ty {
            "bool" => self.pick(&["true", "false"]).to_owned(),
            "f32" | "f64" => {
                let text = ["0.1", "1.5", "2e3", "3.0", "0.375", "123456.78", "1e-7"];
                let text = self.pick(&text);
                format!("{text}_{ty}")
            }
            _ if self.one_in(12) && ty != "i8" => format!("{ty}::MAX"),
            _ if self.one_in(12) && ty != "i8" => format!("{ty}::MIN"),
            _ => format!("{number}_{ty}"),
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        let of = self.any_type();
        match self.random.below(5) {
            0 => format!("!({})", self.value("bool", depth)),
            1 => {
                let sign = self.pick(&["&&", "||", "^", "&", "|"]);
                format!("(({}) {sign} ({}))", self.value("bool", depth), self.value("bool", depth))
            }
            _ => {
                let sign = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("(({}) {sign} ({}))", self.value(of, depth), self.value(of, depth))
            }
        }
    }

    fn float(&mut self, ty: &'static str, depth: usize) -> String {
        let a = self.value(ty, depth);
        match self.random.below(10) {
            0..=2 => {
                let (sign, b) = (self.pick(&["+", "-", "*", "/", "%"]), self.value(ty, depth));
                format!("(({a}) {sign} ({b}))")
            }
            3 => format!("({a} as {ty} - 1.5)"),
            4 => {
                let method = self.pick(&["sqrt", "floor", "ceil", "trunc", "abs"]);
                format!("({a}).{method}()")
            }
            5 => {
                let method = self.pick(&["min", "max"]);
                format!("({a}).{method}(2.5)")
            }
            6 => format!("({a}).mul_add({}, 0.1)", self.value(ty, depth)),
            7 => format!("-({a})"),
            8 if ty == "f64" => format!("local!(reals[({}) % n])", self.value("usize", depth)),
            _ => {
                let from = match self.any_type() {
                    "bool" => "u8",
                    other => other,
                };
                format!("(({}) as {ty})", self.value(from, depth))
            }
        }
    }

    fn integer(&mut self, ty: &'static str, depth: usize) -> String {
        let a = self.value(ty, depth);
        match self.random.below(14) {
            0 | 1 => {
                let method = self.pick(&["wrapping_add", "wrapping_sub", "wrapping_mul", "min", "max"]);
                format!("({a}).{method}({})", self.value(ty, depth))
            }
            2 | 3 => {
                let (sign, b) = (self.pick(&["+", "*"]), self.value(ty, depth));
                format!("((({a}) & 7) {sign} (({b}) & 7))")
            }
            4 => {
                let (sign, b) = (self.pick(&["/", "%"]), self.value(ty, depth));
                format!("(({a}) {sign} ((({b}) & 7) | 1))")
            }
            5 | 6 => {
                let (sign, b) = (self.pick(&["&", "|", "^"]), self.value(ty, depth));
                format!("(({a}) {sign} ({b}))")
            }
            7 => format!("!({a})"),
            8 | 9 => {
                let (sign, by) = (self.pick(&["<<", ">>"]), self.pick(&INTEGERS));
                format!("(({a}) {sign} (({}) & 7))", self.value(by, depth))
            }
            10 if ty == "i64" => format!("local!(source[({}) % n])", self.value("usize", depth)),
            10 if ty.starts_with('i') => {
                let method = self.pick(&["", "", ".abs()"]);
                format!("(-(({a}) >> 1)){method}")
            }
            // What may go wrong: then it does so in both languages.
            11 if self.one_in(12) => {
                let (sign, b) = (self.pick(&["+", "-", "*", "/", "%"]), self.value(ty, depth));
                format!("(({a}) {sign} ({b}))")
            }
            // At the end of the type, whether it does depends on one bit.
            12 if self.one_in(8) => {
                let (end, sign) = self.pick(&[("MIN", "-"), ("MAX", "+")]);
                format!("({ty}::{end} {sign} (({a}) & 1))")
            }
            _ => format!("(({}) as {ty})", {
                let from = self.any_type();
                self.value(from, depth)
            }),
        }
    }

    fn statements(&mut self, count: usize, nested: usize) {
        for _ in 0..count {
            self.statement(nested);
        }
    }

    /// Statements in a scope of their own.
    fn nested(&mut self, nested: usize) {
        let before = (self.variables.clone(), self.arrays.clone());
        self.depth += 1;
        let count = 1 + self.random.below(3);
        self.statements(count, nested - 1);
        self.depth -= 1;
        (self.variables, self.arrays) = before;
    }

    /// A variable that can be assigned to.
    fn assignable(&mut self) -> Option<(String, &'static str)> {
        let known: Vec<_> =
            self.variables.iter().filter(|(name, _)| name.starts_with('v')).cloned().collect();
        if known.is_empty() {
            return None;
        }
        let at = self.random.below(known.len());
        Some(known[at].clone())
    }

    fn statement(&mut self, nested: usize) {
        let ty = self.any_type();
        match self.random.below(if nested > 0 { 12 } else { 7 }) {
            0..=2 => {
                // Sometimes one that hides another.
                let name = match self.assignable() {
                    Some((name, _)) if self.one_in(5) => name,
                    _ => self.name("v"),
                };
                let value = self.value(ty, 3);
                let annotation = if self.one_in(2) { format!(": {ty}") } else { String::new() };
                let value = if annotation.is_empty() { format!("({value}) as {ty}") } else { value };
                self.line(&format!("let mut {name}{annotation} = {value};"));
                self.variables.retain(|(known, _)| *known != name);
                self.variables.push((name, ty));
            }
            3 => {
                let ty = if ty == "bool" { "i16" } else { ty };
                let (name, value) = (self.name("a"), self.value(ty, 2));
                self.line(&format!("let mut {name}: [{ty}; 4] = [{value}; 4];"));
                self.arrays.push((name, ty));
            }
            4 if !self.arrays.is_empty() => {
                let at = self.random.below(self.arrays.len());
                let (name, ty) = self.arrays[at].clone();
                let (index, value) = (self.value("usize", 1), self.value(ty, 2));
                self.line(&format!("{name}[({index}) % 4] = {value};"));
            }
            4..=6 => {
                let Some((name, ty)) = self.assignable() else { return };
                let value = self.value(ty, 3);
                let sign = match ty {
                    "f32" | "f64" => self.pick(&["=", "+=", "-=", "*="]),
                    _ => self.pick(&["=", "&=", "|=", "^="]),
                };
                self.line(&format!("{name} {sign} {value};"));
            }
            7 | 8 => {
                let test = self.value("bool", 2);
                self.line(&format!("if {test} {{"));
                self.nested(nested);
                if self.one_in(2) {
                    self.line("} else {");
                    self.nested(nested);
                }
                self.line("}");
            }
            9 | 10 => {
                let (name, ty) = (self.name("q"), self.pick(&INTEGERS));
                let (start, end) = (self.random.below(4), 2 + self.random.below(6));
                let by = 1 + self.random.below(3);
                let range = match self.random.below(7) {
                    0 => format!("{start}_{ty}..={end}"),
                    1 => format!("({start}..{end}_{ty}).rev()"),
                    2 => format!("({start}_{ty}..{end}).step_by({by})"),
                    3 => format!("({start}_{ty}..={end}).step_by({by})"),
                    // To the end of the type, where counting on is an overflow.
                    4 => format!("{ty}::MAX - {start}..={ty}::MAX"),
                    5 => format!("({ty}::MIN..={ty}::MIN + {start}).rev()"),
                    _ => format!("{start}_{ty}..{end}"),
                };
                self.line(&format!("for {name} in {range} {{"));
                self.variables.push((name.clone(), ty));
                self.depth += 1;
                // What it counts is seen in the result.
                self.line(&format!("trace = trace.wrapping_mul(31).wrapping_add({name} as i64);"));
                if self.one_in(3) {
                    let (test, word) = (self.value("bool", 1), self.pick(&["break", "continue"]));
                    self.line(&format!("if {test} {{ {word}; }}"));
                }
                self.depth -= 1;
                self.nested(nested);
                self.line("}");
                self.variables.retain(|(known, _)| *known != name);
            }
            _ => {
                let name = self.name("w");
                self.line(&format!("let mut {name} = 0_u32;"));
                let limit = 1 + self.random.below(4);
                self.line(&format!("while {name} < {limit} {{"));
                self.depth += 1;
                self.line(&format!("{name} += 1;"));
                self.depth -= 1;
                self.nested(nested);
                self.line("}");
            }
        }
    }
}

/// One kernel, and the function that it calls.
fn kernel(number: usize, random: &mut Random) -> String {
    let start = [("n", "usize"), ("a", "i32"), ("x", "f32"), ("i", "usize"), ("s", "i64"), ("r", "f64")];
    let helper_start = vec![("p".to_owned(), "i64"), ("g".to_owned(), "f32")];
    let mut helper = Kernel {
        random,
        variables: helper_start,
        arrays: Vec::new(),
        named: 0,
        text: String::new(),
        depth: 1,
    };
    // It has no device arrays.
    let body = loop {
        helper.text.clear();
        helper.variables.truncate(2);
        helper.arrays.clear();
        helper.line("let mut trace = p;");
        helper.statements(2, 1);
        let result = helper.value("i32", 3);
        let body = format!("{}    (trace as i32).wrapping_add({result})\n", helper.text);
        if !body.contains("local!") {
            break body;
        }
    };
    let mut made = Kernel {
        random,
        variables: start.iter().map(|(name, ty)| ((*name).to_owned(), *ty)).collect(),
        arrays: Vec::new(),
        named: 0,
        text: String::new(),
        depth: 1,
    };
    made.line("let i = global_index();");
    made.line("let s = local!(source[i]);");
    made.line("let r = local!(reals[n - 1 - i]);");
    made.line("let mut trace = s;");
    let is_shared = number.is_multiple_of(3);
    let of = made.pick(&["i32", "u8", "f32", "u64", "i16"]);
    if is_shared {
        made.line(&format!("let mut tile = shared::<[{of}; 8]>();"));
        // Nobody has written to it.
        made.line("trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);");
        made.line("block_barrier();");
    }
    made.statements(4, 2);
    made.line(&format!("let mut vh = helper_{number}(s, x);"));
    made.variables.push(("vh".to_owned(), "i32"));
    if is_shared {
        let value = made.value(of, 3);
        let far = made.random.below(5);
        made.line(&format!("local!(tile[thread_index()]) = {value};"));
        made.line("block_barrier();");
        made.line(&format!("let mut vt = local!(tile[(thread_index() + {far}) % block_size()]);"));
        made.variables.push(("vt".to_owned(), of));
    }
    made.statements(4, 2);
    // Several elements at once: by all threads of a block, or by one of them, so that there is an order.
    if !is_shared {
        made.line("if thread_index() == 0 {");
        made.depth += 1;
    }
    let step = 1 + made.random.below(4);
    for is_put in [true, false] {
        let scope = if is_shared { made.pick(&["block; ", "warp; "]) } else { "" };
        let (from, to, len) = (made.random.below(6), made.random.below(3), 1 + made.random.below(4));
        let to_range = match made.random.below(3) {
            0 => format!("{to} + block_index() * {step}..{} + block_index() * {step}", to + len),
            1 => format!("{to}..={}", to + len - 1),
            _ => format!("..{len}"),
        };
        let from_range = match made.random.below(3) {
            0 => format!("n - {len}.."),
            _ => format!("{from}..{}", from + len),
        };
        let pe = format!("(my_pe() + {}) % n_pes()", made.random.below(3));
        made.line(&if is_put {
            format!("remote!({scope}moved[{pe}, my_pe(), {to_range}] = &source[{from_range}]);")
        } else {
            format!("remote!({scope}source[{pe}, {from_range}] => &mut moved[my_pe(), {to_range}]);")
        });
    }
    // On a cell that nobody else uses.
    if is_shared {
        made.line("if thread_index() == 0 {");
        made.depth += 1;
    }
    let (current, new) = (made.random.below(2), made.random.below(3));
    made.line(&format!(
        "let found = remote!(&cells[my_pe(), 4]).compare_swap({current}, {new} + block_index() as u32);"
    ));
    made.line("trace = trace.wrapping_add(found as i64);");
    made.depth -= 1;
    made.line("}");
    let far = made.random.below(2);
    let (value, real) = (made.value("i64", 4), made.value("f64", 4));
    made.line(&format!(
        "remote!(out[(my_pe() + {far}) % n_pes(), my_pe(), i]) = trace.wrapping_add({value});"
    ));
    made.line(&format!("local!(real_out[i]) = {real};"));
    let (index, value) = (made.value("usize", 2), made.value("u32", 3));
    let sign = ["+=", "-=", "^="][number % 3];
    made.line(&format!("remote!(cells[(my_pe() + {}) % n_pes(), ({index}) % 4]) {sign} {value};", 1 - far));
    let text = made.text;
    format!(
        "#[shmem::gpu::kernel]\nfn helper_{number}(p: i64, g: f32) -> i32 {{\n{body}}}\n\n\
         #[shmem::gpu::kernel]\nfn kernel_{number}(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, \
         mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {{\n{text}}}\n\n"
    )
}

/// The whole file.
pub(crate) fn all() -> String {
    let mut random = Random(SEED);
    let mut text =
        "// Written by generate.rs, which says how; nothing here is written by hand.\n\n".to_owned();
    for number in 0..COUNT {
        text.push_str(&kernel(number, &mut random));
    }
    let numbers: Vec<String> = (0..COUNT).map(|number| format!("kernel_{number}")).collect();
    let _ = writeln!(text, "for_each_kernel! {{ {} }}", numbers.join(" "));
    text
}
