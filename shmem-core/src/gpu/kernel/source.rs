//! The text of a kernel in CUDA C++.

use std::fmt::Write as _;

use super::Kernel;

/// What stands before every kernel.
const RUST: &str = include_str!("rust.cuh");

/// A function in C++, as the attribute has translated it.
///
/// In `text`, the name of the function that it calls as number `k` is written `\u{1}k\u{1}`, and its own
/// name `\u{1}\u{1}`. `\u{2}` stands where its constants go.
#[doc(hidden)]
#[derive(Debug)]
pub struct KernelText {
    /// Its name in the program.
    pub name: &'static str,
    /// Its module, as `module_path!` says.
    pub module: &'static str,
    /// The line where it begins.
    pub line: u32,
    /// The line before the body, without the brace.
    pub head: &'static str,
    /// The body, with the braces.
    pub body: &'static str,
    /// What it calls.
    pub calls: &'static [&'static KernelText],
    /// Adds the constants that it names.
    pub constants: fn(&mut ConstantList),
    /// Whether overflow is a mistake, as the program was built.
    pub overflow: bool,
}

impl KernelText {
    /// Its name in C++, where it is not launched.
    fn mangled(&self) -> String {
        format!("{}__{}_{}", self.module.replace("::", "_"), self.name, self.line)
    }

    /// The text, with all names.
    fn filled(&self, text: &str, own: &str, constants: &str) -> String {
        let mut filled = String::new();
        for (position, piece) in text.split('\u{1}').enumerate() {
            match (position % 2, piece.parse::<usize>()) {
                (1, Ok(call)) => filled.push_str(&self.calls[call].mangled()),
                (1, Err(_)) => filled.push_str(own),
                _ => filled.push_str(piece),
            }
        }
        filled.replace('\u{2}', constants)
    }
}

/// The constants of the program that a function names.
#[doc(hidden)]
#[derive(Debug)]
pub struct ConstantList(String);

impl ConstantList {
    /// Adds one.
    pub fn add<T: KernelScalar>(list: &mut ConstantList, name: &str, value: T) {
        // A string takes everything.
        let _ = writeln!(list.0, "    const {} {name} = {};", T::CUDA, value.literal());
    }
}

/// Types of values in kernels.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a kernel has no values of type `{Self}`",
    label = "not a number of a kernel",
    note = "a kernel has `bool`, the integers from i8 to u64, isize, usize, f32 and f64; symmetric objects come to it as parameters of type `Global<T>`"
)]
pub trait KernelScalar: Copy + Send + Sync + 'static {
    /// Its name in C++.
    const CUDA: &'static str;
    /// The value in C++.
    fn literal(self) -> String;
    /// The bits in a word.
    fn word(self) -> u64;
    /// The value of the bits.
    fn of_word(word: u64) -> Self;
}

macro_rules! integers {
    ($($integer:ident)*) => {$(
        impl KernelScalar for $integer {
            const CUDA: &'static str = concat!("rs::", stringify!($integer));
            fn literal(self) -> String {
                if self as i128 >= 0 {
                    format!("{self}ull")
                } else {
                    format!("({})0x{:x}ull", Self::CUDA, self)
                }
            }
            fn word(self) -> u64 {
                self as u64
            }
            fn of_word(word: u64) -> $integer {
                word as $integer
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($float:ident $bits:ident $suffix:literal;)*) => {$(
        impl KernelScalar for $float {
            const CUDA: &'static str = concat!("rs::", stringify!($float));
            fn literal(self) -> String {
                if self.is_nan() {
                    format!("({})__builtin_nan(\"\")", Self::CUDA)
                } else if self.is_infinite() {
                    format!("{}({})__builtin_inf()", if self > 0.0 { "" } else { "-" }, Self::CUDA)
                } else {
                    // The shortest text that is read as the same number, with a point or an exponent.
                    format!(concat!("{:e}", $suffix), self)
                }
            }
            fn word(self) -> u64 {
                self.to_bits().into()
            }
            fn of_word(word: u64) -> $float {
                $float::from_bits(word as $bits)
            }
        }
    )*};
}

floats! { f32 u32 "f"; f64 u64 ""; }

impl KernelScalar for bool {
    const CUDA: &'static str = "bool";
    fn literal(self) -> String {
        self.to_string()
    }
    fn word(self) -> u64 {
        self.into()
    }
    fn of_word(word: u64) -> bool {
        word != 0
    }
}

/// The functions that `text` calls, those that are called first, each once.
fn collect(text: &'static KernelText, all: &mut Vec<&'static KernelText>) {
    for &called in text.calls {
        if !all.iter().any(|there| there.mangled() == called.mangled()) {
            collect(called, all);
            all.push(called);
        }
    }
}

/// See [`LaunchKernel::cuda_source`](super::LaunchKernel::cuda_source).
pub(super) fn cuda_source<K: Kernel>() -> String {
    let kernel = K::TEXT;
    let mut source = format!("#define RS_OVERFLOW {}\n{RUST}", u8::from(kernel.overflow));
    let mut called = Vec::new();
    collect(kernel, &mut called);
    let mut add = |text: &KernelText, start: &str, own: &str| {
        let mut constants = ConstantList(String::new());
        (text.constants)(&mut constants);
        let _ = writeln!(
            source,
            "\n{start}{} {}",
            text.filled(text.head, own, ""),
            text.filled(text.body, own, &constants.0)
        );
    };
    for text in called {
        add(text, "RS_FN ", &text.mangled());
    }
    add(kernel, "extern \"C\" __global__ ", kernel.name);
    source
}
