//! JSON, as this library writes it for other programs.

use std::fmt::Write as _;

/// A text as a string of JSON.
pub(crate) fn string(text: &str) -> String {
    let mut string = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => string.extend(['\\', character]),
            control if control < ' ' => {
                // Writing to a String cannot fail.
                let _ = write!(string, "\\u{:04x}", u32::from(control));
            }
            other => string.push(other),
        }
    }
    string.push('"');
    string
}

#[cfg(test)]
mod tests {
    use super::string;

    #[test]
    fn a_text_is_one_string() {
        assert_eq!(string("a\"b\\c\n\té"), "\"a\\\"b\\\\c\\u000a\\u0009é\"");
    }
}
