//! NVSHMEM on devices: where its libraries are searched ([`Places`]), what is opened ([`Found`]), a
//! device that was started ([`Device`]), and its streams ([`DeviceStream`]).
//!
//! Nothing of them is linked, so a program that is built here runs where there are none.

mod device;
mod driver;
#[cfg(test)]
mod headers;
mod library;
mod places;
mod routines;

pub use device::{
    Device, DeviceCollective, DeviceFunction, DeviceStream, DeviceTeam, Found, FunctionKey, Piece, Spot,
    StartedDevice, Update,
};
pub use library::{DeviceComparison, Library, UniqueId};
pub use places::Places;
pub(crate) use places::{Product, Wanted};

/// The file of the host library. Its number is that of the interface, which versions 3.x have.
pub const HOST_LIBRARY: &str = "libnvshmem_host.so.3";
