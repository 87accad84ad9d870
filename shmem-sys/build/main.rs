//! Finds the library, asks it what it has, and writes the bindings.

mod find;
mod probe;
mod symbols;

use std::collections::BTreeSet;
use std::panic;
use std::path::{Path, PathBuf};
use std::{env, fs};

use bindgen::callbacks::{EnumVariantCustomBehavior, EnumVariantValue, ItemInfo, ParseCallbacks};
use find::Surroundings;
use probe::{Compiler, Flags, Values};
use symbols::Symbols;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(no_library)");
    for variable in find::VARIABLES.iter().chain(&["DOCS_RS"]) {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=symbols.txt");
    if env::var_os("DOCS_RS").is_some() {
        // docs.rs has no library: there the crate is its documentation alone.
        println!("cargo::rustc-cfg=no_library");
        return;
    }
    if let Err(message) = build() {
        for line in message.lines() {
            println!("cargo::error={line}");
        }
    }
}

fn build() -> Result<(), String> {
    let symbols = Symbols::parse(include_str!("../symbols.txt"))?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo did not set OUT_DIR")?);
    let no_compiler = |reason| {
        format!(
            "finding out what a library has needs a C compiler (on Debian and Ubuntu: apt install gcc libc6-dev; or set CC): {reason}"
        )
    };
    let tool = cc::Build::new().warnings(false).try_get_compiler();
    let tool = tool.map_err(|error| no_compiler(error.to_string()))?;
    let compiler = Compiler { command: Box::new(move || tool.to_command()), scratch: out.clone() };
    compiler.links("int main(void) { return 0; }\n", &Flags::default()).map_err(no_compiler)?;

    let surroundings = Surroundings { variables: env::vars_os().collect(), compiler: &compiler };
    let library = surroundings.find()?;
    if let Some(wrapper) = &library.wrapper {
        println!("cargo::rerun-if-changed={}", wrapper.display());
    }
    let in_it = |reason| format!("the OpenSHMEM library of {}: {reason}", library.place);

    let values = probe::values(&symbols, &compiler, &library.flags);
    let declarations = bindings(&library.flags, &values).map_err(in_it)?;
    let declared = |name: &str| signature(&declarations, name).is_some();
    let functions =
        probe::functions(&symbols, &values, &declared, &compiler, &library.flags).map_err(in_it)?;
    let mut flags = library.flags.clone();
    probe::drop_needless(&mut flags, &functions, &compiler);

    let mut text = declarations.clone();
    text += &optional(&symbols, &functions, &values, &declarations);
    text += &format!(
        "\n/// The library's launcher, if there was one beside its compiler wrapper when this was built.\n\
         pub const LAUNCHER: Option<&str> = {:?};\n",
        library.launcher.as_ref().map(|path| path.display().to_string())
    );
    fs::write(out.join("bindings.rs"), text).map_err(|error| format!("writing the bindings: {error}"))?;
    compile_handles(&out, &values, &flags)?;

    for directory in &flags.search {
        println!("cargo::rustc-link-search=native={}", directory.display());
    }
    for name in &flags.libraries {
        println!("cargo::rustc-link-lib={name}");
        if let Some(file) = flags.file(name) {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    // For build scripts that depend on this crate directly, as DEP_OPENSHMEM_LIBRARY_PATH.
    let path = env::join_paths(&flags.search).unwrap_or_default().display().to_string();
    println!("cargo::metadata=library_path={path}");
    if env::var("HOST") == env::var("TARGET") {
        let lost = probe::out_of_reach(&functions, &flags, &compiler);
        if !lost.is_empty() {
            println!(
                "cargo::warning=programs will not start as they are: the loader does not find {}. Set LD_LIBRARY_PATH={path} where \
                 they run, or build them with RUSTFLAGS=\"-C link-arg=-Wl,-rpath,{path}\"",
                lost.join(", ")
            );
        }
    }
    Ok(())
}

/// Before the names of what the build gives the header to make constants and functions of its
/// macros.
const CONSTANT: &str = "shmem_sys_constant_";
const HANDLE: &str = "shmem_sys_handle_";

/// The library's declarations as Rust: bindgen's, of its header and of these values.
fn bindings(flags: &Flags, values: &Values<'_>) -> Result<String, String> {
    let mut header = "#include <shmem.h>\n#include <stddef.h>\n".to_owned();
    for (name, kind) in &values.constants {
        // Clang works out what bindgen's own reading of macros cannot, such as casts, and the type
        // is the same for all libraries.
        header += &format!("static const {kind} {CONSTANT}{name} = {name};\n");
    }
    for (name, kind) in &values.handles {
        header += &format!("{kind} {HANDLE}{name}(void);\n");
    }

    let names: Vec<String> = values.constants.iter().map(|(name, _)| name.clone()).collect();

    // bindgen panics where it finds no libclang.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let clang = panic::catch_unwind(bindgen::clang_version);
    panic::set_hook(hook);
    if let Err(panic) = clang {
        let reason = panic.downcast_ref::<String>().map_or("", String::as_str);
        return Err(format!(
            "reading its header needs libclang (on Debian and Ubuntu: apt install libclang-dev; elsewhere set LIBCLANG_PATH to its \
             directory): {reason}"
        ));
    }
    bindgen::Builder::default()
        .header_contents("shmem-sys.h", &header)
        .clang_args(&flags.compile)
        .allowlist_item("shmem.*|SHMEM.*|_SHMEM.*")
        .blocklist_item(names.join("|"))
        // Rust has no type for these that is passed by value as C does it.
        .blocklist_item(".*longdouble.*|.*complex.*")
        .use_core()
        .prepend_enum_name(false)
        .merge_extern_blocks(true)
        .layout_tests(false)
        .generate_comments(false)
        .rust_edition(bindgen::RustEdition::Edition2024)
        .formatter(bindgen::Formatter::Prettyplease)
        .parse_callbacks(Box::new(bindgen::CargoCallbacks::new()))
        .parse_callbacks(Box::new(Names(names)))
        .generate()
        .map(|bindings| bindings.to_string())
        .map_err(|error| format!("bindgen cannot read its header: {error}"))
}

/// Gives the constants back their names, which the header's enumerators must not have then.
#[derive(Debug)]
struct Names(Vec<String>);

impl ParseCallbacks for Names {
    fn item_name(&self, item: ItemInfo<'_>) -> Option<String> {
        item.name.strip_prefix(CONSTANT).map(str::to_owned)
    }

    fn enum_variant_behavior(
        &self,
        _: Option<&str>,
        name: &str,
        _: EnumVariantValue,
    ) -> Option<EnumVariantCustomBehavior> {
        self.0.iter().any(|constant| constant == name).then_some(EnumVariantCustomBehavior::Hide)
    }
}

/// The type of a function in bindgen's text, as a function pointer.
fn signature(bindings: &str, name: &str) -> Option<String> {
    let start = bindings.find(&format!("pub fn {name}("))? + "pub fn ".len() + name.len();
    let length = bindings[start..].find(';')?;
    Some(format!("unsafe extern \"C\" fn{}", &bindings[start..start + length]))
}

/// The module of what may be lacking.
fn optional(symbols: &Symbols, functions: &BTreeSet<&str>, values: &Values<'_>, bindings: &str) -> String {
    let mut text = String::new();
    for (name, substitute) in &symbols.types {
        if !bindings.contains(&format!("pub type {name} ="))
            && !bindings.contains(&format!("pub struct {name} "))
        {
            text += &format!("pub type {name} = {substitute};\n");
        }
    }
    text += "/// What the library may lack.\npub mod optional {\n#[allow(unused_imports)]\nuse super::*;\nuse core::ffi::*;\n";
    let mut constant = |name: &str, kind: &str, value: Option<String>| {
        let value = value.map_or("None".to_owned(), |value| format!("Some({value})"));
        text += &format!("pub const {name}: Option<{kind}> = {value};\n");
    };
    for (name, kind) in &symbols.optional.functions {
        let kind = signature(bindings, name).unwrap_or_else(|| kind.clone());
        constant(name, &kind, functions.contains(name.as_str()).then(|| format!("super::{name}")));
    }
    for it @ (name, kind) in &symbols.optional.constants {
        constant(
            name,
            &format!("c_{kind}"),
            values.constants.contains(&it).then(|| format!("super::{name}")),
        );
    }
    for it @ (name, kind) in &symbols.optional.handles {
        let kind = format!("unsafe extern \"C\" fn() -> {kind}");
        constant(name, &kind, values.handles.contains(&it).then(|| format!("super::{HANDLE}{name}")));
    }
    text + "}\n"
}

/// Compiles the C functions that return the handles, into the crate.
fn compile_handles(out: &Path, values: &Values<'_>, flags: &Flags) -> Result<(), String> {
    let source = out.join("handles.c");
    let program = probe::handle_functions(&values.handles);
    fs::write(&source, program).map_err(|error| format!("writing {}: {error}", source.display()))?;
    let mut build = cc::Build::new();
    build.file(&source).warnings(false);
    for flag in &flags.compile {
        build.flag(flag);
    }
    build.try_compile("shmem_sys_handles").map_err(|error| format!("compiling {}: {error}", source.display()))
}
