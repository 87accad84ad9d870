//! Jobs in a window of tmux or screen, and the debuggers in the next ones.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// What nothing here needs, however busy the machine is.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// A folder that is gone after the test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let name = format!("debugger-{name}-{}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).expect("a folder can be made");
        Folder(folder)
    }

    /// Where a job prints.
    fn printed(&self) -> PathBuf {
        self.0.join("printed")
    }

    /// Puts a debugger into it that does what the script says. Returns a `PATH` with it in front.
    pub(crate) fn with_gdb(&self, script: &str) -> String {
        let file = self.0.join("gdb");
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("a file can be written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("the file is ours");
        format!("{}:{}", self.0.display(), std::env::var("PATH").unwrap_or_default())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A program with windows, in whose first one a job runs.
pub(crate) trait Windows {
    /// Where the job prints, if its streams are not the terminal.
    fn folder(&self) -> &Folder;

    /// What a window shows; nothing if there is none.
    fn shows(&self, window: usize) -> String;

    /// Types a line.
    fn enter(&self, window: usize, line: &str);

    /// What the job has printed.
    fn printed(&self) -> String {
        fs::read_to_string(self.folder().printed()).unwrap_or_default()
    }

    /// Waits until something is so.
    #[track_caller]
    fn wait(&self, what: &str, is_so: impl Fn() -> bool) {
        let begun = Instant::now();
        while !is_so() {
            if begun.elapsed() > LIMIT {
                let windows: Vec<String> = (0..4).map(|window| self.shows(window)).collect();
                panic!("no {what}: {windows:#?}\n{}", self.printed());
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until a window shows a text.
    #[track_caller]
    fn wait_for(&self, window: usize, text: &str) {
        self.wait(text, || self.shows(window).contains(text));
    }
}

/// A server of tmux of its own, in whose first window a job runs.
pub(crate) struct Tmux {
    socket: String,
    /// What the job prints when it ends, if its streams are not the terminal.
    folder: Folder,
}

impl Tmux {
    /// Runs `job` in a shell that then prints its status.
    pub(crate) fn start(name: &str, job: &Command, in_terminal: bool) -> Tmux {
        let folder = Folder::new(name);
        let line = shell_line(job, in_terminal, &folder);
        let tmux = Tmux { socket: format!("shmem-{name}-{}", std::process::id()), folder };
        tmux.run(&["-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "50", &line]);
        tmux
    }

    /// A command of tmux; returns what it prints.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").args(["-L", &self.socket]).args(arguments);
        let output = command.output().expect("tmux runs");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Windows for Tmux {
    fn folder(&self) -> &Folder {
        &self.folder
    }

    fn shows(&self, window: usize) -> String {
        let output = Command::new("tmux")
            .args(["-L", &self.socket, "capture-pane", "-p", "-t", &format!(":{window}")])
            .output()
            .expect("tmux runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn enter(&self, window: usize, line: &str) {
        self.run(&["send-keys", "-t", &format!(":{window}"), line, "Enter"]);
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output();
    }
}

/// A line for a shell that runs a job, prints its status, and stays.
fn shell_line(job: &Command, in_terminal: bool, folder: &Folder) -> String {
    let mut line = String::from("env");
    for (variable, _) in job.get_envs().filter(|(_, value)| value.is_none()) {
        line += &quoted(&format!("--unset={}", variable.display()));
    }
    for (variable, value) in job.get_envs() {
        if let Some(value) = value {
            line += &quoted(&format!("{}={}", variable.display(), value.display()));
        }
    }
    for word in std::iter::once(job.get_program()).chain(job.get_args()) {
        line += &quoted(&word.display().to_string());
    }
    let printed = folder.printed().display().to_string();
    if in_terminal {
        format!("{line}; echo status $?; exec sleep 600")
    } else {
        format!("{line} >{p} 2>&1; echo status $? >>{p}; exec sleep 600", p = quoted(&printed))
    }
}

/// A session of screen, in whose first window a job runs.
pub(crate) struct Screen {
    session: String,
    folder: Folder,
}

impl Screen {
    pub(crate) fn start(name: &str, job: &Command) -> Screen {
        let folder = Folder::new(name);
        let line = shell_line(job, false, &folder);
        let screen = Screen { session: format!("shmem-{name}-{}", std::process::id()), folder };
        let mut command = Command::new("screen");
        // Not inside of the session of the one who runs the test.
        command.env_remove("STY").env_remove("TMUX");
        command.args(["-c", "/dev/null", "-d", "-m", "-S", &screen.session, "sh", "-c", &line]);
        let output = command.output().expect("screen runs");
        assert!(output.status.success(), "{output:?}");
        screen
    }

    /// Runs a command of screen in a window.
    pub(crate) fn run(&self, window: usize, arguments: &[&str]) -> String {
        let mut command = Command::new("screen");
        command.env_remove("STY").args(["-S", &self.session, "-p", &window.to_string()]);
        let output = command.args(arguments).output().expect("screen runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Windows for Screen {
    fn folder(&self) -> &Folder {
        &self.folder
    }

    fn shows(&self, window: usize) -> String {
        let file = self.folder.0.join(format!("window-{window}"));
        let _ = fs::remove_file(&file);
        self.run(window, &["-X", "hardcopy", &file.display().to_string()]);
        // Lines that do not fit go on on the next one.
        fs::read_to_string(&file).unwrap_or_default()
    }

    fn enter(&self, window: usize, line: &str) {
        self.run(window, &["-X", "stuff", &format!("{line}\n")]);
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = Command::new("screen").args(["-S", &self.session, "-X", "quit"]).output();
    }
}

/// A word for the shell, with a space in front.
fn quoted(word: &str) -> String {
    format!(" '{}'", word.replace('\'', "'\\''"))
}

/// Whether these programs are installed. Says so if not, past the harness.
pub(crate) fn are_there(tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| Command::new(tool).arg("-V").output().is_err());
    if let Some(tool) = missing {
        eprintln!("NOT TESTED: {tool} is not installed");
    }
    missing.is_none() && cfg!(target_os = "linux")
}
