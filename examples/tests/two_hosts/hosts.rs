//! Two hosts on one machine, and the cable between them.
//!
//! A host is a set of namespaces: it has a name, a network, processes, shared memory (System V's
//! and `/dev/shm`) and a file system of its own, of which only the files on disk are those of this
//! machine. All of it is held by one process, which reads from a pipe until that is closed. So a
//! host is gone with this test, however that ends, and with it all that runs on the host and all
//! that it has written to its `/dev/shm`. Nothing of it has a name on the machine: other runs of
//! this test do not see it.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The namespaces that a host has of its own, as `unshare` and `nsenter` call them.
const NAMESPACES: [&str; 5] = ["--mount", "--uts", "--ipc", "--net", "--pid"];

/// What the first process of a host does; its argument is the name.
///
/// It tells its number on the outside, which is what it reads before it mounts a `/proc` of its
/// own. The other mounts: a library looks in `/sys` for its network interfaces, and in a `/sys`
/// that is not this host's finds none that is.
const FIRST: &str = r#"
set -e
hostname "$1"
read -r number rest </proc/self/stat
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /dev/shm
ip link set lo up
echo "$number"
exec cat
"#;

/// One of the hosts.
pub(crate) struct Host {
    /// Holds the host as long as the pipe to it is open.
    holder: Child,
    /// The number of its first process, among those of the host or machine that it was started on.
    number: u32,
    /// What a command starts with that shall run on the host.
    enter: Vec<String>,
    /// The host's first process in the `/proc` of this machine.
    process: PathBuf,
}

impl Host {
    /// Starts a host by `start`, a command that ends with `unshare` and its options. The rest is
    /// how the host is then reached: the command that enters it, and the `/proc` where it is found.
    fn start(name: &str, mut start: Command, enter: &[&str], proc: &Path) -> Result<Host, String> {
        let failed = |error: io::Error| format!("cannot start the {name} host: {error}");
        let mut holder = start
            .args(NAMESPACES)
            .args(["--fork", "--kill-child", "sh", "-c", FIRST, "sh", name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut line = String::new();
        let out = holder.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).map_err(failed)?;
        let Ok(number) = line.trim().parse::<u32>() else {
            let output = holder.wait_with_output().map_err(failed)?;
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        };
        let target = ["--target".to_owned(), number.to_string()];
        Ok(Host {
            holder,
            number,
            enter: enter
                .iter()
                .copied()
                .map(String::from)
                .chain(target)
                .chain(NAMESPACES.map(String::from))
                .collect(),
            process: proc.join(number.to_string()),
        })
    }

    /// A command that will run on the host, with nothing in its environment but the path. Its
    /// directory is the root.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(&self.enter[0]);
        command.args(&self.enter[1..]).arg(program).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command
    }

    /// Runs a short command on the host.
    fn run(&self, line: &str) -> Result<(), String> {
        let mut words = line.split(' ');
        let output = self
            .command(words.next().expect("a line has a word"))
            .args(words)
            .output()
            .map_err(|error| format!("cannot start `{line}`: {error}"))?;
        if !output.status.success() {
            return Err(format!("`{line}` failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        Ok(())
    }

    /// Where a file of the host, such as those of its `/dev/shm`, lies for this test.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.process.join("root").join(path.strip_prefix("/").expect("an absolute path"))
    }

    /// The number of the host's first process on the machine or host that it was started on.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// A namespace of the host; two hosts have the same one if these are equal.
    pub(crate) fn namespace(&self, kind: &str) -> io::Result<PathBuf> {
        fs::read_link(self.process.join("ns").join(kind))
    }

    /// Ends the host, and all that runs on it.
    fn end(&mut self) {
        // The end of the pipe ends the first process of the host, and the kernel then kills all
        // others. It does the same when this test is killed, and comes to no drop.
        drop(self.holder.stdin.take());
        // Both fail only where it has ended, which is well.
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.end();
    }
}

/// Two hosts, and the cable between them: the only way from one to the other.
pub(crate) struct Link {
    // Lies inside of the near host, so that reaching it from there takes no right on the machine.
    // It is dropped first.
    far: Host,
    near: Host,
}

impl Link {
    /// The addresses of the near host and of the far one. Nobody outside of them sees these.
    const ADDRESSES: [&str; 2] = ["10.77.0.1", "10.77.0.2"];
    /// What stands in for the remote shell, on each host.
    const REMOTE_SHELL: &str = "/dev/shm/rsh";

    /// Sets up two hosts.
    ///
    /// # Errors
    ///
    /// What this machine lacks or does not permit, in the words of the commands that were refused.
    pub(crate) fn up() -> Result<Link, String> {
        let proc = Path::new("/proc");
        // Who is not root is the root of a user namespace; so is a root who may not do what root
        // may elsewhere.
        let near = Host::start("near", Command::new("unshare"), &["nsenter"], proc).or_else(|as_root| {
            let mut unshare = Command::new("unshare");
            unshare.args(["--user", "--map-root-user"]);
            Host::start("near", unshare, &["nsenter", "--user", "--preserve-credentials"], proc)
                .map_err(|as_user| format!("{as_root}; in a user namespace: {as_user}"))
        })?;
        let mut enter: Vec<&str> = near.enter.iter().map(String::as_str).collect();
        enter.push("nsenter");
        let far = Host::start("far", near.command("unshare"), &enter, &near.path("/proc"))?;
        let link = Link { far, near };
        link.connect()?;
        link.install_remote_shell().map_err(|error| format!("{}: {error}", Link::REMOTE_SHELL))?;
        Ok(link)
    }

    /// Puts the cable in.
    fn connect(&self) -> Result<(), String> {
        let number = self.far.number;
        self.near.run(&format!("ip link add cable type veth peer name cable netns {number}"))?;
        for (host, address) in [&self.near, &self.far].into_iter().zip(Link::ADDRESSES) {
            host.run(&format!("ip address add {address}/24 dev cable"))?;
            host.run("ip link set cable up")?;
        }
        // The kernel looks at most once a second for what has been plugged in, and a library uses
        // no interface without.
        let started = Instant::now();
        for host in [&self.near, &self.far] {
            let state = host.path("/sys/class/net/cable/operstate");
            while fs::read_to_string(&state).map_err(|error| format!("{}: {error}", state.display()))?
                != "up\n"
            {
                if started.elapsed() > Duration::from_secs(60) {
                    return Err("the cable is in, and nothing is connected".to_owned());
                }
                thread::sleep(Duration::from_millis(5));
            }
        }
        Ok(())
    }

    /// Makes it possible to run commands on the far host from the near one:
    /// `rsh [option...] address command...`. As with the real one, a command finds nothing of its
    /// caller's environment there.
    fn install_remote_shell(&self) -> io::Result<()> {
        let [_, far] = Link::ADDRESSES;
        let enter = format!("nsenter --target {} {}", self.far.number, NAMESPACES.join(" "));
        let script = format!(
            r#"#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
[ "$1" = {far} ] || {{ echo "rsh: no host has the address $1" >&2; exit 1; }}
shift
exec {enter} env --ignore-environment PATH="$PATH" sh -c "$*"
"#
        );
        // The far host's part of the launcher looks for it, too, and has nobody to call.
        for host in [&self.near, &self.far] {
            let path = host.path(Link::REMOTE_SHELL);
            fs::write(&path, &script)?;
            fs::set_permissions(&path, Permissions::from_mode(0o755))?;
        }
        Ok(())
    }

    /// The host on which jobs are started, and which has the lower half of the PEs.
    pub(crate) fn near(&self) -> &Host {
        &self.near
    }

    /// The other host.
    pub(crate) fn far(&self) -> &Host {
        &self.far
    }

    /// The command that starts a job with so many PEs on the near host and on the far one. The
    /// program, and its arguments, are still to be added.
    pub(crate) fn oshrun(&self, npes: [usize; 2]) -> Command {
        let mut oshrun = self.near.command("oshrun");
        oshrun
            .args(["-np", &npes.iter().sum::<usize>().to_string()])
            .args(Link::options(npes).split(' '))
            .envs(Link::SETTINGS);
        oshrun
    }

    /// The same, where the program starts the launcher itself.
    pub(crate) fn starting(&self, npes: [usize; 2], program: impl AsRef<OsStr>) -> Command {
        let mut command = self.near.command("sh");
        // It tells its number on the near host first.
        command.args(["-c", "echo $$; exec \"$0\" \"$@\""]).arg(program).envs(Link::SETTINGS).envs([
            ("SHMEM_TRANSPORT", "openshmem".to_owned()),
            ("SHMEM_NPES", npes.iter().sum::<usize>().to_string()),
            ("SHMEM_LAUNCHER", format!("oshrun {}", Link::options(npes))),
        ]);
        command
    }

    /// A command on the near host that finds what a launcher needs in its environment.
    pub(crate) fn with_settings(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.near.command(program);
        command.envs(Link::SETTINGS);
        command
    }

    /// What a launcher finds in its environment.
    const SETTINGS: [(&str, &str); 4] = [
        // On its host everybody is root.
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_plm_rsh_agent", Link::REMOTE_SHELL),
        // What the launcher leaves in its directory is gone with the host.
        ("OMPI_MCA_orte_tmpdir_base", "/dev/shm"),
    ];

    /// The options for so many PEs on the near host and on the far one.
    fn options(npes: [usize; 2]) -> String {
        let mut hosts: Vec<String> =
            Link::ADDRESSES.iter().zip(npes).map(|(address, npes)| format!("{address}:{npes}")).collect();
        hosts.truncate(if npes[1] == 0 { 1 } else { 2 });
        // The near host is filled first. Neither host knows that the cores are those of the other one,
        // too.
        format!("--host {} --map-by slot --bind-to none --mca mpi_yield_when_idle 1", hosts.join(","))
    }

    /// Ends the far host, and all that runs on it.
    pub(crate) fn end_far(&mut self) {
        self.far.end();
    }

    /// Ends both hosts, and all that runs on them.
    pub(crate) fn end(&mut self) {
        self.far.end();
        self.near.end();
    }

    /// How many bytes have crossed the cable so far, in both directions.
    pub(crate) fn bytes(&self) -> usize {
        self.counted("rx_bytes") + self.counted("tx_bytes")
    }

    /// How many packets have crossed the cable so far, in both directions.
    pub(crate) fn packets(&self) -> usize {
        self.counted("rx_packets") + self.counted("tx_packets")
    }

    fn counted(&self, counter: &str) -> usize {
        let path = self.near.path(format!("/sys/class/net/cable/statistics/{counter}"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.trim().parse().unwrap_or_else(|error| panic!("{}: {text:?}: {error}", path.display()))
    }
}
