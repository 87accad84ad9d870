//! A network with a latency, a rate and losses, which this machine's kernel need not know how to imitate.
//!
//! Each host has a port, a network device whose frames a process gets and gives: the switch. It hands each frame
//! on to the port that it is for, later, and not all of them.

use std::ffi::{c_int, c_short, c_uint};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::num::NonZero;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::ioctl::{self, IntegerSetter, Updater};

use super::hosts::{Cluster, Host};

/// What the devices of ports are made of.
const DEVICES: &str = "/dev/net/tun";

/// Why this machine has no switch, and what would change that.
pub(crate) fn refused() -> Option<String> {
    let network = Network { latency: Duration::ZERO, rate: 1_000_000_000, lost: 0, goes_first: false };
    let error = Cluster::on(network, 2).err()?;
    Some(format!("{error}\nA switch needs {DEVICES}; in a container: docker run --device {DEVICES}"))
}

/// Started with this argument, and what [`Network::words`] says, the binary is a switch.
pub(crate) const SWITCH: &str = "--switch";
/// What the kernel says of a frame before it: `struct virtio_net_hdr`. It passes on many segments of TCP as one
/// frame, as it does between devices of its own, and leaves out their checksums.
const HEADER: usize = 10;
/// The most bytes of a frame, with its header of Ethernet.
const FRAME: usize = 14 + 65_535;

/// What arrives this soon arrives at once: a timer for each frame would slow down the network.
const SOON: Duration = Duration::from_micros(20);

/// How frames go from host to host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Network {
    /// From the last byte that is sent to the last one that arrives.
    pub(crate) latency: Duration,
    /// The bytes that a host sends, and those that it gets, in a second.
    pub(crate) rate: u64,
    /// Of a thousand frames, so many are lost.
    pub(crate) lost: u32,
    /// Whether the switch goes before all that polls on the cores, as measurements need. It keeps others waiting.
    pub(crate) goes_first: bool,
}

impl Network {
    fn words(&self, ports: usize) -> [String; 4] {
        let Network { latency, rate, lost, goes_first: _ } = *self;
        [latency.as_micros().to_string(), rate.to_string(), lost.to_string(), ports.to_string()]
    }

    /// Starts a switch with so many ports on a host. Port `n` is the device `port<n>` there, which may then be
    /// moved to another host. The switch ends with its input.
    ///
    /// # Errors
    ///
    /// Where the kernel has no such devices, or does not permit them.
    pub(crate) fn start(&self, on: &Host, ports: usize) -> Result<Switch, String> {
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        // Where that is not permitted, it does what it can.
        let line = match self.goes_first {
            true => "chrt --fifo 1 true 2>/dev/null && exec chrt --fifo 1 \"$0\" \"$@\"; exec \"$0\" \"$@\"",
            false => "exec \"$0\" \"$@\"",
        };
        let mut command: Command = on.command("sh");
        command.args(["-c", line]).arg(this).arg(SWITCH).args(self.words(ports));
        let failed = |error: io::Error| format!("cannot start the switch: {error}");
        let mut switch = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let mut ready = String::new();
        let out = switch.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut ready).map_err(failed)?;
        let switch = Switch(switch);
        if ready.is_empty() { Err("the switch has failed".to_owned()) } else { Ok(switch) }
    }
}

/// The process that is a switch, which ends with this.
pub(crate) struct Switch(Child);

impl Drop for Switch {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It may have ended with its host, which is well.
        let _ = self.0.wait();
    }
}

/// The Ethernet address of the host with this number.
pub(crate) fn address_of(port: usize) -> String {
    format!("02:00:00:00:00:{port:02x}")
}

/// The ports that a frame from `from` is for.
fn ports_for(frame: &[u8], from: usize, ports: usize) -> Vec<usize> {
    match frame[HEADER..] {
        [2, 0, 0, 0, 0, port, ..] => [usize::from(port)].into_iter().filter(|&port| port < ports).collect(),
        // To several.
        [first, ..] if first & 1 == 1 => (0..ports).filter(|&port| port != from).collect(),
        _ => Vec::new(),
    }
}

/// The switch, until its input ends.
pub(crate) fn switch() -> ExitCode {
    let words: Vec<u64> = std::env::args().skip(2).map(|word| word.parse().expect("a number")).collect();
    let [latency, rate, lost, ports] = words[..] else { panic!("{SWITCH} LATENCY RATE LOST PORTS") };
    let network =
        Network { latency: Duration::from_micros(latency), rate, lost: lost as u32, goes_first: false };
    let ports: io::Result<Vec<Arc<File>>> = (0..ports).map(|port| open(port).map(Arc::new)).collect();
    let ports = match ports {
        Ok(ports) => ports,
        Err(error) => {
            eprintln!("{DEVICES}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut queues: Vec<Sender<Frame>> = Vec::new();
    // A normal thread may sleep longer by that, and so may those that it starts.
    let _ = rustix::thread::set_current_timer_slack(NonZero::new(1));
    for (port, device) in ports.iter().enumerate() {
        let (queue, frames) = channel();
        queues.push(queue);
        let device = device.clone();
        thread::spawn(move || network.hand_out(&device, port, frames));
    }
    for (port, device) in ports.iter().enumerate() {
        let (device, queues) = (device.clone(), queues.clone());
        thread::spawn(move || network.take_in(&device, port, &queues));
    }
    println!("ready");
    let _ = io::stdin().read_to_end(&mut Vec::new());
    ExitCode::SUCCESS
}

/// A frame, and when its last byte was sent.
struct Frame {
    sent: Instant,
    bytes: Arc<[u8]>,
}

/// Sleeps until then, if that is not soon.
fn sleep_until(then: Instant) {
    let early = then.saturating_duration_since(Instant::now());
    if early > SOON {
        thread::sleep(early);
    }
}

impl Network {
    /// How long a host sends so many bytes, or gets them.
    fn takes(&self, bytes: usize) -> Duration {
        Duration::from_nanos(bytes as u64 * 1_000_000_000 / self.rate)
    }

    /// Takes in what a host sends, one frame after the other.
    fn take_in(&self, mut device: &File, port: usize, queues: &[Sender<Frame>]) {
        let mut bytes = vec![0; HEADER + FRAME];
        let mut sent = Instant::now();
        while let Ok(len @ HEADER..) = device.read(&mut bytes) {
            sent = sent.max(Instant::now()) + self.takes(len);
            // Those for one host are in the order in which they were sent.
            sleep_until(sent);
            let frame = Arc::from(&bytes[..len]);
            for to in ports_for(&bytes[..len], port, queues.len()) {
                let _ = queues[to].send(Frame { sent, bytes: Arc::clone(&frame) });
            }
        }
    }

    /// Hands out to a host what is for it, one frame after the other.
    fn hand_out(&self, mut device: &File, port: usize, frames: Receiver<Frame>) {
        let mut random = fastrand::Rng::with_seed(port as u64);
        let mut is_free = Instant::now();
        for Frame { sent, bytes } in frames {
            is_free = (is_free + self.takes(bytes.len())).max(sent + self.latency);
            sleep_until(is_free);
            if random.u32(..1000) >= self.lost {
                // A host that is not there yet, or no longer, gets nothing.
                let _ = device.write(&bytes);
            }
        }
    }
}

/// What the kernel is asked for: `struct ifreq`.
#[repr(C)]
struct Request {
    name: [u8; 16],
    flags: c_short,
    unused: [u8; 22],
}

/// Makes the device of a port, which is there as long as the file is open.
fn open(port: u64) -> io::Result<File> {
    /// `TUNSETIFF`.
    const SET: ioctl::Opcode = ioctl::opcode::write::<c_int>(b'T', 202);
    /// `TUNSETOFFLOAD`.
    const SET_OFFLOAD: ioctl::Opcode = ioctl::opcode::write::<c_uint>(b'T', 208);
    /// `IFF_TAP | IFF_NO_PI | IFF_VNET_HDR`: frames of Ethernet, and before them nothing but a [`HEADER`].
    const FRAMES: c_short = 0x5002;
    /// `TUN_F_CSUM | TUN_F_TSO4`.
    const OFFLOAD: usize = 0x3;
    let device = OpenOptions::new().read(true).write(true).open(DEVICES)?;
    let mut request = Request { name: [0; 16], flags: FRAMES, unused: [0; 22] };
    let name = format!("port{port}");
    request.name[..name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: the kernel reads and writes a `struct ifreq`, which has 40 bytes: the name and a union, which
    // begins with the flags.
    unsafe { ioctl::ioctl(&device, Updater::<SET, Request>::new(&mut request)) }?;
    // SAFETY: the kernel takes the flags themselves, and no pointer to them.
    unsafe { ioctl::ioctl(&device, IntegerSetter::<SET_OFFLOAD>::new_usize(OFFLOAD)) }?;
    Ok(device)
}
