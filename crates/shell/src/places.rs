//! Working directories of the commands of a text.

use crate::segment::{FUNCTION, LOOP, Places, Role, Script, Segment};

/// The most directories that are followed.
const MOST: usize = 16;

/// Finds the directories. A change may not happen, or end with a subshell, so each command may run in all of them.
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

/// Removes the start from the directories of a chain that begins with `cd`: the other commands run only after the change.
pub(crate) fn leave_start(script: &mut Script) {
    let Some(first) = script.segments.first() else { return };
    let is_plain = first.program_name() == Some("cd")
        && first.role == Role::Program
        && first.assignments.is_empty()
        && first.via.is_empty()
        && first.effects.is_empty();
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
