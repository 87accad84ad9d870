//! Every public item of the crate has an example in its documentation: modules, types, traits,
//! constants, methods, functions and macros.
//!
//! What is public is read from the text of `src`: what `lib.rs` exports, and what the modules
//! declare that it makes public. The test then looks for a block of code in the comment of each.

#[path = "harness/sources.rs"]
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use sources::files;

/// A line that begins an item, with the comment and the attributes before it.
struct Item<'t> {
    line: &'t str,
    indent: usize,
    comment: Vec<&'t str>,
    is_hidden: bool,
    is_exported: bool,
}

impl Item<'_> {
    fn has_example(&self) -> bool {
        self.comment.iter().any(|line| line.contains("```"))
    }

    /// The name after `keyword`, as in `pub fn name(`.
    fn name_after(&self, keyword: &str) -> Option<&str> {
        let rest = self.line.strip_prefix(keyword)?;
        let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'))?;
        (end > 0).then(|| &rest[..end])
    }

    fn function(&self) -> Option<&str> {
        ["pub fn ", "pub const fn ", "pub unsafe fn "].iter().find_map(|keyword| self.name_after(keyword))
    }

    /// The type whose methods the `impl` that begins here has; empty where it is that of a trait.
    fn implementing(&self) -> Option<&str> {
        let rest = self.line.strip_prefix("impl")?;
        let mut depth = 0;
        let start = rest.find(|c| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            depth == 0 && (c == ' ' || c == '\n')
        })?;
        let rest = &rest[start + 1..];
        if rest.contains(" for ") {
            return Some("");
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'));
        Some(&rest[..end.unwrap_or(rest.len())])
    }
}

/// The lines of `text` that are code, each with the comment before it, up to the unit tests.
fn items(text: &str) -> Vec<Item<'_>> {
    let mut found = Vec::new();
    let (mut comment, mut is_hidden, mut is_exported) = (Vec::new(), false, false);
    let mut attribute = false;
    for whole in text.lines() {
        let line = whole.trim_start();
        if line.starts_with("mod tests {") {
            break;
        }
        if attribute {
            attribute = !line.ends_with(']');
        } else if line.starts_with("///") || line.starts_with("#[doc = ") {
            comment.push(line);
        } else if line.starts_with("#[") || line.starts_with("$(#[") {
            is_hidden |= line.contains("doc(hidden)");
            is_exported |= line == "#[macro_export]";
            attribute = line.starts_with("#[") && !line.ends_with(']');
        } else if !line.is_empty() && !line.starts_with("//") {
            let indent = whole.len() - line.len();
            found.push(Item { line, indent, comment: std::mem::take(&mut comment), is_hidden, is_exported });
            (is_hidden, is_exported) = (false, false);
        }
    }
    found
}

/// What encloses a line.
enum Inside {
    /// An `impl`, or a macro that writes methods.
    Methods,
    /// A call of a macro: each comment in it is that of a method.
    Table,
}

/// The public functions and macros of a file, with whether each has an example. `is_module` says
/// that users can name the module, and `types` are the public types.
fn published(text: &str, is_module: bool, types: &BTreeSet<String>) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    // From the outside in: where each begins, its name, and whether its functions are public.
    let mut inside: Vec<(Inside, usize, String, bool)> = Vec::new();
    for item in items(text) {
        if item.line.starts_with('}') {
            inside.retain(|(_, indent, ..)| *indent < item.indent);
        } else if let Some(name) = item.implementing() {
            let is_public = !item.is_hidden && (types.contains(name) || name.starts_with('$'));
            inside.push((Inside::Methods, item.indent, name.to_owned(), is_public));
        } else if let Some(name) = item.name_after("macro_rules! ") {
            if item.is_exported && !item.is_hidden {
                found.push((format!("{name}!"), item.has_example()));
            }
            inside.push((Inside::Methods, item.indent, format!("{name}!"), true));
        } else if let Some((Inside::Methods, _, of, true)) = inside.last()
            && item.line.ends_with("! {")
        {
            inside.push((Inside::Table, item.indent, of.clone(), true));
        } else if let Some((Inside::Table, _, of, _)) = inside.last() {
            if !item.comment.is_empty() && !item.is_hidden {
                found.push((format!("{of}::{}", item.line), item.has_example()));
            }
        } else if let Some(name) = item.function()
            && !item.is_hidden
        {
            match inside.last() {
                // Its comment is in the table: rustc warns where there is none.
                Some((.., true)) if name.starts_with('$') && item.comment.is_empty() => {}
                Some((.., of, true)) => found.push((format!("{of}::{name}"), item.has_example())),
                None if is_module => found.push((name.to_owned(), item.has_example())),
                _ => {}
            }
        }
    }
    found
}

/// The types that users can name: what the public modules export and declare.
fn types(modules: &[&str]) -> BTreeSet<String> {
    let mut types = BTreeSet::new();
    for text in modules {
        for item in items(text).iter().filter(|item| !item.is_hidden) {
            for keyword in ["pub struct ", "pub enum ", "pub union "] {
                types.extend(item.name_after(keyword).map(str::to_owned));
            }
        }
        for (at, _) in text.match_indices("pub use ") {
            let names = text[at..].split(';').next().unwrap().split(|c: char| !c.is_alphanumeric());
            types.extend(names.map(str::to_owned));
        }
    }
    types
}

/// Every public function and macro of the crate: its file, its name, and whether it has an example.
fn all() -> Vec<(String, String, bool)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let paths = files(&root);
    let texts: BTreeMap<String, String> = (paths.iter())
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().iter().map(|part| part.to_string_lossy());
            (name.collect::<Vec<_>>().join("/"), fs::read_to_string(path).unwrap())
        })
        .collect();
    let library = &texts["lib.rs"];
    let is_module = |file: &str| {
        let module = file.trim_end_matches(".rs").trim_end_matches("/mod");
        let declared = format!("pub mod {module};");
        file == "lib.rs" || items(library).iter().any(|item| item.line == declared && !item.is_hidden)
    };
    let modules: Vec<&str> =
        texts.iter().filter(|(file, _)| is_module(file)).map(|(_, text)| text.as_str()).collect();
    let types = types(&modules);
    (texts.iter())
        .flat_map(|(file, text)| {
            let found = published(text, is_module(file), &types).into_iter();
            found.map(move |(name, has_example)| (file.clone(), name, has_example))
        })
        .collect()
}

/// The public modules, types, traits and constants of the crate, as [`all`] has functions.
fn all_types() -> Vec<(String, String, bool)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let texts: Vec<(String, String)> = (files(&root).iter())
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    let library = fs::read_to_string(root.join("lib.rs")).unwrap();
    let modules: BTreeSet<String> = (items(&library).iter())
        .filter(|item| !item.is_hidden && item.line.ends_with(';'))
        .filter_map(|item| item.name_after("pub mod ").map(str::to_owned))
        .collect();
    let module = |file: &str| file.trim_end_matches(".rs").trim_end_matches("/mod").to_owned();
    let is_public = |file: &str| file == "lib.rs" || modules.contains(&module(file));
    // Modules in the text of `lib.rs` export with an indent.
    let named: BTreeSet<String> = (texts.iter())
        .filter(|(file, _)| is_public(file))
        .flat_map(|(_, text)| {
            let text = text.replace("\n    pub use ", "\npub use ");
            exported(&text).into_iter().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    let kinds = [
        "pub struct ",
        "pub enum ",
        "pub union ",
        "pub trait ",
        "pub unsafe trait ",
        "pub const ",
        "pub type ",
    ];
    let mut found = Vec::new();
    for (file, text) in &texts {
        for item in items(text).iter().filter(|item| !item.is_hidden) {
            let Some(name) = kinds.iter().find_map(|kind| item.name_after(kind)) else { continue };
            let is_here = is_public(file) && item.indent == 0 && name != "fn";
            if named.contains(name) || is_here {
                found.push((file.clone(), name.to_owned(), item.has_example()));
            }
        }
        if modules.contains(&module(file)) {
            let has_example = text.lines().any(|line| line.starts_with("//! ```"));
            found.push((file.clone(), format!("mod {}", module(file)), has_example));
        }
    }
    found
}

#[test]
fn every_public_item_has_an_example() {
    let without: Vec<String> = (all().into_iter().chain(all_types()))
        .filter(|(.., has_example)| !has_example)
        .map(|(file, name, _)| format!("{name} in {file}"))
        .collect();
    assert!(without.is_empty(), "write an example for each: {without:#?}");
}

/// The attributes and the derive: the crate that has them reads their documentation from files.
#[test]
fn every_attribute_has_an_example() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shmem-macros/docs");
    let mut count = 0;
    for entry in fs::read_dir(&docs).unwrap() {
        let path = entry.unwrap().path();
        assert!(fs::read_to_string(&path).unwrap().contains("```\n"), "{}", path.display());
        count += 1;
    }
    assert!(count >= 6, "only {count} files");
}

/// The pages of the book that the documentation names are there.
#[test]
fn pages_of_the_book_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = fs::read_to_string(root.join("src/lib.rs")).unwrap();
    let docs = library.lines().filter(|line| line.starts_with("//!"));
    let pages: BTreeSet<&str> =
        docs.flat_map(|line| line.split('`')).filter(|text| text.ends_with(".md")).collect();
    assert!(pages.len() > 15, "{pages:?}");
    for page in pages {
        assert!(root.join("../book/src").join(page).is_file(), "there is no page {page}");
    }
}

/// What the statements `pub use` of a file export that stand in no module of it and are not hidden.
fn exported(text: &str) -> BTreeSet<&str> {
    let statements =
        text.match_indices("\npub use ").filter(|(at, _)| !text[..*at].ends_with("#[doc(hidden)]"));
    let names = |at: usize| text[at..].split(';').next().unwrap().split("::").last().unwrap();
    let is_name = |name: &&str| name.starts_with(|c: char| c.is_alphabetic());
    statements
        .flat_map(|(at, _)| names(at).split(|c: char| !c.is_alphanumeric() && c != '_').filter(is_name))
        .collect()
}

/// What a module makes public is not in the root as well. The prelude repeats what it likes.
#[test]
fn each_item_has_one_path() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let library = fs::read_to_string(root.join("lib.rs")).unwrap();
    let in_root = exported(&library);
    assert!(in_root.contains("World") && in_root.contains("Waitable"), "{in_root:?}");
    assert!(!in_root.contains("Fits"), "it is hidden");
    let mut modules = 0;
    for item in items(&library) {
        let Some(module) =
            item.name_after("pub mod ").filter(|_| item.line.ends_with(';') && !item.is_hidden)
        else {
            continue;
        };
        modules += 1;
        let file = [format!("{module}.rs"), format!("{module}/mod.rs")].map(|name| root.join(name));
        let file = file.iter().find(|file| file.exists()).unwrap();
        let text = fs::read_to_string(file).unwrap();
        let all = items(&text);
        let kinds = ["pub struct ", "pub enum ", "pub trait ", "pub fn "];
        let declared = all.iter().filter(|item| item.indent == 0 && !item.is_hidden);
        let declared = declared.filter_map(|item| kinds.iter().find_map(|kind| item.name_after(kind)));
        // `#[shmem::kernel]` is for functions of the host, and `#[shmem::gpu::kernel]` for those of a GPU.
        let is_other = |name: &str| module == "gpu" && name == "kernel";
        let twice: Vec<&str> = declared
            .chain(exported(&text))
            .filter(|name| in_root.contains(name) && !is_other(name))
            .collect();
        assert!(twice.is_empty(), "in `shmem` and in `shmem::{module}`: {twice:?}");
    }
    assert!(modules >= 4, "only {modules} modules were read");
}

#[test]
fn public_items_are_found() {
    let all = all();
    let has = |file: &str, name: &str| all.iter().any(|(at, found, _)| at == file && found == name);
    assert!(has("world.rs", "World::barrier_all"));
    assert!(has("nbi.rs", "Nbi::$fetch"), "a method that a macro writes");
    assert!(has("phase.rs", "slices!::as_slice"), "a method that a macro writes into two types");
    assert!(has("remote/atomic.rs", "Remote::fetch_add"), "a method of a table");
    assert!(has("macros.rs", "remote!"));
    assert!(has("lib.rs", "my_pe"));
    assert!(!has("lock/mod.rs", "Lock::try_lock"), "it is hidden");
    assert!(all.len() > 100, "{} items", all.len());
    let types = all_types();
    let has = |file: &str, name: &str| types.iter().any(|(at, found, _)| at == file && found == name);
    assert!(has("world.rs", "World") && has("select.rs", "Form") && has("select.rs", "mod select"));
    assert!(has("number.rs", "ReducedBy"), "a module in the text of `lib.rs` exports it");
    assert!(!has("remote/mod.rs", "OneElement"), "it is hidden");
    assert!(types.len() > 60, "{} items", types.len());

    let text = "
impl<T> A<T> {
    /// Without an example.
    #[inline]
    pub fn a() {}
    /// ```
    pub fn b() {}
    #[doc(hidden)]
    pub fn c() {}
}
impl B {
    pub fn d() {}
}
impl C for A<u8> {
    pub fn e() {}
}
pub fn f() {}
";
    let found = published(text, false, &BTreeSet::from(["A".to_owned()]));
    assert_eq!(found, [("A::a".to_owned(), false), ("A::b".to_owned(), true)]);
}
