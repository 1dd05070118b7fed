//! Dependency cycles: groups of modules that all use one another, directly or indirectly.

use std::collections::{BTreeMap, BTreeSet};

/// Finds the groups of two or more modules that depend on one another, the largest group first.
pub(super) fn rings(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for name in uses.keys() {
        reach(name, &mut seen, &mut order, &|name| {
            uses.get(name).into_iter().flatten().map(String::as_str).collect()
        });
    }
    let mut back: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, all) in uses {
        for to in all {
            back.entry(to).or_default().push(from);
        }
    }
    let mut seen = BTreeSet::new();
    let mut found: Vec<Vec<String>> = Vec::new();
    for name in order.iter().rev() {
        let mut group = Vec::new();
        reach(name, &mut seen, &mut group, &|name| back.get(name).cloned().unwrap_or_default());
        if group.len() > 1 {
            group.sort();
            found.push(group);
        }
    }
    found.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    found
}

/// Visits all nodes that are reachable from `from`, depth first; appends each one to `order`, after the nodes that are
/// reachable from it.
fn reach<'n>(
    from: &'n str,
    seen: &mut BTreeSet<String>,
    order: &mut Vec<String>,
    next: &dyn Fn(&str) -> Vec<&'n str>,
) {
    if !seen.insert(from.to_owned()) {
        return;
    }
    let mut way: Vec<(&str, Vec<&'n str>)> = vec![(from, next(from))];
    while let Some((here, open)) = way.last_mut() {
        let here = *here;
        match open.pop() {
            Some(name) if seen.insert(name.to_owned()) => way.push((name, next(name))),
            Some(_) => {}
            None => {
                order.push(here.to_owned());
                way.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::rings;
    use std::collections::{BTreeMap, BTreeSet};
    use toolpost_test_rows::each;

    #[test]
    fn mutually_dependent_modules_form_a_cycle() {
        let rows = [
            ("a>b b>c c>a d>a", "a b c"),
            ("a>b b>a c>d d>e e>c x>x", "c d e|a b"),
            ("a>b b>c", ""),
            ("", ""),
        ];
        each(rows, |(uses, wanted)| {
            let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (from, to) in uses.split_whitespace().filter_map(|edge| edge.split_once('>')) {
                all.entry(from.to_owned()).or_default().insert(to.to_owned());
            }
            let found: Vec<String> = rings(&all).iter().map(|ring| ring.join(" ")).collect();
            assert_eq!(found.join("|"), wanted, "{uses}");
        });
    }
}
