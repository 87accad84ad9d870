//! Places in the program, as messages show them.
//!
//! The callers of this library's functions are Rust, and the compiler knows their places. Where another
//! face stands between the program and these functions, only the stack tells the place in the program,
//! so that face can say how it is [found](name_by). It is found when it is shown, by the thread that is
//! in the call: nothing is done before.

use std::fmt;
use std::panic::Location;
use std::sync::OnceLock;

/// Finds the place of the program from which the calling thread has entered the library, such as
/// `ring.c:12`. Equal texts have one address.
pub(crate) type Namer = fn() -> Option<&'static str>;

static NAMER: OnceLock<Namer> = OnceLock::new();

/// From now on places are those that `namer` finds.
pub(crate) fn name_by(namer: Namer) {
    NAMER.get_or_init(|| namer);
}

/// Whether the places that the compiler knows are not those of the program.
pub(crate) fn is_behind_a_face() -> bool {
    NAMER.get().is_some()
}

/// The place of the program that this thread has called from, where another face knows it.
#[inline]
pub(crate) fn of_another_face() -> Option<&'static str> {
    NAMER.get().and_then(|namer| namer())
}

/// The place of a call, for tables that are made later.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CallPlace {
    /// As the compiler knows it.
    Known(&'static Location<'static>),
    /// As another face knows it.
    Found(&'static str),
}

impl CallPlace {
    /// That of a call of this thread, whose place is `at` for the compiler.
    #[inline]
    pub(crate) fn of(at: &'static Location<'static>) -> CallPlace {
        of_another_face().map_or(CallPlace::Known(at), CallPlace::Found)
    }

    /// Tells it from all others.
    pub(crate) fn number(self) -> usize {
        match self {
            CallPlace::Known(at) => std::ptr::from_ref(at).addr(),
            CallPlace::Found(place) => place.as_ptr().addr(),
        }
    }

    /// The file and the line.
    pub(crate) fn line(self) -> String {
        match self {
            CallPlace::Known(at) => format!("{}:{}", at.file(), at.line()),
            CallPlace::Found(place) => place.to_owned(),
        }
    }
}

/// A place as it is shown. To be shown by the thread whose place it is.
pub(crate) struct Shown<'a>(pub(crate) &'a Location<'a>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match of_another_face() {
            Some(place) => f.write_str(place),
            None => self.0.fmt(f),
        }
    }
}

/// The place of the call, of a function with `#[track_caller]`. For what a stream does, the place where
/// the program has issued it.
#[inline(always)]
#[track_caller]
pub(crate) fn caller() -> &'static Location<'static> {
    #[cfg(feature = "gpu")]
    if let Some(place) = shmem_gpu::worker::place() {
        return place;
    }
    Location::caller()
}
