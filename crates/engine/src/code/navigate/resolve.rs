//! Answers navigation requests with a language server that is ready, or else with the syntax tree.

use super::question::{BY_TREE_ALONE, PLACES, Question};
use super::{Complete, Output, Place, Request, Want};
use super::{files, name, served, tree};
use crate::{call::CallCtx, code::Code, failure::Failure, workers::blocking};
use std::collections::HashSet;
use toolpost_text::counted::counted;

/// Answers a request.
pub(crate) async fn run(code: &Code, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
    let question = {
        let code = code.clone();
        blocking(move || question(&code, request)).await?
    };
    match served::ask(code, &question, cx).await {
        // A server that does not know the project finds the definition alone, so uses that the syntax trees
        // find in other files are added.
        Ok(output) if matches!(question.want, Want::References(_)) && output.complete == Complete::No => {
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
        Err(notes) => {
            cx.check()?;
            let (code, cx) = (code.clone(), cx.clone());
            let mut output = blocking(move || tree::answer(&code, &question, &cx)).await?;
            output.notes.splice(0..0, notes);
            Ok(output)
        }
    }
}

/// Adds the positions that only the syntax tree knows to those of a language server.
fn joined(mut served: Output, by_tree: Output) -> Output {
    let known: HashSet<(String, u32, u32)> =
        served.places.iter().map(|place| (place.path.clone(), place.line, place.column)).collect();
    let is_new = |place: &Place| !known.contains(&(place.path.clone(), place.line, place.column));
    let mut more: Vec<Place> = by_tree.places.into_iter().filter(is_new).collect();
    if more.is_empty() {
        return served;
    }
    served.notes.push(format!(
        "{} that the language server does not know, by the syntax tree: it compares names, and not what they mean.",
        counted(more.len() as u64, "further place")
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
    let name = request.want.spot().map(|spot| name::find(&request.path, &text, spot)).transpose()?;
    Ok(Question { path: request.path, want: request.want, text, name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::navigate::Source;

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
        }
    }

    type Lines = &'static [(&'static str, u32)];

    #[test]
    fn the_tree_adds_what_a_server_does_not_know() {
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
}
