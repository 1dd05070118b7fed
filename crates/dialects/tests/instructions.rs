//! The server instructions for any set of dialects fit within the limit of clients and mention each dialect.

use crate::common;

use common::World;
use toolpost_dialects::ALL;
use toolpost_runtime::Config;

#[test]
fn server_instructions_fit_for_every_dialect_combination() {
    for set in 1..1_u32 << ALL.len() {
        let dialects = ALL.into_iter().enumerate().filter(|(at, _)| set & 1 << at != 0);
        let dialects: Vec<_> = dialects.map(|(_, dialect)| dialect).collect();
        let chosen = dialects.clone();
        let world = World::configured(dialects[0], |config| Config { dialects: chosen, ..config });
        let text = world.instructions();
        assert!(text.len() <= 2_048, "{} bytes: {text}", text.len());
        assert_eq!(text.lines().count(), dialects.len(), "{text}");
        for (line, dialect) in text.lines().zip(&dialects) {
            let first = dialect.instructions.split(". ").next().unwrap();
            assert!(line.starts_with(first), "{} lacks its beginning: {text}", dialect.name);
        }
    }
}
