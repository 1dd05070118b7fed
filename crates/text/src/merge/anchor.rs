//! Locations of the parts of a snippet (partial code) in a file, found by the lines that both have.

use std::ops::Range;

use super::edge::{self, PartEdge};
use super::line::{depth, has_word, is_blank, same};
use super::scope::{Scope, ScopeAnchors, Segment};
use super::{Line, LineReplacement, Refusal, RefusalReason, entry, loss, repeat, sequence};

/// Finds the location of every part of a snippet (the lines between two markers); the lines of the file
/// between the locations stay.
///
/// # Errors
///
/// If a part has no certain location, or would remove unmentioned lines (the error names the first); if a marker may
/// stand for new code; or if the snippet has only markers.
pub fn place(scope: &Scope<'_>, lines: &[Line]) -> Result<Vec<LineReplacement>, Refusal> {
    let segments = segments(lines);
    if segments.is_empty() && scope.ends == ScopeAnchors::Fixed {
        return Ok(Vec::new());
    }
    if segments.is_empty() {
        return Err(Refusal::of(lines, RefusalReason::Empty));
    }
    let to = sequence::align(scope, lines).map_err(|why| Refusal::of(lines, why))?;
    let places = places(scope, lines, &segments, &to)?;
    repeat::one_reading(scope, lines, &to, &places)?;
    let mut pieces = Vec::new();
    let mut new = vec![false; lines.len()];
    for (at, segment) in segments.iter().enumerate() {
        let found = &places[at];
        let before = at.checked_sub(1).map_or(0, |before| places[before].end)..found.start;
        let after = found.end..places.get(at + 1).map_or(scope.old.len(), |next| next.start);
        let (left, moved) = entry::settle(scope, segment, found, (before, after))?;
        for (line, new) in segment.lines.iter().zip(&mut new[segment.at..]) {
            *new = left.contains(line);
        }
        pieces.extend(moved);
        let next = places.get(at + 1).map(|next| found.end..next.start);
        if next.is_some_and(|gap| scope.old[gap].iter().all(|line| is_blank(line))) && !left.is_empty() {
            stands_for_lines(lines, segment, segments.get(at + 1), &to)?;
        }
        let inner = segment.after.filter(|marker| {
            let full = segment.lines.iter().filter(|line| !line.is_blank());
            full.map(|line| depth(&line.text)).min().is_some_and(|least| depth(&marker.text) > least)
        });
        let last = inner.is_some() && at + 1 == segments.len() && scope.ends == ScopeAnchors::Fixed;
        if last && scope.old[found.end..].iter().all(|line| is_blank(line)) {
            stands_for_lines(lines, segment, None, &to)?;
        }
        let left = Segment { lines: &left, ..*segment };
        let new = edge::spaced(scope.old, found, &left, lines);
        pieces.push(LineReplacement { old: found.start + scope.base..found.end + scope.base, new });
    }
    let fresh = |at: usize| new[at] && to[at].is_none();
    let place_of = |at: usize| {
        let part = segments.iter().rposition(|segment| segment.at <= at).unwrap_or_default();
        places[part].clone()
    };
    pieces.extend(repeat::moved(scope, lines, fresh, place_of, &places)?);
    pieces.sort_by_key(|piece| (piece.old.start, piece.old.end));
    Ok(pieces)
}

/// Refuses a marker that represents no lines of the file if a part next to it has lines that the file lacks, because
/// the marker may then stand for further new code, which the snippet does not show.
fn stands_for_lines(
    lines: &[Line],
    segment: &Segment<'_>,
    next: Option<&Segment<'_>>,
    to: &[Option<usize>],
) -> Result<(), Refusal> {
    let fresh = |segment: &&Segment<'_>| {
        let mut places = segment.at..segment.at + segment.lines.len();
        places.any(|at| to[at].is_none() && has_word(&lines[at].text))
    };
    match [Some(segment), next].into_iter().flatten().find(fresh) {
        Some(segment) => Err(Refusal::of(segment.lines, RefusalReason::Nothing)),
        None => Ok(()),
    }
}

/// Finds the lines of the file that each part of a snippet replaces.
fn places(
    scope: &Scope<'_>,
    lines: &[Line],
    segments: &[Segment<'_>],
    to: &[Option<usize>],
) -> Result<Vec<Range<usize>>, Refusal> {
    let said: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let mut places = Vec::with_capacity(segments.len());
    let mut from = 0;
    for segment in segments {
        let found = spot(scope, from, segment, to)?;
        loss::unmentioned(scope, lines, segment, to, &found)
            .map_err(|why| Refusal::of(segment.lines, why))?;
        let new: Vec<&str> = segment.lines.iter().map(|line| line.text.as_str()).collect();
        let old = &scope.old[found.clone()];
        let base = scope.base + found.start;
        loss::size(old, base, &new)
            .and_then(|()| match scope.ends {
                ScopeAnchors::Open => loss::named(old, base, &new, &said),
                ScopeAnchors::Fixed => Ok(()), // unchecked here: the caller compares syntax trees and checks names
            })
            .map_err(|why| Refusal::of(segment.lines, why))?;
        from = found.end;
        places.push(found);
    }
    Ok(places)
}

/// Splits a snippet at its markers into parts; parts with only blank lines are left out.
fn segments(lines: &[Line]) -> Vec<Segment<'_>> {
    let mut out = Vec::new();
    let mut before = None;
    let (mut rest, mut done) = (lines, 0);
    loop {
        let end = rest.iter().position(|line| line.marker.is_some());
        let part = &rest[..end.unwrap_or(rest.len())];
        let after = end.map(|end| &rest[end]);
        let first = part.iter().position(|line| !line.is_blank());
        let last = part.iter().rposition(|line| !line.is_blank());
        if let (Some(first), Some(last)) = (first, last) {
            out.push(Segment { lines: &part[first..=last], at: done + first, before, after });
        }
        let Some(end) = end else { return out };
        before = after;
        done += end + 1;
        rest = &rest[end + 1..];
    }
}

/// Finds the lines of the file that one part of a snippet replaces.
fn spot(
    scope: &Scope<'_>,
    from: usize,
    segment: &Segment<'_>,
    to: &[Option<usize>],
) -> Result<Range<usize>, Refusal> {
    let old = &scope.old[from..];
    let new: Vec<&str> = segment.lines.iter().map(|line| line.text.as_str()).collect();
    let refuse = |why| Refusal::of(segment.lines, why);
    let mut pins = pins(from, old, &new, segment, to);
    let fixed = scope.ends == ScopeAnchors::Fixed;
    if !fixed {
        brackets(scope.old, from, segment, &mut pins);
    }
    let (Some(&(first_old, first_new)), Some(&(last_old, last_new))) = (pins.first(), pins.last()) else {
        return unpinned(scope, from, segment, &new).map_err(refuse);
    };
    let above: Vec<&str> = old[..first_old].to_vec();
    let side = PartEdge {
        fixed: fixed && segment.before.is_none(),
        file_end: !fixed && segment.before.is_none() && from == 0,
    };
    let covered = edge::cover(&above, &new[..first_new], side, Some(old[first_old])).map_err(|back| {
        refuse(RefusalReason::Unbounded { line: scope.base + from + above.len() + 1 - back })
    })?;
    let start = from + first_old - covered;
    let mut below: Vec<&str> = old[last_old + 1..].to_vec();
    below.reverse();
    let mut tail: Vec<&str> = new[last_new + 1..].to_vec();
    tail.reverse();
    let side =
        PartEdge { fixed: fixed && segment.after.is_none(), file_end: !fixed && segment.after.is_none() };
    let unbounded =
        |ahead: usize| refuse(RefusalReason::Unbounded { line: scope.base + from + last_old + 1 + ahead });
    let covered = edge::cover(&below, &tail, side, None).map_err(unbounded)?;
    // If the marker after the part is less indented than the new lines, it is not clear whether their block
    // continues.
    let next = below.iter().rposition(|line| !is_blank(line));
    let ends =
        tail.last().is_some_and(|new| segment.after.map_or(0, |marker| depth(&marker.text)) < depth(new));
    if let Some(next) = next
        .filter(|next| ends && !fixed && covered == 0 && depth(below[*next]) >= depth(tail[tail.len() - 1]))
    {
        return Err(unbounded(below.len() - next));
    }
    Ok(start..from + last_old + 1 + covered)
}

/// Pairs the lines of a part with the equal lines of the file. If none of the equal lines contains a word, only the
/// first line of the part may be paired: the line after the block that the marker before the part continues.
fn pins(
    from: usize,
    old: &[&str],
    new: &[&str],
    segment: &Segment<'_>,
    to: &[Option<usize>],
) -> Vec<(usize, usize)> {
    let aligned = to[segment.at..segment.at + new.len()].iter().enumerate();
    let aligned = aligned.filter_map(|(at, old)| Some(((*old)?.checked_sub(from)?, at)));
    let mut pins: Vec<(usize, usize)> = aligned.filter(|(_, at)| !is_blank(new[*at])).collect();
    if !pins.iter().any(|(_, at)| has_word(new[*at])) {
        pins.clear();
    }
    // A marker that is deeper than the line after it replaces the rest of a block. The line after it is the
    // first line outside the block.
    let inside = segment.before.filter(|marker| depth(&marker.text) > depth(new[0]));
    if inside.is_some() && pins.first().is_none_or(|(_, first)| *first > 0) {
        let out = old.iter().position(|line| !is_blank(line) && depth(line) <= depth(new[0]));
        if let Some(out) = out.filter(|out| same(old[*out], new[0]))
            && pins.first().is_none_or(|(first, _)| out < *first)
        {
            pins.insert(0, (out, 0));
        }
    }
    pins
}

/// Pairs the brackets around the whole file, as in JSON, with the brackets around the snippet.
fn brackets(old: &[&str], from: usize, segment: &Segment<'_>, pins: &mut Vec<(usize, usize)>) {
    let first = old.iter().position(|line| !is_blank(line));
    let last = old.iter().rposition(|line| !is_blank(line));
    let (Some(first), Some(last)) = (first, last) else { return };
    let around = matches!((old[first].trim_end(), old[last].trim_end()), ("{", "}") | ("[", "]"));
    let end = segment.lines.len() - 1;
    let opens = from <= first && segment.before.is_none() && same(old[first], &segment.lines[0].text);
    if around && opens && pins.first().is_none_or(|pin| pin.0 > first - from && pin.1 > 0) {
        pins.insert(0, (first - from, 0));
    }
    let closes = segment.after.is_none() && same(old[last], &segment.lines[end].text);
    if around && closes && from <= last && pins.last().is_none_or(|pin| pin.0 < last - from && pin.1 < end) {
        pins.push((last - from, end));
    }
}

/// Refuses a part of several lines whose first line also occurs in the file outside the scope (the lines to
/// merge into), because the part may belong there.
fn not_outside(scope: &Scope<'_>, new: &[&str]) -> Result<(), RefusalReason> {
    let inside = scope.base..scope.base + scope.old.len();
    let words: Vec<&&str> = new.iter().filter(|line| has_word(line)).collect();
    let [first, _, ..] = words.as_slice() else { return Ok(()) };
    let mut outside = scope.file.iter().enumerate().filter(|(at, _)| !inside.contains(at));
    match outside.find(|(_, line)| same(line, first)) {
        Some((at, _)) => Err(RefusalReason::Twice { line: at + 1 }),
        None => Ok(()),
    }
}

/// Finds the location of a part none of whose lines has a certain location.
fn unpinned(
    scope: &Scope<'_>,
    from: usize,
    segment: &Segment<'_>,
    new: &[&str],
) -> Result<Range<usize>, RefusalReason> {
    let old = &scope.old[from..];
    let fixed = scope.ends == ScopeAnchors::Fixed;
    let line = |at: usize| scope.base + from + at + 1;
    if fixed && segment.before.is_some() {
        not_outside(scope, new)?;
    }
    match (fixed && segment.before.is_none(), fixed && segment.after.is_none()) {
        (true, true) => return Ok(from..scope.old.len()),
        (true, false) => {
            let mut below = old.to_vec();
            below.reverse();
            let mut tail = new.to_vec();
            tail.reverse();
            let side = PartEdge { fixed: false, file_end: false };
            let covered = edge::cover(&below, &tail, side, None)
                .map_err(|ahead| RefusalReason::Unbounded { line: line(ahead - 1) })?;
            return Ok(from..from + covered);
        }
        (false, true) => {
            let side = PartEdge { fixed: false, file_end: false };
            let covered = edge::cover(old, new, side, Some(""))
                .map_err(|back| RefusalReason::Unbounded { line: line(old.len() - back) })?;
            return Ok(scope.old.len() - covered..scope.old.len());
        }
        (false, false) => {}
    }
    let places: Vec<usize> = (0..old.len()).filter(|at| same(old[*at], new[0])).collect();
    let as_it_is = |place: &&usize| {
        old.get(**place..**place + new.len())
            .is_some_and(|lines| lines.iter().zip(new).all(|(a, b)| same(a, b)))
    };
    if let Some(place) = places.iter().find(as_it_is) {
        return Ok(from + place..from + place + new.len()); // the file has the part already, so nothing changes
    }
    let outer = |line: &&str| !is_blank(line) && depth(line) < depth(new[0]);
    let block = if from == 0 { old.len() } else { old.iter().position(outer).unwrap_or(old.len()) };
    if let Some(place) = edge::keyed_once(&old[..block], new) {
        return Ok(from + place..from + place + 1);
    }
    match (places.as_slice(), scope.old[..from].iter().position(|line| has_word(line) && same(line, new[0])))
    {
        ([], Some(before)) => Err(RefusalReason::Order { line: scope.base + before + 1 }),
        ([], None) => Err(RefusalReason::Absent),
        (places, _) => Err(RefusalReason::Ambiguous { lines: places.iter().map(|at| line(*at)).collect() }),
    }
}
