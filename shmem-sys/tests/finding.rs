//! The build script's search and its questions, asked of libraries and wrappers made for the
//! purpose. Nothing needs to be installed but a C compiler. (The package itself builds without a
//! library where `DOCS_RS` is set.)

#![cfg(target_os = "linux")]

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

#[path = "../build/find.rs"]
#[allow(dead_code, reason = "the build script uses the rest")]
mod find;
#[path = "../build/probe.rs"]
#[allow(dead_code, reason = "the build script uses the rest")]
mod probe;
#[path = "../build/symbols.rs"]
mod symbols;

use find::{Library, Surroundings};
use probe::{Compiler, Flags};
use symbols::Symbols;

/// A directory of one test.
struct Place {
    root: PathBuf,
    compiler: Compiler,
    symbols: Symbols,
}

/// What a made library lacks, of all that is listed.
#[derive(Default)]
struct Lacks<'a> {
    declarations: &'a [&'a str],
    definitions: &'a [&'a str],
    constants: &'a [&'a str],
}

impl Place {
    fn new(test: &str) -> Place {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("finding").join(test);
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("scratch")).unwrap();
        let compiler = Compiler { command: Box::new(|| Command::new("cc")), scratch: root.join("scratch") };
        let symbols = Symbols::parse(include_str!("../symbols.txt")).unwrap();
        Place { root, compiler, symbols }
    }

    fn path(&self, name: &str) -> String {
        self.root.join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(name, &format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn cc(&self, arguments: &[&str]) {
        let output = Command::new("cc").args(arguments).current_dir(&self.root).output().unwrap();
        assert!(output.status.success(), "cc {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// `include/shmem.h` and `lib/libsma.so`, of the required symbols and of these optional ones.
    fn install(&self, prefix: &str, optional: &[&str], lacks: &Lacks<'_>) {
        let required = &self.symbols.required;
        let functions =
            required.functions.iter().map(|(name, _)| name.as_str()).chain(optional.iter().copied());
        let mut header =
            String::from("typedef struct context *shmem_ctx_t;\nextern shmem_ctx_t sma_default;\n");
        let mut library = String::from("void *sma_default;\n");
        for name in functions {
            if !lacks.declarations.contains(&name) {
                header += &format!("int {name}(void);\n");
            }
            if !lacks.definitions.contains(&name) {
                library += &format!("int {name}(void) {{ return 0; }}\n");
            }
        }
        for (value, (name, _)) in required.constants.iter().enumerate() {
            if !lacks.constants.contains(&name.as_str()) {
                header += &format!("#define {name} ((int) {value})\n");
            }
        }
        header += "#define SHMEM_CTX_DEFAULT sma_default\n";
        self.write(&format!("{prefix}/include/shmem.h"), &header);
        self.write("library.c", &library);
        fs::create_dir_all(self.root.join(prefix).join("lib")).unwrap();
        self.cc(&["-shared", "-fPIC", "library.c", "-o", &format!("{prefix}/lib/libsma.so")]);
    }

    /// The flags of an installation.
    fn flags(&self, prefix: &str) -> Flags {
        Flags {
            compile: vec!["-I".into(), self.path(&format!("{prefix}/include"))],
            search: vec![self.root.join(prefix).join("lib")],
            libraries: vec!["sma".into()],
        }
    }

    /// The same as a command line has them.
    fn words(&self, prefix: &str) -> String {
        let root = self.path(prefix);
        format!("-I{root}/include -L{root}/lib -Wl,-rpath -Wl,{root}/lib -lsma")
    }

    /// Looks with these variables alone. `bin` of the test's directory is the whole path.
    fn find(&self, variables: &[(&str, &str)]) -> Result<Library, String> {
        let mut all: Vec<(OsString, OsString)> = vec![("PATH".into(), self.root.join("bin").into())];
        all.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
        Surroundings { variables: all.into_iter().collect(), compiler: &self.compiler }.find()
    }

    /// What the installation has, by the names of functions.
    fn examine(&self, prefix: &str) -> Result<Vec<&str>, String> {
        let flags = self.flags(prefix);
        let header = fs::read_to_string(self.root.join(prefix).join("include/shmem.h")).unwrap();
        let values = probe::values(&self.symbols, &self.compiler, &flags);
        let declared = |name: &str| header.contains(&format!(" {name}("));
        probe::functions(&self.symbols, &values, &declared, &self.compiler, &flags)
            .map(|names| names.into_iter().collect())
    }
}

#[track_caller]
fn assert_says(error: Result<impl std::fmt::Debug, String>, parts: &[&str]) {
    let error = error.expect_err("there is nothing to find");
    for part in parts {
        assert!(error.contains(part), "{part:?} is not in the message:\n{error}");
    }
}

fn asked_with(option: &str, answer: &str) -> String {
    format!(
        "if [ \"$1\" = {option} ]; then echo {answer}; else echo \"error: $1 is unknown\" >&2; exit 1; fi"
    )
}

#[test]
fn the_list_names_each_symbol_once_and_fills_in_the_types() {
    let symbols = Place::new("list").symbols;
    let mut names = std::collections::BTreeSet::new();
    for section in [&symbols.required, &symbols.optional] {
        for (name, what) in section.functions.iter().chain(&section.constants).chain(&section.handles) {
            assert!(names.insert(name), "{name} stands twice in the list");
            assert!(!name.contains(['{', '}', ',']), "{name}");
            assert!(!what.contains(" T"), "{name}: {what}");
        }
    }
    assert!(symbols.required.functions.iter().any(|(name, _)| name == "shmem_ctx_getmem_nbi"));
    let reduce = symbols.optional.functions.iter().find(|(name, _)| name == "shmem_uint16_xor_reduce");
    let signature = "unsafe extern \"C\" fn(shmem_team_t, *mut u16, *const u16, usize) -> c_int";
    assert_eq!(reduce.map(|(_, signature)| signature.as_str()), Some(signature));
}

#[test]
fn flags_of_a_command_line() {
    let flags = Flags::parse(
        "gcc -pthread -O2 -I/a/include -isystem /b \"-DNAME=a b\" -Wl,-rpath -Wl,/a/lib -L/a/lib -L /b/lib -lsma '-lpmi' \
         /opt/ucx/lib/libucp.so -plugin /usr/lib/liblto_plugin.so crt1.o -o program -lsma",
    );
    assert_eq!(flags.compile, ["-I", "/a/include", "-isystem", "/b", "-D", "NAME=a b"]);
    assert_eq!(flags.search, ["/a/lib", "/b/lib", "/opt/ucx/lib"].map(PathBuf::from));
    assert_eq!(flags.libraries, ["pthread", "pmi", "ucp", "sma"]);
}

#[test]
fn wrappers_are_asked_as_each_understands_it() {
    let place = Place::new("wrappers");
    place.install("sma", &[], &Lacks::default());
    let line = place.words("sma");
    // Open MPI's and Sandia's; MPICH's under OSHMPI's; that of OSSS-UCX, which hands its arguments
    // to the compiler; and Open MPI's under OSHMPI's, which answers without the folder of the
    // header.
    let pass_on = format!("PATH={} exec cc \"$@\" {line}", env::var("PATH").unwrap());
    let half = format!("if [ $# = 1 ]; then echo gcc -lsma; else echo \"gcc $2 {line}\"; fi");
    for (name, script) in [
        ("showme", asked_with("-showme", &format!("gcc {line}"))),
        ("show", asked_with("-show", &format!("gcc {line} -lm"))),
        ("compiler", pass_on),
        ("half", half),
    ] {
        let wrapper = place.script(&format!("{name}/oshcc"), &script);
        let launcher = place.script(&format!("{name}/oshrun"), "");
        let library = place.find(&[("PATH", &place.path(name))]).unwrap();
        assert_eq!(library.place, wrapper.display().to_string(), "{name}");
        assert_eq!(library.wrapper, Some(wrapper), "{name}");
        assert_eq!(library.launcher, Some(launcher), "{name}");
        let mut flags = library.flags;
        probe::drop_needless(&mut flags, &["shmem_my_pe", "shmem_quiet"].into(), &place.compiler);
        assert_eq!(
            (flags.search, flags.libraries),
            (place.flags("sma").search, vec!["sma".to_owned()]),
            "{name}"
        );
    }
}

#[test]
fn a_prefix_needs_no_wrapper() {
    let place = Place::new("prefix");
    place.install("opt", &[], &Lacks::default());
    fs::rename(place.root.join("opt/lib"), place.root.join("opt/lib64")).unwrap();
    let library = place.find(&[("SHMEM_DIR", &place.path("opt"))]).unwrap();
    assert_eq!(library.flags.search, [place.root.join("opt/lib64")]);
    assert_eq!(library.flags.libraries, ["sma"]);
    assert_eq!((library.wrapper, library.launcher), (None, None));

    // Where it has one, that is asked: it knows what else the library needs.
    let answer = format!("gcc -I{0}/include -L{0}/lib64 -lsma -lm", place.path("opt"));
    let wrapper = place.script("opt/bin/oshcc", &asked_with("-showme", &answer));
    let library = place.find(&[("SHMEM_DIR", &place.path("opt"))]).unwrap();
    assert_eq!(library.wrapper, Some(wrapper));
    assert_eq!(library.flags.libraries, ["sma", "m"]);
}

#[test]
fn what_the_user_names_is_never_passed_over() {
    let place = Place::new("named");
    place.install("sma", &[], &Lacks::default());
    place.script("bin/oshcc", &asked_with("-showme", &format!("gcc {}", place.words("sma"))));
    assert!(place.find(&[]).is_ok());

    let find_in = |prefix: &str| place.find(&[("SHMEM_DIR", prefix)]);
    assert_says(find_in("/no/such/place"), &["SHMEM_DIR=/no/such/place", "there is no such directory"]);
    assert_says(find_in("sma"), &["SHMEM_DIR=sma", "must be an absolute path"]);
    fs::create_dir_all(place.root.join("empty/include")).unwrap();
    assert_says(find_in(&place.path("empty")), &["there is no include/shmem.h"]);
    place.write("empty/include/shmem.h", "");
    assert_says(find_in(&place.path("empty")), &["neither lib nor lib64 has a liboshmem, libsma"]);
    place.write("empty/lib/libsma.so", "not a library");
    assert_says(
        find_in(&place.path("empty")),
        &["with libsma, a program that uses shmem_my_pe does not link"],
    );

    let find_by = |wrapper: &str| place.find(&[("OSHCC", wrapper)]);
    assert!(find_by("oshcc").is_ok());
    assert!(find_by(&place.path("bin/oshcc")).is_ok());
    assert_says(find_by("othercc"), &["OSHCC=othercc", "no program of this name in the directories of PATH"]);
    assert_says(find_by("/no/cc"), &["OSHCC=/no/cc", "there is no such program"]);
    assert_says(find_by("bin/oshcc"), &["OSHCC=bin/oshcc", "must be an absolute path"]);
    place.script("bin/silent", "");
    assert_says(find_by("silent"), &["it does not say which flags it adds", "-showme prints no -l flag"]);
    // SHMEM_DIR comes first, and the place found is named after it.
    let prefix = place.path("sma");
    let library = place.find(&[("SHMEM_DIR", &prefix), ("OSHCC", "silent")]).unwrap();
    assert_eq!(library.place, format!("SHMEM_DIR={prefix}"));
}

#[test]
fn places_nobody_named_are_passed_over_until_one_serves() {
    let place = Place::new("passed_over");
    place.install("sma", &[], &Lacks::default());
    place.script("bin/oshcc", &asked_with("-showme", "gcc -lno_such_library"));
    let prefix = place.path("sma");
    let library = place.find(&[("CRAY_OPENSHMEMX_DIR", &prefix)]).unwrap();
    assert_eq!(library.place, format!("CRAY_OPENSHMEMX_DIR={prefix}"));

    let launcher = place.script("sma/bin/oshrun", "");
    let answers = format!(
        "case \"$*\" in\n\
         '--cflags --libs sandia-openshmem') echo {} ;;\n\
         '--variable=exec_prefix sandia-openshmem') echo {prefix} ;;\n\
         *) echo Package was not found >&2; exit 1 ;;\nesac",
        place.words("sma")
    );
    place.script("bin/pkg-config", &answers);
    let library = place.find(&[("CRAY_OPENSHMEMX_DIR", &prefix)]).unwrap();
    assert_eq!(library.place, "pkg-config sandia-openshmem");
    assert_eq!(library.launcher, Some(launcher));
}

#[test]
fn when_nothing_serves_every_place_is_listed_with_its_reason() {
    let place = Place::new("nothing");
    assert_says(
        place.find(&[]),
        &[
            "no OpenSHMEM library was found",
            "\n  SHMEM_DIR: not set",
            "\n  OSHCC: not set",
            "\n  oshcc: not in the directories of PATH",
            "\n  pkg-config: not in the directories of PATH",
            "\n  CRAY_OPENSHMEMX_DIR: not set",
            "\n  CRAY_SHMEM_DIR: not set",
            "apt install libopenmpi-dev openmpi-bin",
            "set SHMEM_DIR to",
            "OSHCC to",
        ],
    );

    place.script(
        "bin/pkg-config",
        "echo \"Package $3 was not found in the pkg-config search path.\" >&2; exit 1",
    );
    let wrapper = place.script("bin/oshcc", &asked_with("-showme", "gcc -lsma"));
    let header = format!(
        "\n  {}: with the flags that -showme prints, #include <shmem.h> does not compile: ",
        wrapper.display()
    );
    assert_says(
        place.find(&[("CRAY_SHMEM_DIR", "/no/such/place")]),
        &[
            &header,
            "apt install libopenmpi-dev",
            "\n  pkg-config oshmem: Package oshmem was not found",
            "\n  pkg-config sandia-openshmem: Package sandia-openshmem was not found",
            "\n  pkg-config osss-ucx: Package osss-ucx was not found",
            "\n  CRAY_SHMEM_DIR=/no/such/place: there is no such directory",
        ],
    );
}

#[test]
fn all_that_is_missing_of_the_required_is_named() {
    let place = Place::new("required");
    let lacks = Lacks {
        declarations: &["shmem_ptr", "shmem_free"],
        definitions: &["shmem_ctx_iget64", "shmem_free", "shmem_global_exit", "shmem_uint64_test"],
        constants: &["SHMEM_CMP_LE", "SHMEM_SYNC_VALUE"],
    };
    place.install("sma", &[], &lacks);
    assert_says(
        place.examine("sma"),
        &[
            "\n  its shmem.h does not declare shmem_ptr, shmem_free\n",
            "\n  its shmem.h declares, but the library does not define shmem_global_exit, shmem_ctx_iget64, shmem_uint64_test\n",
            "\n  its shmem.h gives no value to SHMEM_CMP_LE, SHMEM_SYNC_VALUE",
        ],
    );
}

#[test]
fn an_optional_symbol_is_there_if_it_is_declared_and_defined() {
    let place = Place::new("optional");
    let optional = ["shmem_team_sync", "shmem_broadcastmem", "shmem_int_or_to_all", "shmem_barrier"];
    let lacks = Lacks {
        definitions: &["shmem_broadcastmem"],
        declarations: &["shmem_int_or_to_all"],
        ..Lacks::default()
    };
    place.install("sma", &optional, &lacks);
    let there = place.examine("sma").unwrap();
    assert_eq!(optional.map(|name| there.contains(&name)), [true, false, false, true]);
    assert_eq!(there.len(), place.symbols.required.functions.len() + 2);
}

#[test]
fn a_shared_library_brings_what_it_needs_and_an_archive_does_not() {
    let place = Place::new("needs");
    place.write("below.c", "int below(void) { return 1; }");
    place.write("above.c", "int below(void); int shmem_my_pe(void) { return below(); }");
    let flags = |directory: &str, libraries: &[&str]| Flags {
        search: vec![place.root.join(directory), place.root.clone()],
        libraries: libraries.iter().map(|library| (*library).to_owned()).collect(),
        ..Flags::default()
    };
    let functions = ["shmem_my_pe"].into();

    fs::create_dir(place.root.join("shared")).unwrap();
    let directory = place.path("shared");
    place.cc(&["-shared", "-fPIC", "below.c", "-o", "shared/libbelow.so"]);
    let below = ["-Lshared", "-lbelow", &format!("-Wl,-rpath,{directory}")];
    place.cc(&[&["-shared", "-fPIC", "above.c", "-o", "shared/libsma.so"], &below[..]].concat());
    let mut shared = flags("shared", &["sma", "below", "m"]);
    probe::drop_needless(&mut shared, &functions, &place.compiler);
    assert_eq!(shared, Flags { search: vec![directory.into()], ..flags("shared", &["sma"]) });
    // And the loader would not find it there.
    assert_eq!(probe::out_of_reach(&functions, &shared, &place.compiler), ["libsma.so"]);

    fs::create_dir(place.root.join("archive")).unwrap();
    for (source, library) in [("below.c", "archive/libbelow.a"), ("above.c", "archive/libsma.a")] {
        place.cc(&["-c", source, "-o", "object.o"]);
        let archive =
            Command::new("ar").args(["rcs", library, "object.o"]).current_dir(&place.root).status().unwrap();
        assert!(archive.success());
    }
    let mut archives = flags("archive", &["sma", "below", "m"]);
    probe::drop_needless(&mut archives, &functions, &place.compiler);
    assert_eq!(archives.libraries, ["sma", "below"]);
    assert_eq!(probe::out_of_reach(&functions, &archives, &place.compiler), [""; 0]);
}

/// Open MPI's case: three libraries in a chain, and the wrapper names the first two.
#[test]
fn lld_links_what_a_wrapper_names() {
    let place = Place::new("lld");
    let sysroot = Command::new(env::var_os("RUSTC").unwrap_or("rustc".into()))
        .args(["--print", "sysroot"])
        .output()
        .unwrap();
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout).unwrap().trim());
    let toolchains = fs::read_dir(sysroot.join("lib/rustlib")).unwrap();
    let mut linkers = toolchains.map(|toolchain| toolchain.unwrap().path().join("bin/gcc-ld"));
    let Some(linker) = linkers.find(|directory| directory.join("ld.lld").is_file()) else {
        eprintln!("NOT TESTED: this Rust brings no lld");
        return;
    };
    let root = place.path("");
    place.write("shmem.h", "");
    place.write("bottom.c", "int bottom(void) { return 1; }");
    place.write("middle.c", "int bottom(void); int middle(void) { return bottom(); }");
    place.write(
        "top.c",
        "int bottom(void), middle(void); int shmem_my_pe(void) { return middle() + bottom(); }",
    );
    let reach = format!("-Wl,-rpath,{root}");
    for (source, library, needed) in [
        ("bottom.c", "libbottom.so", None),
        ("middle.c", "libmiddle.so", Some("-lbottom")),
        ("top.c", "libsma.so", Some("-lmiddle")),
    ] {
        let mut arguments = vec!["-shared", "-fPIC", source, "-o", library, "-L.", &reach];
        arguments.extend(needed);
        place.cc(&arguments);
    }

    let with_lld = move || {
        let mut command = Command::new("cc");
        command.arg(format!("-B{}", linker.display())).arg("-fuse-ld=lld");
        command
    };
    let compiler = Compiler { command: Box::new(with_lld), scratch: place.root.join("scratch") };
    let place = Place { compiler, ..place };
    let line = format!("gcc -I{root} -L{root} -lsma -lmiddle");
    let refused = place.compiler.links(&probe::uses(&["shmem_my_pe"]), &Flags::parse(&line));
    assert_says(refused, &["undefined", "bottom"]);
    place.script("bin/oshcc", &asked_with("-showme", &line));
    let mut flags = place.find(&[]).unwrap().flags;
    probe::drop_needless(&mut flags, &["shmem_my_pe"].into(), &place.compiler);
    assert_eq!(flags.libraries, ["sma"]);
}
