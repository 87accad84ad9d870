//! NVSHMEM's routines for collective calls of kernels.
//!
//! They are `static` functions of its headers, and each takes NVRTC several seconds. So the
//! routines that a kernel calls are found in its text, and compiled under names of their own, by
//! which the kernel is linked with them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What stands before the functions of the module.
const HEADERS: &str = "#include <nvshmem.h>
#include <nvshmemx.h>
template <class T>
__device__ int rs_exchange(int (*routine)(nvshmem_team_t, T *, const T *, size_t), int team, void *to, const void *from, size_t count) {
    return routine(team, (T *)to, (const T *)from, count);
}
template <class T>
__device__ int rs_broadcast(int (*routine)(nvshmem_team_t, T *, const T *, size_t, int), int team, void *to, const void *from, size_t count, int root) {
    return routine(team, (T *)to, (const T *)from, count, root);
}
";

/// A function of the device library under the name that NVRTC gives it. NVRTC's headers have
/// `unsigned long long` for `uint64_t`, and the device library was compiled with `unsigned long`,
/// so the names differ in one letter. The machine code of a call is the same. Collective calls use
/// the function, and puts with a signal.
pub(super) const PUT_SIGNAL: &str = "
#define RS_NAME(SCOPE, U64) \\
    _Z37nvshmemi_transfer_put_signal_dispatchIL13threadgroup_t##SCOPE##EEvPvS1_mS1_##U64##14nvshmemi_amo_tibi
#define RS_PUT_SIGNAL(SCOPE) \\
    extern \"C\" __device__ void RS_NAME(SCOPE, m)(void *, void *, unsigned long, void *, unsigned long, int, int, bool, int); \\
    extern \"C\" __device__ void RS_NAME(SCOPE, y)( \\
        void *to, void *from, unsigned long bytes, void *cell, unsigned long long signal, int update, int pe, bool nbi, int queue) { \\
        RS_NAME(SCOPE, m)(to, from, bytes, cell, signal, update, pe, nbi, queue); \\
    }
RS_PUT_SIGNAL(0)
RS_PUT_SIGNAL(1)
RS_PUT_SIGNAL(2)
RS_PUT_SIGNAL(3)
";

/// What a routine takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    /// The team.
    Team,
    /// The team, the destination, the source, and how many elements.
    Elements,
    /// The same and the root.
    ElementsOfRoot,
}

impl Takes {
    /// What a routine of this name takes, if it is one of a collective call.
    fn of(name: &str) -> Option<Takes> {
        let name = name.strip_prefix("nvshmem")?;
        let name = name.strip_suffix("_block").or_else(|| name.strip_suffix("_warp")).unwrap_or(name);
        let ends = |end| name.ends_with(end);
        if ["_reduce", "_reducescatter", "_fcollect", "_alltoall"].into_iter().any(ends) {
            Some(Takes::Elements)
        } else if ends("_broadcast") {
            Some(Takes::ElementsOfRoot)
        } else if matches!(name, "_barrier" | "x_barrier" | "_team_sync" | "x_team_sync") {
            Some(Takes::Team)
        } else {
            None
        }
    }

    /// The parameters, and the call of `name` with them.
    fn call(self, name: &str) -> (&'static str, String) {
        match self {
            Takes::Team => ("int team", format!("{name}(team)")),
            Takes::Elements => (
                "int team, void *to, const void *from, size_t count",
                format!("rs_exchange({name}, team, to, from, count)"),
            ),
            Takes::ElementsOfRoot => (
                "int team, void *to, const void *from, size_t count, int root",
                format!("rs_broadcast({name}, team, to, from, count, root)"),
            ),
        }
    }
}

/// The routines that a text calls, and what they take.
pub(super) fn called(text: &str) -> BTreeMap<&str, Takes> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter_map(|word| Some((word, Takes::of(word)?))).collect()
}

/// Their declarations, for a kernel.
pub(super) fn declarations(called: &BTreeMap<&str, Takes>) -> String {
    let mut text = String::new();
    for (name, takes) in called {
        let (parameters, _) = takes.call(name);
        // Writing to a string does not fail.
        let _ =
            writeln!(text, "extern \"C\" __device__ int rs_{name}({parameters});\n#define {name} rs_{name}");
    }
    text
}

/// The text of the module that defines them.
pub(super) fn definitions(called: &BTreeMap<&str, Takes>) -> String {
    let mut text = HEADERS.to_owned();
    for (name, takes) in called {
        let (parameters, call) = takes.call(name);
        let _ = writeln!(text, "extern \"C\" __device__ int rs_{name}({parameters}) {{ return {call}; }}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_routines_of_a_text() {
        let text = "rs::reduce<4, rs::i32>(to, nvshmemx_int_sum_reduce_block);
            rs::sync<5>(nvshmem_team_sync); nvshmem_my_pe(); nvshmem_fence(); nvshmem_team_n_pes(0); rs::reduce<4>(x);
            f(nvshmemx_barrier_warp, nvshmem_double_broadcast, nvshmemx_char_fcollect_warp, nvshmem_barrier_all);";
        let called = called(text);
        let names: Vec<&str> = called.keys().copied().collect();
        assert_eq!(
            names,
            [
                "nvshmem_double_broadcast",
                "nvshmem_team_sync",
                "nvshmemx_barrier_warp",
                "nvshmemx_char_fcollect_warp",
                "nvshmemx_int_sum_reduce_block",
            ]
        );
        let declared = declarations(&called);
        for line in [
            "extern \"C\" __device__ int rs_nvshmem_double_broadcast(int team, void *to, const void *from, size_t count, int root);",
            "#define nvshmemx_barrier_warp rs_nvshmemx_barrier_warp",
            "extern \"C\" __device__ int rs_nvshmem_team_sync(int team);",
        ] {
            assert!(declared.contains(line), "no `{line}` in: {declared}");
        }
        let defined = definitions(&called);
        for line in [
            "{ return rs_broadcast(nvshmem_double_broadcast, team, to, from, count, root); }",
            "{ return rs_exchange(nvshmemx_int_sum_reduce_block, team, to, from, count); }",
            "int rs_nvshmem_team_sync(int team) { return nvshmem_team_sync(team); }",
        ] {
            assert!(defined.contains(line), "no `{line}` in: {defined}");
        }
    }

    /// What stands before each kernel calls none.
    #[test]
    fn a_text_without_calls() {
        assert!(called("nvshmem_quiet(); reduce(nvshmem_int_p); nvshmem_int_reduced").is_empty());
        assert_eq!(declarations(&BTreeMap::new()), "");
    }
}
