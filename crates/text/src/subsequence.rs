//! Search for the occurrences of one sequence in another.

/// Returns the indexes at which `needle` occurs in `hay`, overlaps included, in linear time.
pub(crate) fn occurrences<T: PartialEq>(hay: &[T], needle: &[T]) -> Vec<usize> {
    let mut fallback = vec![0; needle.len()];
    let mut length = 0;
    for index in 1..needle.len() {
        while length > 0 && needle[index] != needle[length] {
            length = fallback[length - 1];
        }
        length += usize::from(needle[index] == needle[length]);
        fallback[index] = length;
    }
    let mut found = Vec::new();
    let mut length = 0;
    for (index, item) in hay.iter().enumerate() {
        while length > 0 && (length == needle.len() || *item != needle[length]) {
            length = fallback[length - 1];
        }
        length += usize::from(needle.get(length) == Some(item));
        if length == needle.len() {
            found.push(index + 1 - length);
        }
    }
    found
}
