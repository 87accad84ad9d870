//! Which back end and which device a PE uses.

use std::fmt;

use crate::Error;
use crate::nvshmem::{Found, Places};

/// What carries the operations of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackEnd {
    /// Threads of this process, and the symmetric heap of the job.
    Host,
    /// NVSHMEM, on GPUs.
    Nvshmem,
}

impl fmt::Display for BackEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BackEnd::Host => "host",
            BackEnd::Nvshmem => "nvshmem",
        })
    }
}

/// What `SHMEM_GPU` asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// The host, as long as no GPU has run the back end for NVSHMEM.
    #[default]
    Auto,
    /// This one, or an error.
    Only(BackEnd),
}

impl Wish {
    /// Reads the value of `SHMEM_GPU`; `None` where it is no such value.
    #[must_use]
    pub fn parse(value: &str) -> Option<Wish> {
        match value {
            "auto" => Some(Wish::Auto),
            "host" => Some(Wish::Only(BackEnd::Host)),
            "nvshmem" => Some(Wish::Only(BackEnd::Nvshmem)),
            _ => None,
        }
    }
}

/// A back end, with what it needs.
#[derive(Debug)]
pub enum Choice {
    /// Threads of this process.
    Host,
    /// NVSHMEM, whose libraries are open.
    Nvshmem(Box<Found>),
}

impl Choice {
    /// Which it is.
    #[must_use]
    pub fn back_end(&self) -> BackEnd {
        match self {
            Choice::Host => BackEnd::Host,
            Choice::Nvshmem(_) => BackEnd::Nvshmem,
        }
    }

    /// How many devices this process has.
    #[must_use]
    pub fn devices(&self) -> usize {
        match self {
            // The host is one device.
            Choice::Host => 1,
            Choice::Nvshmem(found) => found.devices(),
        }
    }
}

/// The back end, and why it is this one.
///
/// # Errors
///
/// When NVSHMEM was asked for and cannot be had.
pub fn choose(wish: Wish, places: &Places) -> Result<(Choice, &'static str), Error> {
    match wish {
        Wish::Only(BackEnd::Host) => Ok((Choice::Host, "SHMEM_GPU=host")),
        Wish::Only(BackEnd::Nvshmem) => {
            Ok((Choice::Nvshmem(Box::new(Found::open(places)?)), "SHMEM_GPU=nvshmem"))
        }
        Wish::Auto => Ok((
            Choice::Host,
            "SHMEM_GPU is not set or auto, which takes the host in this version: no GPU has run the back end nvshmem yet",
        )),
    }
}

/// The device of the PE that is number `pe` on its host, among `devices`; `wish` is the value of
/// `SHMEM_GPU_DEVICE`.
///
/// # Errors
///
/// When there is no such device.
pub fn device(pe: usize, devices: usize, wish: Option<usize>) -> Result<usize, Error> {
    let reason = match (devices, wish) {
        (0, _) => "this host has no device: set SHMEM_GPU=host".to_owned(),
        (_, None) => return Ok(pe % devices),
        (_, Some(device)) if device < devices => return Ok(device),
        (1, Some(_)) => "the back end has one device here, number 0".to_owned(),
        (_, Some(_)) => format!("the back end has {devices} devices here, 0 to {}", devices - 1),
    };
    let asked = match wish {
        Some(device) => format!("SHMEM_GPU_DEVICE={device}"),
        None => format!("a device for PE {pe} of this host"),
    };
    Err(Error::Choice { asked, reason })
}

#[cfg(test)]
mod tests {
    use super::{BackEnd, Wish, choose, device};
    use crate::nvshmem::Places;

    #[test]
    fn devices_go_round_the_pes_of_a_host() {
        for (pe, devices, wish, expected) in
            [(0, 1, None, 0), (3, 2, None, 1), (5, 8, None, 5), (5, 8, Some(2), 2), (9, 1, Some(0), 0)]
        {
            assert_eq!(device(pe, devices, wish).unwrap(), expected);
        }
        let text = |devices, wish| device(1, devices, wish).unwrap_err().to_string();
        assert_eq!(text(1, Some(3)), "SHMEM_GPU_DEVICE=3: the back end has one device here, number 0");
        assert_eq!(text(2, Some(2)), "SHMEM_GPU_DEVICE=2: the back end has 2 devices here, 0 to 1");
        assert_eq!(
            text(0, None),
            "a device for PE 1 of this host: this host has no device: set SHMEM_GPU=host"
        );
    }

    #[test]
    fn wishes() {
        assert_eq!(Wish::parse("auto"), Some(Wish::Auto));
        assert_eq!(Wish::parse("host"), Some(Wish::Only(BackEnd::Host)));
        assert_eq!(Wish::parse("cuda"), None);
        let nowhere = Places::default();
        assert_eq!(choose(Wish::Auto, &nowhere).unwrap().0.back_end(), BackEnd::Host);
        assert_eq!(choose(Wish::Only(BackEnd::Host), &nowhere).unwrap().1, "SHMEM_GPU=host");
        let error = choose(Wish::Only(BackEnd::Nvshmem), &nowhere).unwrap_err().to_string();
        assert!(error.starts_with("libnvshmem_host.so.3 is not found: searched "), "{error}");
    }
}
