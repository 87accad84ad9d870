//! Which cores a PE runs on.

use std::io::{Error, Result};
use std::mem::{size_of, zeroed};

use libc::{CPU_ISSET, CPU_SET, CPU_SETSIZE, cpu_set_t, sched_getaffinity, sched_setaffinity};

/// Keeps this PE on its share of the cores, before Lamellar starts its threads.
///
/// Lamellar binds the first worker of a process to the first core that the process may use, and workers poll:
/// without this, those of all PEs of a host are on one core, and what takes half a microsecond takes
/// milliseconds.
pub(crate) fn keep_apart() -> Result<()> {
    let number = |name| std::env::var(name).ok().and_then(|value| value.parse::<usize>().ok());
    let (Some(me), Some(pes)) = (number("LAMELLAR_PE_ID"), number("LAMELLAR_NUM_PES")) else {
        return Ok(());
    };
    // SAFETY: a set of cores is plain bits, of which none need be set; it is as large as is said, and
    // outlives the call.
    let allowed = unsafe {
        let mut allowed: cpu_set_t = zeroed();
        check(sched_getaffinity(0, size_of::<cpu_set_t>(), &mut allowed))?;
        allowed
    };
    // SAFETY: the numbers are those of cores that a set has room for.
    let cores = (0..CPU_SETSIZE as usize).filter(|&core| unsafe { CPU_ISSET(core, &allowed) });
    let cores: Vec<_> = cores.collect();
    let share = (cores.len() / pes.max(1)).max(1);
    // SAFETY: as above.
    unsafe {
        let mut mine: cpu_set_t = zeroed();
        cores.iter().cycle().skip(me * share).take(share).for_each(|&core| CPU_SET(core, &mut mine));
        check(sched_setaffinity(0, size_of::<cpu_set_t>(), &mine))
    }
}

fn check(returned: libc::c_int) -> Result<()> {
    if returned == 0 { Ok(()) } else { Err(Error::last_os_error()) }
}
