//! The header: constants, prototypes of all routines and of their `pshmem_` names, and the generic
//! names of C11.

use std::fmt::Write as _;

use crate::table::{Routine, Row, Type};

/// What stands before the prototypes.
const HEAD: &str = include_str!("head.h");

/// A declaration without its end, such as `void shmem_quiet(void)`.
pub(crate) fn prototype(routine: &Routine, prefix: &str) -> String {
    let arguments: Vec<String> =
        routine.arguments.iter().map(|(c, name)| format!("{c}{}{name}", space(c))).collect();
    let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
    format!("{}{}{prefix}{}({arguments})", routine.returns, space(&routine.returns), routine.name)
}

/// What separates a type from a name.
fn space(c: &str) -> &'static str {
    if c.ends_with('*') || c == "..." { "" } else { " " }
}

/// The header.
pub(crate) fn text(rows: &[Row], routines: &[Routine]) -> String {
    let mut text = HEAD.replace("VERSION_OF_THE_LIBRARY", env!("CARGO_PKG_VERSION"));
    let mut section = "";
    for routine in routines {
        if section != routine.section {
            section = routine.section;
            write!(text, "\n/* {section} */\n\n").expect("a string takes all");
        }
        let never = if routine.name == "shmem_global_exit" { "SHMEM_NORETURN " } else { "" };
        let lines = ["", "p"].map(|prefix| format!("{never}{};\n", prototype(routine, prefix))).concat();
        // C++ has no such type.
        if routine.ty.is_some_and(|ty| ty.c.ends_with("_Complex")) {
            write!(text, "#ifndef __cplusplus\n{lines}#endif\n").expect("a string takes all");
        } else {
            text += &lines;
        }
    }
    text += "\n#ifdef __cplusplus\n}\n#endif\n";
    text += "\n/* The generic names of C11: the type of an argument chooses the routine. */\n\n";
    text += "#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n\n";
    text += "struct shmem_no_such_type_;\n";
    text += "void shmem_the_type_has_no_such_routine_(struct shmem_no_such_type_ *, struct shmem_no_such_type_ *);\n";
    text += "#define SHMEM_FIRST_(a, ...) a\n#define SHMEM_SECOND_(a, b, ...) b\n\n";
    for row in rows {
        text += &generic(row).unwrap_or_default();
    }
    text += "#define shmem_sync(...) \\\n    _Generic((SHMEM_FIRST_(__VA_ARGS__, 0)), shmem_team_t: shmem_team_sync, default: shmem_sync)(__VA_ARGS__)\n";
    for name in ["shmem_signal_add", "shmem_signal_set"] {
        let with_context = name.replace("shmem_", "shmem_ctx_");
        writeln!(
            text,
            "#define {name}(...) \\\n    _Generic((SHMEM_FIRST_(__VA_ARGS__, 0)), shmem_ctx_t: {with_context}, default: {name})(__VA_ARGS__)"
        )
        .expect("a string takes all");
    }
    text += "\n#endif\n#endif\n";
    text
}

/// The generic name of a row.
fn generic(row: &Row) -> Option<String> {
    let (name, has_context) = row.generic()?;
    let short = name.strip_prefix("shmem_").expect("as all names");
    // Another name of a type is the same type to `_Generic`.
    let types: Vec<&Type> = row.types().filter(|ty| !ty.is_another_name()).collect();
    let cases = |prefix: &str| -> String {
        (types.iter())
            .map(|ty| {
                let routine = format!("{prefix}{}_{short}", ty.name);
                format!("{0} *: {routine}, const {0} *: {routine}", ty.c)
            })
            .collect::<Vec<_>>()
            .join(", \\\n        ")
    };
    let argument = ["SHMEM_FIRST_(__VA_ARGS__, 0)", "SHMEM_SECOND_(__VA_ARGS__, 0, 0)"];
    let plain = cases("shmem_");
    let (chooser, context) = if has_context {
        let inner = format!(
            "shmem_ctx_t: _Generic(({}), \\\n        {}, \\\n        default: shmem_the_type_has_no_such_routine_), \\\n        ",
            argument[1],
            cases("shmem_ctx_")
        );
        (argument[0], inner)
    } else {
        (argument[row.typed_argument()], String::new())
    };
    Some(format!(
        "#define {name}(...) \\\n    _Generic(({chooser}), \\\n        {context}{plain})(__VA_ARGS__)\n\n"
    ))
}
