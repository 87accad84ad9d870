//! The C file of what Rust cannot export: the names `shmem_*`, which are weak so that a tool can
//! replace them and call `pshmem_*`, what passes or computes with a `long double`, and the deprecated
//! routines.

use crate::header::prototype;
use crate::table::Routine;

/// What is written by hand.
const LONG_DOUBLE: &str = include_str!("longdouble.c");
const ACTIVE_SETS: &str = include_str!("active.c");

/// The file.
pub(crate) fn text(routines: &[Routine]) -> String {
    let mut text = "#include <shmem.h>\n\n".to_owned();
    // The generic names of C11 would stand for the routines.
    text.insert_str(0, "#undef __STDC_VERSION__\n");
    // As the entry points in Rust: `place.rs` finds them on the stack.
    text += "#ifdef __linux__\n";
    for routine in routines {
        for prefix in ["", "p"] {
            text += &format!("__attribute__((section(\"shmem_entries\"))) {};\n", prototype(routine, prefix));
        }
    }
    text += "#endif\n";
    text += LONG_DOUBLE;
    text += ACTIVE_SETS;
    text.push('\n');
    for routine in routines {
        let names: Vec<&str> =
            routine.arguments.iter().map(|(_, name)| name.as_str()).filter(|name| !name.is_empty()).collect();
        if let Some(body) = &routine.body {
            text += &format!("{} {{ {body} }}\n", prototype(routine, "p"));
        }
        let returns = if routine.returns == "void" { "" } else { "return " };
        text += &format!(
            "__attribute__((weak)) {} {{ {returns}p{}({}); }}\n",
            prototype(routine, ""),
            routine.name,
            names.join(", ")
        );
    }
    text
}
