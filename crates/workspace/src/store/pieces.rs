//! Content-defined chunking: long contents are divided into pieces whose ends depend on the content, so that
//! an edit adds few new pieces.

/// Maximum length of content that is stored as one piece, in bytes.
pub(super) const WHOLE: usize = 256 * 1024;

const LEAST: usize = 64 * 1024;
const MOST: usize = 512 * 1024;

/// Bits of the rolling hash that are zero where a piece ends: on average 128 KiB after the minimum length.
const MASK: u64 = 0x1_ffff << 40;

/// Divides bytes into pieces. The end of a piece depends on the bytes before it and not on the offset, so long equal
/// parts of two contents give mostly equal pieces.
pub(super) fn cut(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(first(rest));
        rest = after;
        Some(piece)
    })
}

fn first(bytes: &[u8]) -> usize {
    let most = bytes.len().min(MOST);
    let mut rolling = 0_u64;
    for (position, byte) in bytes.iter().enumerate().take(most).skip(LEAST) {
        rolling = (rolling << 1).wrapping_add(GEAR[usize::from(*byte)]);
        if rolling & MASK == 0 {
            return position + 1;
        }
    }
    most
}

/// A pseudo-random number for each byte value, from which the rolling hash is computed.
const GEAR: [u64; 256] = gear();

const fn gear() -> [u64; 256] {
    let mut table = [0; 256];
    let mut state = 0_u64;
    let mut index = 0;
    while index < table.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        table[index] = mixed ^ (mixed >> 31);
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use toolpost_test_rows::each;

    use super::*;

    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u8
        };
        std::iter::repeat_with(next).take(length).collect()
    }

    #[test]
    fn pieces_concatenate_to_the_content_within_size_limits() {
        each([noise(0), noise(1), noise(LEAST), noise(3_000_000), vec![0; 2_000_000]], |bytes| {
            let pieces: Vec<&[u8]> = cut(&bytes).collect();
            assert_eq!(pieces.concat(), bytes);
            assert!(pieces.iter().all(|piece| piece.len() <= MOST));
            assert!(pieces.iter().rev().skip(1).all(|piece| piece.len() > LEAST));
        });
    }

    #[test]
    fn insertion_creates_few_new_pieces() {
        let old = noise(8_000_000);
        let mut new = old.clone();
        new.splice(3_000_000..3_000_000, *b"inserted");
        let known: HashSet<&[u8]> = cut(&old).collect();
        let fresh = cut(&new).filter(|piece| !known.contains(piece)).count();
        assert!(known.len() > 20 && fresh <= 3, "{} pieces, {fresh} of them new", known.len());
    }
}
