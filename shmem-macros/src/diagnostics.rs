//! Every error text of the macros, in one table, and the list that collects the mistakes of one call.
//!
//! A text says what is wrong and what to write instead. It names what the user wrote where that is short.

use std::fmt;

use proc_macro2::{Delimiter, Group, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

/// A mistake in what the user wrote; its `Display` text is the error message.
#[derive(Clone, Debug)]
pub(crate) enum Mistake {
    // Places: `remote!` and `local!`.
    NoPlace { call: &'static str },
    NotAPlace,
    PlaceInParentheses,
    NotAnExpression { why: String },
    AttributeInPlace,
    MutableReference,
    SecondReference,
    Dereference,
    UnaryOperator { call: &'static str, operator: String },
    CallInBase,
    NoPe { name: String },
    EmptyBrackets { call: &'static str, name: String },
    RangeAsPe,
    NegativePe,
    SecondBrackets { call: &'static str },
    IndexAfterField { call: &'static str },
    MethodAfterPlace { call: &'static str, method: String },
    NotAField,
    Comparison { call: &'static str, operator: String },
    NoSuchAtomic { operator: String },
    AfterPlace { call: &'static str },
    NoValue { operator: String },
    SecondOperator { operator: String },
    ReferenceWithOperator { operator: String },
    AfterValue,
    Semicolon { call: &'static str },

    // `context;` in front of a place.
    NoContext,
    ContextOfLocal,
    OperatorInContext,

    // Selectors.
    EmptySelector,
    NotASelector { why: String },
    Star,
    Colon,
    IndexList,
    NegativeSelector,
    InclusiveWithoutEnd,
    ThirdBound,
    AfterSelector,
    StepOnIndex,
    EmptyStep,
    ZeroStep,
    SecondStep,
    TooManySelectors,

    // `#[symmetric]`.
    SymmetricNotAStatic { item: &'static str },
    SymmetricOnStruct,
    SymmetricOnFunction,
    SymmetricMut,
    ReferenceType,
    PointerType,
    FunctionType,
    SliceType,
    StringType { name: String },
    OwningType { name: String },
    InvalidBits { name: String, instead: &'static str },
    StdAtomic { name: String, element: String },
    LockedType { name: String },
    OptionType,
    TupleType,
    UnsizedType,
    TooManyAxes,
    AtomicValue,
    PerPeValue,
    PerPeInside,
    PerPeArguments,
    ArrayLength,

    // `#[shmem::main]`, `#[shmem::test]`, `#[shmem::kernel]`.
    NotAFunction { attribute: &'static str },
    KernelOnImpl,
    KernelWithoutBody,
    Async { attribute: &'static str },
    Const { attribute: &'static str },
    Unsafe { attribute: &'static str },
    Extern { attribute: &'static str },
    Generic { attribute: &'static str },
    Receiver { attribute: &'static str },
    ExtraParameter { attribute: &'static str },
    WorldType { attribute: &'static str },
    TestTwice,

    // Arguments of the attributes.
    ArgumentName { attribute: &'static str, takes: &'static str },
    UnknownArgument { attribute: &'static str, name: String, takes: &'static str },
    NoArguments { attribute: &'static str },
    ArgumentTwice { name: String },
    ArgumentWithoutValue { name: String, example: &'static str },
    CrateValue,
    NpesValue,
    NpesRange,
    NpesListInMain,
    NpesEmpty,
    HeapValue,
    HeapSize,

    // `#[derive(Symmetric)]`.
    DeriveOnEnum,
    DeriveOnUnion,
    DeriveGeneric,
    DeriveWithoutFields,
    DeriveWithoutRepr { name: String },
    DerivePacked,

    // `collective!`.
    CollectiveNothing,
    CollectiveNoWord,
    CollectiveUnknown { name: String, meant: Option<String> },
    CollectiveNoData { example: &'static str },
    CollectiveNoValue,
    CollectiveTakesNothing { word: &'static str },
    CollectiveWordInFront { word: &'static str },
    CollectiveOperator { operator: String },
    CollectiveNotAPlace { role: &'static str },
    CollectiveReference { role: &'static str },
    CollectiveSelection { word: &'static str },
    CollectiveScanOf { word: &'static str, operation: String },
    CollectiveFrom { word: &'static str },
    CollectiveFromMissing,
    CollectiveFromBehind,
    CollectiveNoRoot,
    CollectiveRoots,
    CollectiveComma,
    CollectiveRest,
    CollectiveOnWithoutSemicolon,
    CollectiveSemicolon,
    CollectiveNoTeam,
    CollectiveTwoTeams,
    CollectiveAfterTeam,

    // `wait!` and `poll!`.
    WaitNothing { call: &'static str },
    WaitPrefix { operator: String },
    WaitOtherMacro { call: &'static str, method: &'static str },
    WaitUnknownWord { call: &'static str, name: String, instead: &'static str },
    WaitNoComparison { call: &'static str },
    WaitValueFirst { call: &'static str },
    WaitAssignment { call: &'static str },
    WaitNoSuchComparison { operator: String, instead: &'static str },
    WaitNoValue { operator: String },
    WaitSecondComparison { call: &'static str },
    WaitAfterValue { call: &'static str },
    WaitAfterSemicolon,
    WaitExceptOfOne,
    WaitNoStatus,
    WaitAfterStatus,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Mistake::*;
        match self {
            NoPlace { call: "local!" } => f.write_str(
                "`local!` needs a place, such as `local!(COUNT)` or `local!(GRID[0..8])`",
            ),
            NoPlace { call } => write!(
                f,
                "`{call}` needs a place, such as `{call}(COUNT[pe])` or `{call}(GRID[pe, 0..8])`"
            ),
            NotAPlace => f.write_str(
                "not a place: start with the name of a symmetric object, as in `GRID[pe, 0..8]`, \
                 or put an expression in parentheses, as in `(grids[k])[pe, 0..8]`",
            ),
            PlaceInParentheses => f.write_str(
                "a place stands in no parentheses: remove them. They are for an expression before the \
                 brackets, as in `(grids[k])[pe, 0..8]`",
            ),
            NotAnExpression { why } => write!(f, "not an expression: {why}"),
            AttributeInPlace => {
                f.write_str("a place takes no attribute: put it on the whole statement")
            }
            MutableReference => f.write_str(
                "a remote reference is made with `&` alone, and can write too: remove `mut`",
            ),
            SecondReference => f.write_str("one `&` makes a remote reference: remove the other"),
            Dereference => f.write_str(
                "a place stands for its value already, there is nothing to dereference: remove `*`",
            ),
            UnaryOperator { call, operator } => write!(
                f,
                "`{operator}` goes in front of the macro: write `{operator}{call}(...)`"
            ),
            CallInBase => f.write_str(
                "a call in front of the brackets needs parentheses, as in `(grid(k))[pe, 0..8]`",
            ),
            NoPe { name } => write!(
                f,
                "`remote!` needs to know the PE: write `{name}[pe]`, or `{name}[pe, 0..8]` for a part \
                 of an array; `local!({name})` is this PE's own copy"
            ),
            EmptyBrackets { call: "local!" | "collective!", name } => write!(
                f,
                "empty brackets: write `{name}` for a scalar, `{name}[..]` for a whole array"
            ),
            EmptyBrackets { name, .. } => write!(
                f,
                "empty brackets: write `{name}[pe]` for a scalar, `{name}[pe, ..]` for a whole array"
            ),
            RangeAsPe => f.write_str(
                "the PE comes first and is one number, not a range: write `[pe, a..b]`, in a loop \
                 when several PEs are meant",
            ),
            NegativePe => f.write_str(
                "PEs are numbered from 0, none is negative: the last one is `world.n_pes() - 1`",
            ),
            SecondBrackets { call } => write!(
                f,
                "all selectors share one pair of brackets: write {}",
                if matches!(*call, "local!" | "collective!") {
                    "`[i, j]` instead of `[i][j]`, or `(grids[k])[i, j]` for an object in a collection"
                } else {
                    "`[pe, i]` instead of `[pe][i]`, or `(grids[k])[pe, i]` for an object in a collection"
                }
            ),
            IndexAfterField { call: "collective!" } => f.write_str(
                "nothing can be selected inside a field: end the place with the field, `BODIES[..].mass`",
            ),
            IndexAfterField { call } => write!(
                f,
                "nothing can be selected inside a field: read the field, then index the result, as in \
                 `{call}(...)[k]`"
            ),
            MethodAfterPlace { call: "collective!", method } => write!(
                f,
                "a place has no methods: put an expression for the object in parentheses, as in \
                 `(object.{method}(...))[0..8]`"
            ),
            MethodAfterPlace { call, method } => write!(
                f,
                "methods belong behind the macro: write `{call}(&...).{method}(...)` to call it on the \
                 reference, `{call}(...).{method}(...)` on the value"
            ),
            NotAField => f.write_str("after `.` comes the name or the number of a field"),
            Comparison { call, operator } => write!(
                f,
                "`{operator}` belongs behind the macro: write `{call}(...) {operator} value`"
            ),
            NoSuchAtomic { operator } => write!(
                f,
                "there is no atomic `{operator}`, only `+=`, `-=`, `&=`, `|=` and `^=`: use \
                 `remote!(&...).compare_exchange(old, new)` in a loop"
            ),
            AfterPlace { call } => write!(
                f,
                "`{call}` takes one place, then nothing, `= value`, `+= value` (or `-=`, `&=`, `|=`, \
                 `^=`) or `=> &mut buffer`: compute with the result outside the macro"
            ),
            NoValue { operator: arrow } if arrow == "=>" => {
                f.write_str("a buffer is missing after `=>`: write `=> &mut buffer`")
            }
            NoValue { operator } => write!(f, "a value is missing after `{operator}`"),
            SecondOperator { operator } => write!(
                f,
                "one call takes one operator: `{operator}` is the second, write two statements"
            ),
            ReferenceWithOperator { operator } => write!(
                f,
                "`&` makes a remote reference and moves nothing, so no `{operator}` can follow: \
                 remove `&`"
            ),
            AfterValue => f.write_str("unexpected tokens after the value: close the parenthesis here"),
            Semicolon { call } => write!(
                f,
                "the semicolon goes behind the parenthesis: write `{call}(...);`"
            ),

            NoContext => f.write_str(
                "a context is missing before `;`: write `remote!(ctx; A[pe])`, or remove the semicolon",
            ),
            ContextOfLocal => f.write_str(
                "`local!` takes no context, as access to this PE's own copy is complete when it returns: remove it",
            ),
            OperatorInContext => f.write_str(
                "one call has one place, and what stands before `;` is its context, as in `remote!(ctx; A[pe])`: write two calls \
                 for two places",
            ),

            EmptySelector => f.write_str(
                "a selector is missing: write an index `i`, a range `a..b`, or `..` for the whole axis",
            ),
            NotASelector { why } => write!(
                f,
                "not a selector: {why}; write an index `i`, a range `a..b`, `a..b;step`, or `..`"
            ),
            Star => f.write_str("`*` selects nothing: write `..` for the whole axis"),
            Colon => f.write_str(
                "a range is written with dots: `a..b` instead of `a:b`, `a..b;step` with a step, `..` \
                 for the whole axis",
            ),
            IndexList => f.write_str(
                "a list of indices is no selector: write a range `a..b;step`, or one call for each index",
            ),
            NegativeSelector => f.write_str(
                "indices, bounds and steps count up from 0, none is negative: write the distance from \
                 the start, such as `len - 1` for the last element",
            ),
            InclusiveWithoutEnd => {
                f.write_str("`..=` needs an end: write `a..=b`, or `a..` up to the end of the axis")
            }
            ThirdBound => f.write_str("the step comes after a semicolon: write `a..b;step`"),
            AfterSelector => f.write_str(
                "unexpected tokens after the selector: selectors are separated by commas, and a step \
                 comes after a semicolon, as in `[pe, 0..8, 0..64;2]`",
            ),
            StepOnIndex => f.write_str(
                "an index takes no step: write a range, as in `a..b;step` or `a..;step`; one in a variable as `r.start..r.end;step`",
            ),
            EmptyStep => f.write_str("the step is missing after `;`: write `a..b;step`"),
            ZeroStep => f.write_str("a step of 0 never advances: write 1 or more"),
            SecondStep => f.write_str("a range takes one step: write `a..b;step`"),
            TooManySelectors => {
                f.write_str("symmetric objects have at most 4 axes: this is the fifth selector")
            }

            SymmetricNotAStatic { item } => write!(
                f,
                "`#[symmetric]` goes on a static, not on {item}: write \
                 `#[symmetric] static NAME: TYPE = VALUE;`"
            ),
            AtomicValue => f.write_str("a cell is made by `Atomic::new`: write `Atomic::new(0)` instead of `0`"),
            PerPeValue => f.write_str(
                "one slot for each PE is made by `PerPe::new`, from the value that every slot starts with: write `PerPe::new(0)` instead of `0`",
            ),
            SymmetricOnStruct => f.write_str(
                "`#[symmetric]` goes on a static: write `#[derive(Symmetric)]` on the struct, so that \
                 statics can hold it",
            ),
            SymmetricOnFunction => f.write_str(
                "`#[symmetric]` goes on a static: functions take `#[shmem::main]`, `#[shmem::kernel]` \
                 or `#[shmem::test]`",
            ),
            SymmetricMut => f.write_str(
                "a symmetric static is written through `remote!` and `local!`, never directly: remove \
                 `mut`",
            ),
            ReferenceType => f.write_str(
                "a symmetric object holds no references: other PEs have other addresses; store an index",
            ),
            PointerType => f.write_str(
                "a symmetric object holds no pointers: other PEs have other addresses; store an index",
            ),
            FunctionType => f.write_str(
                "a symmetric object holds no function pointers: other PEs may have other addresses; \
                 store a number that stands for the function",
            ),
            SliceType => f.write_str(
                "the length is missing: write `[T; N]`; for a length known at run time use \
                 `world.symmetric_array`",
            ),
            StringType { name } => write!(
                f,
                "`{name}` keeps its bytes in this PE's own memory: write `[u8; N]`"
            ),
            OwningType { name } => write!(
                f,
                "`{name}` keeps its elements in this PE's own memory: write `[T; N]`, or use \
                 `world.symmetric_array` for a length known at run time"
            ),
            InvalidBits { name, instead } => write!(
                f,
                "`{name}` has bit patterns that are no value, and a race between PEs could leave one: \
                 write `{instead}`"
            ),
            StdAtomic { name, element } => write!(
                f,
                "`{name}` works inside one process only: write `Atomic<{element}>`"
            ),
            LockedType { name } => write!(
                f,
                "`{name}` works inside one process only: write `Atomic<T>` for a cell that PEs update \
                 together, or the plain type, with a `Lock` as a second static where the PEs take turns"
            ),
            OptionType => f.write_str(
                "`Option` has bit patterns that are no value, and a race between PEs could leave one: \
                 write a plain element and a value that stands for nothing",
            ),
            TupleType => f.write_str(
                "a tuple has no fixed layout: write a struct with `#[derive(Clone, Copy, Symmetric)]` \
                 and `#[repr(C)]`",
            ),
            UnsizedType => f.write_str(
                "the type of a symmetric object has a size known when it is compiled: write an \
                 element, an array `[T; N]` or nested arrays",
            ),
            TooManyAxes => f.write_str(
                "a symmetric static has at most 4 axes, this is the fifth: join two of them",
            ),
            PerPeInside => f.write_str(
                "`PerPe` is the outermost type, one slot for each PE: write `PerPe<[T; N]>` instead of \
                 `[PerPe<T>; N]`",
            ),
            PerPeArguments => f.write_str(
                "`PerPe` takes the type of one slot: write `PerPe<T>` or `PerPe<[T; N]>`",
            ),
            ArrayLength => f.write_str("the length of a symmetric array is written out, not inferred"),

            NotAFunction { attribute: "shmem::main" } => f.write_str(
                "`#[shmem::main]` goes on a function: write `fn main(world: &World) { ... }`",
            ),
            NotAFunction { attribute: "shmem::test" } => f.write_str(
                "`#[shmem::test]` goes on a function: write `fn name(world: &World) { ... }`",
            ),
            NotAFunction { attribute } => {
                write!(f, "`#[{attribute}]` goes on a function or method with a body")
            }
            KernelOnImpl => f.write_str(
                "`#[shmem::kernel]` goes on one function: write it on each method that needs it",
            ),
            KernelWithoutBody => f.write_str(
                "`#[shmem::kernel]` rewrites a function's body, and this one has none: write it where \
                 the method is implemented",
            ),
            Async { attribute } => write!(
                f,
                "`#[{attribute}]` takes an ordinary function: remove `async`, and start the executor \
                 inside it"
            ),
            Const { attribute } => {
                write!(f, "`#[{attribute}]` runs when the program runs: remove `const`")
            }
            Unsafe { attribute } => write!(
                f,
                "`#[{attribute}]` is called by nobody who could keep a promise: remove `unsafe`"
            ),
            Extern { attribute } => write!(
                f,
                "`#[{attribute}]` takes a Rust function: remove the calling convention"
            ),
            Generic { attribute } => write!(
                f,
                "`#[{attribute}]` takes a function without generic parameters: nothing would choose them"
            ),
            Receiver { attribute } => write!(
                f,
                "`#[{attribute}]` takes a free function: replace `self` by `world: &World`"
            ),
            ExtraParameter { attribute } => write!(
                f,
                "`#[{attribute}]` passes one argument at most, `world: &World`: remove this one"
            ),
            WorldType { attribute } => write!(
                f,
                "`#[{attribute}]` passes the world by shared reference: write `world: &World`"
            ),
            TestTwice => f.write_str(
                "`#[shmem::test]` makes the function a test already: remove this `#[test]`",
            ),

            ArgumentName { attribute, takes } => write!(
                f,
                "expected an argument's name: `#[{attribute}]` takes {takes}"
            ),
            UnknownArgument { attribute, name, takes } => write!(
                f,
                "`{name}` is not an argument of `#[{attribute}]`, which takes {takes}"
            ),
            NoArguments { attribute } => write!(f, "`#[{attribute}]` takes no arguments: remove them"),
            ArgumentTwice { name } => write!(f, "`{name}` is given twice: remove one"),
            ArgumentWithoutValue { name, example } => {
                write!(f, "`{name}` needs a value: write `{example}`")
            }
            CrateValue => f.write_str(
                "`crate` takes the path under which the crate shmem is found: write \
                 `crate = ::other_name`",
            ),
            NpesValue => f.write_str("`npes` takes a whole number: write `npes = 4`"),
            NpesRange => f.write_str("a job has 1 to 4096 PEs: write a number of these"),
            NpesListInMain => f.write_str(
                "a program runs once, with one number of PEs: write `npes = 4` (`#[shmem::test]` takes a list)",
            ),
            NpesEmpty => f.write_str("the list names no number of PEs: write `npes = [1, 2, 4]`"),
            HeapValue => f.write_str("`heap` takes a size as text: write `heap = \"64M\"`"),
            HeapSize => f.write_str(
                "not a size: write a decimal number above 0, with k, m, g or t for KiB, MiB, GiB or \
                 TiB, such as `\"64M\"` or `\"1.5G\"`",
            ),

            DeriveOnEnum => f.write_str(
                "an enum has bit patterns that are no value, and a race between PEs could leave one: \
                 store the number, and convert with `TryFrom`",
            ),
            DeriveOnUnion => f.write_str(
                "a union can hold bytes that were never written: use a struct whose fields are all \
                 `Symmetric`",
            ),
            DeriveGeneric => f.write_str(
                "`#[derive(Symmetric)]` checks the layout of one type, so a generic struct cannot have \
                 it: write a struct for each type that is used",
            ),
            DeriveWithoutFields => f.write_str("a struct without fields holds nothing: add a field"),
            DeriveWithoutRepr { name } => write!(
                f,
                "the layout of `{name}` may differ from one compilation to the next: add `#[repr(C)]`, \
                 or `#[repr(transparent)]` around one field"
            ),
            DerivePacked => f.write_str(
                "fields of a packed struct are not aligned, and cannot be transferred alone: remove \
                 `packed`, and order the fields so that there is no padding",
            ),

            CollectiveNothing => f.write_str(
                "`collective!` needs what to do, as in `collective!(sum x)` for one value of each PE, or \
                 `collective!(DST[..] = sum SRC[..])`",
            ),
            CollectiveNoWord => f.write_str(
                "a collective is missing: write `sum x` for one value of each PE, or \
                 `DST[..] = sum SRC[..]`, with `sum` or one of `prod`, `min`, `max`, `and`, `or`, `xor`, \
                 `scan`, `exscan`, `broadcast`, `collect`, `fcollect` and `alltoall`",
            ),
            CollectiveUnknown { name, meant: Some(meant) } => {
                write!(f, "there is no collective `{name}`: write {meant}")
            }
            CollectiveUnknown { name, meant: None } => write!(
                f,
                "there is no collective `{name}`: there are `sum`, `prod`, `min`, `max`, `and`, `or`, \
                 `xor`, `scan`, `exscan`, `broadcast`, `collect`, `fcollect`, `alltoall`, `barrier` and \
                 `sync`, as in `collective!(sum x)`"
            ),
            CollectiveNoData { example } => {
                write!(f, "what it is to work on is missing behind the collective: write {example}")
            }
            CollectiveNoValue => f.write_str(
                "`alltoall` hands parts of a symmetric object from each PE to each: write \
                 `DST[..] = alltoall SRC[..]`",
            ),
            CollectiveTakesNothing { word } => write!(
                f,
                "`{word}` moves nothing and stands alone: write `collective!({word})`, or \
                 `collective!({word}; on team)`"
            ),
            CollectiveWordInFront { word } => write!(
                f,
                "the destination comes first, then `=` and the collective: write \
                 `DST[..] = {word} SRC[..]`"
            ),
            CollectiveOperator { operator: equal } if equal == "==" => {
                f.write_str("`==` compares: write `=` to store the result in the destination")
            }
            CollectiveOperator { operator } => write!(
                f,
                "`{operator}` is no operator of `collective!`, which overwrites its destination: write \
                 `=`, and add to what was there before or afterwards"
            ),
            CollectiveNotAPlace { role } => write!(
                f,
                "the {role} is a place in symmetric memory and nothing is computed with it here: write \
                 the name of an object with selectors, as in `GRID[0..8]`, or an expression for the \
                 object in parentheses, as in `(grids[k])[0..8]`"
            ),
            CollectiveReference { role } => {
                write!(f, "the {role} is a place, not a reference to it: remove this")
            }
            CollectiveSelection { word } => write!(
                f,
                "`{word}` without a destination takes one value: write `DST[..] = {word} SRC[..]` for a \
                 selection, and `local!(SRC[i])` for the value of one element"
            ),
            CollectiveScanOf { word, operation: sum } if sum == "sum" => {
                write!(f, "`{word}` is a scan of sums as it is: remove `sum`")
            }
            CollectiveScanOf { word: "scan", operation } => {
                let ty = operation[..1].to_uppercase() + &operation[1..];
                write!(
                    f,
                    "`scan` in `collective!` is that of sums: for `{operation}` call the method, as in \
                     `team.scan({ty}, local!(&DST[..]), local!(&SRC[..]))` or `team.scan_value({ty}, x)`, \
                     with `shmem::reduction::{ty}`"
                )
            }
            CollectiveScanOf { word, operation } => write!(
                f,
                "`{word}` is that of sums, and there is none of `{operation}`: `Team::scan` and \
                 `Team::scan_value` take other operations, and include this PE's own values"
            ),
            CollectiveFrom { word } => write!(
                f,
                "`{word}` takes from all PEs, and `from` belongs to `broadcast`: remove this"
            ),
            CollectiveFromMissing => f.write_str(
                "`broadcast` needs the PE that all take from: write `from 0` behind what it takes",
            ),
            CollectiveFromBehind => f.write_str(
                "`from` comes before the team: write `DST[..] = broadcast SRC[..] from 0; on team`",
            ),
            CollectiveNoRoot => f.write_str("the PE is missing behind `from`: write `from 0`"),
            CollectiveRoots => {
                f.write_str("all take from one PE, not from a range of them: write `from 0`")
            }
            CollectiveComma => f.write_str(
                "`collective!` takes one value or one source: write one call for each; \
                 `team.reduce_values(...)` reduces a slice of values",
            ),
            CollectiveRest => f.write_str(
                "unexpected tokens: what a collective takes is followed by `; on team` or by nothing, \
                 and in a broadcast by `from` and a PE",
            ),
            CollectiveOnWithoutSemicolon => {
                f.write_str("the team comes behind a semicolon: write `; on team`")
            }
            CollectiveSemicolon => f.write_str(
                "behind the semicolon come `on` and a team: write `; on team`, or remove it for all PEs",
            ),
            CollectiveNoTeam => f.write_str(
                "a team is missing behind `on`: write `; on team`, or remove `; on` for all PEs",
            ),
            CollectiveTwoTeams => {
                f.write_str("a collective has one team: make a team of the PEs of both, or write two calls")
            }
            CollectiveAfterTeam => f.write_str("nothing follows the team: remove this"),

            WaitNothing { call } => write!(
                f,
                "`{call}` needs a cell, a comparison and a value, as in `{call}(FLAG >= 3)` or \
                 `{call}(any FLAGS[..] != 0)`"
            ),
            WaitPrefix { operator } => write!(
                f,
                "the place stands for the cells themselves: remove `{operator}`"
            ),
            WaitOtherMacro { call, method } => write!(
                f,
                "`{call}` takes the place itself, on this PE, as in `{call}(FLAG >= 3)`: for a cell of \
                 another PE write `remote!(&FLAG[pe]).{method}(Comparison::Ge, 3)`"
            ),
            WaitUnknownWord { call, name, instead } => write!(
                f,
                "`{name}` is not a word of `{call}`: {instead}"
            ),
            WaitNoComparison { call } => write!(
                f,
                "a comparison is missing: write one of `==`, `!=`, `<`, `<=`, `>` and `>=` behind the place, and a \
                 value, as in `{call}(FLAG != 0)`"
            ),
            WaitValueFirst { call } => write!(
                f,
                "the cell comes first, then the comparison and the value, as in `{call}(FLAG >= 3)`"
            ),
            WaitAssignment { call } => write!(
                f,
                "`{call}` compares: write `==`"
            ),
            WaitNoSuchComparison { operator, instead } => write!(
                f,
                "`{operator}` is not a comparison: {instead}"
            ),
            WaitNoValue { operator } => write!(f, "a value is missing after `{operator}`"),
            WaitSecondComparison { call } => write!(
                f,
                "one call makes one comparison, with a number: write `{call}` twice for two"
            ),
            WaitAfterValue { call } => write!(
                f,
                "unexpected tokens after the value: close the parenthesis here, or leave cells out with a \
                 semicolon, as in `{call}(any FLAGS[..] != 0; except status)`"
            ),
            WaitAfterSemicolon => f.write_str(
                "after the semicolon comes `except status`; the semicolon of a statement goes behind the \
                 parenthesis",
            ),
            WaitExceptOfOne => f.write_str(
                "`except` leaves some of several cells out: write `all`, `any` or `some` before the place",
            ),
            WaitNoStatus => f.write_str(
                "a status is missing after `except`: write a list of `bool`, true for each cell to be left out",
            ),
            WaitAfterStatus => {
                f.write_str("unexpected tokens after the status: close the parenthesis here")
            }
        }
    }
}

/// What an error underlines: from the start of one token to the end of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) start: Span,
    pub(crate) end: Span,
}

impl Region {
    /// All tokens of `syntax`; the place of the macro call when there are none.
    pub(crate) fn of(syntax: &impl ToTokens) -> Region {
        let mut tokens = syntax.to_token_stream().into_iter();
        match tokens.next() {
            None => Span::call_site().into(),
            Some(first) => {
                let end = tokens.last().map_or(first.span(), |last| last.span());
                Region { start: first.span(), end }
            }
        }
    }

    /// From the start of this region to the end of `other`.
    pub(crate) fn to(self, other: impl Into<Region>) -> Region {
        Region { start: self.start, end: other.into().end }
    }
}

impl From<Span> for Region {
    fn from(span: Span) -> Region {
        Region { start: span, end: span }
    }
}

/// The mistakes of one macro call, so that all of them are reported at once.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<(Region, String)>,
}

impl Problems {
    /// Notes a mistake and where it is.
    pub(crate) fn add(&mut self, region: impl Into<Region>, mistake: Mistake) {
        self.list.push((region.into(), mistake.to_string()));
    }

    /// Whether nothing was wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many mistakes there are so far.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// The errors as one expression. Its last part is the value, which rustc then takes to have any type:
    /// nothing is reported but the mistakes themselves.
    pub(crate) fn into_expression(self) -> TokenStream {
        let errors = self.list.iter().map(|(region, text)| compile_error(*region, text));
        quote!({ #(#errors);* })
    }

    /// The errors as items, to stand beside the item that they are about.
    pub(crate) fn into_items(self) -> TokenStream {
        let errors = self.list.iter().map(|(region, text)| compile_error(*region, text));
        quote!(#(#errors;)*)
    }

    /// The errors as items; the first is the text that `item` makes an item of.
    pub(crate) fn into_items_with(
        mut self,
        item: impl FnOnce(Region, Literal) -> TokenStream,
    ) -> TokenStream {
        if self.list.is_empty() {
            return TokenStream::new();
        }
        let (region, text) = self.list.remove(0);
        let item = item(region, Literal::string(&text));
        let others = self.into_items();
        quote!(#item #others)
    }

    /// Each mistake as the source text that it underlines, and its message.
    #[cfg(test)]
    pub(crate) fn report(&self) -> Vec<(String, String)> {
        let underlined = |region: &Region| {
            let span = region.start.join(region.end).unwrap_or(region.start);
            span.source_text().unwrap_or_default()
        };
        self.list.iter().map(|(region, text)| (underlined(region), text.clone())).collect()
    }
}

/// `::core::compile_error!("text")`. rustc underlines a macro call from its first token to its last, so the
/// path carries the start of the region and the parentheses carry its end.
fn compile_error(region: Region, text: &str) -> TokenStream {
    let mut text = Literal::string(text);
    text.set_span(region.end);
    let mut arguments = Group::new(Delimiter::Parenthesis, TokenTree::from(text).into());
    arguments.set_span(region.end);
    let mut bang = Punct::new('!', Spacing::Alone);
    bang.set_span(region.start);
    let path = quote_spanned!(region.start=> ::core::compile_error);
    quote!(#path #bang #arguments)
}
