//! The processors that PEs run on: `SHMEM_BIND`.
//!
//! With `core`, PE n runs on the n-th processor of those that the supervisor may use, and on no
//! other. Cores come first that no PE has yet: the second processor of a core (its hyperthread) is
//! used after the first ones of all cores. When every processor has a PE, it goes round.

use crate::system::error::Error;

/// The processors that the PEs of a job are bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Processors(Vec<usize>);

impl Processors {
    /// Those that this process may use, in the order in which PEs take them.
    #[cfg(target_os = "linux")]
    pub(super) fn of_this_process() -> Result<Processors, Error> {
        use rustix::thread::{CpuSet, sched_getaffinity};

        let set = sched_getaffinity(None).map_err(|errno| Error::System {
            what: String::from("cannot read which processors this process may use (SHMEM_BIND=core)"),
            source: errno.into(),
        })?;
        let allowed = (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu));
        // The processors of a core have the same list.
        Ok(Processors::in_order(allowed, |cpu| {
            std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"))
                .ok()
        }))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn of_this_process() -> Result<Processors, Error> {
        Err(Error::Environment {
            variable: "SHMEM_BIND",
            value: String::from("core"),
            expected: String::from("this system binds no process to a processor; leave the variable unset"),
        })
    }

    /// Orders processors, given in the order of their numbers. `core` names the core of each, where
    /// that is known.
    fn in_order(
        allowed: impl IntoIterator<Item = usize>,
        core: impl Fn(usize) -> Option<String>,
    ) -> Processors {
        let mut seen: Vec<String> = Vec::new();
        // Each with the number of processors of its core that come before it.
        let mut ordered: Vec<(usize, usize)> = Vec::new();
        for cpu in allowed {
            let before = core(cpu).map_or(0, |core| {
                let before = seen.iter().filter(|other| **other == core).count();
                seen.push(core);
                before
            });
            ordered.push((before, cpu));
        }
        ordered.sort_unstable();
        Processors(ordered.into_iter().map(|(_, cpu)| cpu).collect())
    }

    /// The processor of `pe`.
    pub(super) fn of(&self, pe: usize) -> usize {
        // A process that runs may use at least one.
        self.0[pe % self.0.len()]
    }
}

/// Binds this process to a processor. For use between fork and exec.
pub(super) fn bind(processor: usize) -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        let mut set = rustix::thread::CpuSet::new();
        set.set(processor);
        rustix::thread::sched_setaffinity(None, &set)?;
    }
    #[cfg(not(target_os = "linux"))]
    let _ = processor;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(allowed: &[usize], core: impl Fn(usize) -> Option<String>) -> Vec<usize> {
        Processors::in_order(allowed.iter().copied(), core).0
    }

    #[test]
    fn cores_come_before_second_processors_of_cores() {
        let all: Vec<usize> = (0..8).collect();
        // Linux numbers the second processors of all cores after the first ones, or beside them.
        let apart = |cpu: usize| Some(format!("{},{}", cpu % 4, cpu % 4 + 4));
        assert_eq!(order(&all, apart), [0, 1, 2, 3, 4, 5, 6, 7]);
        let beside = |cpu: usize| Some(format!("{}-{}", cpu / 2 * 2, cpu / 2 * 2 + 1));
        assert_eq!(order(&all, beside), [0, 2, 4, 6, 1, 3, 5, 7]);
        // Of one core this process may use the second processor only.
        assert_eq!(order(&[1, 2, 3, 5], beside), [1, 2, 5, 3]);
        assert_eq!(order(&all, |_| None), all);
        // Some cores have one processor: cores for background work.
        let mixed = |cpu: usize| Some(if cpu < 4 { format!("{}", cpu / 2) } else { format!("e{cpu}") });
        assert_eq!(order(&all, mixed), [0, 2, 4, 5, 6, 7, 1, 3]);
    }

    #[test]
    fn it_goes_round() {
        let processors = Processors::in_order([3, 7], |_| None);
        assert_eq!((0..5).map(|pe| processors.of(pe)).collect::<Vec<_>>(), [3, 7, 3, 7, 3]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_may_use_a_processor() {
        assert!(!Processors::of_this_process().unwrap().0.is_empty());
    }
}
