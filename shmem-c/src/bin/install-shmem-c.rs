//! `install-shmem-c PREFIX`: makes the C library of what cargo has built, and installs it with its
//! header, its compiler wrappers, its launcher and its description for pkg-config.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// Libraries of the system that the Rust part needs.
const SYSTEM_LIBRARIES: &[&str] = &["-lpthread", "-ldl", "-lm"];

fn main() -> ExitCode {
    let mut words = env::args().skip(1);
    let (Some(prefix), archive, launcher) = (words.next(), words.next(), words.next()) else {
        eprintln!("usage: install-shmem-c PREFIX [libshmem_c.a [oshrun]]");
        return ExitCode::from(2);
    };
    match install(Path::new(&prefix), archive.map(PathBuf::from), launcher.map(PathBuf::from)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("install-shmem-c: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Installs to `prefix` what cargo has built: the archive and the launcher, which lie beside this
/// program unless they are given.
fn install(prefix: &Path, archive: Option<PathBuf>, launcher: Option<PathBuf>) -> Result<(), String> {
    let here = env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let beside = |name: &str| here.with_file_name(name);
    let (archive, launcher) =
        (archive.unwrap_or_else(|| beside("libshmem_c.a")), launcher.unwrap_or_else(|| beside("oshrun")));
    let folder = |name: &str| {
        let path = prefix.join(name);
        fs::create_dir_all(&path).map_err(|error| format!("cannot make {}: {error}", path.display()))?;
        path.canonicalize().map_err(|error| format!("cannot find {}: {error}", path.display()))
    };
    let (bin, include, lib, pkgconfig) =
        (folder("bin")?, folder("include")?, folder("lib")?, folder("lib/pkgconfig")?);
    let prefix =
        prefix.canonicalize().map_err(|error| format!("cannot find {}: {error}", prefix.display()))?;

    write(&include.join("shmem.h"), shmem_c::HEADER)?;
    // The place of the header in version 1.2.
    write(&folder("include/mpp")?.join("shmem.h"), "#include \"../shmem.h\"\n")?;
    let (aliases, object) = (lib.join("shmem-aliases.c"), lib.join("shmem-aliases.o"));
    write(&aliases, shmem_c::ALIASES)?;
    run(cc()
        .args(["-O2", "-fPIC", "-w", "-I"])
        .arg(&include)
        .arg("-c")
        .arg(&aliases)
        .arg("-o")
        .arg(&object))?;
    make_archive(&archive, &object, &lib)?;
    make_shared(&archive, &object, &lib)?;
    for file in [aliases, object] {
        fs::remove_file(&file).map_err(|error| format!("cannot remove {}: {error}", file.display()))?;
    }

    copy(&launcher, &bin.join("oshrun"))?;
    for (name, variable, compiler) in
        [("oshcc", "CC", "cc"), ("oshc++", "CXX", "c++"), ("oshCC", "CXX", "c++")]
    {
        wrapper(&bin.join(name), &prefix, variable, compiler)?;
    }
    let libraries = SYSTEM_LIBRARIES.join(" ");
    let description = format!(
        "prefix={}\nincludedir=${{prefix}}/include\nlibdir=${{prefix}}/lib\n\nName: shmem\nDescription: OpenSHMEM 1.6 on shared memory\n\
         Version: {}\nCflags: -I${{includedir}}\nLibs: -L${{libdir}} -Wl,-rpath,${{libdir}} -lshmem\nLibs.private: {libraries}\n",
        prefix.display(),
        env!("CARGO_PKG_VERSION")
    );
    write(&pkgconfig.join("shmem.pc"), &description)
}

/// The static library: a script for the linker that names what cargo has built, the C part, and the
/// libraries of the system. The archive of cargo stays as it is, because an archiver that does not
/// know its bitcode would spoil its index.
fn make_archive(archive: &Path, object: &Path, lib: &Path) -> Result<(), String> {
    copy(archive, &lib.join("libshmem-rust.a"))?;
    let c = lib.join("libshmem-c.a");
    let _ = fs::remove_file(&c);
    run(Command::new("ar").arg("rcs").arg(&c).arg(object))?;
    let libraries = SYSTEM_LIBRARIES.join(" ");
    write(&lib.join("libshmem.a"), &format!("GROUP(libshmem-c.a libshmem-rust.a)\nINPUT({libraries})\n"))
}

/// The shared library, of which the routines alone can be seen.
fn make_shared(archive: &Path, object: &Path, lib: &Path) -> Result<(), String> {
    let script = lib.join("shmem.map");
    // The names that were not in the specification's form before 1.2 are still some programs'.
    let old: Vec<&str> =
        shmem_c::DEPRECATED.iter().copied().filter(|name| !name.starts_with("shmem_")).collect();
    let old = old.iter().map(|name| format!("{name}; p{name}; ")).collect::<String>();
    write(&script, &format!("{{ global: shmem_*; pshmem_*; {old}local: *; }};\n"))?;
    let version = format!("-Wl,--version-script={}", script.display());
    let to = lib.join("libshmem.so");
    let mut linker = cc();
    linker.args(["-shared", "-o"]).arg(to).arg(object);
    linker.arg("-Wl,--whole-archive").arg(archive).arg("-Wl,--no-whole-archive");
    linker.args([&version, "-Wl,-Bsymbolic-functions", "-Wl,--gc-sections", "-Wl,-soname,libshmem.so"]);
    run(linker.args(SYSTEM_LIBRARIES))?;
    fs::remove_file(&script).map_err(|error| format!("cannot remove {}: {error}", script.display()))
}

/// A compiler that knows where the library is.
fn wrapper(to: &Path, prefix: &Path, variable: &str, compiler: &str) -> Result<(), String> {
    let prefix = prefix.display();
    let text = format!(
        "#!/bin/sh\n# The compiler of ${variable}, or {compiler}, with the library in {prefix}.\n\
         flags=\"-I{prefix}/include\"\nlibraries=\"-L{prefix}/lib -Wl,-rpath,{prefix}/lib -lshmem\"\n\
         case \" $* \" in\n\
         *\" --showme:compile \"* | *\" -showme:compile \"*) echo \"$flags\"; exit ;;\n\
         *\" --showme:link \"* | *\" -showme:link \"*) echo \"$libraries\"; exit ;;\n\
         *\" --showme \"* | *\" -showme \"* | *\" -show \"*) echo \"${{{variable}:-{compiler}}} $flags $libraries\"; exit ;;\n\
         *\" -c \"* | *\" -E \"* | *\" -S \"*) libraries= ;;\nesac\n\
         # shellcheck disable=SC2086\nexec ${{{variable}:-{compiler}}} $flags \"$@\" $libraries\n"
    );
    write(to, &text)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o755))
        .map_err(|error| format!("cannot change {}: {error}", to.display()))
}

fn write(to: &Path, text: &str) -> Result<(), String> {
    fs::write(to, text).map_err(|error| format!("cannot write {}: {error}", to.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    // A program that runs cannot be written to, but replaced.
    let _ = fs::remove_file(to);
    let copied = fs::copy(from, to);
    copied.map(drop).map_err(|error| format!("cannot copy {} to {}: {error}", from.display(), to.display()))
}

/// The C compiler.
fn cc() -> Command {
    Command::new(env::var("CC").unwrap_or_else(|_| "cc".to_owned()))
}

/// Runs a tool. What it says is shown if it fails: an archiver that does not know the bitcode beside
/// Rust's machine code says so for each object.
fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!(
            "{program} has failed: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
        Err(error) => Err(format!("cannot run {program}, which makes the library: {error}")),
    }
}
