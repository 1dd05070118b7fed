//! Answers navigation requests with a language server that is ready, or else with the syntax tree.

use super::question::{BY_TREE_ALONE, PLACES, Question};
use super::{Complete, NavigationQuery, Output, Place, Request};
use super::{files, name, served, tree};
use crate::{call::CallCtx, code::Code, failure::Failure, workers::blocking};
use std::collections::HashSet;
use toolpost_text::plural::counted;

/// Answers a navigation request. Fails if the file cannot be read, if the requested line has no name, if the call is
/// cancelled, or if neither a language server nor the syntax tree can answer.
pub(crate) async fn run(code: &Code, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
    let question = {
        let code = code.clone();
        blocking(move || question(&code, request)).await?
    };
    match served::ask(code, &question, cx).await {
        // A server that has not read the project may find only the definition, so uses from the syntax
        // trees are added.
        Ok(output)
            if matches!(question.query, NavigationQuery::References(_))
                && output.complete == Complete::No =>
        {
            cx.check()?;
            let (code, cx) = (code.clone(), cx.clone());
            let by_tree = blocking(move || tree::answer(&code, &question, &cx)).await;
            match by_tree {
                Ok(by_tree) => Ok(joined(output, by_tree)),
                // The server's partial answer is better than none.
                Err(_) => Ok(output),
            }
        }
        Ok(output) => Ok(output),
        Err(unserved) => {
            cx.check()?;
            let (code, cx) = (code.clone(), cx.clone());
            let mut output = blocking(move || tree::answer(&code, &question, &cx)).await?;
            output.notes.splice(0..0, unserved.notes);
            output.session_notes = unserved.session_notes;
            Ok(output)
        }
    }
}

/// Adds to a language server's answer the locations that only the syntax trees found.
fn joined(mut served: Output, by_tree: Output) -> Output {
    let known: HashSet<(String, u32, u32)> =
        served.places.iter().map(|place| (place.path.clone(), place.line, place.column)).collect();
    let is_new = |place: &Place| !known.contains(&(place.path.clone(), place.line, place.column));
    let mut more: Vec<Place> = by_tree.places.into_iter().filter(is_new).collect();
    // Locations that the import check has added to the server's answer are marked with `BY_TREE_ALONE`. They also
    // count as found only by the syntax tree.
    let is_marked = |place: &&Place| place.what.as_ref().is_some_and(|what| what.ends_with(BY_TREE_ALONE));
    let marked = served.places.iter().filter(is_marked).count() + more.len();
    if marked == 0 {
        return served;
    }
    served.notes.push(format!(
        "{} found only by the syntax tree, which compares names, not their meaning.",
        counted(marked as u64, "location")
    ));
    for place in &mut more {
        let role = place.what.take().map_or_else(String::new, |what| format!("{what}; "));
        place.what = Some(format!("{role}{BY_TREE_ALONE}"));
    }
    served.total += more.len() as u64;
    served.places.extend(more);
    served.places.sort();
    served.places.truncate(PLACES);
    served
}

fn question(code: &Code, request: Request) -> Result<Question, Failure> {
    let text = files::read(code, &request.path)?;
    let name = request.query.position().map(|spot| name::find(&request.path, &text, spot)).transpose()?;
    Ok(Question { path: request.path, query: request.query, text, name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::navigate::Source;
    use toolpost_test_rows::each;

    fn found(source: Source, places: &[(&str, u32)]) -> Output {
        let place = |(path, line): &(&str, u32)| Place {
            path: (*path).to_owned(),
            line: *line,
            column: 1,
            text: String::new(),
            what: None,
        };
        Output {
            source,
            complete: Complete::No,
            why: "there is no project file".to_owned(),
            asked: None,
            places: places.iter().map(place).collect(),
            total: places.len() as u64,
            withheld: 0,
            symbols: Vec::new(),
            text: None,
            notes: Vec::new(),
            session_notes: Vec::new(),
        }
    }

    type Lines = &'static [(&'static str, u32)];

    #[test]
    fn syntax_tree_results_complement_server_results() {
        let rows: [(Lines, Lines, usize); 3] = [
            (&[("b.ts", 1)], &[("a.ts", 2), ("b.ts", 1), ("b.ts", 9)], 1),
            (&[("a.ts", 2), ("b.ts", 1), ("b.ts", 9)], &[("a.ts", 2), ("b.ts", 1), ("b.ts", 9)], 0),
            (&[("b.ts", 1)], &[("b.ts", 1)], 0),
        ];
        for (served, all, notes) in rows {
            let output = joined(found(Source::Server("tsc".to_owned()), served), found(Source::Tree, all));
            let places: Vec<_> =
                output.places.iter().map(|place| (place.path.as_str(), place.line)).collect();
            assert_eq!((places.as_slice(), output.total), (all, all.len() as u64));
            assert_eq!(output.notes.len(), notes, "{:?}", output.notes);
        }
    }

    #[test]
    fn the_note_counts_all_locations_that_are_marked() {
        let rows: [(Lines, Lines, Lines, usize); 4] = [
            (&[("a.ts", 1)], &[], &[("a.ts", 1)], 0),
            (&[("a.ts", 1)], &[], &[("a.ts", 1), ("b.ts", 2)], 1),
            (&[("a.ts", 1)], &[("c.ts", 3)], &[("a.ts", 1), ("b.ts", 2), ("c.ts", 3)], 2),
            (&[("a.ts", 1)], &[("c.ts", 3)], &[("a.ts", 1), ("c.ts", 3)], 1),
        ];
        each(rows, |(by_server, by_check, by_tree, wanted)| {
            let mut served = found(Source::Server("tsc".to_owned()), by_server);
            let mut checked = found(Source::Tree, by_check).places;
            checked.iter_mut().for_each(|place| place.what = Some(format!("import; {BY_TREE_ALONE}")));
            served.places.extend(checked);
            let output = joined(served, found(Source::Tree, by_tree));
            let marks = |place: &&Place| place.what.as_ref().is_some_and(|what| what.contains(BY_TREE_ALONE));
            assert_eq!(output.places.iter().filter(marks).count(), wanted);
            let note = output.notes.first().map_or("0 locations", String::as_str);
            assert!(note.starts_with(&counted(wanted as u64, "location")), "{note}");
        });
    }
}
