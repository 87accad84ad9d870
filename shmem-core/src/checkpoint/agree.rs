//! A failure on one PE is the error of all.

use std::panic::Location;

use crate::runtime::agreement::Call;
use crate::runtime::team::Team;
use crate::system::error::Error;

/// All PEs, in one call of the program.
pub(super) struct AllPes<'a> {
    pub(super) team: &'a Team,
    pub(super) what: &'static str,
    pub(super) place: &'static Location<'static>,
    /// How an error begins: `cannot write a checkpoint to a/b`.
    pub(super) doing: &'a str,
}

impl AllPes<'_> {
    /// Collects what each PE has to say, in the order of the PEs; or the reason of the first PE that
    /// has failed. Collective; the result is the same on all PEs.
    #[track_caller]
    pub(super) fn agree(&self, mine: Result<Vec<u8>, String>) -> Result<Vec<Vec<u8>>, Error> {
        let (failed, said) = match mine {
            Ok(said) => (0, said),
            Err(reason) => (1, reason.into_bytes()),
        };
        let mut sent = vec![failed];
        sent.extend(said);
        let mut call = self.team.begin(Call::new(self.what, self.place));
        let lens = call.lengths(sent.len());
        let mut all: Vec<Vec<u8>> = lens.iter().map(|&len| vec![0; len]).collect();
        call.collect_for_all(&sent, &lens, |pe, at, bytes| {
            all[pe][at..at + bytes.len()].copy_from_slice(bytes)
        });
        drop(call);
        let mut failed = all.iter().enumerate().filter(|(_, said)| said[0] == 1);
        let Some((pe, reason)) = failed.next() else {
            return Ok(all.into_iter().map(|mut said| said.split_off(1)).collect());
        };
        let others = match failed.count() {
            0 => String::new(),
            1 => String::from(" (one other PE failed too)"),
            count => format!(" ({count} other PEs failed too)"),
        };
        Err(self.error(&format!("PE {pe}: {}{others}", String::from_utf8_lossy(&reason[1..]))))
    }

    /// The error for a reason that all PEs know.
    pub(super) fn error(&self, reason: &str) -> Error {
        Error::Checkpoint { reason: format!("{}: {reason}", self.doing) }
    }
}
