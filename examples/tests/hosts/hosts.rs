//! Hosts on one machine, and the cable between them.
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

use super::network::{Network, Switch, address_of};

/// The namespaces that a host has of its own, as `unshare` and `nsenter` call them.
const NAMESPACES: [&str; 5] = ["--mount", "--uts", "--ipc", "--net", "--pid"];

/// What the first process of a host does; its argument is the name.
///
/// It tells its number on the outside, which is what it reads before it mounts a `/proc` of its
/// own. The other mounts: a library looks in `/sys` for its network interfaces, and in a `/sys`
/// that is not this host's finds none that is. Congestion of TCP is controlled by `reno`, which every kernel has: some have
/// another way as their default, which sends by timers.
const FIRST: &str = r#"
set -e
hostname "$1"
read -r number rest </proc/self/stat
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /dev/shm
ip link set lo up
echo reno >/proc/sys/net/ipv4/tcp_congestion_control
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

/// The address of the host with this number. Nobody outside of the cluster sees it.
fn ip_of(number: usize) -> String {
    format!("10.77.0.{}", 1 + number)
}

/// Hosts, and what connects them: the only way from one to the other.
pub(crate) struct Cluster {
    // These lie inside of the near host, so that reaching them from there takes no right on the machine.
    // They are dropped first.
    others: Vec<Host>,
    near: Host,
    /// Between more than two hosts, or with a network that imitates another one.
    switch: Option<Switch>,
}

impl Cluster {
    /// What stands in for the remote shell, on each host.
    const REMOTE_SHELL: &str = "/dev/shm/rsh";

    /// Sets up two hosts, with a cable between them.
    ///
    /// # Errors
    ///
    /// What this machine lacks or does not permit, in the words of the commands that were refused.
    pub(crate) fn up() -> Result<Cluster, String> {
        let cluster = Cluster::of(2)?;
        let far = cluster.far().number;
        cluster.near.run(&format!("ip link add cable type veth peer name cable netns {far}"))?;
        let cluster = cluster.connected()?;
        // The kernel looks at most once a second for what has been plugged in, and a library uses
        // no interface without.
        let started = Instant::now();
        for host in cluster.hosts() {
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
        Ok(cluster)
    }

    /// Sets up so many hosts, on such a network.
    ///
    /// # Errors
    ///
    /// As [`up`](Cluster::up).
    pub(crate) fn on(network: Network, hosts: usize) -> Result<Cluster, String> {
        let mut cluster = Cluster::of(hosts)?;
        cluster.switch = Some(network.start(&cluster.near, hosts)?);
        for (port, host) in cluster.hosts().enumerate() {
            if port > 0 {
                cluster.near.run(&format!("ip link set port{port} netns {}", host.number))?;
            }
            host.run(&format!("ip link set port{port} name cable address {}", address_of(port)))?;
        }
        cluster.connected()
    }

    /// Sets up hosts, with nothing between them.
    fn of(hosts: usize) -> Result<Cluster, String> {
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
        let names = ["far".to_owned()].into_iter().chain((2..).map(|number| format!("far{number}")));
        let start = |name: String| Host::start(&name, near.command("unshare"), &enter, &near.path("/proc"));
        let others = names.take(hosts - 1).map(start).collect::<Result<_, _>>()?;
        Ok(Cluster { others, near, switch: None })
    }

    /// Has all hosts use the devices that are there.
    fn connected(self) -> Result<Cluster, String> {
        for (number, host) in self.hosts().enumerate() {
            host.run(&format!("ip address add {}/24 dev cable", ip_of(number)))?;
            host.run("ip link set cable up")?;
        }
        self.install_remote_shell().map_err(|error| format!("{}: {error}", Cluster::REMOTE_SHELL))?;
        Ok(self)
    }

    /// Makes it possible to run commands on a host from another one:
    /// `rsh [option...] address command...`. As with the real one, a command finds nothing of its
    /// caller's environment there.
    fn install_remote_shell(&self) -> io::Result<()> {
        // Numbers of processes are those of the near host.
        let target =
            |(number, host): (usize, &Host)| format!("{}) target={} ;;\n", ip_of(number), host.number);
        let targets: String = self.hosts().enumerate().skip(1).map(target).collect();
        let script = format!(
            r#"#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
case "$1" in
{targets}*) echo "rsh: no host has the address $1" >&2; exit 1 ;;
esac
shift
exec nsenter --target $target {} env --ignore-environment PATH="$PATH" sh -c "$*"
"#,
            NAMESPACES.join(" ")
        );
        // The other hosts' parts of the launcher look for it, too, and have nobody to call.
        for host in self.hosts() {
            let path = host.path(Cluster::REMOTE_SHELL);
            fs::write(&path, &script)?;
            fs::set_permissions(&path, Permissions::from_mode(0o755))?;
        }
        Ok(())
    }

    /// All of them, the near one first.
    fn hosts(&self) -> impl Iterator<Item = &Host> {
        [&self.near].into_iter().chain(&self.others)
    }

    /// The host on which jobs are started, and which has the lowest PEs.
    pub(crate) fn near(&self) -> &Host {
        &self.near
    }

    /// The next one.
    pub(crate) fn far(&self) -> &Host {
        &self.others[0]
    }

    /// The command that starts a job with so many PEs on each host, the near one first. The
    /// program, and its arguments, are still to be added.
    pub(crate) fn oshrun(&self, npes: &[usize]) -> Command {
        let mut oshrun = self.near.command("oshrun");
        oshrun
            .args(["-np", &npes.iter().sum::<usize>().to_string()])
            .args(Cluster::options(npes).split(' '))
            .envs(Cluster::SETTINGS);
        oshrun
    }

    /// The same, where the program starts the launcher itself.
    pub(crate) fn starting(&self, npes: &[usize], program: impl AsRef<OsStr>) -> Command {
        let mut command = self.near.command("sh");
        // It tells its number on the near host first.
        command.args(["-c", "echo $$; exec \"$0\" \"$@\""]).arg(program).envs(Cluster::SETTINGS).envs([
            ("SHMEM_TRANSPORT", "openshmem".to_owned()),
            ("SHMEM_NPES", npes.iter().sum::<usize>().to_string()),
            ("SHMEM_LAUNCHER", format!("oshrun {}", Cluster::options(npes))),
        ]);
        command
    }

    /// A command on the near host that finds what a launcher needs in its environment.
    pub(crate) fn with_settings(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.near.command(program);
        command.envs(Cluster::SETTINGS);
        command
    }

    /// What a launcher finds in its environment.
    const SETTINGS: [(&str, &str); 4] = [
        // On its host everybody is root.
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_plm_rsh_agent", Cluster::REMOTE_SHELL),
        // What the launcher leaves in its directory is gone with the host.
        ("OMPI_MCA_orte_tmpdir_base", "/dev/shm"),
    ];

    /// The options for so many PEs on each host.
    fn options(npes: &[usize]) -> String {
        let with_pes = npes.iter().enumerate().filter(|&(_, &npes)| npes > 0);
        let hosts: Vec<String> = with_pes.map(|(host, npes)| format!("{}:{npes}", ip_of(host))).collect();
        // The near host is filled first. No host knows that the cores are those of the others, too. The launcher
        // reaches all hosts itself, and not the fourth one through the second one, as in a tree.
        let of_hosts =
            "--map-by slot --bind-to none --mca mpi_yield_when_idle 1 --mca plm_rsh_no_tree_spawn 1";
        // All processes are of one session. Linux divides the cores among sessions first, and Linux 6.18
        // leaves a session without any for minutes where processes of another one do nothing but yield.
        format!("--host {} {of_hosts} --leave-session-attached", hosts.join(","))
    }

    /// Ends the far host, and all that runs on it.
    pub(crate) fn end_far(&mut self) {
        self.others[0].end();
    }

    /// Ends all hosts, and all that runs on them.
    pub(crate) fn end(&mut self) {
        self.others.iter_mut().for_each(Host::end);
        self.near.end();
    }

    /// How many bytes the hosts have sent to each other so far.
    pub(crate) fn bytes(&self) -> usize {
        self.counted("tx_bytes")
    }

    /// How many packets the hosts have sent to each other so far.
    pub(crate) fn packets(&self) -> usize {
        self.counted("tx_packets")
    }

    fn counted(&self, counter: &str) -> usize {
        let of = |host: &Host| -> usize {
            let path = host.path(format!("/sys/class/net/cable/statistics/{counter}"));
            let text =
                fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            text.trim().parse().unwrap_or_else(|error| panic!("{}: {text:?}: {error}", path.display()))
        };
        self.hosts().map(of).sum()
    }
}
