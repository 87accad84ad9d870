#![forbid(unsafe_code)]
use shmem::__private::symmetric_struct;

// A field that is not listed.
#[derive(Clone, Copy)]
struct Hidden {
    a: u8,
    b: bool,
}
symmetric_struct! { "Hidden" Hidden { "a" a: u8, } }

// A field of another type than the list says.
#[derive(Clone, Copy)]
struct Other(bool);
symmetric_struct! { "Other" Other { "0" 0: u8, } }

// A field that would become the type in the list if it were coerced.
#[derive(Clone, Copy)]
struct Flag(bool);
impl std::ops::Deref for Flag {
    type Target = u8;
    fn deref(&self) -> &u8 {
        &7
    }
}
#[derive(Clone, Copy)]
struct Coerced {
    flag: Flag,
}
symmetric_struct! { "Coerced" Coerced { "flag" flag: u8, } }

// A field that becomes everything.
trait Returns {
    type Type;
}
impl<T> Returns for fn() -> T {
    type Type = T;
}
#[derive(Clone, Copy)]
struct Impossible {
    a: u8,
    never: <fn() -> ! as Returns>::Type,
}
symmetric_struct! { "Impossible" Impossible { "a" a: u8, "never" never: [u8; 0], } }

// One name of several.
#[derive(Clone, Copy)]
union Either {
    a: u8,
    b: bool,
}
symmetric_struct! { "Either" Either { "a" a: u8, } }

// A field that is listed twice, to make up for padding.
#[derive(Clone, Copy)]
#[repr(C)]
struct Padded {
    a: u16,
    b: u8,
}
symmetric_struct! { "Padded" Padded { "a" a: u16, "b" b: u8, "b" b: u8, } }

// Something that is no struct.
#[derive(Clone, Copy)]
enum Choice {
    A,
}
symmetric_struct! { "Choice" Choice {} }

fn main() {}
