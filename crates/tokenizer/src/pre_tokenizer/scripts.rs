//! The split between scripts of Unicode, as SentencePiece's training has it.

use crate::piece::Piece;
use crate::{Error, Result};
use regex_syntax::hir::{Class, HirKind};

/// The scripts of Unicode 9, which the library's table is of, without Common and Inherited. Later
/// characters have none.
const NAMES: &str = "Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali \
    Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham \
    Cherokee Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Duployan Egyptian_Hieroglyphs Elbasan Ethiopic \
    Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana \
    Imperial_Aramaic Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kayah_Li \
    Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani \
    Malayalam Mandaic Manichaean Marchen Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi \
    Mongolian Mro Multani Myanmar Nabataean New_Tai_Lue Newa Nko Ogham Ol_Chiki Old_Hungarian Old_Italic \
    Old_North_Arabian Old_Permic Old_Persian Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong \
    Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian \
    Siddham SignWriting Sinhala Sora_Sompeng Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham \
    Tai_Viet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Ugaritic Vai Warang_Citi Yi";
const COMMON: u16 = 1;

/// The script of each character: a number, 0 where it has none.
#[derive(Clone, Debug)]
pub(crate) struct Scripts {
    ranges: Vec<(char, char, u16)>,
    han: u16,
}

impl Scripts {
    pub(crate) fn new() -> Result<Scripts> {
        let (mut ranges, mut folded, mut han) = (Vec::new(), Vec::new(), 0);
        let named = ["Common", "Inherited"].into_iter().chain(NAMES.split_whitespace());
        for (name, script) in named.zip(COMMON..) {
            match name {
                "Han" => han = script,
                "Hiragana" | "Katakana" => folded.push(script),
                _ => {}
            }
            ranges.extend(ranges_of(name)?.into_iter().map(|(first, last)| (first, last, script)));
        }
        ranges.iter_mut().filter(|range| folded.contains(&range.2)).for_each(|range| range.2 = han);
        ranges.sort_unstable();
        Ok(Scripts { ranges, han })
    }

    fn of(&self, character: char) -> u16 {
        match character {
            ' ' => return 0,
            'ー' => return self.han,
            _ => {}
        }
        let after = self.ranges.partition_point(|(first, ..)| *first <= character);
        let range = after.checked_sub(1).and_then(|index| self.ranges.get(index));
        range.filter(|(_, last, _)| *last >= character).map_or(0, |(.., script)| *script)
    }

    /// Splits where the script changes. Characters without a script belong to those before them.
    pub(crate) fn split(&self, piece: &Piece) -> Vec<Piece> {
        let (mut bounds, mut last) = (Vec::new(), None);
        for (at, character) in piece.text().char_indices() {
            let script = self.of(character);
            if script != 0 {
                if last != Some(script) {
                    bounds.push(at);
                }
                last = Some(script);
            }
        }
        bounds.push(piece.text().len());
        bounds.windows(2).map(|pair| piece.slice(pair[0]..pair[1])).collect()
    }
}

fn ranges_of(name: &str) -> Result<Vec<(char, char)>> {
    let parsed = regex_syntax::parse(&format!(r"[\p{{Script={name}}}&&\p{{Age=9.0}}]"));
    match parsed.map(|parsed| parsed.into_kind()) {
        Ok(HirKind::Class(Class::Unicode(class))) => {
            Ok(class.iter().map(|range| (range.start(), range.end())).collect())
        }
        _ => Err(Error::unsupported(format!("the script {name}"))),
    }
}
