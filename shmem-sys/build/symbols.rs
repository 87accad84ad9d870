//! Reads `symbols.txt`.

/// What the crate binds by name, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    pub(crate) required: Section,
    pub(crate) optional: Section,
    /// Types of the optional signatures, with the Rust type that stands for one that the header
    /// lacks.
    pub(crate) types: Vec<(String, String)>,
}

/// One name each, with what the file says of it: a Rust function type, a C type, a C type.
#[derive(Debug, Default)]
pub(crate) struct Section {
    pub(crate) functions: Vec<(String, String)>,
    pub(crate) constants: Vec<(String, String)>,
    pub(crate) handles: Vec<(String, String)>,
}

impl Symbols {
    pub(crate) fn parse(text: &str) -> Result<Symbols, String> {
        let mut symbols = Symbols::default();
        let mut list = None;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line.starts_with('[') {
                list = Some(match line {
                    "[required functions]" => &mut symbols.required.functions,
                    "[required constants]" => &mut symbols.required.constants,
                    "[required handles]" => &mut symbols.required.handles,
                    "[optional functions]" => &mut symbols.optional.functions,
                    "[optional constants]" => &mut symbols.optional.constants,
                    "[optional handles]" => &mut symbols.optional.handles,
                    "[optional types]" => &mut symbols.types,
                    _ => return Err(format!("symbols.txt: no such section: {line}")),
                });
                continue;
            }
            let list = list.as_mut().ok_or_else(|| format!("symbols.txt: before any section: {line}"))?;
            let (names, what) = line.split_at(line.find(['(', ':']).unwrap_or(line.len()));
            for name in expand(names) {
                let what = match what.strip_prefix(':') {
                    Some(kind) => kind.trim().to_owned(),
                    None => function_type(&name, what),
                };
                list.push((name, what));
            }
        }
        Ok(symbols)
    }
}

/// `a{b,c}d` as `abd` and `acd`.
fn expand(pattern: &str) -> Vec<String> {
    let Some((head, rest)) = pattern.split_once('{') else { return vec![pattern.to_owned()] };
    let (alternatives, tail) = rest.split_once('}').unwrap_or((rest, ""));
    let tails = expand(tail);
    alternatives
        .split(',')
        .flat_map(|alternative| tails.iter().map(move |tail| format!("{head}{alternative}{tail}")))
        .collect()
}

/// `(*mut T) -> c_int` of a symbol as a Rust type, with `T` put in; nothing for a name without a
/// signature.
fn function_type(name: &str, signature: &str) -> String {
    if signature.is_empty() {
        return String::new();
    }
    let element = name.split('_').find_map(|word| {
        Some(match word {
            "short" => "c_short",
            "int" => "c_int",
            "uint" => "c_uint",
            "ulonglong" => "c_ulonglong",
            "long" => "c_long",
            "longlong" => "c_longlong",
            "float" => "f32",
            "double" => "f64",
            "int8" => "i8",
            "int16" => "i16",
            "int32" => "i32",
            "int64" => "i64",
            "uint8" => "u8",
            "uint16" => "u16",
            "uint32" => "u32",
            "uint64" => "u64",
            _ => return None,
        })
    });
    let signature = match element {
        Some(element) => signature.replace(" T,", &format!(" {element},")),
        None => signature.to_owned(),
    };
    format!("unsafe extern \"C\" fn{signature}")
}
