//! What a kernel becomes, and what it may not contain.

use super::expand;
use crate::testing::{assert_mistakes, tokens};

/// The text in C++ of a kernel with this body.
#[track_caller]
fn cpp(body: &str) -> String {
    let source = format!(
        "fn k(a: Global<i64>, mut b: Global<f32, 2>, mut c: Global<Atomic<u32>>, n: usize, x: f32, mut d: Global<Atomic<u64>>, team: GpuTeam) {{ {body} }}"
    );
    let (expansion, problems) = expand(tokens(""), tokens(&source));
    assert!(problems.is_empty(), "{body}: {:?}", problems.report());
    let text = expansion.to_string();
    let start = text.find("body : \"").expect("the text") + 8;
    let end = start + text[start..].find("\" , calls").expect("the end of the text");
    let text = text[start..end].replace("\\n", "\n").replace("\\\"", "\"");
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[1..lines.len()].join("\n").trim_end_matches('}').trim_start_matches("\\u{2}").trim().to_owned()
}

#[track_caller]
fn becomes(body: &str, expected: &str) {
    let actual = cpp(body);
    assert_eq!(actual, expected, "{body}");
}

#[test]
fn numbers() {
    becomes("let y = n + 1;", "auto y = rs::add<0>(n, rs::i(1ull));");
    becomes("let y: u8 = 7;", "rs::u8 y = rs::i(7ull);");
    becomes("let y = 0x10_u8;", "auto y = (rs::u8)16ull;");
    becomes(
        "let y = x * 0.5 - 1e3;",
        "auto y = rs::sub<0>(rs::mul<0>(x, rs::f(0.5f, 0.5)), rs::f(1e3f, 1e3));",
    );
    becomes("let y = -(n as i32) >> 3;", "auto y = rs::shr<0>(rs::neg<0>(rs::as<rs::i32>(n)), rs::i(3ull));");
    becomes("let y = !(n < 3) && true;", "auto y = (rs::bit_not(rs::lt(n, rs::i(3ull))) && true);");
    becomes("let y = if n == 0 { 1 } else { n };", "auto y = (rs::eq(n, rs::i(0ull)) ? rs::i(1ull) : n);");
    becomes(
        "let y = x.mul_add(2.0, x).max(0.0).abs();",
        "auto y = rs::abs<0>(rs::max(rs::mul_add(x, rs::f(2.0f, 2.0), x), rs::f(0.0f, 0.0)));",
    );
    becomes("let y = N + m::K;", "auto y = rs::add<0>(c_N, c_m_K);");
}

/// Rust lets a name be declared again, from itself; and C++ has other words.
#[test]
fn names() {
    becomes(
        "let n = n / 2; { let n = n; } let int = n; let n_1 = int;",
        "auto n_1 = rs::div<0>(n, rs::i(2ull));\n{\nauto n_2 = n_1;\n}\nauto v_int = n_1;\nauto n_1_1 = v_int;",
    );
    becomes(
        "let (y, z) = (n, x); let (z, y) = (y, z);",
        "auto y = n;\nauto z = x;\nauto z_1 = y;\nauto y_1 = z;",
    );
}

#[test]
fn control() {
    becomes(
        "if n > 1 { return; } else if n == 0 { block_barrier(); } else { quiet(); }",
        "if (rs::gt(n, rs::i(1ull))) {\nreturn;\n} else {\nif (rs::eq(n, rs::i(0ull))) {\n__syncthreads();\n} else {\nnvshmem_quiet();\n}\n}",
    );
    becomes(
        "for i in 0..n { if i == 3 { continue; } }",
        "for (auto range = rs::range(rs::i(0ull), n); range.more();) {\nauto i = range.take();\nif (rs::eq(i, rs::i(3ull))) {\ncontinue;\n}\n}",
    );
    becomes(
        "for _ in (1..=n).step_by(2) { loop { break; } }",
        "for (auto range = rs::step_by<0>(rs::range_inclusive(rs::i(1ull), n), rs::i(2ull)); range.more();) {\nrange.take();\nwhile (true) {\nbreak;\n}\n}",
    );
    becomes(
        "let mut y = 0_u32; while y < 3 { y += 1; }",
        "auto y = (rs::u32)0ull;\nwhile (rs::lt(y, rs::i(3ull))) {\ny = rs::add<0>(y, rs::i(1ull));\n}",
    );
}

#[test]
fn memory() {
    becomes("let y = local!(a[n]);", "auto y = rs::read<0>(a, n);");
    becomes("let y = remote!(b[n, 1, 2]);", "auto y = rs::remote_read<0>(b, n, rs::i(1ull), rs::i(2ull));");
    becomes("local!(b[0, n]) = x;", "rs::write<0>(b, x, rs::i(0ull), n);");
    becomes(
        "remote!(b[n, 0, 1] = 2.5);",
        "rs::remote_write<0>(b, rs::f(2.5f, 2.5), n, rs::i(0ull), rs::i(1ull));",
    );
    becomes(
        "local!(c[0]) -= 1;",
        "rs::remote_add_to<0>(c, rs::negated<rs::u32>(rs::i(1ull)), rs::my_pe(), rs::i(0ull));",
    );
    becomes("remote!(c[n, 0]) ^= 1;", "rs::remote_xor_to<0>(c, rs::i(1ull), n, rs::i(0ull));");
    becomes(
        "let y = remote!(&c[n, 0]).fetch_add(3);",
        "auto y = rs::remote_fetch_add<0>(c, rs::i(3ull), n, rs::i(0ull));",
    );
    becomes("wait!(c[0] >= 1);", "rs::wait<0>(c, NVSHMEM_CMP_GE, rs::i(1ull), rs::i(0ull));");
    becomes(
        "let y = a.len() + b.extent(1) + c.extent(0);",
        "auto y = rs::add<0>(rs::add<0>(a.len(), b.extents[1]), c.cells.extents[0]);",
    );
    becomes(
        "let mut t = shared::<[f32; 8]>(); local!(t[n]) = local!(t[0]) + x;",
        "__shared__ rs::Array<rs::f32, rs::usize(8ull)> t;\nrs::clear(t);\nrs::write<0>(t, rs::add<0>(rs::read<0>(t, rs::i(0ull)), x), n);",
    );
    becomes(
        "let mut q: [u8; 2] = [1, 2]; q[n] += q[0];",
        "rs::Array<rs::u8, rs::usize(2ull)> q = rs::Array<rs::u8, rs::usize(2ull)>{{(rs::u8)rs::i(1ull), (rs::u8)rs::i(2ull)}};\n\
         rs::at<0>(q, n) = rs::add<0>(rs::at<0>(q, n), rs::at<0>(q, rs::i(0ull)));",
    );
}

#[test]
fn ranges() {
    becomes(
        "remote!(block; b[n, 0, 1..3] = &a[..2]);",
        "rs::move_to<0>(rs::Block{}, rs::piece<0>(b, rs::at_index(rs::i(0ull)), rs::between(rs::i(1ull), rs::i(3ull))), n, rs::piece<0>(a, rs::up_to(rs::i(2ull))));",
    );
    becomes(
        "remote!(b[n, 0..=1, ..]) = &a[2..];",
        "rs::move_to<0>(rs::Thread{}, rs::piece<0>(b, rs::through(rs::i(0ull), rs::i(1ull)), rs::all()), n, rs::piece<0>(a, rs::onward(rs::i(2ull))));",
    );
    becomes(
        "remote!(warp; a[n, ..] => &mut b[n, ..]);",
        "rs::move_from<0>(rs::Warp{}, rs::piece<0>(a, rs::all()), n, rs::piece<0>(b, rs::at_index(n), rs::all()));",
    );
    becomes(
        "local!(block; b[..2, ..] = &a[..]);",
        "rs::move_to<0>(rs::Block{}, rs::piece<0>(b, rs::up_to(rs::i(2ull)), rs::all()), rs::my_pe(), rs::piece<0>(a, rs::all()));",
    );
    becomes(
        "remote!(&b[1, 0, ..]).put_signal(local!(&b[n, ..]), remote!(&d[1, n]), SignalOp::Add(4));",
        "rs::move_with_signal<0>(rs::Thread{}, rs::piece<0>(b, rs::at_index(rs::i(0ull)), rs::all()), rs::i(1ull), \
         rs::piece<0>(b, rs::at_index(n), rs::all()), true, rs::i(4ull), d, rs::i(1ull), n);",
    );
    becomes(
        "let y = remote!(&c[n, 0]).compare_swap(1, 2);",
        "auto y = rs::remote_compare_swap<0>(c, rs::i(1ull), rs::i(2ull), n, rs::i(0ull));",
    );
}

#[test]
fn calls() {
    becomes("let y = m::f(n, a); f(1);", "auto y = \\u{1}0\\u{1}(n, a);\n\\u{1}1\\u{1}(rs::i(1ull));");
    becomes("assert!(n < 3, \"too large\");", "if (!rs::lt(n, rs::i(3ull))) RS_PANIC(\"too large\", 0);");
}

#[test]
fn collectives() {
    becomes(
        "collective!(block; a[..2] = sum a[n..n + 2]);",
        "rs::reduce<0, rs::i64>(rs::Block{}, rs::Team{NVSHMEM_TEAM_WORLD}, rs::piece<0>(a, rs::up_to(rs::i(2ull))), \
         rs::piece<0>(a, rs::between(n, rs::add<0>(n, rs::i(2ull)))), nvshmemx_longlong_sum_reduce_block);",
    );
    becomes(
        "collective!(warp; a[0] = xor a[1]; on team);",
        "rs::reduce<0, rs::u64>(rs::Warp{}, team, rs::piece<0>(a, rs::at_index(rs::i(0ull))), \
         rs::piece<0>(a, rs::at_index(rs::i(1ull))), nvshmemx_ulonglong_xor_reduce_warp);",
    );
    becomes(
        "collective!(b[0, ..] = broadcast b[1, ..] from n - 1; on team);",
        "rs::broadcast<0, rs::f32>(rs::Thread{}, team, rs::piece<0>(b, rs::at_index(rs::i(0ull)), rs::all()), \
         rs::piece<0>(b, rs::at_index(rs::i(1ull)), rs::all()), rs::sub<0>(n, rs::i(1ull)), nvshmem_float_broadcast);",
    );
    becomes(
        "collective!(a[..] = reduce_scatter max a[..]); collective!(block; a[..] = fcollect a[..]); collective!(a[..] = alltoall a[..]);",
        "rs::reduce_scatter<0, rs::i64>(rs::Thread{}, rs::Team{NVSHMEM_TEAM_WORLD}, rs::piece<0>(a, rs::all()), \
         rs::piece<0>(a, rs::all()), nvshmem_longlong_max_reducescatter);\n\
         rs::fcollect<0, rs::i64>(rs::Block{}, rs::Team{NVSHMEM_TEAM_WORLD}, rs::piece<0>(a, rs::all()), \
         rs::piece<0>(a, rs::all()), nvshmemx_longlong_fcollect_block);\n\
         rs::alltoall<0, rs::i64>(rs::Thread{}, rs::Team{NVSHMEM_TEAM_WORLD}, rs::piece<0>(a, rs::all()), \
         rs::piece<0>(a, rs::all()), nvshmem_longlong_alltoall);",
    );
    becomes(
        "collective!(barrier; on team); collective!(block; sync); let y = team.my_pe() + team.n_pes();",
        "rs::barrier<0>(rs::Thread{}, team, nvshmem_barrier);\n\
         rs::sync<0>(rs::Block{}, rs::Team{NVSHMEM_TEAM_WORLD}, nvshmemx_team_sync_block);\n\
         auto y = rs::add<0>(team.my_pe(), team.n_pes());",
    );
    becomes("f(team, n);", "\\u{1}0\\u{1}(team, n);");
}

#[test]
fn collectives_that_are_refused() {
    for (body, at, text) in [
        (
            "collective!(block; gather a[..]);",
            "gather",
            "a kernel has no `gather`: write one of `sum`, `prod`",
        ),
        ("collective!(block; b[..] = allgather b[..]);", "allgather", "a kernel has no `allgather`"),
        (
            "collective!(block; sum n);",
            "sum",
            "a collective call of a kernel stores its result in a device array",
        ),
        ("collective!(stream; sync);", "stream", "a kernel is on its stream already"),
        ("collective!(block; a[..] += sum a[..]);", "+", "a collective call of a kernel stores its result"),
        ("collective!(block; a[..] = sum &a[..]);", "&", "a source of a collective call is a place"),
        ("collective!(block; a[..] = barrier);", "barrier", "`barrier` takes no data"),
        (
            "collective!(a[..] = reduce_scatter fcollect a[..]);",
            "fcollect",
            "after `reduce_scatter` comes an operation",
        ),
        ("collective!(a[..] = broadcast a[..]);", "broadcast", "`broadcast` has a root"),
        ("collective!(b[0, ..] = or b[1, ..]);", "or", "`or` takes integers, and `b` has f32"),
        ("collective!(c[..] = sum a[..]);", "c", "`c` has cells"),
        ("collective!(z[..] = sum a[..]);", "z", "`z` is no parameter of this function"),
        ("collective!(b[..] = sum a[..]);", "[..]", "`b` has 2 axes"),
        ("collective!(barrier; on n);", "n", "`n` is no team of this function"),
        ("collective!(barrier; at team);", "at", "after the semicolon comes the team"),
        ("collective!(block; barrier; on team; x);", ";", "a collective call of a kernel ends here"),
        ("let y = collective!(sum n);", "collective", "a collective call of a kernel is a statement"),
        ("let y = team;", "team", "`team` is a team: write `; on team`"),
        ("let y = team.members();", "members", "a team of a kernel has `my_pe()` and `n_pes()`"),
        ("let y = local!(team[0]);", "team", "`team` is a team, and has no elements"),
        ("collective!();", "collective!()", "a collective call of a kernel is `collective!(block; DST"),
    ] {
        wrong(body, &[(at, text)]);
    }
}

#[test]
fn ranges_that_are_refused() {
    let side_by_side =
        "the elements that a kernel moves lie side by side: after a range write `..`, and loop over the rows";
    wrong("remote!(b[n, 0..1, 2..3] = &a[..]);", &[("2..3", side_by_side)]);
    wrong("remote!(b[n, .., 2] = &a[..]);", &[("2", side_by_side)]);
    wrong(
        "remote!(block; b[n, 0, 1] = &a[0]);",
        &[(
            "[n, 0, 1]",
            "one element is moved by one thread: write `remote!(to[pe, i]) = local!(from[i])`, or a range",
        )],
    );
    wrong(
        "remote!(block; b[n, 0, ..] = 1.0);",
        &[(
            "1.0",
            "several elements come from a device array: write `= &from[a..b]`, or write one element at a time in a loop",
        )],
    );
    wrong(
        "remote!(c[n, ..] = &c[..]);",
        &[("c", "`c` has cells, which move one by one: write an index, and loop over the range")],
    );
    wrong(
        "remote!(b[n, ..] = &a[..]);",
        &[("[n, ..]", "`b` has 2 axes: write the PE and an index or a range for each")],
    );
    wrong(
        "remote!(grid; b[n, 0, ..] = &a[..]);",
        &[(
            "grid",
            "a kernel is on its stream already: remove the stream and `;`, or write `block;` or `warp;` for what many threads do together",
        )],
    );
}

/// Mistakes in the body.
#[track_caller]
fn wrong(body: &str, expected: &[(&str, &str)]) {
    let source = format!(
        "fn k(a: Global<i64>, mut b: Global<f32, 2>, mut c: Global<Atomic<u32>>, n: usize, x: f32, mut d: Global<Atomic<u64>>, team: GpuTeam) {{ {body} }}"
    );
    let (_, problems) = expand(tokens(""), tokens(&source));
    assert_mistakes(&source, &problems, expected);
}

#[test]
fn types_that_are_not_written() {
    wrong("let y = 1;", &[("1", "the type of this number is not written")]);
    wrong("let y = (1.5);", &[("(1.5)", "the type of this number is not written")]);
    wrong("let y = if n > 1 { 1 } else { 2 };", &[("if n > 1 { 1 } else { 2 }", "the type of this number")]);
    wrong("for i in 0..10 {}", &[("0..10", "...as in `0..10_usize`")]);
    wrong("let y = 1 << n;", &[("1", "...as in `1_u32`")]);
    wrong("if 1 < 2 {}", &[("1", "...as in `1_u32`")]);
}

#[test]
fn what_a_kernel_has_not() {
    for (body, at, text) in [
        ("match n { _ => {} }", "match n { _ => {} }", "a kernel has no `match`: write `if`"),
        ("let f = |y: u32| y;", "|y: u32| y", "a kernel has no closures"),
        ("let y = &n;", "&n", "a kernel has no references"),
        ("let y = *n;", "*", "a kernel has no references"),
        ("let y: String = n;", "String", "a variable of a kernel is `bool`, i8"),
        ("let y: [String; 3] = n;", "String", "an array of a kernel has elements of"),
        ("let y = \"text\";", "\"text\"", "a kernel has numbers and `bool`, and no text"),
        ("let y;", "let y;", "a variable of a kernel has a value"),
        ("fn inner() {}", "fn inner() {}", "a kernel has no items inside"),
        ("println!(\"{n}\");", "println", "a kernel does not print"),
        ("vec![n];", "vec", "a kernel has fixed memory"),
        ("'a: loop { break; }", "'a:", "loops of a kernel have no labels"),
        ("let y = loop { break 3; };", "loop { break 3; }", "a loop of a kernel has no value"),
        ("if let y = n {}", "let y = n", "a kernel has no patterns"),
        ("while let y = n {}", "let y = n", "a kernel has no patterns"),
        ("for i in a {}", "a", "a `for` of a kernel goes over a range"),
        ("for i in 0..n.min(3).rev() {}", "rev", "a kernel has no such method"),
        ("let y = x.sin();", "sin", "a kernel has no such method"),
        ("let y = n.pow(2);", "pow", "a kernel has no such method"),
        ("let y = a[0];", "a[0]", "elements of a device array are accessed by macros: write `local!(a[i])`"),
        ("let y = a;", "a", "a device array is accessed by elements"),
        ("n + 1;", "n + 1", "this has no effect"),
        ("let y = n as char;", "char", "`as` makes `bool`, i8"),
        ("let y = Some(n);", "Some", "a kernel calls kernel functions"),
        ("let y = (n, n).0;", "(n, n).0", "a kernel has no tuples"),
        ("unsafe { }", "unsafe { }", "everything in a kernel is checked"),
        ("let y = m::lower;", "m::lower", "...CAPITALS"),
        ("let y = f::<u32>(n);", "f::<u32>", "...no generic parameters"),
        ("let y = { let z = n; z };", "{ let z = n; z }", "a block that is a value has one expression"),
        (
            "if n > 1 { let t = shared::<[f32; 4]>(); }",
            "shared::<[f32; 4]>()",
            "all threads of a block have the same",
        ),
        ("let t = shared();", "shared()", "shared memory is a fixed array of numbers"),
        ("let y = f(n) + f(x);", "f(n) + f(x)", "the order of the calls and reads"),
        ("let y = local!(a[0]) + f(x);", "local!(a[0]) + f(x)", "the order of the calls and reads"),
    ] {
        wrong(body, &[(at, text)]);
    }
}

#[test]
fn places() {
    for (body, at, text) in [
        ("let y = local!(a[0, 1]);", "[0, 1]", "`a` has 1 axis: write 1 index, `local!(a[i])`"),
        (
            "let y = remote!(b[0, 1]);",
            "[0, 1]",
            "`b` has 2 axes: write the PE and 2 indices, `remote!(b[pe, i, j])`",
        ),
        ("let y = local!(a[0..n]);", "0..n", "several elements are moved by a statement"),
        ("let y = local!(z[0]);", "z", "`z` is no parameter of this function"),
        ("let y = local!(n[0]);", "n", "`n` is a number: write `n`"),
        ("let y = local!(stream; a[0]);", "stream", "a kernel is on its stream already"),
        ("let y = local!(a);", "a", "a place of a kernel has an index for each axis"),
        ("let y = local!(a[0;2]);", ";", "a kernel accesses one element, as in"),
        ("local!(a[0]) += 1;", "+=", "`a` has plain elements, and only cells are updated atomically"),
        ("local!(c[0]) *= 2;", "*=", "a cell has the updates"),
        ("wait!(a[0] >= 1);", "a", "`a` has plain elements, and a wait is for a cell"),
        ("wait!(c[0]);", "wait!(c[0])", "a wait of a kernel is for one cell"),
        (
            "let y = remote!(&a[0, 0]).fetch_add(1);",
            "a",
            "`a` has plain elements, and only cells have `fetch_add`",
        ),
        ("let y = remote!(c[0, 0]).swap(1);", "remote!(c[0, 0])", "a method of a cell takes a reference"),
        ("local!(a[0]);", "local!(a[0])", "the value that is read is dropped"),
        ("let y = b.extent(2);", "2", "`b` has 2 axes: write the number of one"),
        ("let y = a.to_vec();", "to_vec", "a device array of a kernel has `len()` and `extent(axis)`"),
        (
            "let mut t = shared::<[f32; 4]>(); remote!(t[0, 1]) = x;",
            "t",
            "shared memory is that of the block",
        ),
        (
            "let mut t = shared::<[f32; 4]>(); t[0] = x;",
            "t[0]",
            "elements of shared memory are accessed by `local!`",
        ),
    ] {
        wrong(body, &[(at, text)]);
    }
}

#[test]
fn signatures() {
    for (source, at, text) in [
        ("struct S;", "struct S;", "`#[shmem::gpu::kernel]` goes on a function with a body"),
        ("fn k<T>(x: u32) {}", "<T>", "...write concrete types"),
        ("async fn k() {}", "async", "...remove `async`"),
        ("unsafe fn k() {}", "unsafe", "...remove `unsafe`"),
        ("const fn k() {}", "const", "...remove `const`"),
        ("fn k(self) {}", "self", "a kernel is no method"),
        ("fn k(x: &[f32]) {}", "&[f32]", "a kernel has no parameter of this type"),
        ("fn k(x: Vec<f32>) {}", "Vec<f32>", "a kernel has no parameter of this type"),
        ("fn k(x: Global<f32, 5>) {}", "5", "the rank of a device array is 1, 2, 3 or 4"),
        ("fn k(x: Global<String>) {}", "String", "a device array of a kernel has elements of"),
        ("fn k(x: Global<Atomic<f32>>) {}", "f32", "a kernel has cells of i32"),
        ("fn k(x: Global) {}", "Global", "a `Global` has a type of elements"),
        ("fn k((x, y): (u32, u32)) {}", "(x, y)", "a parameter of a kernel is a name"),
        ("fn k() -> Vec<f32> {}", "Vec<f32>", "a kernel function returns a number or nothing"),
    ] {
        let (_, problems) = expand(tokens(""), tokens(source));
        assert_mistakes(source, &problems, &[(at, text)]);
    }
    let (_, problems) = expand(tokens("npes = 3"), tokens("fn k() {}"));
    assert_mistakes(
        "npes = 3",
        &problems,
        &[("npes", "`npes` is not an argument of `#[shmem::gpu::kernel]`")],
    );
}
