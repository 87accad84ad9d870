//! The socket by which another process of the same user asks a running job.
//!
//! On Linux the supervisor listens on an abstract Unix socket, `shmem-UID-PID`: the number of the
//! user, and of the supervisor's process. It has no file, and is gone when the supervisor is. A
//! client writes one line and reads to the end of the stream.

use std::io::{self, Read as _, Write as _};
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

/// The longest question.
const LONGEST: usize = 256;
/// How many clients may be connected at a time.
const CLIENTS: usize = 16;
/// How long a client may take to read what fits no buffer.
const PATIENCE: Duration = Duration::from_secs(1);

/// The socket, and those who have connected.
pub(super) struct Control {
    listener: Option<UnixListener>,
    clients: Vec<Client>,
}

/// A process that has connected, and has not asked yet.
struct Client {
    stream: UnixStream,
    line: Vec<u8>,
}

/// A question of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// The table.
    Where,
    /// The end of the job.
    End,
    /// What the job is.
    Info,
    /// What each PE does and has done so far, for programs.
    Top,
}

/// Who is to get the answer: a client, or who sits at the terminal.
pub(super) struct Asker(Option<UnixStream>);

impl Asker {
    /// Who has asked by SIGQUIT.
    #[cfg(feature = "openshmem")]
    pub(super) fn at_the_terminal() -> Asker {
        Asker(None)
    }

    /// Answers, and closes the connection. A client that does not read loses the answer.
    pub(super) fn answer(self, text: &str) {
        let Some(mut stream) = self.0 else {
            eprint!("shmem: {text}");
            return;
        };
        let _ = stream.set_nonblocking(false);
        let _ = stream.set_write_timeout(Some(PATIENCE));
        let _ = stream.write_all(text.as_bytes());
    }
}

impl Control {
    /// Listens, where the system has such sockets and no other job of this process listens.
    pub(super) fn open() -> Control {
        Control { listener: listen().ok(), clients: Vec::new() }
    }

    /// The descriptors to poll: the listener is the first, if there is one.
    pub(super) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let listener = self.listener.iter().map(AsFd::as_fd);
        listener.chain(self.clients.iter().map(|client| client.stream.as_fd()))
    }

    /// Accepts clients, and reads what they have written. Returns the questions that are complete.
    pub(super) fn hear(&mut self) -> Vec<(Question, Asker)> {
        while let Some(Ok((stream, _))) = self.listener.as_ref().map(UnixListener::accept) {
            if self.clients.len() < CLIENTS && is_same_user(&stream) && stream.set_nonblocking(true).is_ok() {
                self.clients.push(Client { stream, line: Vec::new() });
            }
        }
        let mut asked = Vec::new();
        for mut client in mem::take(&mut self.clients) {
            match client.read() {
                Ok(None) => self.clients.push(client),
                Ok(Some(line)) => match Question::of(&line) {
                    Ok(question) => asked.push((question, Asker(Some(client.stream)))),
                    Err(text) => Asker(Some(client.stream)).answer(&text),
                },
                // It has gone.
                Err(_) => {}
            }
        }
        asked
    }
}

impl Client {
    /// Reads what is there: the line, once it is complete.
    fn read(&mut self) -> io::Result<Option<String>> {
        let mut chunk = [0; LONGEST];
        loop {
            let ends = match self.stream.read(&mut chunk) {
                Ok(0) if self.line.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(0) => true,
                Ok(len) => {
                    self.line.extend_from_slice(&chunk[..len]);
                    self.line.contains(&b'\n') || self.line.len() >= LONGEST
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if ends {
                let line = self.line.split(|byte| *byte == b'\n').next().unwrap_or_default();
                return Ok(Some(String::from_utf8_lossy(line).trim().to_owned()));
            }
        }
    }
}

impl Question {
    const ALL: [(&'static str, Question); 4] = [
        ("where", Question::Where),
        ("end", Question::End),
        ("info", Question::Info),
        ("top", Question::Top),
    ];

    /// The question that a line is, or the answer to what is none.
    fn of(line: &str) -> Result<Question, String> {
        let found = Question::ALL.iter().find(|(word, _)| *word == line);
        found.map(|(_, question)| *question).ok_or_else(|| {
            let words: Vec<&str> = Question::ALL.iter().map(|(word, _)| *word).collect();
            format!("unknown: {line:?}; the known words are {}\n", words.join(", "))
        })
    }
}

#[cfg(target_os = "linux")]
fn listen() -> io::Result<UnixListener> {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::SocketAddr;

    let (user, process) = (rustix::process::geteuid().as_raw(), std::process::id());
    let address = SocketAddr::from_abstract_name(format!("shmem-{user}-{process}"))?;
    let listener = UnixListener::bind_addr(&address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

#[cfg(not(target_os = "linux"))]
fn listen() -> io::Result<UnixListener> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether the process at the other end is the same user's, or the superuser's. An abstract socket
/// has no file, and so no permissions.
#[cfg(target_os = "linux")]
fn is_same_user(stream: &UnixStream) -> bool {
    use std::os::fd::AsRawFd as _;

    let mut credentials = libc::ucred { pid: 0, uid: libc::uid_t::MAX, gid: libc::gid_t::MAX };
    let mut len = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the descriptor is open, and the value has `len` bytes that the system may write.
    let got = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut credentials).cast(),
            &raw mut len,
        )
    };
    let user = rustix::process::geteuid().as_raw();
    got == 0 && (credentials.uid == user || credentials.uid == 0)
}

#[cfg(not(target_os = "linux"))]
fn is_same_user(_stream: &UnixStream) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(Question::of("where"), Ok(Question::Where));
        assert_eq!(Question::of("end"), Ok(Question::End));
        assert_eq!(Question::of("info"), Ok(Question::Info));
        assert_eq!(Question::of("top"), Ok(Question::Top));
        assert_eq!(
            Question::of("stop"),
            Err("unknown: \"stop\"; the known words are where, end, info, top\n".to_owned())
        );
    }
}
