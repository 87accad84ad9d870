//! How much memory the machine has left.

use std::fs;

/// The number of available bytes, as far as the system reports it; `usize::MAX` where it does not.
///
/// The smaller of the kernel's available memory and the rest of the limit of the process's control
/// group: a container that exceeds the second is killed.
pub(crate) fn available() -> usize {
    machine().min(group())
}

/// `MemAvailable` and free swap of Linux.
fn machine() -> usize {
    let Ok(text) = fs::read_to_string("/proc/meminfo") else {
        return usize::MAX;
    };
    let field = |name: &str| -> Option<usize> {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<usize>().ok()?.checked_mul(1024)
    };
    match field("MemAvailable:") {
        Some(bytes) => bytes.saturating_add(field("SwapFree:").unwrap_or(0)),
        None => usize::MAX,
    }
}

/// The rest of the limit of the control group (version 2).
fn group() -> usize {
    let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<usize>().ok();
    match (number("/sys/fs/cgroup/memory.max"), number("/sys/fs/cgroup/memory.current")) {
        (Some(max), Some(current)) => max.saturating_sub(current),
        _ => usize::MAX,
    }
}
