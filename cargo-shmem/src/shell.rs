//! Completions and manual pages, made of the command lines themselves.

use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use crate::cli::{Cli, ShmemRun};
use crate::failure::{Done, Failure};
use crate::print::print;

/// The name that clap's script for bash gives to the program: a script for a name with a hyphen does
/// not complete the words after a command (clap issue 6421).
const WITHOUT_HYPHEN: &str = "cargo_shmem";

/// Makes the script for bash complete `cargo-shmem` and `cargo shmem`. cargo's own completions know no
/// commands that are installed, so the function gives the words after `cargo shmem` to clap's, and all
/// others to the one that was there before.
const BASH: &str = r#"
_cargo_or_cargo_shmem() {
    if [[ ${COMP_WORDS[1]} == shmem && $COMP_CWORD -gt 1 ]]; then
        COMP_WORDS=(cargo-shmem "${COMP_WORDS[@]:2}")
        COMP_CWORD=$((COMP_CWORD - 1))
        _cargo_shmem cargo-shmem "$2" "$3"
    elif [[ -n $_cargo_without_shmem ]]; then
        "$_cargo_without_shmem" "$@"
    fi
}
if ! complete -p cargo 2>/dev/null | grep -q _cargo_or_cargo_shmem; then
    _cargo_without_shmem=$(complete -p cargo 2>/dev/null | sed -n 's/.*-F \([^ ]*\) .*/\1/p')
fi
complete -F _cargo_or_cargo_shmem -o bashdefault -o default cargo
complete -F _cargo_shmem -o bashdefault -o default cargo-shmem
"#;

/// `cargo shmem completions`.
pub(crate) fn completions(shell: Shell) -> Done {
    let mut script = Vec::new();
    let name = if shell == Shell::Bash { WITHOUT_HYPHEN } else { "cargo-shmem" };
    generate(shell, &mut Cli::command(), name, &mut script);
    generate(shell, &mut ShmemRun::command(), "shmemrun", &mut script);
    if shell == Shell::Bash {
        script.extend(BASH.as_bytes());
    }
    print(&String::from_utf8_lossy(&script))
}

/// `cargo shmem man`.
pub(crate) fn manual(folder: &Path) -> Done {
    for command in [Cli::command(), ShmemRun::command()] {
        clap_mangen::generate_to(command, folder).map_err(Failure::system(folder.display()))?;
    }
    Ok(())
}
