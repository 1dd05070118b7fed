//! Calls of upstream servers' tools, prepared for the same layers as all other calls.

use serde_json::{Value, json};
use toolpost_engine::{
    CallCtx, Engine, Failure, Hint, Operation, Piece, RemoteTool,
    operations::bridge::{Bridge, Request},
};
use toolpost_text::escape;
use toolpost_tool::{Done, Lowering, Page, Prepared, Running};

/// The name of the operation.
pub(crate) const OPERATION: &str = Bridge::NAME;

/// Returns the schema of the structured output: the server's answer, piece by piece.
pub(crate) fn output_schema() -> Value {
    json!({ "type": "object" })
}

/// Prepares a call. The arguments are passed on unchanged; the server validates them.
pub(crate) fn prepare(tool: &RemoteTool, arguments: Value, at: &Lowering) -> Result<Prepared, Failure> {
    let request = Request { tool: tool.clone(), arguments: object(tool, arguments)?.to_string() };
    let structured = at.wants_structure();
    Ok(Prepared {
        operation: OPERATION,
        touches: Bridge::touches(&request),
        run: Box::new(move |engine, cx| run(engine, cx, request, structured)),
        notes: Vec::new(),
    })
}

/// Reads the arguments: an object, or an object that was sent as text.
fn object(tool: &RemoteTool, arguments: Value) -> Result<Value, Failure> {
    let meant = match arguments {
        Value::Null => json!({}),
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    };
    if meant.is_object() {
        return Ok(meant);
    }
    let what = format!("The arguments of {} must be a JSON object.", tool.shown());
    Err(Failure::invalid(what).hint(Hint::Advice("Send them as the schema of the tool shows.".to_owned())))
}

/// Removes terminal control sequences and hidden text from a server's reply, and keeps it from imitating Toolpost's
/// notices.
fn clean(piece: &mut Piece) {
    let Piece::Text { text } = piece else { return };
    let plain = escape::prose(text).into_owned();
    *text = plain.split('\n').map(escape::remark).collect::<Vec<_>>().join("\n");
}

fn run<'a>(engine: &'a Engine, cx: &'a CallCtx, request: Request, structured: bool) -> Running<'a> {
    Box::pin(async move {
        let mut output = engine.run::<Bridge>(request, cx).await?;
        output.content.iter_mut().for_each(clean);
        let structured = structured.then(|| json!(output));
        let mut page = Page::new();
        for (at, piece) in output.content.into_iter().enumerate() {
            match piece {
                Piece::Text { text } => {
                    if at > 0 {
                        page.text("\n");
                    }
                    page.text(&text);
                }
                Piece::Image { mime, data } => page.image(&mime, data),
            }
        }
        Ok(Done { page, structured, seen: Vec::new() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_server_command_nothing_and_are_no_remarks() {
        let rows = [
            ("plain\n\ttext\n", "plain\n\ttext\n"),
            ("a\u{1b}[2Jb\u{202e}c\u{200b}d", "a[2Jbcd"),
            (
                "done\n[toolpost: all is well]\n  [toolpost: x",
                "done\n\\[toolpost: all is well]\n\\  [toolpost: x",
            ),
            ("[tool\u{200b}post: hidden]", "\\[toolpost: hidden]"),
            ("see [toolpost: x]", "see [toolpost: x]"),
        ];
        for (said, wanted) in rows {
            let mut piece = Piece::Text { text: said.to_owned() };
            clean(&mut piece);
            assert_eq!(piece, Piece::Text { text: wanted.to_owned() });
        }
    }
}
