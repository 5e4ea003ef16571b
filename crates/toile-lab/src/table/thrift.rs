//! Thrift's compact protocol, as far as a Parquet footer needs it.
//!
//! A structure is a row of fields, each with its number and type, ended by a zero byte. Whole numbers are written seven bits
//! at a time; those with a sign are folded first (0, −1, 1, −2 … become 0, 1, 2, 3 …).

/// Types of fields and of list entries.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Writes structures.
#[derive(Default)]
pub(super) struct Thrift {
    pub bytes: Vec<u8>,
    /// The number of the last field, of this structure and of those around it.
    last_field: Vec<i16>,
}

impl Thrift {
    /// The bytes of a structure.
    pub fn encode(fields: impl FnOnce(&mut Thrift)) -> Vec<u8> {
        let mut thrift = Thrift::default();
        thrift.structure(fields);
        thrift.bytes
    }

    fn structure(&mut self, fields: impl FnOnce(&mut Thrift)) {
        self.last_field.push(0);
        fields(self);
        self.last_field.pop();
        self.bytes.push(0);
    }

    /// Begins a field. Numbers must increase by no more than 15.
    fn begin(&mut self, field: i16, kind: u8) {
        let last = self.last_field.last_mut();
        let step = last.map_or(field, |last| field - std::mem::replace(last, field));
        self.bytes.push((step as u8) << 4 | kind);
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)) as u64);
    }

    /// A field of 32 bits; enumerations too.
    pub fn i32(&mut self, field: i16, number: i32) {
        self.begin(field, I32);
        self.signed(i64::from(number));
    }

    /// A field of 64 bits.
    pub fn i64(&mut self, field: i16, number: i64) {
        self.begin(field, I64);
        self.signed(number);
    }

    /// A field of text.
    pub fn text(&mut self, field: i16, text: &str) {
        self.begin(field, BINARY);
        self.raw_text(text);
    }

    fn raw_text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    /// A field that is a structure itself.
    pub fn field(&mut self, field: i16, fields: impl FnOnce(&mut Thrift)) {
        self.begin(field, STRUCT);
        self.structure(fields);
    }

    /// A list of structures.
    pub fn structures<T>(
        &mut self,
        field: i16,
        items: &[T],
        mut fields: impl FnMut(&mut Thrift, &T),
    ) {
        self.list(field, items.len(), STRUCT);
        for item in items {
            self.structure(|thrift| fields(thrift, item));
        }
    }

    /// A list of enumerations.
    pub fn i32_list(&mut self, field: i16, numbers: &[i32]) {
        self.list(field, numbers.len(), I32);
        for &number in numbers {
            self.signed(i64::from(number));
        }
    }

    /// A list of texts.
    pub fn text_list(&mut self, field: i16, texts: &[&str]) {
        self.list(field, texts.len(), BINARY);
        for text in texts {
            self.raw_text(text);
        }
    }

    fn list(&mut self, field: i16, length: usize, kind: u8) {
        self.begin(field, LIST);
        if length < 15 {
            self.bytes.push((length as u8) << 4 | kind);
        } else {
            self.bytes.push(0xF0 | kind);
            self.number(length as u64);
        }
    }
}
