//! The places of a snippet's parts, found by the lines that it shares with the text.

use std::ops::Range;

use super::edge::{self, Side};
use super::line::{depth, has_word, is_blank, same};
use super::scope::{Ends, Scope, Segment};
use super::{Line, Piece, Refusal, Why, entry, loss, repeat, sequence};

/// Finds the place of every part of a snippet; the lines between the places stay.
///
/// # Errors
///
/// With the first part that has no certain place, or would remove lines that the snippet does not mention.
pub fn place(scope: &Scope<'_>, lines: &[Line]) -> Result<Vec<Piece>, Refusal> {
    let segments = segments(lines);
    if segments.is_empty() && scope.ends == Ends::Fixed {
        return Ok(Vec::new());
    }
    if segments.is_empty() {
        return Err(Refusal::of(lines, Why::Empty));
    }
    let to = sequence::align(scope, lines).map_err(|why| Refusal::of(lines, why))?;
    let places = places(scope, lines, &segments, &to)?;
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
        let left = Segment { lines: &left, ..*segment };
        let new = edge::spaced(scope.old, found, &left, lines);
        pieces.push(Piece { old: found.start + scope.base..found.end + scope.base, new });
    }
    let fresh = |at: usize| new[at] && to[at].is_none();
    pieces.extend(repeat::moved(scope, lines, fresh, &places)?);
    pieces.sort_by_key(|piece| (piece.old.start, piece.old.end));
    Ok(pieces)
}

/// Finds the lines whose place each part of a snippet takes.
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
                Ends::Open => loss::named(old, base, &new, &said),
                Ends::Fixed => Ok(()), // names are judged by the tree
            })
            .map_err(|why| Refusal::of(segment.lines, why))?;
        from = found.end;
        places.push(found);
    }
    Ok(places)
}

/// Splits a snippet at its markers; parts with nothing on their lines are left out.
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

/// Finds the lines whose place a part takes.
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
    let fixed = scope.ends == Ends::Fixed;
    if !fixed {
        brackets(scope.old, from, segment, &mut pins);
    }
    let (Some(&(first_old, first_new)), Some(&(last_old, last_new))) = (pins.first(), pins.last()) else {
        return unpinned(scope, from, segment, &new).map_err(refuse);
    };
    let above: Vec<&str> = old[..first_old].to_vec();
    let side = Side {
        fixed: fixed && segment.before.is_none(),
        file_end: !fixed && segment.before.is_none() && from == 0,
    };
    let covered = edge::cover(&above, &new[..first_new], side, Some(old[first_old]))
        .map_err(|back| refuse(Why::Unbounded { line: scope.base + from + above.len() + 1 - back }))?;
    let start = from + first_old - covered;
    let mut below: Vec<&str> = old[last_old + 1..].to_vec();
    below.reverse();
    let mut tail: Vec<&str> = new[last_new + 1..].to_vec();
    tail.reverse();
    let side = Side { fixed: fixed && segment.after.is_none(), file_end: !fixed && segment.after.is_none() };
    let covered = edge::cover(&below, &tail, side, None)
        .map_err(|ahead| refuse(Why::Unbounded { line: scope.base + from + last_old + 1 + ahead }))?;
    Ok(start..from + last_old + 1 + covered)
}

/// Pairs lines of a part with the lines of the text that they are; none if no line with a word is among them.
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
    // A marker deeper than the line after it replaces the rest of a block: that line is the first one outside it.
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

/// Pairs the brackets around a whole file with those of a snippet, as in JSON.
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

/// Places a part without a certain line.
fn unpinned(
    scope: &Scope<'_>,
    from: usize,
    segment: &Segment<'_>,
    new: &[&str],
) -> Result<Range<usize>, Why> {
    let old = &scope.old[from..];
    let fixed = scope.ends == Ends::Fixed;
    let line = |at: usize| scope.base + from + at + 1;
    match (fixed && segment.before.is_none(), fixed && segment.after.is_none()) {
        (true, true) => return Ok(from..scope.old.len()),
        (true, false) => {
            let mut below = old.to_vec();
            below.reverse();
            let mut tail = new.to_vec();
            tail.reverse();
            let side = Side { fixed: false, file_end: false };
            let covered = edge::cover(&below, &tail, side, None)
                .map_err(|ahead| Why::Unbounded { line: line(ahead - 1) })?;
            return Ok(from..from + covered);
        }
        (false, true) => {
            let side = Side { fixed: false, file_end: false };
            let covered = edge::cover(old, new, side, Some(""))
                .map_err(|back| Why::Unbounded { line: line(old.len() - back) })?;
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
        return Ok(from + place..from + place + new.len()); // wherever it stands, nothing changes
    }
    if let Some(place) = edge::keyed_once(old, new) {
        return Ok(from + place..from + place + 1);
    }
    match (places.as_slice(), scope.old[..from].iter().position(|line| has_word(line) && same(line, new[0])))
    {
        ([], Some(before)) => Err(Why::Order { line: scope.base + before + 1 }),
        ([], None) => Err(Why::Absent),
        (places, _) => Err(Why::Ambiguous { lines: places.iter().map(|at| line(*at)).collect() }),
    }
}
