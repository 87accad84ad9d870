//! What the elements of an object are to NumPy, and how one is printed.

/// The type of an element, as far as a tool knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dtype {
    /// As NumPy writes it: `<f8`. A type that NumPy does not have is raw bytes, `|V24`.
    pub descr: String,
    /// The axes that an element itself has: those of `[f64; 3]` are `[3]`.
    pub axes: Vec<usize>,
    /// The size in bytes of what `descr` describes.
    pub size: usize,
    form: Form,
}

/// How the bytes of a number are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Unsigned,
    Signed,
    Float,
    /// `bf16`: the upper half of an `f32`.
    Brain,
    Complex,
    /// A struct.
    Unknown,
}

impl Dtype {
    /// The type that a program calls `element`, of `size` bytes.
    #[must_use]
    pub fn of(element: &str, size: usize) -> Dtype {
        let name = element.strip_prefix("Atomic<").and_then(|rest| rest.strip_suffix('>')).unwrap_or(element);
        // `[f64; 3]` is three of them.
        if let Some((inner, count)) = name
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .and_then(|inside| inside.rsplit_once("; "))
            && let Ok(count) = count.parse::<usize>()
            && count > 0
            && size.is_multiple_of(count)
        {
            let mut inner = Dtype::of(inner, size / count);
            inner.axes.insert(0, count);
            return inner;
        }
        let order = if cfg!(target_endian = "little") { '<' } else { '>' };
        let form = match (name, size) {
            ("u8" | "u16" | "u32" | "u64" | "u128" | "usize", 1 | 2 | 4 | 8 | 16) => Form::Unsigned,
            ("i8" | "i16" | "i32" | "i64" | "i128" | "isize", 1 | 2 | 4 | 8 | 16) => Form::Signed,
            ("f16", 2) | ("f32", 4) | ("f64", 8) => Form::Float,
            ("bf16", 2) => Form::Brain,
            ("Complex<f32>", 8) | ("Complex<f64>", 16) => Form::Complex,
            _ => Form::Unknown,
        };
        let kind = match form {
            Form::Unsigned if size <= 8 => Some('u'),
            Form::Signed if size <= 8 => Some('i'),
            Form::Float => Some('f'),
            Form::Complex => Some('c'),
            // NumPy has no integers of 128 bits.
            Form::Unsigned | Form::Signed | Form::Brain | Form::Unknown => None,
        };
        let descr = match kind {
            Some(kind) if size == 1 => format!("|{kind}1"),
            Some(kind) => format!("{order}{kind}{size}"),
            None => format!("|V{size}"),
        };
        Dtype { descr, axes: Vec::new(), size, form }
    }

    /// Prints an element of the object: a number, or the bytes of a struct.
    ///
    /// # Panics
    ///
    /// When `bytes` is not the size of an element.
    #[must_use]
    pub fn print(&self, bytes: &[u8]) -> String {
        let count: usize = self.axes.iter().product();
        assert_eq!(bytes.len(), count * self.size, "these are the bytes of an element");
        if self.axes.is_empty() {
            return self.print_one(bytes);
        }
        let inner = Dtype { axes: self.axes[1..].to_vec(), ..self.clone() };
        let parts: Vec<String> =
            bytes.chunks_exact((bytes.len() / self.axes[0]).max(1)).map(|part| inner.print(part)).collect();
        format!("[{}]", parts.join(", "))
    }

    fn print_one(&self, bytes: &[u8]) -> String {
        macro_rules! number {
            ($type:ty) => {
                bytes
                    .try_into()
                    .map(<$type>::from_ne_bytes)
                    .map_or_else(|_| String::new(), |v| format!("{v:?}"))
            };
        }
        match (self.form, self.size) {
            (Form::Unsigned, 1) => number!(u8),
            (Form::Unsigned, 2) => number!(u16),
            (Form::Unsigned, 4) => number!(u32),
            (Form::Unsigned, 8) => number!(u64),
            (Form::Unsigned, 16) => number!(u128),
            (Form::Signed, 1) => number!(i8),
            (Form::Signed, 2) => number!(i16),
            (Form::Signed, 4) => number!(i32),
            (Form::Signed, 8) => number!(i64),
            (Form::Signed, 16) => number!(i128),
            (Form::Float, 4) => number!(f32),
            (Form::Float, 8) => number!(f64),
            (Form::Float | Form::Brain, 2) => {
                let bits = u16::from_ne_bytes([bytes[0], bytes[1]]);
                let value =
                    if self.form == Form::Brain { f32::from_bits(u32::from(bits) << 16) } else { half(bits) };
                format!("{value:?}")
            }
            (Form::Complex, size) => {
                let part = Dtype::of(if size == 8 { "f32" } else { "f64" }, size / 2);
                let (real, imaginary) = (part.print(&bytes[..size / 2]), part.print(&bytes[size / 2..]));
                let sign = if imaginary.starts_with('-') { "" } else { "+" };
                format!("{real}{sign}{imaginary}i")
            }
            _ => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

/// The value of an `f16`: a bit of sign, 5 of exponent and 10 of fraction.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2_f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2_f32.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The header of a file `.npy` (version 1.0) with an array of these extents, row-major, to which its
/// bytes are appended.
#[must_use]
pub fn npy_header(dtype: &Dtype, extents: &[usize]) -> Vec<u8> {
    let extents: Vec<String> = extents.iter().chain(&dtype.axes).map(|extent| format!("{extent},")).collect();
    let mut text =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", dtype.descr, extents.join(" "));
    // The data begin at a multiple of 64, after ten bytes, the text and the end of its line.
    let unpadded = 10 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.into_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_numpy() {
        let cases: [(&str, usize, &str, &[usize]); 10] = [
            ("f64", 8, "<f8", &[]),
            ("u8", 1, "|u1", &[]),
            ("usize", 8, "<u8", &[]),
            ("Atomic<i32>", 4, "<i4", &[]),
            ("u128", 16, "|V16", &[]),
            ("Complex<f64>", 16, "<c16", &[]),
            ("bf16", 2, "|V2", &[]),
            ("Body", 40, "|V40", &[]),
            ("[f64; 3]", 24, "<f8", &[3]),
            ("[[u16; 2]; 5]", 20, "<u2", &[5, 2]),
        ];
        for (element, size, descr, axes) in cases {
            let dtype = Dtype::of(element, size);
            assert_eq!((dtype.descr.as_str(), dtype.axes.as_slice()), (descr, axes), "{element}");
        }
    }

    #[test]
    fn elements_are_printed() {
        let print = |element: &str, bytes: &[u8]| Dtype::of(element, bytes.len()).print(bytes);
        assert_eq!(print("f64", &1.5_f64.to_ne_bytes()), "1.5");
        assert_eq!(print("f64", &2.0_f64.to_ne_bytes()), "2.0");
        assert_eq!(print("Atomic<i32>", &(-7_i32).to_ne_bytes()), "-7");
        let complex: Vec<u8> = [1.5_f64, -2.0].iter().flat_map(|part| part.to_ne_bytes()).collect();
        assert_eq!(print("Complex<f64>", &complex), "1.5-2.0i");
        assert_eq!(print("[u8; 3]", &[1, 2, 3]), "[1, 2, 3]");
        assert_eq!(print("[[u8; 2]; 2]", &[1, 2, 3, 4]), "[[1, 2], [3, 4]]");
        assert_eq!(print("Body", &[0xab, 1]), "ab01");
        assert_eq!(print("u128", &u128::MAX.to_ne_bytes()), u128::MAX.to_string());
        assert_eq!(print("Atomic<i8>", &[0xff]), "-1");
        for (bits, f16, bf16) in [
            (0x3c00_u16, "1.0", "0.0078125"),
            (0xc000, "-2.0", "-2.0"),
            (0x7c00, "inf", "2.658456e36"),
            (1, "5.9604645e-8", "9.1835e-41"),
        ] {
            assert_eq!(print("f16", &bits.to_ne_bytes()), f16);
            assert_eq!(print("bf16", &bits.to_ne_bytes()), bf16);
        }
    }

    #[test]
    fn a_header_is_aligned() {
        let header = npy_header(&Dtype::of("[f64; 3]", 24), &[4, 7]);
        assert_eq!(header.len() % 64, 0);
        assert_eq!(usize::from(u16::from_le_bytes([header[8], header[9]])) + 10, header.len());
        let text = String::from_utf8_lossy(&header[10..]).into_owned();
        assert!(
            text.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 7, 3,), }"),
            "{text}"
        );
        let one = npy_header(&Dtype::of("u64", 8), &[]);
        assert!(String::from_utf8_lossy(&one[10..]).contains("'shape': (), }"));
    }
}
