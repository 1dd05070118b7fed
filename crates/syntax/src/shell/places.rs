//! The directories in which the commands of a text may run.

use super::{Segment, segment::Role};

/// The most directories that are followed.
const MOST: usize = 16;

/// The directories in which the commands of a text may run, from where it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Places {
    /// One of these: empty for the start, else as the text names them.
    Known(Vec<String>),
    /// Anywhere.
    Unknown,
}

impl Default for Places {
    fn default() -> Self {
        Self::Known(vec![String::new()])
    }
}

/// Finds the directories. A change may not happen, or end with a subshell, so each command may run in all of them.
pub(super) fn of(segments: &[Segment]) -> Places {
    let mut places = vec![String::new()];
    if segments.iter().any(|segment| segment.role == Role::Function && segments.iter().any(moves)) {
        return Places::Unknown;
    }
    for segment in segments.iter().filter(|segment| moves(segment)) {
        let repeated = segment.via.iter().any(|via| via == super::read::LOOP || via == super::read::FUNCTION);
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

fn moves(segment: &Segment) -> bool {
    matches!(segment.program_name(), Some("cd" | "pushd" | "popd" | "chdir"))
}

fn joined(place: &str, target: &str) -> String {
    if target.starts_with('/') || place.is_empty() { target.to_owned() } else { format!("{place}/{target}") }
}
