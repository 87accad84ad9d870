//! `cargo shmem top` on a terminal, with a job that answers as a supervisor does.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::package::{TOOL, command, is_alone};

/// A terminal with all that was ever written to it.
struct Screen {
    master: File,
    written: Arc<Mutex<String>>,
}

impl Screen {
    /// Also returns the end that a program has.
    fn new() -> (Screen, File) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal can be had");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("it is this process's");
        let size = Winsize { ws_row: 10, ws_col: 90, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("it has a size");
        let name = ptsname(&master, Vec::new()).expect("it has a name");
        let path = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let theirs = OpenOptions::new().read(true).write(true).open(path).expect("it can be opened");
        let (master, written) = (File::from(master), Arc::new(Mutex::new(String::new())));
        let (mut reader, text) = (master.try_clone().expect("it can be shared"), written.clone());
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            // It fails when nobody has the other end any more.
            while let Ok(len @ 1..) = reader.read(&mut chunk) {
                text.lock().unwrap().push_str(&String::from_utf8_lossy(&chunk[..len]));
            }
        });
        (Screen { master, written }, theirs)
    }

    /// Waits until a text was written so many times.
    fn wait_for(&self, text: &str, times: usize) {
        while self.written.lock().unwrap().matches(text).count() < times {
            thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    fn press(&mut self, key: &str) {
        self.master.write_all(key.as_bytes()).expect("the terminal takes keys");
    }
}

/// A job in which PE 1 waits for PE 0, until `goes_on` is false.
fn job(pid: u32, goes_on: Arc<AtomicBool>) -> thread::JoinHandle<()> {
    let user = rustix::process::geteuid().as_raw();
    let address =
        SocketAddr::from_abstract_name(format!("shmem-{user}-{pid}")).expect("a name of this length");
    let listener = UnixListener::bind_addr(&address).expect("the name is free");
    let mut seconds = 40;
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.expect("a client");
            let mut word = String::new();
            BufReader::new(&client).read_line(&mut word).expect("a word");
            seconds += 1;
            let answer = match word.as_str() {
                "info\n" => format!(
                    "name: drawn\npid: {pid}\npes: 2\nseconds: 41\ntransport: smp\nprogram: /bin/drawn\n"
                ),
                "top\n" if !goes_on.load(Ordering::Relaxed) => return,
                "top\n" => format!(
                    "{{\"name\":\"drawn\",\"pid\":{pid},\"seconds\":{seconds},\"pes\":[\
                     {{\"pe\":0,\"does\":\"computes\",\"what\":\"computes\",\"since\":null,\"place\":null,\"awaits\":[],\
                     \"processor\":{seconds},\"calls\":null,\"bytes\":null}},\
                     {{\"pe\":1,\"does\":\"waits\",\"what\":\"in barrier_all\",\"since\":3,\"place\":\"src/main.rs:58\",\"awaits\":[0],\
                     \"processor\":1,\"calls\":null,\"bytes\":null}}]}}\n"
                ),
                other => panic!("{other:?}"),
            };
            client.write_all(answer.as_bytes()).expect("the client reads");
        }
    })
}

#[test]
fn a_job_is_drawn_until_the_user_leaves_or_it_ends() {
    is_alone();
    let pid = 2_000_000_000 + 64 * std::process::id() + 10;
    let goes_on = Arc::new(AtomicBool::new(true));
    let job = job(pid, goes_on.clone());
    for leaves in [true, false] {
        let (mut screen, theirs) = Screen::new();
        let stream = || Stdio::from(theirs.try_clone().expect("it can be shared"));
        let mut top = command(TOOL, Path::new("/"))
            .args(["top", "drawn"])
            .env("TERM", "xterm")
            .stdin(stream())
            .stdout(stream())
            .stderr(stream())
            .spawn()
            .expect("the tool starts");
        drop(theirs);
        screen.wait_for("job drawn (2 PEs, ", 1);
        screen.wait_for("q quits", 1);
        screen.wait_for("in barrier_all", 1);
        // PE 1 is drawn in the other line.
        screen.press("w");
        screen.wait_for("in barrier_all", 2);
        if leaves {
            screen.press("q");
        } else {
            goes_on.store(false, Ordering::Relaxed);
        }
        assert!(top.wait().expect("a child can be waited for").success());
        // The terminal is as it was: the other screen is left, and the cursor is there.
        screen.wait_for("\u{1b}[?1049l", 1);
        screen.wait_for("\u{1b}[?25h", 1);
        screen.wait_for("has ended", usize::from(!leaves));
    }
    job.join().expect("the job answers");
}
