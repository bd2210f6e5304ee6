//! Sets of characters, from `regex-syntax`.

use crate::{Error, Result};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{self, HirKind};

/// A set of characters: bits for ASCII, sorted ranges for the others.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Class {
    ascii: u128,
    ranges: Vec<(char, char)>,
}

impl Class {
    /// The class of a piece of an expression that matches one character.
    pub(super) fn parse(source: &str, ignore_case: bool) -> Result<Class> {
        let parsed =
            ParserBuilder::new().unicode(true).case_insensitive(ignore_case).nest_limit(50).build().parse(source);
        let parsed = parsed.map_err(|_| Error::unsupported(format!("the class {source}")))?;
        match parsed.into_kind() {
            HirKind::Class(hir::Class::Unicode(class)) => {
                Ok(Class::from_ranges(class.iter().map(|range| (range.start(), range.end()))))
            }
            HirKind::Class(hir::Class::Bytes(class)) => {
                Ok(Class::from_ranges(class.iter().map(|range| (char::from(range.start()), char::from(range.end())))))
            }
            HirKind::Literal(literal) => match std::str::from_utf8(&literal.0).ok().map(|text| text.chars()) {
                Some(mut characters) => match (characters.next(), characters.next()) {
                    (Some(only), None) => Ok(Class::from_ranges([(only, only)].into_iter())),
                    _ => Err(Error::unsupported(format!("the class {source}"))),
                },
                None => Err(Error::unsupported(format!("the class {source}"))),
            },
            _ => Err(Error::unsupported(format!("the class {source}"))),
        }
    }

    fn from_ranges(all: impl Iterator<Item = (char, char)>) -> Class {
        let ranges: Vec<(char, char)> = all.collect();
        let mut ascii = 0;
        for byte in 0..128u8 {
            if ranges.iter().any(|(first, last)| (*first..=*last).contains(&char::from(byte))) {
                ascii |= 1 << byte;
            }
        }
        Class { ascii, ranges }
    }

    /// Whether the set has a character.
    pub(super) fn contains(&self, character: char) -> bool {
        if character.is_ascii() {
            return self.ascii >> (character as u32) & 1 == 1;
        }
        let after = self.ranges.partition_point(|(first, _)| *first <= character);
        after > 0 && self.ranges[after - 1].1 >= character
    }
}
