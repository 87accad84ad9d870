//! Tables of the routines of a library that is opened at run time.

use std::ffi::CStr;

/// A table of routines with their types, each by its name in the library.
macro_rules! routines {
    ($(#[$doc:meta])* $table:ident: $($name:ident($($parameter:ty),*) $(-> $result:ty)?;)*) => {
        $(#[$doc])*
        #[allow(non_snake_case, reason = "names of the library")]
        pub(super) struct $table {
            $(pub(super) $name: unsafe extern "C" fn($($parameter),*) $(-> $result)?,)*
        }

        impl $table {
            /// What the table declares, for a comparison with the headers.
            #[cfg(test)]
            pub(super) const DECLARED: &[$crate::nvshmem::headers::Declared] = &[$(
                (stringify!($name), &[$(stringify!($parameter)),*], concat!("" $(, stringify!($result))?)),
            )*];

            /// Looks all of them up.
            ///
            /// # Safety
            ///
            /// What the library has under these names are routines of these types, and the table is
            /// used no longer than the library is open.
            pub(super) unsafe fn of(library: &libloading::Library) -> Result<$table, String> {
                Ok($table {
                    $($name: {
                        let name = $crate::nvshmem::routines::name(concat!(stringify!($name), "\0"));
                        // SAFETY: the caller's promise.
                        unsafe { $crate::nvshmem::routines::routine(library, name)? }
                    },)*
                })
            }
        }
    };
}
pub(super) use routines;

/// A name that ends with a zero byte.
pub(super) fn name(text: &str) -> &CStr {
    CStr::from_bytes_with_nul(text.as_bytes()).expect("the macro has added the zero byte")
}

/// The routine of a name.
///
/// # Safety
///
/// `F` is the type of the routine, which is used no longer than the library is open.
pub(super) unsafe fn routine<F: Copy>(library: &libloading::Library, name: &CStr) -> Result<F, String> {
    // SAFETY: the caller's promise.
    let found = unsafe { library.get::<F>(name.to_bytes_with_nul()) };
    found.map(|routine| *routine).map_err(|_| format!("it has no `{}`", name.to_string_lossy()))
}
