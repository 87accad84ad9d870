//! Selections that are known at run time, drawn by proptest, in and out of bounds.
//!
//! Every PE draws the same cases from a fixed seed, and knows the data that each PE writes. In the
//! first part of a round PE p alone writes to the copies of its right neighbour; in the second
//! everybody checks and changes its own copies; in the third nobody writes, and everybody reads
//! everybody's. After every operation the whole copy is compared, so that bytes outside of the
//! selection are seen to be untouched.

use std::cell::{Cell, RefCell};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use shmem::Item;
use shmem::prelude::*;

use crate::elements::{self, assert_same, value, values};
use crate::messages;
use crate::model::{Axis, Form, Model};
use crate::subject::{self, Access, Give, Subject, subject, use_local, use_remote, written};

/// Cases that write to the neighbour, that write to the own copy, and that only read.
const CASES: [u32; 3] = [200, 60, 60];

/// A number of a selector, before it is known which object it is for.
#[derive(Clone, Copy, Debug)]
enum Number {
    /// In bounds.
    Inside(usize),
    /// Around the end.
    Near(usize),
    /// As large as numbers get.
    Huge(usize),
}

impl Number {
    fn on(self, limit: usize) -> usize {
        match self {
            Number::Inside(n) => n % limit.max(1),
            Number::Near(n) => limit.saturating_sub(1) + n,
            Number::Huge(n) => n,
        }
    }

    fn any() -> impl Strategy<Value = Number> {
        prop_oneof![
            92 => (0..1000_usize).prop_map(Number::Inside),
            6 => (0..4_usize).prop_map(Number::Near),
            2 => prop::sample::select(vec![usize::MAX, usize::MAX - 1, isize::MAX as usize, 1 << 32, 1 << 61])
                .prop_map(Number::Huge),
        ]
    }
}

/// A selector, before it is known which object it is for.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    form: usize,
    a: Number,
    b: Number,
    step: usize,
    sorted: bool,
}

impl Drawn {
    fn any() -> impl Strategy<Value = Drawn> {
        let step = prop_oneof![
            90 => 1..6_usize,
            6 => Just(usize::MAX),
            2 => Just(isize::MAX as usize),
            2 => Just(0),
        ];
        let sorted = prop::bool::weighted(0.95);
        (0..1000_usize, Number::any(), Number::any(), step, sorted)
            .prop_map(|(form, a, b, step, sorted)| Drawn { form, a, b, step, sorted })
    }

    fn on(self, forms: &[Form], extent: usize) -> Axis {
        let form = forms[self.form % forms.len()];
        let inclusive = Axis { form, ..Axis::ALL }.is_inclusive();
        // Where a range starts and ends may be the extent itself.
        let (mut a, mut b) = match form {
            Form::Index => (self.a.on(extent), 0),
            _ => (self.a.on(extent + 1), self.b.on(if inclusive { extent } else { extent + 1 })),
        };
        if self.sorted && a > b && form != Form::Index {
            std::mem::swap(&mut a, &mut b);
        }
        Axis { form, a, b, s: self.step }
    }
}

/// What a case does with its selection.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Get,
    GetInto,
    GetIntoOwned,
    Put(Give),
    PutOne,
    Fill,
    /// A source that has this many elements too many; -1 for one too few.
    PutLength(isize),
    /// The same for a buffer.
    GetIntoLength(isize),
}

impl Operation {
    fn any() -> impl Strategy<Value = Operation> {
        use Operation::{Fill, Get, GetInto, GetIntoLength, GetIntoOwned, Put, PutLength, PutOne};
        prop_oneof![
            3 => Just(Get),
            2 => Just(GetInto),
            2 => Just(GetIntoOwned),
            4 => prop::sample::select(vec![Give::Owned, Give::Reference, Give::Slice, Give::Boxed]).prop_map(Put),
            2 => Just(PutOne),
            1 => Just(Fill),
            1 => prop::sample::select(vec![-1, 1, 100]).prop_map(PutLength),
            1 => prop::sample::select(vec![-1, 1, 100]).prop_map(GetIntoLength),
        ]
    }
}

/// What one case draws: object, selection, operation, and the seed of its data.
type Case = (usize, [Drawn; 4], Operation, u64);

fn cases() -> impl Strategy<Value = Case> {
    (0..1000_usize, [Drawn::any(), Drawn::any(), Drawn::any(), Drawn::any()], Operation::any(), any::<u64>())
}

/// Which copies a case works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Neighbour,
    Own,
    Read,
}

/// The objects of one element type, with what each PE's copies should hold.
struct Check<'a, T> {
    me: usize,
    subjects: Vec<Subject<'a, T>>,
    /// For each subject the copy of each PE.
    models: Vec<Vec<Model<T>>>,
}

/// Checks the objects, which hold `init` everywhere, in all three parts. Collective.
fn check<T: Symmetric>(world: &World, init: T, subjects: Vec<Subject<'_, T>>) {
    messages::expect_panics_quietly();
    let models =
        subjects.iter().map(|subject| vec![Model::new(&subject.extents, init); world.n_pes()]).collect();
    let check = RefCell::new(Check { me: world.my_pe(), subjects, models });
    check.borrow().whole_copies("the initial value");
    world.barrier_all();
    for (part, number_of_cases) in [Part::Neighbour, Part::Own, Part::Read].into_iter().zip(CASES) {
        // The same on every PE, and another one for each part.
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[part as u8 + 1; 32]);
        let config = Config { cases: number_of_cases, failure_persistence: None, ..Config::default() };
        let broken = Cell::new(false);
        let result = TestRunner::new_with_rng(config, rng).run(&cases(), |case| {
            let mut check = check.borrow_mut();
            if broken.get() {
                // Proptest looks for a smaller case that fails too: from what the models say.
                check.restore(part);
            }
            broken.set(true);
            check.case(part, case)?;
            broken.set(false);
            Ok(())
        });
        if let Err(error) = result {
            panic!("{part:?}: {error}");
        }
        world.barrier_all();
        check.borrow().whole_copies("after the barrier");
        world.barrier_all();
    }
}

impl<T: Symmetric> Check<'_, T> {
    /// Which PE's copy `writer` works on.
    fn target(&self, part: Part, writer: usize, seed: u64) -> usize {
        let n_pes = self.models[0].len();
        match part {
            Part::Neighbour => (writer + 1) % n_pes,
            Part::Own => writer,
            Part::Read => (writer + seed as usize % n_pes) % n_pes,
        }
    }

    /// Compares the whole of this PE's copies.
    fn whole_copies(&self, when: &str) {
        for (subject, models) in self.subjects.iter().zip(&self.models) {
            let model = &models[self.me];
            let found = subject.copy_of(self.me);
            let what = format!("{}{:?} on PE {}, {when}", subject.name, subject.extents, self.me);
            assert_same(&found, &model.elements, &what);
        }
    }

    /// Writes to the target of this PE what the model says.
    fn restore(&self, part: Part) {
        if part == Part::Read {
            return;
        }
        let pe = self.target(part, self.me, 0);
        for (subject, models) in self.subjects.iter().zip(&self.models) {
            (subject.remote)(pe, &[Axis::ALL; 4], &mut |reference| {
                reference.put(&models[pe].elements, Give::Slice);
            });
        }
    }

    fn case(&mut self, part: Part, (which, drawn, operation, seed): Case) -> Result<(), TestCaseError> {
        let which = which % self.subjects.len();
        let rank = self.subjects[which].extents.len();
        let forms = subject::forms(rank);
        let axes: Vec<Axis> = drawn
            .iter()
            .zip(&self.subjects[which].extents)
            .map(|(axis, &extent)| axis.on(forms, extent))
            .collect();
        let places = self.models[which][0].places(&axes);
        let single = axes.iter().all(|axis| axis.form == Form::Index);
        let operation = match operation {
            Operation::Put(_) | Operation::PutOne | Operation::Fill | Operation::PutLength(_)
                if part == Part::Read =>
            {
                Operation::Get
            }
            // One element has no length to get wrong.
            Operation::PutLength(_) if single => Operation::PutOne,
            Operation::GetIntoLength(_) if single => Operation::GetInto,
            other => other,
        };
        // Every PE writes other data; `data` is what `writer` writes.
        let n_pes = self.models[which].len();
        let len = places.as_ref().map_or(1, Vec::len);
        let data = |writer: usize| values::<T>(seed.wrapping_add(writer as u64), len.max(1));

        let pe = self.target(part, self.me, seed);
        let subject = &self.subjects[which];
        let model = &self.models[which][pe];
        let what = || format!("{}{axes:?} of {:?} on PE {pe}", subject.name, subject.extents);
        let mine = data(self.me);
        let expected = places.as_ref().map(|places| model.get(places));
        let mut act = |reference: &dyn Access<T>| {
            assert_eq!(reference.pe(), pe, "{}", what());
            assert_eq!((reference.len(), reference.is_empty()), (len, len == 0), "{}", what());
            match operation {
                Operation::Get => assert_same(&reference.get(), expected.as_ref().unwrap(), &what()),
                Operation::GetInto => {
                    let mut buffer: Vec<T> = vec![value(1); len];
                    reference.get_into(&mut buffer);
                    assert_same(&buffer, expected.as_ref().unwrap(), &what());
                }
                Operation::GetIntoOwned => {
                    assert_same(&reference.get_into_owned(), expected.as_ref().unwrap(), &what());
                }
                Operation::Put(how) => reference.put(&mine[..len], how),
                Operation::PutOne => reference.put_one(mine[0]),
                Operation::Fill => reference.fill(mine[0]),
                Operation::PutLength(by) => {
                    let source = vec![mine[0]; len.saturating_add_signed(by)];
                    if source.len() != len {
                        messages::wrong_length(&what(), "the source", source.len(), len, || {
                            reference.put(&source, Give::Slice);
                        });
                    }
                }
                Operation::GetIntoLength(by) => {
                    let mut buffer = vec![mine[0]; len.saturating_add_signed(by)];
                    if buffer.len() != len {
                        messages::wrong_length(&what(), "the buffer", buffer.len(), len, || {
                            reference.get_into(&mut buffer);
                        });
                        assert_same(&buffer, &vec![mine[0]; buffer.len()], "a refused read");
                    }
                }
            }
        };
        let mut go = || subject.reference(part == Part::Own, pe, &axes, &mut act);
        match &places {
            Some(_) => go(),
            None => messages::out_of_bounds(&what(), subject.name, &subject.extents, pe, &axes, go),
        }

        // What everybody has written now.
        if let Some(places) = &places {
            for writer in 0..n_pes {
                let target = self.target(part, writer, seed);
                let data = data(writer);
                let model = &mut self.models[which][target];
                match operation {
                    Operation::Put(_) => model.put(places, &data[..len]),
                    Operation::PutOne | Operation::Fill => model.put(places, &vec![data[0]; len]),
                    _ => {}
                }
            }
        }
        let subject = &self.subjects[which];
        let model = &self.models[which][pe];
        let what = format!(
            "{operation:?} on {}{axes:?} of {:?} on PE {pe}, then all",
            subject.name, subject.extents
        );
        assert_same(&subject.copy_of(pe), &model.elements, &what);
        Ok(())
    }
}

/// Allocates arrays of every rank, with extents of 0, 1 and more.
struct Arrays<I: Item> {
    one: Vec<SymmetricArray<I, 1>>,
    two: Vec<SymmetricArray<I, 2>>,
    three: Vec<SymmetricArray<I, 3>>,
    four: Vec<SymmetricArray<I, 4>>,
}

impl<I: Item> Arrays<I> {
    fn new(world: &World, init: I) -> Result<Arrays<I>, shmem::Error> {
        Ok(Arrays {
            one: vec![
                world.symmetric_array([29], init)?,
                world.symmetric_array([1], init)?,
                world.symmetric_array([0], init)?,
            ],
            two: vec![world.symmetric_array([6, 9], init)?, world.symmetric_array([3, 0], init)?],
            three: vec![world.symmetric_array([4, 1, 7], init)?, world.symmetric_array([2, 3, 5], init)?],
            four: vec![
                world.symmetric_array([3, 2, 4, 3], init)?,
                world.symmetric_array([2, 0, 2, 2], init)?,
            ],
        })
    }

    fn subjects(&self) -> impl Iterator<Item = Subject<'_, I::Value>> {
        let low = self.one.iter().map(subject::array_1).chain(self.two.iter().map(subject::array_2));
        low.chain(self.three.iter().map(subject::array_3)).chain(self.four.iter().map(subject::array_4))
    }
}

/// The tests of one type of item: its statics of every rank and kind, and its arrays.
macro_rules! dynamic_selections {
    ($($name:ident: $item:ty, $init:expr;)*) => {$(
        mod $name {
            use super::*;

            type Item = $item;
            const INIT: Item = $init;
            #[symmetric]
            static SCALAR: Item = INIT;
            #[symmetric]
            static LINE: [Item; 31] = [INIT; 31];
            #[symmetric]
            static PLANE: [[Item; 9]; 7] = [[INIT; 9]; 7];
            #[symmetric]
            static CUBE: [[[Item; 5]; 4]; 3] = [[[INIT; 5]; 4]; 3];
            #[symmetric]
            static TESSERACT: [[[[Item; 3]; 2]; 4]; 3] = [[[[INIT; 3]; 2]; 4]; 3];
            #[symmetric]
            static SLOTS: PerPe<Item> = PerPe::new(INIT);
            #[symmetric]
            static ROWS: PerPe<[Item; 5]> = PerPe::new([INIT; 5]);
            #[symmetric]
            static BLOCKS: PerPe<[[Item; 2]; 3]> = PerPe::new([[INIT; 2]; 3]);

            #[shmem::test(npes = [1, 2, 3, 4, 7], heap = "16M")]
            fn dynamic(world: &World) -> Result<(), shmem::Error> {
                let n_pes = world.n_pes();
                let arrays = Arrays::new(world, INIT)?;
                let mut subjects = vec![
                    Subject {
                        name: "SCALAR",
                        extents: vec![],
                        remote: Box::new(|pe, _, then| then(&remote!(&SCALAR[pe]))),
                        local: Some(Box::new(|_, then| then(&local!(&SCALAR)))),
                    },
                    subject!(LINE, "LINE", [31], one and local: 0),
                    subject!(PLANE, "PLANE", [7, 9], two and local: 0 1),
                    subject!(CUBE, "CUBE", [3, 4, 5], three: 0 1 2),
                    subject!(TESSERACT, "TESSERACT", [3, 4, 2, 3], four: 0 1 2 3),
                    subject!(SLOTS, "SLOTS", [n_pes], one: 0),
                    subject!(ROWS, "ROWS", [n_pes, 5], two: 0 1),
                    subject!(BLOCKS, "BLOCKS", [n_pes, 3, 2], three: 0 1 2),
                ];
                subjects.extend(arrays.subjects());
                check(world, super::init(), subjects);
                Ok(())
            }
        }
    )*};
}

/// The tests of one type of item in fewer objects: an element, a line with each form of a selector, and a plane. With more
/// axes the elements lie elsewhere, and each is moved in the same way. So objects of all ranks have a few types, one for
/// each kind of size: no bytes, one, a few, a word, and many ([`dynamic_selections`], [`elements_that_are_arrays`]).
macro_rules! lines_and_planes {
    ($($name:ident: $item:ty, $init:expr;)*) => {$(
        mod $name {
            use super::*;

            type Item = $item;
            const INIT: Item = $init;
            #[symmetric]
            static SCALAR: Item = INIT;
            #[symmetric]
            static LINE: [Item; 31] = [INIT; 31];
            #[symmetric]
            static PLANE: [[Item; 9]; 7] = [[INIT; 9]; 7];

            #[shmem::test(npes = [1, 2, 3], heap = "1M")]
            fn dynamic(world: &World) {
                let subjects = vec![
                    Subject {
                        name: "SCALAR",
                        extents: vec![],
                        remote: Box::new(|pe, _, then| then(&remote!(&SCALAR[pe]))),
                        local: Some(Box::new(|_, then| then(&local!(&SCALAR)))),
                    },
                    subject!(LINE, "LINE", [31], one and local: 0),
                    subject!(PLANE, "PLANE", [7, 9], two: 0 1),
                ];
                check(world, super::init(), subjects);
            }
        }
    )*};
}

/// The elements that everything starts with: no byte is 0, and no two neighbours are equal.
const fn pattern<T: Symmetric>() -> T {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    let mut at = 0;
    while at < size_of::<T>() {
        // SAFETY: inside of `value`.
        unsafe { value.as_mut_ptr().cast::<u8>().add(at).write((at % 251 + 3) as u8) };
        at += 1;
    }
    // SAFETY: every bit pattern of a symmetric type is a valid value.
    unsafe { value.assume_init() }
}

fn init<T: Symmetric>() -> T {
    pattern()
}

macro_rules! plain {
    ($kind:ident $($name:ident: $element:ty;)*) => {
        $kind! { $($name: $element, pattern::<$element>();)* }
    };
}

macro_rules! atomic {
    ($kind:ident $($name:ident: $number:ty;)*) => {
        $kind! { $($name: Atomic<$number>, Atomic::new(pattern::<$number>());)* }
    };
}

plain! {
    dynamic_selections
    u8: u8;
    u64: u64;
    empty_arrays: elements::Row<u64, 0>;
    structs_of_3_bytes: elements::Rgb;
    structs_of_133_bytes: elements::Big;
}

plain! {
    lines_and_planes
    u16: u16;
    u32: u32;
    u128: u128;
    usize: usize;
    i8: i8;
    i16: i16;
    i32: i32;
    i64: i64;
    i128: i128;
    isize: isize;
    f32: f32;
    f64: f64;
    arrays_of_u8: elements::Row<u8, 7>;
    arrays_of_f64: elements::Row<f64, 2>;
    nested_arrays: elements::Row<[i16; 3], 2>;
    large_arrays: elements::Row<u32, 33>;
    structs_of_10_bytes: elements::Ten;
    structs_of_12_bytes: elements::Vertex;
    structs_of_40_bytes: elements::Body;
    structs_of_48_bytes: elements::Wide;
    wrappers: elements::Metres;
}

/// Arrays whose elements are arrays; in the type of a static they would be axes.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "16M")]
fn elements_that_are_arrays(world: &World) -> Result<(), shmem::Error> {
    let bytes = Arrays::new(world, pattern::<[u8; 7]>())?;
    check(world, init(), bytes.subjects().collect());
    let nested = Arrays::new(world, pattern::<[[i16; 3]; 2]>())?;
    check(world, init(), nested.subjects().collect());
    let empty = Arrays::new(world, pattern::<[u64; 0]>())?;
    check(world, init(), empty.subjects().collect());
    Ok(())
}

atomic! {
    dynamic_selections
    atomic_u64: u64;
}

atomic! {
    lines_and_planes
    atomic_u32: u32;
    atomic_i32: i32;
    atomic_i64: i64;
    atomic_isize: isize;
    atomic_usize: usize;
    atomic_f32: f32;
    atomic_f64: f64;
}
