//! The secret in the address: whoever has not been told it gets nothing.

use crate::error::StudioError;
use std::fmt::Write;

/// Bytes of it.
const LENGTH: usize = 16;

/// A secret in hexadecimal digits.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// A new one, from the system's random numbers.
    pub fn new() -> Result<Self, StudioError> {
        let mut bytes = [0; LENGTH];
        let filled = getrandom::fill(&mut bytes);
        filled.map_err(|error| StudioError::Random(error.to_string()))?;
        let mut text = String::with_capacity(2 * LENGTH);
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Secret(text))
    }

    /// One that somebody chose, so that a server that is started again has its old address.
    pub fn chosen(text: &str) -> Result<Self, StudioError> {
        let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
        match text.len() == 2 * LENGTH && text.chars().all(is_digit) {
            true => Ok(Secret(text.to_owned())),
            false => Err(StudioError::Secret),
        }
    }

    /// Its digits.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether a text is the secret. How long that takes says nothing about how much of it is right.
    pub fn is(&self, text: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), text.as_bytes());
        let differing = ours.iter().zip(theirs).fold(0, |all, (a, b)| all | (a ^ b));
        ours.len() == theirs.len() && differing == 0
    }
}

/// It is shown to nobody by accident.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}
