//! Reader for the outputs of a notebook cell's last run, as the notebook formats 3 and 4 store them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::{Map, Value};

use super::terminal::plain;
use super::{NotebookLimits, Output, joined};
use crate::image;

/// Media types of images, each with its key in notebook format 3.
const PICTURES: &[(&str, &str)] =
    &[("image/png", "png"), ("image/jpeg", "jpeg"), ("image/gif", "gif"), ("image/webp", "webp")];
/// Media types that are text, best first, each with its key in notebook format 3.
const TEXTS: &[(&str, &str)] = &[
    ("text/plain", "text"),
    ("text/markdown", "markdown"),
    ("text/latex", "latex"),
    ("application/json", "json"),
];

/// Reader for the outputs of all cells of a notebook; it counts the images, because their number is limited.
pub(super) struct Outputs<'l> {
    limits: &'l NotebookLimits,
    images: usize,
}

impl<'l> Outputs<'l> {
    pub(super) fn new(limits: &'l NotebookLimits) -> Self {
        Self { limits, images: 0 }
    }

    /// Reads one output and adds it to `shown`. An output with several media types may become several.
    pub(super) fn read(&mut self, output: &Value, shown: &mut Vec<Output>) {
        let Some(output) = output.as_object() else { return };
        match output.get("output_type").and_then(Value::as_str).unwrap_or_default() {
            "stream" => shown.push(self.text(&joined(output.get("text")))),
            "error" | "pyerr" => shown.push(self.error(output)),
            _ => self.bundle(output.get("data").and_then(Value::as_object).unwrap_or(output), shown),
        }
    }

    fn bundle(&mut self, data: &Map<String, Value>, shown: &mut Vec<Output>) {
        let find = |names: &(&str, &str)| data.get(names.0).or_else(|| data.get(names.1));
        let mut is_seen = false;
        for names in PICTURES {
            if let Some(picture) = find(names) {
                let picture = self.picture(names.0, &joined(Some(picture)));
                is_seen |= matches!(picture, Output::Image(_));
                shown.push(picture);
            }
        }
        // The text alternative of an image only names it, so it is left out.
        if is_seen {
            return;
        }
        if let Some(text) = TEXTS.iter().find_map(find) {
            shown.push(self.text(&worded(text)));
        } else if shown.is_empty() {
            let types: Vec<&str> = data.keys().map(String::as_str).filter(|key| key.contains('/')).collect();
            let types = if types.is_empty() { "unknown".to_owned() } else { types.join(", ") };
            shown.push(Output::NotShown { why: format!("output of type {types}") });
        }
    }

    fn picture(&mut self, mime: &str, encoded: &str) -> Output {
        if self.images == self.limits.max_images {
            return Output::NotShown {
                why: format!("{mime}: the limit on images per notebook ({}) is reached", self.images),
            };
        }
        let letters: String =
            encoded.chars().filter(|letter| !letter.is_whitespace() && *letter != '=').collect();
        let decoded = STANDARD_NO_PAD.decode(letters).map_err(|error| error.to_string());
        let picture = decoded
            .and_then(|bytes| image::show(&bytes, self.limits.image).map_err(|error| error.to_string()));
        match picture {
            Ok(picture) => {
                self.images += 1;
                Output::Image(picture)
            }
            Err(why) => Output::NotShown { why: format!("{mime}: {why}") },
        }
    }

    fn text(&self, text: &str) -> Output {
        let text = plain(text);
        let kept = text.floor_char_boundary(self.limits.max_output_bytes);
        Output::Text { text: text[..kept].to_owned(), left_out: text.len() - kept }
    }

    /// Reads an error. The end of a traceback is the most useful part, so a long traceback loses its beginning.
    fn error(&self, output: &Map<String, Value>) -> Output {
        let lines = output.get("traceback").and_then(Value::as_array).into_iter().flatten();
        let traceback = lines.filter_map(Value::as_str).collect::<Vec<_>>().join("\n");
        let traceback = plain(&traceback);
        let left_out =
            traceback.ceil_char_boundary(traceback.len().saturating_sub(self.limits.max_output_bytes));
        Output::Error {
            name: joined(output.get("ename")),
            value: plain(&joined(output.get("evalue"))).into_owned(),
            traceback: traceback[left_out..].to_owned(),
            left_out,
        }
    }
}

/// Returns a JSON string unchanged, a list of strings joined, and any other JSON value in JSON syntax.
fn worded(value: &Value) -> String {
    match value {
        Value::String(_) => joined(Some(value)),
        Value::Array(lines) if lines.iter().all(Value::is_string) => joined(Some(value)),
        other => other.to_string(),
    }
}
