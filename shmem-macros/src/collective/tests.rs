use std::collections::BTreeSet;

use super::table::{COLLECTIVES, Kind, OTHERS};
use crate::testing::{assert_mistakes, assert_tokens, tokens};

/// `P` in what is expected is the path of the module `__private`.
#[track_caller]
fn expands(source: &str, expected: &str) {
    let actual = super::expand(tokens(&format!("shmem; {source}")))
        .unwrap_or_else(|problems| panic!("{source}: {:#?}", problems.report()));
    assert_tokens(&actual, &expected.replace("P::", "shmem::__private::"));
}

/// What is refused, with a message at each of these parts of the source.
#[track_caller]
fn refuses(source: &str, all: &[(&str, &str)]) {
    match super::expand(tokens(&format!("shmem; {source}"))) {
        Ok(actual) => panic!("{source} expands to {actual}"),
        Err(problems) => assert_mistakes(source, &problems, all),
    }
}

#[test]
fn no_name_stands_twice() {
    let mut names = BTreeSet::new();
    let ours = COLLECTIVES.iter().flat_map(|one| [one.word, one.other_names]);
    let all = ours.chain(OTHERS.iter().map(|(names, _)| *names));
    for name in all.flat_map(str::split_whitespace) {
        assert_eq!(name, name.to_lowercase());
        assert!(names.insert(name), "{name} stands twice");
    }
}

#[test]
fn reductions() {
    let reductions = COLLECTIVES.iter().filter(|one| one.kind == Kind::Reduction);
    for (name, ty) in reductions.map(|one| (one.word, one.operation.expect("a reduction has an operation"))) {
        expands(&format!("{name} x + 1"), &format!("P::Team::reduce_value(P::world_team(), P::{ty}, x + 1)"));
        expands(
            &format!("DST[i] = {name} s.src"),
            &format!(
                "P::Team::reduce(P::world_team(), P::{ty}, P::OfRank::<1, _, _>::local(&DST, (P::Selector::selector(&(i)),)), P::OfRank::<0, _, _>::local(&s.src, ()))"
            ),
        );
    }
    expands("sum(x)", "P::Team::reduce_value(P::world_team(), P::Sum, x)");
}

#[test]
fn values() {
    for (source, expected) in [
        ("broadcast x from 0", "P::Team::broadcast_value(P::world_team(), x, 0)"),
        ("broadcast (x, y) from n - 1", "P::Team::broadcast_value(P::world_team(), (x, y), n - 1)"),
        ("broadcast x as f64 from (root)", "P::Team::broadcast_value(P::world_team(), x as f64, root)"),
        ("broadcast from from from", "P::Team::broadcast_value(P::world_team(), from, from)"),
        ("sum x to 0", "P::Team::reduce_value_to(P::world_team(), P::Sum, x, 0)"),
        ("max to to to", "P::Team::reduce_value_to(P::world_team(), P::Max, to, to)"),
        ("reduce x with join", "P::Team::reduce_value_with(P::world_team(), x, join)"),
        ("reduce x with |a, b| a.or(b)", "P::Team::reduce_value_with(P::world_team(), x, |a, b| a.or(b))"),
        (
            "reduce f(x) with |a, b| if a == b { a } else { b }",
            "P::Team::reduce_value_with(P::world_team(), f(x), |a, b| if a == b { a } else { b })",
        ),
        ("reduce with with with", "P::Team::reduce_value_with(P::world_team(), with, with)"),
        ("minloc x", "P::Team::minloc_value(P::world_team(), x)"),
        ("maxloc (a + b)", "P::Team::maxloc_value(P::world_team(), a + b)"),
        ("gather x to n - 1", "P::Team::gather_value(P::world_team(), x, n - 1)"),
        ("gatherv &xs to 0", "P::Team::gatherv_values(P::world_team(), &xs, 0)"),
        ("scatter &xs[1..] from 0", "P::Team::scatter_values(P::world_team(), &xs[1..], 0)"),
        ("scan x", "P::Team::scan_value(P::world_team(), P::Sum, x)"),
        ("exscan -x", "P::Team::exscan_value(P::world_team(), -x)"),
        ("collect &xs[1..3]", "P::Team::collect_values(P::world_team(), &xs[1..3])"),
        ("fcollect [a, b]", "P::Team::fcollect_value(P::world_team(), [a, b])"),
        ("barrier", "P::Team::barrier(P::world_team())"),
        ("sync", "P::Team::sync(P::world_team())"),
        // Values with the names of words.
        ("sum sum", "P::Team::reduce_value(P::world_team(), P::Sum, sum)"),
        ("scan max", "P::Team::scan_value(P::world_team(), P::Sum, max)"),
        ("scan max as u8", "P::Team::scan_value(P::world_team(), P::Sum, max as u8)"),
        ("scan max(a, b)", "P::Team::scan_value(P::world_team(), P::Sum, max(a, b))"),
        ("scan max + 1", "P::Team::scan_value(P::world_team(), P::Sum, max + 1)"),
        ("sum from", "P::Team::reduce_value(P::world_team(), P::Sum, from)"),
        ("sum on", "P::Team::reduce_value(P::world_team(), P::Sum, on)"),
        (
            "sum if let Some(x) = y { x } else { 0 }",
            "P::Team::reduce_value(P::world_team(), P::Sum, if let Some(x) = y { x } else { 0 })",
        ),
        ("max f(x <= y, x == y)", "P::Team::reduce_value(P::world_team(), P::Max, f(x <= y, x == y))"),
        ("max u8::from(x) ", "P::Team::reduce_value(P::world_team(), P::Max, u8::from(x))"),
    ] {
        expands(source, expected);
    }
}

#[test]
fn places() {
    let both = "P::OfRank::<1, _, _>::local(&a, (P::All,)), P::OfRank::<1, _, _>::local(&b, (P::All,))";
    for (word, method) in [
        ("collect", "Team::collect"),
        ("fcollect", "Team::fcollect"),
        ("alltoall", "Team::alltoall"),
        ("exscan", "Team::exscan"),
    ] {
        expands(&format!("a[..] = {word} b[..]"), &format!("P::{method}(P::world_team(), {both})"));
    }
    for word in ["fcollect", "alltoall"] {
        expands(
            &format!("a[..] = {word} b[..] to ready"),
            &format!("P::Team::{word}_to_ready(P::world_team(), {both})"),
        );
        expands(
            &format!("a[..] = {word} b[..] to ready; on team"),
            &format!("P::Team::{word}_to_ready(P::OnTeam::team(&team), {both})"),
        );
    }
    // A PE of that name.
    expands("a[..] = gather b[..] to ready", &format!("P::Team::gather(P::world_team(), {both}, ready)"));
    expands("a[..] = scan b[..]", &format!("P::Team::scan(P::world_team(), P::Sum, {both})"));
    for (written, method) in [
        ("broadcast b[..] from", "broadcast"),
        ("scatter b[..] from", "scatter"),
        ("gather b[..] to", "gather"),
        ("gatherv b[..] to", "gatherv"),
    ] {
        expands(&format!("a[..] = {written} r"), &format!("P::Team::{method}(P::world_team(), {both}, r)"));
    }
    expands("a[..] = min b[..] to r", &format!("P::Team::reduce_to(P::world_team(), P::Min, {both}, r)"));
    // A scalar and a field; an object in a collection; one with the name of a word.
    expands(
        "COUNT = sum BODIES[i].mass",
        "P::Team::reduce(P::world_team(), P::Sum, P::OfRank::<0, _, _>::local(&COUNT, ()), \
         P::Remote::field(P::OfRank::<1, _, _>::local(&BODIES, (P::Selector::selector(&(i)),)), |it| &it.mass))",
    );
    expands(
        "(grids[k])[..] = scan max[..]",
        "P::Team::scan(P::world_team(), P::Sum, P::OfRank::<1, _, _>::local(&(grids[k]), (P::All,)), P::OfRank::<1, _, _>::local(&max, (P::All,)))",
    );
    expands(
        "sum[..;2] = sum sum[..;2]",
        "P::Team::reduce(P::world_team(), P::Sum, P::OfRank::<1, _, _>::local(&sum, (P::Selector::selector(&(P::From { start: 0, step: 2 })),)), \
         P::OfRank::<1, _, _>::local(&sum, (P::Selector::selector(&(P::From { start: 0, step: 2 })),)))",
    );
    expands(
        "self.a = broadcast from from from",
        "P::Team::broadcast(P::world_team(), P::OfRank::<0, _, _>::local(&self.a, ()), P::OfRank::<0, _, _>::local(&from, ()), from)",
    );
}

#[test]
fn teams() {
    for (written, expected) in [
        ("team", "team"),
        ("&teams[0]", "&teams[0]"),
        ("world.team()", "world.team()"),
        ("(team)", "team"),
        ("split()?", "split()?"),
        ("if odd { &a } else { &b }", "(if odd { &a } else { &b })"),
        ("on", "on"),
    ] {
        let on = format!("P::OnTeam::team(&{expected})");
        expands(&format!("barrier; on {written}"), &format!("P::Team::barrier({on})"));
        expands(&format!("sum x; on {written}"), &format!("P::Team::reduce_value({on}, P::Sum, x)"));
        expands(
            &format!("a = broadcast b from 2; on {written}"),
            &format!(
                "P::Team::broadcast({on}, P::OfRank::<0, _, _>::local(&a, ()), P::OfRank::<0, _, _>::local(&b, ()), 2)"
            ),
        );
    }
}

#[test]
fn mistakes() {
    for (source, all) in [
        ("", &[("", "`collective!` is empty")] as &[_]),
        ("x", &[("x", "a collective is missing")]),
        ("3", &[("3", "a collective is missing")]),
        ("DST[..]", &[("DST[..]", "a collective is missing")]),
        ("A[..] =", &[("=", "a collective is missing")]),
        ("A[..] = B[..]", &[("B[..]", "a collective is missing")]),
        ("A[..] = B", &[("B", "a collective is missing")]),
        ("A[..] = 3", &[("3", "a collective is missing")]),
        ("A[@list] = sum B[..]", &[("@list", "a collective takes an index or a range that ascends")]),
        ("A[..] = sum B[[1, 2]]", &[("[1, 2]", "a collective takes an index or a range that ascends")]),
        ("A[..;-1] = sum B[..]", &[("..;-1", "a collective takes an index or a range that ascends")]),
        ("mean x", &[("mean", "there is no collective `mean`: there are `sum`")]),
        ("product x", &[("product", "there is no collective `product`: write `prod`")]),
        ("add x", &[("add", "there is no collective `add`: write `sum`")]),
        ("reduce x", &[("reduce", "...needs the function that joins two values: write `with join`")]),
        ("A[..] = reduce B[..]", &[("reduce", "...needs the function that joins two values")]),
        ("reduce x with", &[("with", "the function is missing after `with`: write `with join`")]),
        ("reduce with join", &[("reduce", "the source or the value is missing after the collective")]),
        ("reduce x to 0", &[("to 0", "`reduce` gives the result to all PEs, and takes a function")]),
        (
            "sum x with join",
            &[("with join", "`sum` takes no function: remove this, or write `reduce x with join`")],
        ),
        ("broadcast x with f", &[("with f", "`broadcast` takes no function")]),
        (
            "reduce x; with f",
            &[("reduce", "...needs the function"), ("with f", "`with` comes before the team")],
        ),
        (
            "A[..] = minloc B[..]",
            &[("minloc", "...has no destination: write `let (value, pe) = collective!(minloc x);`")],
        ),
        ("maxloc B[..]", &[("B[..]", "`maxloc` takes one value: write `local!(SRC[i])`")]),
        ("argmin x", &[("argmin", "there is no collective `argmin`: write `minloc`")]),
        ("A[..] = allreduce B[..]", &[("allreduce", "...: write the operation itself")]),
        ("A[..] = allgather B[..]", &[("allgather", "...: write `fcollect`")]),
        ("bcast x from 0", &[("bcast", "...: write `broadcast`")]),
        ("bcast", &[("bcast", "...: write `broadcast`")]),
        ("Sum x", &[("Sum", "...: write `sum`")]),
        ("on team sum x", &[("on", "...: write the collective first")]),
        ("barrier_all", &[("barrier_all", "...: write `barrier`")]),
        ("sum", &[("sum", "the source or the value is missing")]),
        ("broadcast from 0", &[("broadcast", "the source or the value is missing")]),
        ("A[..] = broadcast from 0", &[("broadcast", "the source or the value is missing")]),
        ("A[..] = sum", &[("sum", "the source or the value is missing")]),
        ("alltoall x", &[("alltoall", "`alltoall` moves parts")]),
        ("barrier x", &[("x", "`barrier` takes no data")]),
        ("A = sync", &[("sync", "`sync` takes no data")]),
        ("sum A[..] = B[..]", &[("sum A[..] = B[..]", "the destination comes first")]),
        ("sum A[0..8;2] += B[..]", &[("sum A[0..8;2] += B[..]", "the destination comes first")]),
        ("sum x => A[..]", &[("sum x => A[..]", "the destination comes first")]),
        ("A[..] += sum B[..]", &[("+=", "`collective!` overwrites its destination and has no `+=`")]),
        ("A[..] == sum B[..]", &[("==", "`==` compares")]),
        ("A[..] + 1 = sum B[..]", &[("+ 1", "the destination must be a place")]),
        ("3 = sum B[..]", &[("3", "the destination must be a place")]),
        ("f(x) = sum B[..]", &[("f(x)", "the destination must be a place")]),
        ("A[..] = sum 3", &[("3", "the source must be a place")]),
        ("A[..] = sum -B[..]", &[("-B[..]", "the source must be a place")]),
        ("A[..] = sum local!(B[..])", &[("local!(B[..])", "the source must be a place")]),
        ("A[..] = sum B[..] * 2", &[("* 2", "the source must be a place")]),
        ("A[..] = sum B[..], C[..]", &[(", C[..]", "`collective!` takes one value or one source")]),
        (
            "&mut A[..] = sum &B[..]",
            &[("&mut", "the destination is a place, not"), ("&", "the source is a place, not")],
        ),
        ("A[..] = sum B.len()", &[("len", "a place has no methods")]),
        ("A[] = sum B[..;0]", &[("[]", "empty brackets"), ("0", "a step of 0")]),
        (
            "A[i][j] = sum B[..].x[2]",
            &[("[j]", "all selectors share"), ("[2]", "the macro cannot index a field")],
        ),
        ("sum A[0..8]", &[("A[0..8]", "`sum` without a destination takes one value")]),
        ("sum A[0..8;2]", &[("A[0..8;2]", "`sum` without a destination takes one value")]),
        ("broadcast A[1, ..] from 0", &[("A[1, ..]", "`broadcast` without a destination")]),
        ("scan max x", &[("max", "`scan` in `collective!` always adds")]),
        ("broadcast x from roots[1, 2]", &[(",", "not an expression")]),
        ("sum f(x y); on teams[1, 2]", &[("f(x y)", "not an expression"), (",", "not an expression")]),
        ("scan sum x", &[("sum", "`scan` always adds")]),
        ("A[..] = exscan min B[..]", &[("min", "`exscan` always adds")]),
        ("sum x from 0", &[("from 0", "`sum` reads from all PEs")]),
        ("fcollect x to 0", &[("to 0", "`fcollect` gives the result to all PEs, and only")]),
        ("fcollect x to ready", &[("to ready", "`fcollect` of a value has no destination")]),
        ("A[..] = alltoall B[..] to 0", &[("to 0", "`alltoall` gives the result to all PEs, and only")]),
        ("A[..] = alltoall B[..] to", &[("to", "the PE is missing after `to`")]),
        ("A[..] = alltoall B[..] to ready 1", &[("1", "unexpected tokens")]),
        ("A[..] = alltoall B[..] to ready to 1", &[("to 1", "`alltoall` gives the result to all PEs")]),
        ("A[..] = alltoall B[..] from 0", &[("from 0", "`alltoall` reads from all PEs")]),
        ("A[..] = alltoall to ready", &[("alltoall", "the source or the value is missing")]),
        ("A[..] = alltoall B[..]; to ready", &[("to ready", "`to` comes before the team")]),
        ("A[..] = sum B[..] to ready to 1", &[("to 1", "unexpected tokens")]),
        (
            "A[..] = collect B[..] to ready",
            &[("to ready", "`collect` gives the result to all PEs, and only")],
        ),
        ("s; a[..] = alltoall b[..] to ready", &[("to ready", "a stream has no `to ready`")]),
        ("gather x", &[("gather", "`gather` needs the PE that gets the values: write `to 0`")]),
        ("gather x from 0", &[("from", "`gather` takes `to` and a PE")]),
        ("A[..] = scatter B[..] to 0", &[("to", "`scatter` takes `from` and a PE")]),
        ("A[..] = gather B[..] to", &[("to", "the PE is missing after `to`")]),
        ("gather x to 0..2", &[("0..2", "`to` takes one PE")]),
        ("sum x; to 0", &[("to 0", "`to` comes before the team")]),
        ("scatterv x from 0", &[("scatterv", "...: write a call of the method")]),
        ("A[..] = fcollect B[..] from 0", &[("from 0", "`fcollect` reads from all PEs")]),
        ("broadcast x", &[("broadcast", "`broadcast` needs the PE")]),
        ("A[..] = broadcast B[..]; on team", &[("broadcast", "`broadcast` needs the PE")]),
        ("broadcast x from", &[("from", "the PE is missing after `from`")]),
        ("broadcast x from 0..4", &[("0..4", "`from` takes one PE")]),
        (
            "broadcast x; from 0",
            &[("broadcast", "`broadcast` needs the PE"), ("from 0", "`from` comes before the team")],
        ),
        ("broadcast x from 0 1", &[("1", "unexpected tokens")]),
        ("sum x y", &[("y", "unexpected tokens")]),
        ("sum x, y", &[(", y", "`collective!` takes one value or one source")]),
        ("sum +", &[("+", "not an expression")]),
        ("sum x on team", &[("on team", "the team comes after a semicolon")]),
        ("sum x, on team", &[(", on team", "the team comes after a semicolon")]),
        ("barrier on team", &[("on team", "the team comes after a semicolon")]),
        ("A = broadcast B from 0 on team", &[("on team", "the team comes after a semicolon")]),
        ("A = sum B on team", &[("on team", "the team comes after a semicolon")]),
        ("sum x;", &[(";", "`on` and a team come after the semicolon")]),
        ("sum x; team", &[("team", "`on` and a team come after the semicolon")]),
        ("sum x; on", &[("on", "a team is missing after `on`")]),
        ("sum x; on a; on b", &[("; on b", "a collective runs on one team")]),
        ("sum x; on a, on b", &[(", on b", "a collective runs on one team")]),
        ("sum x; on a on b", &[("on b", "a collective runs on one team")]),
        ("sum x; on a, b", &[(", b", "unexpected tokens after the team")]),
        ("sum x; on a;", &[(";", "unexpected tokens after the team")]),
        ("; on team", &[("", "`collective!` is empty")]),
        ("scan max x; on", &[("max", "`scan` in `collective!`"), ("on", "a team is missing")]),
    ] {
        refuses(source, all);
    }
}

#[test]
fn reductions_in_pairs() {
    for (source, of) in [
        ("pairwise sum x", "Sum, x"),
        ("pairwise max sum", "Max, sum"),
        ("pairwise prod (a + b)", "Prod, a + b"),
    ] {
        expands(source, &format!("P::Team::reduce_pairwise_value(P::world_team(), P::{of})"));
    }
    expands(
        "d = pairwise sum e; on t",
        "P::Team::reduce_pairwise(P::OnTeam::team(&t), P::Sum, P::OfRank::<0, _, _>::local(&d, ()), P::OfRank::<0, _, _>::local(&e, ()))",
    );
    let missing = "the operation is missing after `pairwise`: write `DST[..] = pairwise sum SRC[..]`, or `pairwise sum x` for one \
                   value of each PE, with one of `sum`, ";
    for (source, all) in [
        ("pairwise x", &[("pairwise", missing)][..]),
        ("d[..] = pairwise e[..]", &[("pairwise", missing)]),
        (
            "pairwise scan x",
            &[("scan", "`pairwise` takes a reduction, and `scan` is none: write one of `sum`, ")],
        ),
        (
            "pairwise sum",
            &[(
                "pairwise",
                "the source or the value is missing after the collective: write `DST[..] = pairwise sum SRC[..]`",
            )],
        ),
        ("pairwise reduce x with f", &[("reduce", "`pairwise` takes no function: write one of `sum`, ")]),
        ("pairwise sum x to 0", &[("to 0", "`pairwise` gives the result to all PEs, and only ")]),
        (
            "pairwise sum d[..]",
            &[(
                "d[..]",
                "`pairwise` without a destination takes one value: write `DST[..] = pairwise sum SRC[..]`",
            )],
        ),
        (
            "tree_sum x",
            &[(
                "tree_sum",
                "there is no collective `tree_sum`: write `pairwise` and the operation, as in `pairwise sum x`",
            )],
        ),
        (
            "s; d[..] = pairwise sum e[..]",
            &[("pairwise", "a stream has no `pairwise`: write one of `sum`, ")],
        ),
    ] {
        refuses(source, all);
    }
}

#[test]
fn reductions_to_blocks() {
    for (source, ty, from) in [
        ("d = reduce_scatter sum e", "Sum", "e"),
        ("d = reduce_scatter xor sum", "Xor", "sum"),
        ("d = reduce_scatter r#min (e)", "Min", "(e)"),
        ("d = reduce_scatter and s.e", "And", "s.e"),
    ] {
        expands(
            source,
            &format!(
                "P::Team::reduce_scatter(P::world_team(), P::{ty}, P::OfRank::<0, _, _>::local(&d, ()), P::OfRank::<0, _, _>::local(&{from}, ()))"
            ),
        );
    }
    let missing = "the operation is missing after `reduce_scatter`: write `DST[..] = reduce_scatter sum SRC[..]`, with one of `sum`, ";
    for (source, all) in [
        ("d[..] = reduce_scatter e[..]", &[("reduce_scatter", missing)][..]),
        ("d[..] = reduce_scatter sum[..]", &[("reduce_scatter", missing)]),
        ("d[..] = reduce_scatter", &[("reduce_scatter", missing)]),
        (
            "d[..] = reduce_scatter scan e[..]",
            &[("scan", "`reduce_scatter` takes a reduction, and `scan` is none: write one of `sum`, ")],
        ),
        (
            "d[..] = reduce_scatter sum",
            &[(
                "reduce_scatter",
                "the source or the value is missing after the collective: write `DST[..] = reduce_scatter sum SRC[..]`",
            )],
        ),
        (
            "reduce_scatter sum x",
            &[(
                "reduce_scatter",
                "`reduce_scatter` gives each PE a block of a reduction: write `DST[..] = reduce_scatter sum SRC[..]`",
            )],
        ),
        (
            "d[..] = reducescatter e[..]",
            &[(
                "reducescatter",
                "there is no collective `reducescatter`: write `reduce_scatter` and the operation, as in ",
            )],
        ),
        (
            "d[..] = reduce_scatter sum e[..] to 0",
            &[("to 0", "`reduce_scatter` gives the result to all PEs, and only ")],
        ),
    ] {
        refuses(source, all);
    }
}

#[test]
fn on_streams() {
    let [d, e] =
        ["d", "e"].map(|name| format!("P::OnContext::<1, _, _, _>::local_on(&{name}, &s, (P::All,))"));
    for (source, expected) in [
        ("s; d[..] = sum e[..]", format!("P::stream::reduce(&s, P::Option::None, P::Sum, {d}, {e})")),
        (
            "s; d[..] = broadcast e[..] from r + 1",
            format!("P::stream::broadcast(&s, P::Option::None, {d}, {e}, r + 1)"),
        ),
        (
            "s; d[..] = fcollect e[..]; on team",
            format!(
                "P::stream::fcollect(&s, P::Option::Some(P::stream::OnGpuTeam::gpu_team(&team)), {d}, {e})"
            ),
        ),
        ("s; d[..] = alltoall e[..]", format!("P::stream::alltoall(&s, P::Option::None, {d}, {e})")),
        (
            "s; d[..] = reduce_scatter max e[..]",
            format!("P::stream::reduce_scatter(&s, P::Option::None, P::Max, {d}, {e})"),
        ),
        ("s; barrier", "P::stream::barrier(&s, P::Option::None)".to_owned()),
        ("self.s; sync", "P::stream::sync(&self.s, P::Option::None)".to_owned()),
    ] {
        expands(source, &expected);
    }
}

#[test]
fn mistakes_on_streams() {
    for (source, all) in [
        ("s; d[..] = scan e[..]", &[("scan", "a stream has no `scan`: write one of `sum`, ")][..]),
        ("s; minloc x", &[("minloc", "a stream has no `minloc`")]),
        ("s; d[..] = reduce_scatter e[..]", &[("reduce_scatter", "the operation is missing after")]),
        ("s; sum x", &[("sum", "a collective on a stream returns nothing: write `DST[..] = sum SRC[..]`")]),
        ("s; d[..] = sum e[..] to 0", &[("0", "on a stream all PEs get the result of `sum`: remove `to`")]),
        ("s; d[..] = sum e[..]; team", &[("team", "`on` and a team come after the semicolon")]),
        ("barrier; team", &[("team", "`on` and a team come after the semicolon")]),
    ] {
        refuses(source, all);
    }
}
