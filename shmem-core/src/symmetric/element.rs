//! Element types: any PE may overwrite their values at any time.

use crate::text::Text;

/// Types whose values may live in symmetric memory.
///
/// Another PE may overwrite a symmetric object at any time, and a reader may see a part of one
/// value and a part of another. So an element is plain data: every bit pattern is a valid value,
/// and there is no padding. It contains no address, because an address has no meaning in another
/// process.
///
/// It is implemented for integers, floats, and arrays of elements. The feature `half` adds `f16`
/// and `bf16`, and the feature `num-complex` adds `Complex`. For a struct, derive it:
///
/// ```
/// use shmem::prelude::*;
///
/// #[derive(Clone, Copy, Symmetric)]
/// #[repr(C)]
/// struct Body {
///     position: [f64; 3],
///     mass: f64,
/// }
/// ```
///
/// The derive checks that the struct is `repr(C)` or `repr(transparent)`, that every field is
/// `Symmetric`, and that there is no padding. If there is padding, the message says how many bytes
/// and where.
///
/// # Safety
///
/// For an implementation by hand, all of these must hold:
///
/// * every bit pattern of `size_of::<Self>()` bytes is a valid value;
/// * no byte of a value is uninitialised: no padding, also not at the end;
/// * a value contains no reference, pointer or other handle that is valid in one process only.
///
/// A type of statics must also implement [`StaticElement`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a symmetric object",
    label = "not `Symmetric`",
    note = "any PE may overwrite an element at any time: it must be valid for every bit pattern and hold no address",
    note = "elements are integers, floats, arrays of elements and structs with `#[derive(Symmetric)]`; for a flag use `u8`, for a `char` use `u32`; an `Atomic<T>` cell is not part of an element"
)]
pub unsafe trait Symmetric: Copy + 'static {}

macro_rules! numbers_are_symmetric {
    ($($number:ty)*) => {$(
        // SAFETY: a primitive number has no padding, no invalid bit pattern and no address in it.
        unsafe impl Symmetric for $number {}
        impl StaticElement for $number {}
    )*};
}

/// A [`Symmetric`] type that is one element of a static, and not an array of elements.
///
/// It separates the elements of a static from its axes: `[[Body; 64]; 8]` has two axes of `Body`.
/// It is implemented for all `Symmetric` types of this crate except arrays, and by
/// `#[derive(Symmetric)]`.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static BODIES: [[Body; 3]; 2] = [[Body { mass: 1.0, at: [0.0; 2] }; 3]; 2];
///
/// /// One element, though it has an array inside: the static has two axes.
/// #[derive(Clone, Copy, Symmetric)]
/// #[repr(C)]
/// struct Body {
///     mass: f64,
///     at: [f64; 2],
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     remote!(BODIES[0, 1, 2].at) = [0.5, 1.5];
///     world.barrier_all();
///     assert_eq!(remote!(BODIES[0, 1, 2]).at, [0.5, 1.5]);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not declared as one element of a static",
    label = "not an element of a static",
    note = "derive `Symmetric`, or write `impl shmem::StaticElement for {Self} {{}}` beside a `Symmetric` by hand"
)]
pub trait StaticElement {}

numbers_are_symmetric!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

// SAFETY: an array is its elements one after the other, without padding between or after them, so
// each of the three conditions holds for the array because it holds for the element.
unsafe impl<T: Symmetric, const N: usize> Symmetric for [T; N] {}

// SAFETY: a complex number is `repr(C)` with two fields of `T` and nothing else. The second starts
// where the first ends, as a size is a multiple of the alignment, and the number ends where the
// second does, so there is no padding. So each of the three conditions holds for the number because
// it holds for `T`.
#[cfg(feature = "num-complex")]
unsafe impl<T: Symmetric> Symmetric for num_complex::Complex<T> {}
#[cfg(feature = "num-complex")]
impl<T: Symmetric> StaticElement for num_complex::Complex<T> {}

// SAFETY: it is `repr(transparent)` over a `u16`, of which every bit pattern means a number or a
// NaN, so each of the three conditions holds because it holds for `u16`.
#[cfg(feature = "half")]
unsafe impl Symmetric for half::f16 {}
#[cfg(feature = "half")]
impl StaticElement for half::f16 {}

// SAFETY: as for `f16`: `repr(transparent)` over a `u16`, and every bit pattern is valid.
#[cfg(feature = "half")]
unsafe impl Symmetric for half::bf16 {}
#[cfg(feature = "half")]
impl StaticElement for half::bf16 {}

/// The expansion of `#[derive(Symmetric)]`: `"Body" Body { "pos" pos: [f64; 3], "mass" mass: f64,
/// }`.
///
/// The proof that an implementation needs is all here, in paths that begin with `$crate`, and takes
/// nothing on trust: neither what the derive has seen, as another attribute may have rewritten the
/// struct since, nor that it was the derive that made the call. The names in quotes are for the
/// messages.
#[doc(hidden)]
#[macro_export]
macro_rules! __symmetric_struct {
    ($text:literal $name:ident { $($field_text:literal $member:tt: $ty:ty,)* }) => {
        const _: () = {
            const fn every_field_is_symmetric<T: $crate::Symmetric>() {}
            $(every_field_is_symmetric::<$ty>();)*

            // It is a struct, and these are all of its fields: a pattern names each field once.
            // That of a union has one.
            let _ = |$name { $($member: _),* }: $name| {};
            // The fields have these types. The closure says what there is, before anybody asks:
            // nothing is coerced.
            $({
                let field = |$name { $member: field, .. }: &'static $name| field;
                $crate::__private::field_has_type::<$name, $ty>(&field);
            })*
            const _: () = $crate::__private::check_padding(
                $text,
                $crate::__private::size_of::<$name>(),
                &[$((
                    $field_text,
                    $crate::__private::offset_of!($name, $member),
                    $crate::__private::size_of::<$ty>(),
                )),*],
            );
        };
        // SAFETY: it is a struct whose fields are all symmetric, so that each is valid for every
        // bit pattern and holds no handle. The sizes of the fields add up to that of the struct, so
        // that there is no padding. All of it is checked above; `Copy` and `'static` are asked for
        // by the trait.
        unsafe impl $crate::Symmetric for $name {}
        impl $crate::StaticElement for $name {}
    };
}

/// What `#[derive(Symmetric)]` comes to on a type that it refuses: the first mistake, and an
/// implementation, so that each use of the type does not repeat that there is none. The mistake
/// fails the build, and stands in the same macro as the implementation.
#[doc(hidden)]
#[macro_export]
macro_rules! __symmetric_refused {
    ($mistake:literal [$($generics:tt)*] $name:ty) => {
        $crate::__private::compile_error!($mistake);
        // SAFETY: no program has this implementation: the line above fails its build.
        unsafe impl<$($generics)*> $crate::Symmetric for $name where Self: $crate::__private::Copy + 'static {}
        impl<$($generics)*> $crate::StaticElement for $name {}
    };
}

/// That `field` takes a field of type `T` from a struct `S`. Nothing is asked of the types, so that
/// a closure's own are not inferred from here.
pub const fn field_has_type<S: 'static, T: 'static>(_field: &impl Fn(&'static S) -> &'static T) {}

/// Fails the build when the fields of a struct do not cover it: for `#[derive(Symmetric)]`.
///
/// `fields` are name, offset and size, in any order.
#[track_caller]
pub const fn check_padding(name: &str, size: usize, fields: &[(&str, usize, usize)]) {
    let mut total = 0;
    let mut i = 0;
    while i < fields.len() {
        total += fields[i].2;
        i += 1;
    }
    if total == size {
        return;
    }
    let mut text = Text::new().str("`").str(name).str("` has ").num(size - total).plural(
        size - total,
        " byte of padding (",
        " bytes of padding (",
    );
    let mut gaps = 0;
    let mut first_gap = 0;
    let mut i = 0;
    while i < fields.len() {
        let (field, offset, bytes) = fields[i];
        let end = offset + bytes;
        // The next field in memory, or the end of the struct.
        let mut next = size;
        let mut k = 0;
        while k < fields.len() {
            if fields[k].1 >= end && fields[k].1 < next && k != i && fields[k].2 > 0 {
                next = fields[k].1;
            }
            k += 1;
        }
        if bytes > 0 && next > end {
            if gaps == 0 {
                first_gap = next - end;
            } else {
                text = text.str(", ");
            }
            gaps += 1;
            text = text.num(next - end).str(" after `").str(field).str("`");
        }
        i += 1;
    }
    text.str("): padding is uninitialised memory, which must not travel between PEs; order the fields from the largest alignment to the smallest, or add ")
        .plural(gaps, "a field", "fields")
        .str(" such as `_pad: [u8; ")
        .num(first_gap)
        .str("]` there")
        .panic()
}
