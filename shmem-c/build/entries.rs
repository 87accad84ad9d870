//! The entry points in Rust: one function for each routine, by the name that profiling tools call.

use crate::table::{DEPRECATED, Routine};

/// All of them that are written in Rust.
pub(crate) fn text(routines: &[Routine]) -> String {
    routines.iter().filter_map(entry).collect()
}

fn entry(routine: &Routine) -> Option<String> {
    let call = routine.call.as_ref()?;
    let name = &routine.name;
    let ty = routine.ty.map(|ty| (ty.c, ty.rust));
    let arguments: Vec<String> = (routine.arguments.iter().filter(|(c, _)| c != "..."))
        .map(|(c, name)| format!("{name}: {}", rust(c, ty)))
        .collect();
    let returns = match rust(&routine.returns, ty) {
        returned if returned == "()" => String::new(),
        returned => format!(" -> {returned}"),
    };
    let arguments = arguments.join(", ");
    let (near, call) = match call.split_once(" else ") {
        Some((near, call)) => (Some(near), call),
        None => (None, call.as_str()),
    };
    let function = |attribute: &str, function: &str, body: &str| {
        format!(
            "/// `{name}`.\n///\n/// # Safety\n///\n/// As the specification asks.\n#[{attribute}]\n{SECTION}\
             pub(crate) unsafe extern \"C\" fn {function}({arguments}){returns} {{\n    // SAFETY: the caller keeps to the \
             specification.\n    {body}\n}}\n"
        )
    };
    let body = format!("enter(\"{name}\", || unsafe {{ {call} }})");
    let entry = format!("p{name}");
    let Some(near) = near else { return Some(function("unsafe(no_mangle)", &entry, &body)) };
    // Apart from the short way, which then needs no stack.
    let otherwise = format!("otherwise_{name}");
    let names: Vec<&str> =
        routine.arguments.iter().map(|(_, name)| name.as_str()).filter(|name| !name.is_empty()).collect();
    let call = format!("{otherwise}({})", names.join(", "));
    let short = format!(
        "match unsafe {{ {near} }} {{\n        Some(done) => done,\n        // SAFETY: likewise.\n        \
         None => unsafe {{ {call} }},\n    }}"
    );
    Some(
        function("unsafe(no_mangle)", &entry, &short)
            + "#[inline(never)]\n"
            + &function("cold", &otherwise, &body),
    )
}

/// Where the entry points lie in the library, so that they are found on the stack. In Linux alone, as they
/// are looked for there alone.
const SECTION: &str = "#[cfg_attr(target_os = \"linux\", unsafe(link_section = \"shmem_entries\"))]\n\
     #[allow(non_snake_case)]\n";

/// A type of C in Rust; `ty` are the two names of the type of the routine.
fn rust(c: &str, ty: Option<(&str, &str)>) -> String {
    let (constant, rest) = match c.strip_prefix("const ") {
        Some(rest) => (true, rest),
        None => (false, c),
    };
    if let Some(pointee) = rest.strip_suffix('*') {
        let pointee = match pointee.trim() {
            "void" => "c_void".to_owned(),
            other => rust(other, ty),
        };
        return format!("*{} {pointee}", if constant { "const" } else { "mut" });
    }
    if let Some((c, rust)) = ty
        && c == rest
    {
        return rust.to_owned();
    }
    let rust = match rest {
        "void" => "()",
        "char" => "c_char",
        "int" => "c_int",
        "long" => "c_long",
        "size_t" => "usize",
        "ptrdiff_t" => "isize",
        "uint64_t" => "u64",
        "shmem_ctx_t" | "shmem_team_t" => "Handle",
        "shmem_team_config_t" => "TeamConfig",
        "shmem_ctx_session_config_t" => "SessionConfig",
        other => panic!("there is no type `{other}` in the table"),
    };
    rust.to_owned()
}

/// The names of all routines that are deprecated, or of those that are not.
pub(crate) fn list(routines: &[Routine], deprecated: bool) -> String {
    let wanted = routines.iter().filter(|routine| (routine.section == DEPRECATED) == deprecated);
    let names: String = wanted.map(|routine| format!("    \"{}\",\n", routine.name)).collect();
    format!("&[\n{names}]\n")
}
