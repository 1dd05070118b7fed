//! The possible working directories of the commands in a shell text.

use crate::segment::{FUNCTION, LOOP, Places, Role, Script, Segment};
use crate::{Effect, Word};

/// Maximum number of possible working directories; with more, the directory counts as unknown.
const MOST: usize = 16;

/// Finds the possible working directories. A `cd` may fail, or apply only to a subshell, so each command may
/// run in any of them.
pub(crate) fn of(segments: &[Segment]) -> Places {
    let mut places = vec![String::new()];
    if segments.iter().any(|segment| segment.role == Role::Function && segments.iter().any(moves)) {
        return Places::Unknown;
    }
    for segment in segments.iter().filter(|segment| moves(segment)) {
        let repeated = segment.via.iter().any(|via| via == LOOP || via == FUNCTION);
        let target = match segment.words.get(1..) {
            Some([target]) => target.known().filter(|target| !target.starts_with(['-', '~', '+'])),
            _ => None,
        };
        let (Some(target), false) = (target, repeated) else { return Places::Unknown };
        let further: Vec<String> = places.iter().map(|place| joined(place, target)).collect();
        places.extend(further);
        places.sort();
        places.dedup();
        if places.len() > MOST {
            return Places::Unknown;
        }
    }
    Places::Known(places)
}

/// Removes the start directory from the possible directories of a chain such as `cd a && make`: the commands
/// after `cd` run only if it succeeded.
///
/// Only the builtin `cd` changes the directory, so a program of that name with a path does not count. Neither
/// does `cd ""`, which succeeds and changes nothing.
pub(crate) fn leave_start(script: &mut Script) {
    let Some(first) = script.segments.first() else { return };
    let goes = first.words.get(1).and_then(Word::known).is_some_and(|target| !target.is_empty());
    let is_plain = first.program() == Some("cd")
        && goes
        && first.role == Role::Program
        && first.assignments.is_empty()
        && first.via.is_empty()
        && first.effects.iter().all(|effect| matches!(effect, Effect::Tests(_)));
    let is_only = script.segments.iter().filter(|segment| moves(segment)).count() == 1;
    if let (Places::Known(places), true) = (&mut script.places, is_plain && is_only) {
        places.retain(|place| !place.is_empty());
    }
}

fn moves(segment: &Segment) -> bool {
    matches!(segment.program_name(), Some("cd" | "pushd" | "popd" | "chdir"))
}

fn joined(place: &str, target: &str) -> String {
    if target.starts_with('/') || place.is_empty() { target.to_owned() } else { format!("{place}/{target}") }
}
