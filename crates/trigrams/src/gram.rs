//! Trigrams: three consecutive bytes, each represented by its byte class.

/// Three consecutive byte classes, seven bits each.
pub(crate) type Gram = u32;

/// The number of possible trigrams.
pub(crate) const GRAMS: usize = 1 << 21;

/// The class of bytes that end a line. No trigram contains them.
const BREAK: u8 = 0;

/// The class of each byte. Each printable ASCII character and the tab have their own class; other bytes share
/// classes.
const CLASS: [u8; 256] = {
    let mut classes = [BREAK; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte {
            0x0A | 0x0D => BREAK,
            // Printable ASCII characters have the classes 1 to 95.
            0x20..=0x7E => byte as u8 - 0x1F,
            // Bytes of characters that are not ASCII share the classes 98 to 127.
            0x80..=0xFF => 98 + (byte % 30) as u8,
            0x09 => 96,
            _ => 97,
        };
        byte += 1;
    }
    classes
};

/// Returns the trigrams of some bytes in order, including repetitions.
pub(crate) fn grams(bytes: &[u8]) -> impl Iterator<Item = Gram> {
    let mut gram: Gram = 0;
    // The number of bytes since the last end of a line.
    let mut run = 0_u32;
    bytes.iter().filter_map(move |byte| {
        let class = CLASS[usize::from(*byte)];
        if class == BREAK {
            run = 0;
            return None;
        }
        gram = (gram << 7 | Gram::from(class)) & (GRAMS as Gram - 1);
        run += 1;
        (run >= 3).then_some(gram)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigrams_do_not_reach_over_the_end_of_a_line() {
        let count = |text: &str| grams(text.as_bytes()).count();
        assert_eq!([count(""), count("ab"), count("abc"), count("abcd")], [0, 0, 1, 2]);
        assert_eq!([count("ab\ncd"), count("abc\r\ndef"), count("ab\nabc")], [0, 2, 1]);
        let all = |text: &str| grams(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(all("abcabc")[0], all("abcabc")[3]);
        assert_ne!(all("abc"), all("abC"));
        assert!(all("\u{ff}~é").iter().all(|gram| (*gram as usize) < GRAMS));
    }
}
