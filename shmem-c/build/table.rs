//! The table: each row is a prototype as the specification has it, and what it calls.
//!
//! In a prototype `TYPENAME` and `TYPE` stand for each type of the row's set, `SIZE` for 8 to 128
//! bits, and what is in brackets is there in the form that takes a context. In a call `ELEM` is the
//! size of an element in bytes, `TYPE` its type in Rust, and `CTX` the context, given or default.
//!
//! `NEAR else CALL` is a call with a short way: `NEAR` returns `Some` where it has done it.
//!
//! A call that begins with `C:` is the body of a deprecated routine in C, which stands on the others;
//! `TYPENAME` and `TYPE` are those of C there.

/// The sets of types, by the tables of the specification.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    /// No type: one routine.
    None,
    /// The sizes 8, 16, 32, 64 and 128.
    Sizes,
    /// The standard RMA types.
    Rma,
    /// The standard AMO types.
    Amo,
    /// The extended AMO types.
    Extended,
    /// The bitwise AMO types.
    Bitwise,
    /// The types of and, or and xor.
    Bits,
    /// The types of sum and prod.
    Numbers,
    /// Those of deprecated routines: of integer updates.
    OldIntegers,
    /// Of `fetch`, `set` and `swap`.
    OldCells,
    /// Of waits that are not those of current routines.
    OldWaits,
    /// Of and, or and xor on active sets, and of `wait`.
    OldBits,
    /// Of max and min on active sets.
    OldOrdered,
    /// Of sum and prod on active sets.
    OldNumbers,
}

impl Set {
    /// The names of the types of deprecated routines.
    const fn old(self) -> &'static [&'static str] {
        match self {
            Set::OldIntegers => &["int", "long", "longlong"],
            Set::OldCells => &["float", "double", "int", "long", "longlong"],
            Set::OldWaits => &["short", "ushort"],
            Set::OldBits => &["short", "int", "long", "longlong"],
            Set::OldOrdered => &["short", "int", "long", "longlong", "float", "double", "longdouble"],
            Set::OldNumbers => {
                &["short", "int", "long", "longlong", "float", "double", "longdouble", "complexd", "complexf"]
            }
            _ => &[],
        }
    }
}

/// A type: its name in names of routines, in C and in Rust.
pub(crate) struct Type {
    pub(crate) name: &'static str,
    pub(crate) c: &'static str,
    pub(crate) rust: &'static str,
    sets: &'static [Set],
}

impl Type {
    /// Whether Rust has no such type, so that its values are passed in C alone.
    pub(crate) fn is_long_double(&self) -> bool {
        self.name == "longdouble"
    }

    /// Whether it is another name of a type that stands in the table before.
    pub(crate) fn is_another_name(&self) -> bool {
        let other = |end: &str| self.c.ends_with(end);
        other("_t")
    }
}

const FLOATS: &[Set] = &[Set::Rma, Set::Extended, Set::Numbers];
const PLAIN: &[Set] = &[Set::Rma, Set::Numbers];
const BITS: &[Set] = &[Set::Rma, Set::Numbers, Set::Bits];
const SIGNED: &[Set] = &[Set::Rma, Set::Amo, Set::Extended, Set::Numbers];
const UNSIGNED: &[Set] = &[Set::Rma, Set::Amo, Set::Extended, Set::Bitwise, Set::Numbers, Set::Bits];
const SIZE: &[Set] = &[Set::Rma, Set::Amo, Set::Extended, Set::Numbers, Set::Bits];

const fn ty(name: &'static str, c: &'static str, rust: &'static str, sets: &'static [Set]) -> Type {
    Type { name, c, rust, sets }
}

/// All types.
pub(crate) const TYPES: &[Type] = &[
    ty("float", "float", "f32", FLOATS),
    ty("double", "double", "f64", FLOATS),
    ty("longdouble", "long double", "LongDouble", PLAIN),
    ty("complexd", "double _Complex", "Complex<f64>", &[Set::Numbers]),
    ty("complexf", "float _Complex", "Complex<f32>", &[Set::Numbers]),
    ty("char", "char", "c_char", PLAIN),
    ty("schar", "signed char", "c_schar", PLAIN),
    ty("short", "short", "c_short", PLAIN),
    ty("int", "int", "c_int", SIGNED),
    ty("long", "long", "c_long", SIGNED),
    ty("longlong", "long long", "c_longlong", SIGNED),
    ty("uchar", "unsigned char", "c_uchar", BITS),
    ty("ushort", "unsigned short", "c_ushort", BITS),
    ty("uint", "unsigned int", "c_uint", UNSIGNED),
    ty("ulong", "unsigned long", "c_ulong", UNSIGNED),
    ty("ulonglong", "unsigned long long", "c_ulonglong", UNSIGNED),
    ty("int8", "int8_t", "i8", BITS),
    ty("int16", "int16_t", "i16", BITS),
    ty("int32", "int32_t", "i32", UNSIGNED),
    ty("int64", "int64_t", "i64", UNSIGNED),
    ty("uint8", "uint8_t", "u8", BITS),
    ty("uint16", "uint16_t", "u16", BITS),
    ty("uint32", "uint32_t", "u32", UNSIGNED),
    ty("uint64", "uint64_t", "u64", UNSIGNED),
    ty("size", "size_t", "usize", SIZE),
    ty("ptrdiff", "ptrdiff_t", "isize", SIGNED),
];

/// The routines of one line of the specification.
pub(crate) struct Row {
    /// Where it stands in the header.
    pub(crate) section: &'static str,
    pub(crate) set: Set,
    prototype: String,
    call: String,
}

/// One routine.
pub(crate) struct Routine {
    pub(crate) section: &'static str,
    /// As in the specification.
    pub(crate) name: String,
    /// The type that it returns, in C.
    pub(crate) returns: String,
    /// The types of its arguments in C, and their names.
    pub(crate) arguments: Vec<(String, String)>,
    /// What it calls, in Rust; `None` where it is written in C.
    pub(crate) call: Option<String>,
    /// Its body in C, where the table has that.
    pub(crate) body: Option<String>,
    /// The type in Rust that stands for `TYPE`, and its name in C.
    pub(crate) ty: Option<&'static Type>,
}

/// The section of the deprecated routines.
pub(crate) const DEPRECATED: &str = "Deprecated";

impl Row {
    fn is_deprecated(&self) -> bool {
        self.section == DEPRECATED
    }

    /// The types of the row, or none where it has no type.
    pub(crate) fn types(&self) -> impl Iterator<Item = &'static Type> {
        let set = self.set;
        TYPES.iter().filter(move |ty| ty.sets.contains(&set) || set.old().contains(&ty.name))
    }

    /// The name without a type, if C11 has such a generic name; the forms with and without a context.
    pub(crate) fn generic(&self) -> Option<(String, bool)> {
        let (_, name, _) = split(&self.prototype);
        let has_context = name.contains("[ctx_]");
        // The types of an operation on an active set have no generic name; a wait of a type of 16
        // bits is one of no current name.
        let is_typed = name.contains("TYPENAME_") && !name.ends_with("_to_all") && self.set != Set::OldWaits;
        is_typed.then(|| (name.replace("[ctx_]", "").replace("TYPENAME_", ""), has_context))
    }

    /// Which argument has the type, in the form without a context.
    pub(crate) fn typed_argument(&self) -> usize {
        let arguments = arguments(&without_context(&self.prototype));
        arguments
            .iter()
            .position(|(ty, _)| ty.contains("TYPE *"))
            .expect("a typed row has a pointer of the type")
    }

    /// All routines of the row.
    pub(crate) fn routines(&self) -> Vec<Routine> {
        let mut all = Vec::new();
        let forms = if self.prototype.contains('[') { &[false, true][..] } else { &[false] };
        for &with_context in forms {
            let prototype = if with_context {
                self.prototype.replace(['[', ']'], "")
            } else {
                without_context(&self.prototype)
            };
            let call = self.call.replace("CTX", if with_context { "ctx" } else { "DEFAULT" });
            match self.set {
                Set::None => all.push(self.routine(&prototype, &call, None)),
                Set::Sizes => {
                    let sizes: &[usize] =
                        if self.is_deprecated() { &[32, 64] } else { &[8, 16, 32, 64, 128] };
                    for bits in sizes {
                        let prototype = prototype.replace("SIZE", &bits.to_string());
                        let call = call.replace("SIZE", &bits.to_string());
                        let call = call.replace("ELEM", &(bits / 8).to_string());
                        all.push(self.routine(&prototype, &call, None));
                    }
                }
                _ => {
                    for ty in self.types() {
                        let prototype = prototype.replace("TYPENAME", ty.name).replace("TYPE", ty.c);
                        let size = format!("size_of::<{}>()", ty.rust);
                        let call = if call.starts_with("C:") {
                            call.replace("TYPENAME", ty.name).replace("TYPE", ty.c)
                        } else {
                            call.replace("ELEM", &size).replace("TYPE", ty.rust)
                        };
                        all.push(self.routine(&prototype, &call, Some(ty)));
                    }
                }
            }
        }
        all
    }

    fn routine(&self, prototype: &str, call: &str, ty: Option<&'static Type>) -> Routine {
        let (returns, name, _) = split(prototype);
        let arguments = arguments(prototype);
        // Rust passes no `long double` and does not compute with it.
        let by_value = |c: &str| c == "long double";
        let in_c = ty.is_some_and(Type::is_long_double)
            && (by_value(&returns)
                || arguments.iter().any(|(c, _)| by_value(c))
                || call.starts_with("collective::reduce")
                || call.starts_with("collective::sum_scan"));
        let body = call.strip_prefix("C:").map(|body| format!("{};", body.trim()));
        Routine {
            section: self.section,
            name,
            returns,
            arguments,
            call: (!in_c && body.is_none()).then(|| call.to_owned()),
            body,
            ty,
        }
    }
}

fn without_context(prototype: &str) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for c in prototype.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ if depth == 0 => text.push(c),
            _ => {}
        }
    }
    text
}

/// A prototype as what it returns, its name and its arguments.
fn split(prototype: &str) -> (String, String, &str) {
    let (head, arguments) = prototype.split_once('(').expect("a prototype has parentheses");
    let at = head.rfind([' ', '*']).expect("a routine returns a type") + 1;
    (
        head[..at].trim().to_owned(),
        head[at..].to_owned(),
        arguments.strip_suffix(')').expect("and closes them"),
    )
}

/// The types and the names of the arguments of a prototype.
fn arguments(prototype: &str) -> Vec<(String, String)> {
    let (_, _, list) = split(prototype);
    if list == "void" {
        return Vec::new();
    }
    let argument = |text: &str| {
        let text = text.trim();
        if text == "..." {
            return (text.to_owned(), String::new());
        }
        let at = text.rfind([' ', '*']).expect("an argument has a type and a name") + 1;
        (text[..at].trim().to_owned(), text[at..].to_owned())
    };
    list.split(',').map(argument).collect()
}

/// The table.
pub(crate) fn rows() -> Vec<Row> {
    let mut all = Vec::new();
    let mut section = "";
    for line in TABLE.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix("# ") {
            section = title;
            continue;
        }
        let mut parts = line.split(" | ").map(str::trim);
        let mut part = || parts.next().expect("a row has a set, a prototype and a call");
        let (set, prototype, call) = (part(), part(), part());
        let rows = |set, prototype: &str, call: &str| Row {
            section,
            set,
            prototype: prototype.to_owned(),
            call: call.to_owned(),
        };
        let set = match set {
            "-" => Set::None,
            "sizes" => Set::Sizes,
            "rma" => Set::Rma,
            "amo" => Set::Amo,
            "extended" => Set::Extended,
            "bitwise" => Set::Bitwise,
            "bits" => Set::Bits,
            "numbers" => Set::Numbers,
            "old-integers" => Set::OldIntegers,
            "old-cells" => Set::OldCells,
            "old-waits" => Set::OldWaits,
            "old-bits" => Set::OldBits,
            "old-ordered" => Set::OldOrdered,
            "old-numbers" => Set::OldNumbers,
            other => panic!("there is no set `{other}`"),
        };
        all.push(rows(set, prototype, call));
    }
    all
}

/// The rows, as `set | prototype | call`.
const TABLE: &str = include_str!("table.txt");
