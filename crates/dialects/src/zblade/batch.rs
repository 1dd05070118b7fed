//! `batch`: several read-only calls in parallel.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{borrow::Cow, time::Duration};
use toolpost_engine::{
    CallOutcome, Failure,
    operations::batch::{
        self, BatchCall, BatchCallResult, BatchStopReason, OnFailure, Order, Output, Request,
    },
};
use toolpost_text::budget::fair;
use toolpost_text::cut;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Batch;

/// Maximum number of calls in a batch. With more, too little of each reply would fit.
const MOST: usize = 64;
/// Error for a call of a tool that is not read-only.
const REFUSED: &str = "tool is not allowed in batch (read-only allowlist enforced)";
/// Tools that a batch always refuses.
const NEVER: [&str; 2] = ["batch", "run_command"];
/// Bytes of a result without its text (`AROUND`), and of the reply without its results (`REST`).
const AROUND: usize = 224;
const REST: usize = 400;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(length(min = 1, max = 64), extend("examples" = [[{"tool": "read_file", "arguments": {"path": "src/main.rs"}}]]))]
    calls: Vec<Item>,
    #[serde(default = "eight")]
    #[schemars(extend("x-raise" = true), range(min = 1, max = 16))]
    max_parallel: usize,
    /// Start no call after a failure.
    fail_fast: Option<bool>,
    /// Results in call order.
    #[serde(default = "yes")]
    ordered: bool,
    /// Time limit for all calls.
    #[schemars(extend("examples" = [5000]))]
    cancel_after_ms: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    #[schemars(extend("x-aliases" = ["name", "tool_name"], "examples" = ["read_file"]))]
    tool: Option<String>,
    #[schemars(extend("x-aliases" = ["args", "params", "parameters", "input"], "examples" = [{"path": "src/main.rs"}]))]
    arguments: Option<Map<String, Value>>,
}

fn eight() -> usize {
    8
}

fn yes() -> bool {
    true
}

impl Tool for Batch {
    const NAME: &'static str = "batch";
    type Op = batch::Batch;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let count = args.calls.len();
        if count == 0 || count > MOST {
            return Err(Failure::invalid(format!("calls must have 1 to {MOST} entries; got {count}.")));
        }
        let calls = args.calls.into_iter().enumerate().map(|(index, item)| batch_call(index, item));
        let calls = calls.collect::<Result<Vec<_>, _>>()?;
        let around = REST + count * AROUND;
        Ok(Request {
            calls,
            max_parallel: args.max_parallel,
            on_failure: if args.fail_fast == Some(true) { OnFailure::Stop } else { OnFailure::GoOn },
            order: if args.ordered { Order::Asked } else { Order::Settled },
            time: args.cancel_after_ms.map(Duration::from_millis),
            reply_bytes: at.reply_bytes().saturating_sub(around),
            // JSON escapes make text longer; a quarter is reserved until the exact size is known.
            first_share: at.reply_bytes().saturating_sub(around) / 4 * 3,
            reply_size: written,
            is_cut,
        })
    }

    fn render(output: &Output, page: &mut Page) {
        let words = fit(&output.results, output.reply_bytes);
        let results: Vec<Value> =
            output.results.iter().zip(words).map(|(settled, words)| result(settled, &words)).collect();
        if output.results.iter().all(|settled| settled.ended != CallOutcome::Done) {
            page.error();
        }
        page.take(json!({ "results": results, "meta": meta(output) }).to_string());
        page.remarks_apart();
    }
}

fn batch_call(index: usize, item: Item) -> Result<BatchCall, Failure> {
    let tool = item.tool.filter(|tool| !tool.trim().is_empty()).ok_or_else(|| {
        let example = json!({ "tool": "read_file", "arguments": { "path": "src/main.rs" } });
        Failure::invalid(format!("calls[{index}] has no tool name; a call is, for example, {example}."))
    })?;
    Ok(BatchCall { tool, arguments: Value::Object(item.arguments.unwrap_or_default()).to_string() })
}

fn result(settled: &BatchCallResult, words: &str) -> Value {
    let BatchCallResult { index, tool, ended, elapsed_ms, .. } = settled;
    let never = NEVER.contains(&tool.as_str());
    let (key, words) = match ended {
        CallOutcome::Done => ("output", Cow::Borrowed(words)),
        CallOutcome::Refused => ("error", Cow::Owned(format!("{REFUSED}. {words}"))),
        CallOutcome::Failed if never => {
            ("error", Cow::Owned(format!("{REFUSED}. Make this call on its own.")))
        }
        CallOutcome::Failed | CallOutcome::GivenUp | CallOutcome::Skipped => ("error", Cow::Borrowed(words)),
    };
    let (ok, skipped) = (*ended == CallOutcome::Done, *ended == CallOutcome::Skipped);
    json!({ "index": index, "tool": tool, "ok": ok, key: words, "skipped": skipped, "elapsed_ms": elapsed_ms })
}

fn meta(output: &Output) -> Value {
    let count = |wanted: &[CallOutcome]| {
        output.results.iter().filter(|settled| wanted.contains(&settled.ended)).count()
    };
    json!({
        "total": output.results.len(),
        "succeeded": count(&[CallOutcome::Done]),
        "failed": count(&[CallOutcome::Failed, CallOutcome::Refused, CallOutcome::GivenUp]),
        "elapsed_ms": output.elapsed_ms,
        "cancelled": matches!(output.stopped, Some(BatchStopReason::Time | BatchStopReason::Caller)),
        "max_parallel": output.max_parallel,
        "fail_fast": output.on_failure == OnFailure::Stop,
        "ordered": output.order == Order::Asked,
        "metrics": {
            "skipped": count(&[CallOutcome::Skipped]),
            "given_up": count(&[CallOutcome::GivenUp]),
        },
    })
}

/// Returns the text of each result; the longest are cut so that all fit into `room` bytes as JSON.
fn fit(results: &[BatchCallResult], room: usize) -> Vec<Cow<'_, str>> {
    let sizes: Vec<usize> = results.iter().map(|settled| written(&settled.words)).collect();
    let most = fair(sizes.clone(), room);
    let fitted = results.iter().zip(sizes).map(|(settled, size)| {
        let words = settled.words.as_str();
        if size <= most { Cow::Borrowed(words) } else { Cow::Owned(shortened(words, most)) }
    });
    fitted.collect()
}

/// Cuts a text to `most` bytes as JSON, not counting the notice.
fn shortened(words: &str, most: usize) -> String {
    let mut bytes = most.min(words.len());
    loop {
        let limit = cut::Limit { bytes, lines: usize::MAX };
        let Some(kept) = cut::ends(words, limit) else { return words.to_owned() };
        if bytes == 0 || written(kept.head) + written(kept.tail) <= most {
            return kept.to_string();
        }
        bytes = bytes / 8 * 7;
    }
}

/// Checks whether a reply may be truncated. Other notes also begin with `NOTICE`, so true can be a false
/// alarm.
fn is_cut(words: &str) -> bool {
    [cut::NOTICE, cut::TRUNCATED, "\"truncated\":true"].iter().any(|mark| words.contains(mark))
}

/// Returns the length of a text as JSON, in bytes.
fn written(words: &str) -> usize {
    Value::from(words).to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    fn settled(words: &str) -> BatchCallResult {
        BatchCallResult {
            index: 0,
            tool: "t".to_owned(),
            ended: CallOutcome::Done,
            words: words.to_owned(),
            elapsed_ms: 0,
        }
    }

    #[test]
    fn batch_outputs_that_fit_stay_whole_and_the_longest_are_cut() {
        let (quotes, lines) = ("\"".repeat(100), "line\n".repeat(100));
        let notice = "[toolpost: left out lines 1-1 of 1, 79 of 100 bytes]";
        let cut_quotes = format!("{}\n{notice}\n{}", &quotes[..11], &quotes[..10]);
        let cut_lines = format!(
            "{}[toolpost: left out lines 4-98 of 100, 475 of 500 bytes]\n{}",
            &lines[..15],
            &lines[..10]
        );
        let nothing = "[toolpost: left out lines 1-1 of 1, 5 of 5 bytes]";
        let rows = [
            (["short", "words"], 20, ["short", "words"]),
            (["short", &quotes], 60, ["short", &cut_quotes]),
            ([&lines, "short"], 49, [&cut_lines, "short"]),
            (["short", "words"], 0, [nothing, nothing]),
        ];
        each(rows, |(words, room, wanted)| {
            let results: Vec<BatchCallResult> = words.iter().map(|words| settled(words)).collect();
            assert_eq!(fit(&results, room), wanted, "{room}");
        });
    }
}
