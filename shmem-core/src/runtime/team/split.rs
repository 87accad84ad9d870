//! Making teams from teams.

use std::fmt;
use std::hash::Hash;
use std::panic::Location;

use super::call::OngoingCall;
use super::{MAX_TEAMS, Members, Team};
use crate::runtime;
use crate::runtime::agreement::{Call, hash};
use crate::runtime::bytes::{bytes, words};
use crate::runtime::direct::pes_of;
use crate::system::error::Error;
use crate::system::place::{self, Stored};

/// The message of one PE when a team is split.
struct Said {
    /// A hash of the arguments that must be the same on all PEs.
    arguments: u64,
    /// The slots that are free on this PE.
    free: u64,
    /// Its colour, where the team is split by colour.
    color: Option<u64>,
    key: i64,
}

impl Said {
    /// The message as words.
    fn to_words(&self) -> [u64; 5] {
        let Said { arguments, free, color, key } = *self;
        [arguments, free, color.is_some().into(), color.unwrap_or(0), key as u64]
    }

    fn from_words([arguments, free, colored, color, key]: [u64; 5]) -> Said {
        Said { arguments, free, color: (colored != 0).then_some(color), key: key as i64 }
    }
}

/// A call that splits a team, as messages speak of it.
struct Splitting<'a> {
    what: &'static str,
    /// The arguments that are the same on all PEs, in brackets.
    given: &'a dyn fmt::Display,
    place: &'static Location<'static>,
}

impl<'a> Splitting<'a> {
    /// Bytes that the others get: a number that tells the text from what other calls send, and the text.
    const MESSAGE: usize = 512;

    #[track_caller]
    fn by(what: &'static str, given: &'a dyn fmt::Display) -> Splitting<'a> {
        Splitting { what, given, place: Location::caller() }
    }

    /// The error where PE `other` of the team gives other arguments than PE 0. All PEs get the same.
    /// Collective.
    #[cold]
    fn disagreement(&self, call: &mut OngoingCall<'_>, all: &[Said], other: usize) -> Error {
        let mut mine = [0; Splitting::MESSAGE];
        let (number, text) = mine.split_at_mut(size_of::<u64>());
        number.copy_from_slice(bytes(&[all[call.team.my_pe()].arguments]));
        text.iter_mut().zip(self.to_string().bytes()).for_each(|(byte, of_text)| *byte = of_text);
        let mut texts = [String::new(), String::new()];
        call.exchange(&mine, |pe, theirs| {
            if let Some(text) = [0, other].iter().position(|it| *it == pe) {
                let (number, theirs) = theirs.split_at(size_of::<u64>());
                // In an unchecked run it may not split the team, but be in a call that has sent as many bytes.
                texts[text] = match words(number).next() == Some(all[pe].arguments) {
                    true => place::shown(String::from_utf8_lossy(theirs).trim_end_matches('\0')),
                    false => "another routine".to_owned(),
                };
            }
        });
        let [first, second] = texts;
        Error::Disagreement {
            reason: format!(
                "PE 0 of the team calls {first}, and PE {other} {second}; every PE of the team must make the same \
                 call, with the same arguments"
            ),
        }
    }
}

/// For a text that is stored.
impl fmt::Display for Splitting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} at {}", self.what, self.given, Stored(self.place))
    }
}

/// The PEs of a list: the first ones, and how many there are.
struct ListedPes<'a>(&'a [usize]);

impl fmt::Display for ListedPes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        match self.0.get(..SHOWN) {
            Some(first) if self.0.len() > SHOWN => {
                let first: Vec<String> = first.iter().map(usize::to_string).collect();
                write!(f, "([{}, …] of {} PEs)", first.join(", "), self.0.len())
            }
            _ => write!(f, "({:?})", self.0),
        }
    }
}

impl Team {
    /// Makes a team of `size` PEs of this one: `start`, `start + stride`, …
    /// (`shmem_team_split_strided`).
    ///
    /// Collective: every PE of this team calls it with the same arguments, also the PEs that are
    /// not members of the new team. They get `None`.
    ///
    /// A negative stride reverses the order. The stride may be 0 if `size` is 1.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 5)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let even = world.team().split_strided(0, 2, 3)?;
    ///     assert_eq!(even.is_some(), world.my_pe() % 2 == 0);
    ///     if let Some(even) = even {
    ///         assert!(even.world_pes().eq([0, 2, 4]));
    ///         // The arguments of the next split are numbers in the team that is split.
    ///         let Some(last) = even.split_strided(2, -1, 2)? else { return Ok(()) };
    ///         assert!(last.world_pes().eq([4, 2]));
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When `size` is 0, when a member would not be a PE of this team or would be in the new team
    /// twice, when the arguments are not the same on all PEs, and when a PE of the new team is in
    /// too many teams. Every PE of this team gets the same error.
    #[track_caller]
    #[doc(alias = "shmem_team_split_strided")]
    pub fn split_strided(&self, start: usize, stride: isize, size: usize) -> Result<Option<Team>, Error> {
        let n_pes = self.n_pes();
        let last = size
            .checked_sub(1)
            .and_then(|steps| isize::try_from(steps).ok())
            .and_then(|steps| stride.checked_mul(steps))
            .and_then(|distance| start.checked_add_signed(distance));
        let list = match last {
            _ if size == 0 => Err("a team has at least one PE".to_owned()),
            _ if stride == 0 && size > 1 => Err("a stride of 0 names the same PE again and again".to_owned()),
            Some(last) if start < n_pes && last < n_pes => {
                let pes = (0..size).map(|i| start.wrapping_add_signed(stride * i.cast_signed()));
                Ok(pes.collect())
            }
            _ => Err(format!("not all of them are PEs of the team, which has {}", pes_of(n_pes))),
        };
        let given = format_args!("(start {start}, stride {stride}, size {size})");
        self.split(Splitting::by("split_strided", &given), (start, stride, size), list)
    }

    /// Makes a team of the PEs in `pes`, which are numbers in this team, in this order.
    ///
    /// Collective: every PE of this team calls it with the same list. A PE that is not in the list
    /// gets `None`. OpenSHMEM has no such routine.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     if let Some(team) = world.team().split_list(&[3, 0, 2])? {
    ///         assert_eq!(team.world_pe(0), 3); // the order of the list
    ///         assert_eq!(collective!(fcollect world.my_pe(); on team), [3, 0, 2]);
    ///     } else {
    ///         assert_eq!(world.my_pe(), 1);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`split_strided`](Team::split_strided); also when the list is empty, has a PE twice, or
    /// has a PE that is not in this team.
    #[track_caller]
    pub fn split_list(&self, pes: &[usize]) -> Result<Option<Team>, Error> {
        let n_pes = self.n_pes();
        let mut seen = vec![false; n_pes];
        let mut wrong = pes.is_empty().then(|| "the list has no PE, and a team has at least one".to_owned());
        for &pe in pes {
            if pe >= n_pes {
                wrong = Some(format!("there is no PE {pe} in the team, which has {}", pes_of(n_pes)));
            } else if std::mem::replace(&mut seen[pe], true) {
                wrong = Some(format!("PE {pe} is in the list twice"));
            }
        }
        let list = wrong.map_or_else(|| Ok(pes.to_vec()), Err);
        self.split(Splitting::by("split_list", &ListedPes(pes)), pes, list)
    }

    /// Makes a row and a column of this PE, with the team seen as a grid (`shmem_team_split_2d`).
    /// Collective.
    ///
    /// The rows of the grid have `xrange` PEs. PE `p` of this team is in row `p / xrange` at place
    /// `p % xrange`. The place is its number in the first team returned, and the row is its number
    /// in the second. The last row may have fewer PEs, and then the columns after its end have
    /// fewer PEs too. If `xrange` is larger than the team, there is one row.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 5)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     // 0 1
    ///     // 2 3
    ///     // 4
    ///     let (row, column) = world.team().split_2d(2)?;
    ///     if world.my_pe() == 3 {
    ///         assert!(row.world_pes().eq([2, 3]));
    ///         assert!(column.world_pes().eq([1, 3]));
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When `xrange` is 0, when it is not the same on all PEs, and when any PE is in too many
    /// teams. Every PE of this team gets the same error.
    #[track_caller]
    #[doc(alias = "shmem_team_split_2d")]
    pub fn split_2d(&self, xrange: usize) -> Result<(Team, Team), Error> {
        let n_pes = self.n_pes();
        let range = xrange.min(n_pes);
        let members = |row: bool| match self.my_pe().checked_div(range) {
            None => Err("a row has at least one PE".to_owned()),
            Some(y) if row => Ok((y * range..n_pes.min((y + 1) * range)).collect()),
            Some(_) => Ok((self.my_pe() % range..n_pes).step_by(range).collect()),
        };
        // Both splits are needed, and each fails on all PEs or on none.
        let given = format_args!("(xrange {xrange})");
        let row = self.split(Splitting::by("split_2d", &given), (xrange, true), members(true))?;
        let column = self.split(Splitting::by("split_2d", &given), (xrange, false), members(false))?;
        Ok((row.expect("a PE is in its own row"), column.expect("a PE is in its own column")))
    }

    /// Makes a team for each colour from the PEs that give this colour. Collective.
    ///
    /// The PEs of a team are in the order of their keys, and PEs with equal keys in the order of
    /// their numbers. A PE that gives no colour gets `None`. OpenSHMEM has no such routine; MPI's
    /// is `MPI_Comm_split`.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 5)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let me = world.my_pe();
    ///     let color = (me < 4).then_some(me as u64 % 2); // PE 4 joins no team
    ///     let key = -(me as i64); // from the last PE to the first
    ///     match world.team().split_by_color(color, key)? {
    ///         Some(even) if me % 2 == 0 => assert!(even.world_pes().eq([2, 0])),
    ///         Some(odd) => assert!(odd.world_pes().eq([3, 1])),
    ///         None => assert_eq!(me, 4),
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When a PE of a new team is in too many teams. Every PE of this team gets the same error, and
    /// no team is made.
    #[track_caller]
    pub fn split_by_color(&self, color: Option<u64>, key: i64) -> Result<Option<Team>, Error> {
        let said = Said { arguments: 0, free: 0, color, key };
        self.build(Splitting::by("split_by_color", &""), said, |all| {
            let mut pes: Vec<usize> =
                (0..all.len()).filter(|&pe| color.is_some() && all[pe].color == color).collect();
            pes.sort_by_key(|&pe| all[pe].key);
            Ok(pes)
        })
    }

    /// A team of the PEs in `list`, which every PE computes from `arguments`.
    #[track_caller]
    fn split(
        &self,
        splitting: Splitting<'_>,
        arguments: impl Hash,
        list: Result<Vec<usize>, String>,
    ) -> Result<Option<Team>, Error> {
        let said = Said { arguments: hash((splitting.what, arguments)), free: 0, color: None, key: 0 };
        self.build(splitting, said, |_| list)
    }

    /// Exchanges the messages of all PEs, and makes the team of the PEs that `list` computes from
    /// them. An error occurs on all PEs or on none.
    #[track_caller]
    fn build(
        &self,
        splitting: Splitting<'_>,
        said: Said,
        list: impl FnOnce(&[Said]) -> Result<Vec<usize>, String>,
    ) -> Result<Option<Team>, Error> {
        let runtime = runtime::get();
        let transport = runtime.transport();
        let mut call = self.begin(Call::new(splitting.what, splitting.place));
        let free = runtime.slots().free(transport);
        let mut all = Vec::with_capacity(self.n_pes());
        let said = Said { free, ..said }.to_words();
        call.exchange(bytes(&said), |_, bytes| {
            all.push(Said::from_words(array(bytes)));
        });
        // From here on every PE decides from the same messages.
        if let Some(other) = all.iter().position(|said| said.arguments != all[0].arguments) {
            return Err(splitting.disagreement(&mut call, &all, other));
        }
        let impossible =
            |reason: String| Error::Team { reason: place::shown(&format!("{splitting}: {reason}")) };
        let pes = list(&all).map_err(impossible)?;
        let rank = pes.iter().position(|&pe| pe == self.my_pe());
        let free = all.iter().map(|said| said.free).collect();
        let slot = self.agree_on_slot(&mut call, &pes, free).map_err(|TooMany| {
            impossible(format!(
                "a PE can be in {MAX_TEAMS} teams at a time, and no place for one more is free on all PEs of the new \
                 team: drop teams that are no longer used"
            ))
        })?;
        let team = rank.zip(slot).map(|(rank, slot)| {
            let members = Members::of(pes.iter().map(|&pe| self.members.pe(pe)).collect());
            Team::in_slot(runtime.endpoint(), slot, members, rank)
        });
        // No PE may use the new team before all members have read where its counters stand.
        self.sync_unchecked();
        Ok(team)
    }

    /// Takes a slot on all members `pes` of the new team of this PE; `free` has the free slots of
    /// each PE. `None` on a PE that is not a member. Collective.
    ///
    /// Another thread of a PE may be making a team from another one, and may have taken a slot that
    /// was free before. Then all members give their slots back and try another.
    ///
    /// # Errors
    ///
    /// On all PEs of this team, when the members of a new team have no slot in common.
    fn agree_on_slot(
        &self,
        call: &mut OngoingCall<'_>,
        pes: &[usize],
        mut free: Vec<u64>,
    ) -> Result<Option<usize>, TooMany> {
        let runtime = runtime::get();
        let me = self.my_pe();
        let is_member = pes.contains(&me);
        let (mut slot, mut agreed) = (None, !is_member);
        for attempt in 0_usize.. {
            let mut taken = true;
            if !agreed {
                let free = pes.iter().fold(u64::MAX, |all, &pe| all & free[pe]);
                // Two threads that compete for slots must not try them in the same order. So the
                // search starts at a place that depends on the slot of the team that is split,
                // which differs.
                let start = (attempt * (2 * self.slot + 1) % MAX_TEAMS) as u32;
                slot = (free != 0)
                    .then(|| (free.rotate_right(start).trailing_zeros() + start) as usize % MAX_TEAMS);
                // A PE that came here early may have missed slots that other members gave back just
                // before they came. Now all are here.
                taken = slot.map_or(attempt > 0, |slot| runtime.slots().take(slot));
            }
            let now = runtime.slots().free(runtime.transport());
            let mine = [u64::from(taken), u64::from(is_member && slot.is_none()), now];
            let mut all = Vec::with_capacity(self.n_pes());
            call.exchange(bytes(&mine), |_, bytes| all.push(array::<3>(bytes)));
            let have_all_taken = all.iter().all(|&[taken, ..]| taken == 1);
            let is_any_without = all.iter().any(|&[_, without, _]| without == 1);
            if have_all_taken && !is_any_without {
                break;
            }
            if !agreed {
                agreed = pes.iter().all(|&pe| all[pe][0] == 1);
            }
            if (have_all_taken || !agreed)
                && taken
                && let Some(slot) = slot.take()
            {
                runtime.slots().give_back(slot);
            }
            if have_all_taken {
                return Err(TooMany);
            }
            free = all.into_iter().map(|[.., free]| free).collect();
        }
        Ok(slot)
    }
}

/// The `N` words that a PE has sent.
fn array<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut words = words(bytes);
    std::array::from_fn(|_| words.next().expect("every PE gives as many words"))
}

/// The failure that no slot is free on all members of a new team.
struct TooMany;
