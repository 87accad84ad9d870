//! How much memory the machine still has.

use std::fs;

/// Bytes that can still be had, as far as the system says; `usize::MAX` where it does not.
///
/// The smaller of what the kernel counts as available and what the process's control group has
/// left: in a container the second is what a job dies of.
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

/// What the control group (version 2) allows beyond what it uses.
fn group() -> usize {
    let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<usize>().ok();
    match (number("/sys/fs/cgroup/memory.max"), number("/sys/fs/cgroup/memory.current")) {
        (Some(max), Some(current)) => max.saturating_sub(current),
        _ => usize::MAX,
    }
}
