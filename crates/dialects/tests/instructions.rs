//! Instructions of any set of dialects fit within the limit of clients and mention each dialect.

use crate::common;

use common::World;
use toolpost_dialects::ALL;
use toolpost_runtime::Config;

#[test]
fn the_instructions_of_every_set_of_dialects_fit() {
    for set in 1..1_u32 << ALL.len() {
        let dialects = ALL.into_iter().enumerate().filter(|(at, _)| set & 1 << at != 0);
        let dialects: Vec<_> = dialects.map(|(_, dialect)| dialect).collect();
        let chosen = dialects.clone();
        let world = World::configured(dialects[0], |config| Config { dialects: chosen, ..config });
        let said = world.instructions();
        assert!(said.len() <= 2_048, "{} bytes: {said}", said.len());
        assert_eq!(said.lines().count(), dialects.len(), "{said}");
        for (line, dialect) in said.lines().zip(&dialects) {
            let first = dialect.instructions.split(". ").next().unwrap();
            assert!(line.starts_with(first), "{} lacks its beginning: {said}", dialect.name);
        }
    }
}
