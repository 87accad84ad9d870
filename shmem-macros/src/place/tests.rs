//! Expansions and mistakes of `remote!` and `local!`.

use super::{PlaceMacro, READ, expand};
use crate::testing::{assert_mistakes, assert_tokens, tokens};

#[track_caller]
fn expands(kind: PlaceMacro, source: &str, expected: &str) {
    match expand(kind, tokens(&format!("shmem; {source}"))) {
        Ok(actual) => assert_tokens(
            &actual,
            &expected.replace("P::", "shmem::__private::").replace("R(", &format!("shmem::Remote::{READ}(")),
        ),
        Err(problems) => panic!("{source}: {:?}", problems.report()),
    }
}

#[track_caller]
fn remote(source: &str, expected: &str) {
    expands(PlaceMacro::Remote, source, expected);
}

#[track_caller]
fn local(source: &str, expected: &str) {
    expands(PlaceMacro::Local, source, expected);
}

/// The expansion of one dynamic selector after the PE.
#[track_caller]
fn selector(source: &str, expected: &str) {
    remote(
        &format!("&grid[pe, {source}]"),
        &format!("P::OfRank::<1, _, _>::remote(&grid, P::Pe {{ pe: pe }}, ({expected},))"),
    );
}

#[track_caller]
fn mistakes(kind: PlaceMacro, source: &str, expected: &[(&str, &str)]) {
    match expand(kind, tokens(&format!("shmem; {source}"))) {
        Ok(actual) => panic!("{source} expands to {actual}"),
        Err(problems) => assert_mistakes(source, &problems, expected),
    }
}

#[track_caller]
fn wrong(source: &str, expected: &[(&str, &str)]) {
    mistakes(PlaceMacro::Remote, source, expected);
}

#[test]
fn actions() {
    let place = "P::OfRank::<0, _, _>::remote(&FLAG, P::Pe { pe: pe }, ())";
    let read = "P::OfRank::<{ const _: () = P::check_read(&FLAG, \"FLAG\", &[]); 0 }, _, _>::remote(&FLAG, P::Pe { pe: pe }, ())";
    remote("FLAG[pe]", &format!("R(*&{read})"));
    remote("&FLAG[pe]", place);
    remote("FLAG[pe] = f(x)", &format!("P::Source::write(f(x), {place})"));
    remote("FLAG[pe] += v", &format!("P::Arithmetic::add(v, P::OneElement::one({place}))"));
    remote("FLAG[pe] -= v", &format!("P::Arithmetic::sub(v, P::OneElement::one({place}))"));
    remote("FLAG[pe] &= v", &format!("P::Bitwise::and(v, P::OneElement::one({place}))"));
    remote("FLAG[pe] |= v", &format!("P::Bitwise::or(v, P::OneElement::one({place}))"));
    remote("FLAG[pe] ^= v", &format!("P::Bitwise::xor(v, P::OneElement::one({place}))"));
    remote("FLAG[pe] => &mut buf[..]", &format!("P::Target::read(&mut buf[..], {place})"));
}

#[test]
fn local_has_no_pe() {
    local(
        "FLAG",
        "R(*&P::OfRank::<{ const _: () = P::check_read(&FLAG, \"FLAG\", &[]); 0 }, _, _>::local(&FLAG, ()))",
    );
    local("FLAG = 3", "P::Source::write(3, P::OfRank::<0, _, _>::local(&FLAG, ()))");
    local("FLAG += 3", "P::Arithmetic::add(3, P::OneElement::one(P::OfRank::<0, _, _>::local(&FLAG, ())))");
    local("&line[i]", "P::OfRank::<1, _, _>::local(&line, (P::Selector::selector(&(i)),))");
    local(
        "line[i] = x[j]",
        "P::Source::write(x[j], P::OfRank::<1, _, _>::local(&line, (P::Selector::selector(&(i)),)))",
    );
    local("FLAG => &mut buf[3]", "P::Target::read(&mut buf[3], P::OfRank::<0, _, _>::local(&FLAG, ()))");
}

#[test]
fn contexts() {
    let place = |context: &str| {
        format!("P::OnContext::<0, _, _, _>::remote_on(&FLAG, &{context}, P::Pe {{ pe: pe }}, ())")
    };
    remote("ctx; &FLAG[pe]", &place("ctx"));
    remote("ctx; flag[pe]", &format!("R(*&{})", place("ctx").replace("FLAG", "flag")));
    remote("ctx; FLAG[pe] += v", &format!("P::Arithmetic::add(v, P::OneElement::one({}))", place("ctx")));
    remote("self.ctx; FLAG[pe] = v", &format!("P::Source::write(v, {})", place("self.ctx")));
    remote("f(x)?; FLAG[pe] => &mut b", &format!("P::Target::read(&mut b, {})", place("(f(x)?)")));
    remote("&ctx; &FLAG[pe]", &place("(&ctx)"));
    remote("contexts[i]; &FLAG[pe]", &place("(contexts[i])"));
    remote("(ctx); &FLAG[pe].x", &format!("P::Remote::field({}, |it| &it.x)", place("ctx")));
    remote("{ let c = a; c }; &FLAG[pe]", &place("({ let c = a; c })"));
    remote(
        "ctx; &grid[pe, a..b;2]",
        "P::OnContext::<1, _, _, _>::remote_on(&grid, &ctx, P::Pe { pe: pe }, (P::Selector::selector(&(P::To { start: a, end: b, step: 2 })),))",
    );
}

#[test]
fn sources_on_contexts() {
    let target = "P::OnContext::<0, _, _, _>::remote_on(&flag, &s, P::Pe { pe: pe }, ())";
    let written = |source: &str, value: &str| {
        remote(&format!("s; flag[pe] = {source}"), &format!("P::Source::write({value}, {target})"));
    };
    let taken = |rank: usize, selectors: &str| {
        format!("P::SourceOn::<{rank}, _, _, _>::source_on(&e, &s, ({selectors}))")
    };
    written("&e[..]", &taken(1, "P::All,"));
    written("&e[i, j]", &taken(2, "P::Selector::selector(&(i)), P::Selector::selector(&(j)),"));
    let stepped = "P::Selector::selector(&(P::To { start: a, end: b, step: 2 })), P::All,";
    written("&e[a..b;2, ..]", &taken(2, stepped));
    written("&x.e[..]", &taken(1, "P::All,").replace("&e", "&x.e"));
    // What else there is, is an expression of Rust.
    for source in
        ["&e", "&e[..].x", "&e[i][..]", "&mut e[..]", "&f(e)[..]", "e[..]", "&e[..].len()", "&e[\"k\"].x"]
    {
        written(source, source);
    }
    written("(&e[..])", "&e[..]");
    remote(
        "flag[pe] = &e[..]",
        "P::Source::write(&e[..], P::OfRank::<0, _, _>::remote(&flag, P::Pe { pe: pe }, ()))",
    );
}

#[test]
fn contexts_that_are_none() {
    wrong("; A[pe]", &[(";", "a context is missing before `;`")]);
    wrong("a b; A[pe]", &[("a b", "not an expression")]);
    wrong("A[pe] = 3; B[pe] = 4", &[("A[pe] = 3", "one call has one place")]);
    wrong("A[pe, 0..2] = 3; B[pe] = 4", &[("A[pe, 0..2] = 3", "one call has one place")]);
    wrong("A[pe] += 3; B[pe]", &[("A[pe] += 3", "one call has one place")]);
    wrong("ctx; A[pe];", &[(";", "the semicolon goes after")]);
    wrong("ctx; A[pe] = 3;", &[(";", "the semicolon goes after")]);
    wrong("ctx;", &[("ctx", "`remote!` needs to know the PE")]);
    wrong("ctx; A", &[("A", "`remote!` needs to know the PE")]);
    mistakes(PlaceMacro::Local, "ctx; A", &[("ctx;", "`local!` takes no context")]);
    mistakes(PlaceMacro::Local, "; A = 3", &[(";", "`local!` takes no context")]);
}

#[test]
fn bases() {
    remote("&self.grid.x[pe]", "P::OfRank::<0, _, _>::remote(&self.grid.x, P::Pe { pe: pe }, ())");
    remote("&self.0.1[pe]", "P::OfRank::<0, _, _>::remote(&self.0.1, P::Pe { pe: pe }, ())");
    remote("&(grids[k])[pe]", "P::OfRank::<0, _, _>::remote(&(grids[k]), P::Pe { pe: pe }, ())");
    remote("&(make())[pe]", "P::OfRank::<0, _, _>::remote(&(make()), P::Pe { pe: pe }, ())");
    remote("&m::FLAG[pe]", "P::OfRank::<0, _, _>::remote(&m::FLAG, P::Pe { pe: pe }, ())");
    remote("&::m::FLAG[pe]", "P::OfRank::<0, _, _>::remote(&::m::FLAG, P::Pe { pe: pe }, ())");
    remote(
        "&FLAG[(world.my_pe() + 1) % n]",
        "P::OfRank::<0, _, _>::remote(&FLAG, P::Pe { pe: (world.my_pe() + 1) % n }, ())",
    );
    // rustc would warn that the user's parentheses are unnecessary in the expansion.
    remote("&FLAG[(pe)]", "P::OfRank::<0, _, _>::remote(&FLAG, P::Pe { pe: pe }, ())");
}

#[test]
fn fields() {
    let it = "P::Remote::field(P::OfRank::<0, _, _>::remote(&FLAG, P::Pe { pe: pe }, ()), |it| &it";
    remote("&FLAG[pe].pos", &format!("{it}.pos)"));
    remote("&FLAG[pe].pair.1", &format!("{it}.pair.1)"));
    remote("&FLAG[pe].0.1.2", &format!("{it}.0.1.2)"));
    remote("FLAG[pe].r#type = 3", &format!("P::Source::write(3, {it}.r#type))"));
    local("&BODY.pos.0", "P::Remote::field(P::OfRank::<0, _, _>::local(&BODY, ()), |it| &it.pos.0)");
    local(
        "&(self.body).pos",
        "P::Remote::field(P::OfRank::<0, _, _>::local(&(self.body), ()), |it| &it.pos)",
    );
    // Nothing marks where the object ends, so the whole path is the object.
    local("&self.body.pos", "P::OfRank::<0, _, _>::local(&self.body.pos, ())");
}

#[test]
fn dynamic_selectors() {
    selector("i", "P::Selector::selector(&(i))");
    selector("a..b", "P::Selector::selector(&(P::To { start: a, end: b, step: 1 }))");
    selector("a..b;s", "P::Selector::selector(&(P::To { start: a, end: b, step: s }))");
    selector("a..=b", "P::Selector::selector(&(P::Through { start: a, last: b, step: 1 }))");
    selector("..=b;2", "P::Selector::selector(&(P::Through { start: 0, last: b, step: 2 }))");
    selector("a..", "P::Selector::selector(&(P::From { start: a, step: 1 }))");
    selector("a..;s", "P::Selector::selector(&(P::From { start: a, step: s }))");
    selector("..b", "P::Selector::selector(&(P::To { start: 0, end: b, step: 1 }))");
    selector("..;2", "P::Selector::selector(&(P::From { start: 0, step: 2 }))");
    selector("..", "P::All");
    selector("(a..b)", "P::Selector::selector(&(P::To { start: a, end: b, step: 1 }))");
    selector("f::<A, B>(x)", "P::Selector::selector(&(f::<A, B>(x)))");
    selector("4..", "P::Selector::selector(&(P::From { start: 4, step: 1 }))");
    selector("7", "P::Selector::selector(&(7))");
    remote(
        "&grid[pe, i, ..,]",
        "P::OfRank::<2, _, _>::remote(&grid, P::Pe { pe: pe }, (P::Selector::selector(&(i)), P::All,))",
    );
}

#[test]
fn constant_ranges_of_any_object() {
    let span = |a: &str, b: &str, s: &str| {
        format!(
            "P::Span::<{{ P::span_len({a}, {b}, {s}) }}>::new({{ const _: () = P::check_span({a}, {b}, {s}); {a} }}, {b}, {s})"
        )
    };
    selector("0..8", &span("0", "8", "1"));
    selector("..8", &span("0", "8", "1"));
    selector("2..=8;3", &span("2", "(8) + 1", "3"));
    selector("N..m::END * 2;STEP", &span("N", "m::END * 2", "STEP"));
    selector("(0)..(N as usize)", &span("0", "N as usize", "1"));
}

#[test]
fn constant_selectors_of_a_static() {
    remote(
        "&m::GRID[pe, 3, N..;2]",
        "P::OfRank::<2, _, _>::remote(&m::GRID, P::Pe { pe: pe }, (
            P::Position({ const _: () = { let at: P::Size = 3; P::check_index(&m::GRID, \"m::GRID\", 0, at) }; 3 }),
            P::Rest::<{ P::rest_len(&m::GRID, 1, N, 2) }>::new(
                { const _: () = P::check_rest(&m::GRID, \"m::GRID\", 1, N, 2); N }, 2),
        ))",
    );
    remote(
        "&GRID[pe, i, .., 0..8]",
        "P::OfRank::<3, _, _>::remote(&GRID, P::Pe { pe: pe }, (
            P::Selector::selector(&(i)),
            P::All,
            P::Span::<{ P::span_len(0, 8, 1) }>::new(
                { const _: () = P::check_range(&GRID, \"GRID\", 2, 0, 8, 1); 0 }, 8, 1),
        ))",
    );
    remote(
        "&GRID[pe, ..;2]",
        "P::OfRank::<1, _, _>::remote(&GRID, P::Pe { pe: pe }, (P::Rest::<{ P::rest_len(&GRID, 0, 0, 2) }>::new(
            { const _: () = P::check_rest(&GRID, \"GRID\", 0, 0, 2); 0 }, 2),))",
    );
    remote(
        "&GRID[pe, 0..n]",
        "P::OfRank::<1, _, _>::remote(&GRID, P::Pe { pe: pe }, (P::Selector::selector(&(P::To { start: 0, end: n, step: 1 })),))",
    );
}

#[test]
fn lists_and_ranges_that_descend() {
    selector("@list", "P::List::list(&(list))");
    selector("@&list[a..]", "P::List::list(&(&list[a..]))");
    selector("[a, 2]", "P::Listed::new(&[a, 2])");
    selector("@[a, (2)]", "P::Listed::new(&[a, 2])");
    selector("[2, N]", "P::Listed::new({ const __SHMEM_LIST: [P::Size; 2] = [2, N]; &__SHMEM_LIST })");
    selector("[]", "P::Listed::new({ const __SHMEM_LIST: [P::Size; 0] = []; &__SHMEM_LIST })");
    selector("r;2", "P::TakesStep::with_step(&(r), 2)");
    selector("(r);-s", "P::Back::new(P::TakesStep::with_step(&(r), s))");
    selector("..;-1", "P::Back::new(P::Selector::selector(&(P::From { start: 0, step: 1 })))");
    selector("a..b;-2", "P::Back::new(P::Selector::selector(&(P::To { start: a, end: b, step: 2 })))");
    remote(
        "&GRID[pe, 0..8;-N, [3, 1]]",
        "P::OfRank::<2, _, _>::remote(&GRID, P::Pe { pe: pe }, (
            P::Back::new(P::Span::<{ P::span_len(0, 8, N) }>::new(
                { const _: () = P::check_range(&GRID, \"GRID\", 0, 0, 8, N); 0 }, 8, N)),
            P::Listed::new({
                const __SHMEM_LIST: [P::Size; 2] = [3, 1];
                const _: () = P::check_list(&GRID, \"GRID\", 1, &__SHMEM_LIST);
                &__SHMEM_LIST
            }),
        ))",
    );
}

#[test]
fn the_whole_of_a_global_array() {
    let whole = |selectors: &str| format!("P::OfWhole::<1, _, _>::whole(&array, ({selectors},))");
    remote("&array[@i]", &whole("P::GlobalSelector::global_selector(&(i))"));
    remote("&array[@3]", &whole("P::GlobalSelector::global_selector(&(3))"));
    remote("&array[@i + 1]", &whole("P::GlobalSelector::global_selector(&(i + 1))"));
    remote("&array[@n.into()]", &whole("P::Position(n.into())"));
    remote("&array[@a..b;2]", &whole("P::Selector::selector(&(P::To { start: a, end: b, step: 2 }))"));
    remote("&array[@..]", &whole("P::All"));
    remote("&array[@[i, j]]", &whole("P::Listed::new(&[i, j])"));
    remote("&array[@range;-s]", &whole("P::Back::new(P::TakesStep::with_step(&(range), s))"));
    remote(
        "array[@i] += v",
        &format!(
            "P::Arithmetic::add(v, P::OneElement::one({}))",
            whole("P::GlobalSelector::global_selector(&(i))")
        ),
    );
    remote(
        "ctx; &grid[@i, @list]",
        "P::OfWhole::<2, _, _>::whole_on(&grid, &ctx, (P::GlobalSelector::global_selector(&(i)), P::List::list(&(list)),))",
    );
    remote(
        "&T[@7]",
        "P::OfWhole::<1, _, _>::whole(&T, (P::Position({
            const _: () = { let at: P::Size = 7; P::check_index(&T, \"T\", 0, at) }; 7 }),))",
    );
}

/// Where constants and the static determine the size of a read by value, the expansion has the
/// length of each range in it.
#[test]
fn lengths_of_reads() {
    let checks = |source: &str, lengths: &str| {
        let call =
            expand(PlaceMacro::Local, tokens(&format!("shmem; {source}"))).expect("a good call").to_string();
        let check = tokens(&format!(
            "const _: () = shmem::__private::check_read(&m::A, \"m::A\", &[{}]);",
            lengths.replace("P::", "shmem::__private::")
        ));
        assert!(call.contains(&check.to_string()), "{source}: {call}");
    };
    checks("m::A[..]", "P::rest_len(&m::A, 0, 0, 1)");
    checks("m::A[3, 0..8, 2..=N;2]", "P::span_len(0, 8, 1), P::through_len(2, N, 2)");
    checks("m::A[4..;2, 0]", "P::rest_len(&m::A, 0, 4, 2)");
    checks("m::A[4..;-2, [0, i]]", "P::rest_len(&m::A, 0, 4, 2), 2");
    for source in [
        "&A[..]",
        "A[..] = 3",
        "A[..] => &mut b",
        "A += 1",
        "A[i]",
        "A[i, ..]",
        "A[0..n]",
        "A.x",
        "a[0..8]",
        "T::A",
    ] {
        let call =
            expand(PlaceMacro::Local, tokens(&format!("shmem; {source}"))).expect("a good call").to_string();
        assert!(!call.contains("check_read"), "{source}: {call}");
    }
}

#[test]
fn what_is_not_constant() {
    for source in ["{ N }", "Self::N", "T::N", "n", "f(3)", "N - n", "Foo::<3>::N", "<F as G>::N", "A[3]"] {
        let written = source.trim_matches(['{', '}', ' ']);
        remote(
            &format!("&GRID[pe, {source}]"),
            &format!(
                "P::OfRank::<1, _, _>::remote(&GRID, P::Pe {{ pe: pe }}, (P::Selector::selector(&({written})),))"
            ),
        );
    }
}

#[test]
fn no_place() {
    wrong("", &[("", "`remote!` needs a place")]);
    mistakes(PlaceMacro::Local, "", &[("", "`local!` needs a place, such as `local!(COUNT)`")]);
    wrong("3", &[("3", "not a place")]);
    wrong("[1, 2][0] = 3", &[("[1, 2]", "not a place")]);
    wrong("vec![1][0]", &[("vec", "not a place")]);
    wrong("(A[pe, 1])", &[("(A[pe, 1])", "a place has no parentheses around it")]);
    wrong("(A[pe, 1]) = 3", &[("(A[pe, 1])", "a place has no parentheses around it")]);
    wrong("(A[pe, 0..2;2] = 3)", &[("(A[pe, 0..2;2] = 3)", "a place has no parentheses around it")]);
    wrong("(a b)[pe]", &[("(a b)", "not an expression")]);
    wrong("#[cold] GRID[pe]", &[("#[cold]", "a place takes no attribute")]);
    wrong("grid(k)[pe]", &[("(k)", "a call in front of the brackets")]);
    wrong("grid.row(k)[pe]", &[("grid.row(k)", "a call in front of the brackets")]);
}

#[test]
fn prefixes() {
    wrong("&mut A[pe]", &[("mut", "a remote reference is made with `&` alone")]);
    wrong("&&A[pe]", &[("&", "one `&`")]);
    wrong("*A[pe]", &[("*", "...not a pointer to it")]);
    wrong("-A[pe]", &[("-", "...write `-remote!(...)`")]);
    wrong("!A[pe]", &[("!", "...write `!remote!(...)`")]);
    wrong("&A[pe] = 3", &[("&", "...so it takes no `=`")]);
    wrong("&A[pe] += 3", &[("&", "...so it takes no `+=`")]);
    wrong("&A[pe] => &mut b", &[("&", "...so it takes no `=>`")]);
}

#[test]
fn brackets() {
    wrong("A", &[("A", "`remote!` needs to know the PE: write `A[pe]`")]);
    wrong("self.x.y", &[("self.x.y", "...write `self.x.y[pe]`")]);
    wrong("A, pe, 3", &[("A", "`remote!` needs to know the PE")]);
    wrong("A = 3", &[("A", "`remote!` needs to know the PE")]);
    wrong("A[]", &[("[]", "...`A[pe]` for a scalar")]);
    mistakes(PlaceMacro::Local, "A[]", &[("[]", "...`A[..]` for a whole array")]);
    wrong("A[pe][i]", &[("[i]", "...write `[pe, i]` instead of `[pe][i]`")]);
    mistakes(PlaceMacro::Local, "A[i][j]", &[("[j]", "...write `[i, j]` instead of `[i][j]`")]);
    wrong("A[pe].x[i]", &[("[i]", "the macro cannot index a field")]);
    wrong("A[0..4, i]", &[("0..4", "the PE comes first and is one number")]);
    wrong("A[.., i]", &[("..", "the PE comes first and is one number")]);
    wrong("A[-1, i]", &[("-1", "the number of a PE is not negative")]);
    wrong("A[pe;2, i]", &[("pe;2", "the PE comes first and is one number")]);
    wrong("A[@]", &[("@", "a selector is missing after `@`")]);
    wrong("A[@, i]", &[("@", "a selector is missing after `@`")]);
    wrong("A[@@list]", &[("@", "one `@` is enough")]);
    wrong("A[@i:j]", &[("i:j", "a range is written with dots")]);
    wrong("A[@0, @0..3]", &[("@0..3", "`@` comes before a list of indices")]);
    wrong("A[@-1]", &[("-1", "indices and bounds are not negative")]);
    wrong("A[[0, 1], i]", &[("[0, 1]", "the PE comes first and is one number")]);
    wrong("A[pe, a, b, c, d, e]", &[("e", "...at most 4 axes")]);
    wrong("A[pe].", &[(".", "after `.` comes")]);
    wrong("A[pe].1e3", &[("1e3", "after `.` comes")]);
}

#[test]
fn selectors() {
    wrong("A[pe, , i]", &[(",", "a selector is missing")]);
    wrong("A[pe, *]", &[("*", "...write `..`")]);
    wrong("A[pe, :]", &[(":", "a range is written with dots")]);
    wrong("A[pe, 0:16]", &[("0:16", "a range is written with dots")]);
    wrong("A[pe, 0:16:2, i]", &[("0:16:2", "a range is written with dots")]);
    wrong("A[pe, 0..16..2]", &[("..2", "the step comes after a semicolon")]);
    wrong("A[pe, 0..16;]", &[(";", "the step is missing")]);
    wrong("A[pe, 0..16;2;3]", &[(";3", "a range takes one step")]);
    wrong("A[pe, 0..16;0]", &[("0", "a step of 0")]);
    wrong("A[pe, 0..16;-0]", &[("0", "a step of 0")]);
    wrong("A[pe, 0..16;-(-1)]", &[("(-1)", "...not negative")]);
    wrong("A[pe, -1]", &[("-1", "...not negative")]);
    wrong("A[pe, (-n)..3]", &[("(-n)", "...not negative")]);
    wrong("A[pe, a..=]", &[("a..=", "`..=` needs an end")]);
    wrong("A[pe, ..=, i]", &[("..=", "`..=` needs an end")]);
    wrong("A[pe, [1, -2]]", &[("-2", "...not negative")]);
    wrong("A[pe, [1, 2];2]", &[(";2", "a list of indices takes no step")]);
    wrong("A[pe, [3; 4]]", &[("[3; 4]", "a list of indices is written `[i, j, k]`")]);
    wrong("A[pe, @]", &[("@", "the list is missing after `@`")]);
    wrong("A[pe, @, i]", &[("@", "the list is missing after `@`")]);
    wrong("A[pe, @list;2]", &[(";2", "a list of indices takes no step")]);
    wrong("A[pe, @0..3]", &[("@0..3", "`@` comes before a list of indices")]);
    wrong("A[pe, @list list]", &[("list", "unexpected tokens after the selector")]);
    wrong("A[pe, @+]", &[("+", "not a selector")]);
    wrong("A[pe, 3;2]", &[(";2", "an index takes no step")]);
    wrong("A[pe, 3 4]", &[("4", "unexpected tokens after the selector")]);
    wrong("A[pe, 3 +]", &[("3 +", "not a selector")]);
    wrong("A[pe, 0..3;+]", &[("+", "not a selector")]);
}

#[test]
fn operators() {
    wrong("A[pe] == 3", &[("==", "...write `remote!(...) == value`")]);
    wrong("A[pe] != 3", &[("!=", "...write `remote!(...) != value`")]);
    wrong("A[pe] <= 3", &[("<=", "...write `remote!(...) <= value`")]);
    wrong("A[pe] < 3", &[("< 3", "`remote!` takes one place")]);
    for operator in ["*=", "/=", "%=", "<<=", ">>="] {
        let text = format!("there is no atomic `{operator}`");
        wrong(&format!("A[pe] {operator} 3"), &[(operator, &text)]);
    }
    wrong("A[pe] + 1", &[("+ 1", "`remote!` takes one place")]);
    wrong("A[pe] as u64", &[("as u64", "`remote!` takes one place")]);
    wrong("A[pe]?", &[("?", "`remote!` takes one place")]);
    wrong("A[pe], B[pe]", &[(", B[pe]", "`remote!` takes one place")]);
    wrong("A[pe];", &[(";", "the semicolon goes after")]);
    wrong("A[pe] = 3;", &[(";", "the semicolon goes after")]);
    wrong("A[pe] = 3 4", &[("4", "unexpected tokens after the value")]);
    wrong("A[pe] = ", &[("=", "a value is missing after `=`")]);
    wrong("A[pe] += ", &[("+=", "a value is missing after `+=`")]);
    wrong("A[pe] => ", &[("=>", "a buffer is missing")]);
    wrong("A[pe] = b = c", &[("=", "one call takes one operator")]);
    wrong("A[pe] = b += c", &[("+=", "...`+=` is the second")]);
    wrong("A[pe] = 3 +", &[("3 +", "not an expression")]);
    wrong("A[pe] = (a b)", &[("(a b)", "not an expression")]);
    wrong("A[pe] = a[1, 2]", &[(",", "not an expression")]);
    wrong("A[pe].get(3)", &[("get", "a method is called on the result of the macro")]);
    wrong("A[pe, 0].get::<u8>()", &[("get", "a method is called on the result of the macro")]);
}

#[test]
fn all_mistakes_at_once() {
    wrong(
        "&mut A[0..2, -1, 0:8, ;, ..;0] *= 3",
        &[
            ("mut", "a remote reference"),
            ("0:8", "a range"),
            (";", "not a selector"),
            ("0..2", "the PE"),
            ("-1", "indices"),
            ("0", "a step"),
            ("*=", "there is no atomic"),
        ],
    );
    wrong(
        "&A[-1, -2, ..;0] = 3",
        &[("-1", "the number of a PE"), ("-2", "indices"), ("0", "a step"), ("&", "`&` makes")],
    );
}

/// Whatever the tokens are, a macro reports mistakes and does not panic.
#[test]
fn no_panic() {
    let pieces = [
        "A",
        "[pe]",
        "[pe, 0..8;2]",
        "[]",
        "(x)",
        "()",
        "&",
        "mut",
        ".",
        ".x",
        "..",
        "=",
        "+=",
        "=>",
        "3",
        "0.1",
        ";",
        ",",
        "#",
        "#[a]",
        "-",
        "!",
        "::",
        "<",
        ">",
        "{ }",
        "'a",
        "\"s\"",
        "self",
        "as",
        "$",
        "|",
        "move",
        "async",
    ];
    for first in pieces {
        for second in pieces {
            for third in pieces {
                for kind in [PlaceMacro::Remote, PlaceMacro::Local] {
                    let source = format!("shmem; {first} {second} {third}");
                    if let Ok(tokens) = source.parse() {
                        let _ = expand(kind, tokens);
                    }
                }
            }
        }
    }
}
