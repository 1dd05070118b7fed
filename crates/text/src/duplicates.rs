//! Removal of duplicates from lists whose order has a meaning.

use std::{collections::HashSet, hash::Hash};

/// Removes the items that equal an earlier item. The others keep their order.
pub fn remove_duplicates<T: Clone + Eq + Hash>(items: &mut Vec<T>) {
    let mut seen = HashSet::new();
    items.retain(|item| seen.insert(item.clone()));
}

#[cfg(test)]
mod tests {
    use super::remove_duplicates;
    use toolpost_test_rows::each;

    #[test]
    fn the_first_of_equal_items_stays_in_its_position() {
        let rows = [("aba", "ab"), ("baab", "ba"), ("abc", "abc"), ("", "")];
        each(rows, |(items, wanted)| {
            let mut items: Vec<char> = items.chars().collect();
            remove_duplicates(&mut items);
            assert_eq!(items.into_iter().collect::<String>(), wanted);
        });
    }
}
