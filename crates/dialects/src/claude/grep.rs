//! `Grep`: lines that match a regular expression, in the files under a directory.

use crate::common::{integers::size, totals};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure, Hint,
    operations::grep::{self, Case, File, GrepRequest, Line, Mode, Numbers, Output, Request, Show, Span},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Grep;

/// Default number of lines or files in a reply.
const LIMIT: usize = 250;

/// Wording of the note at the end of a search reply.
const WORDING: totals::Wording =
    totals::Wording { entries: "entries", narrow: "path, glob or pattern", rest: "," };

#[derive(Deserialize, JsonSchema, Default, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum OutputMode {
    Content,
    #[default]
    FilesWithMatches,
    Count,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["query", "regex"], "examples" = ["fn \\w+_timeout"]))]
    pattern: String,
    /// File or directory. Default: the first root.
    #[schemars(extend("x-aliases" = ["directory", "file_path"], "examples" = ["src"]))]
    path: Option<String>,
    /// Such as "*.js" or "!*.min.js".
    #[schemars(extend("x-aliases" = ["include"], "examples" = ["*.rs"]))]
    glob: Option<String>,
    /// Lines (with -A, -B, -C, -n as in grep), file paths (default) or counts per file.
    output_mode: Option<OutputMode>,
    #[serde(rename = "-A")]
    #[schemars(extend("x-aliases" = ["after_context", "A"]), range(min = 0))]
    after: Option<f64>,
    #[serde(rename = "-B")]
    #[schemars(extend("x-aliases" = ["before_context", "B"]), range(min = 0))]
    before: Option<f64>,
    /// Overrides -A and -B.
    #[serde(rename = "-C")]
    #[schemars(extend("x-aliases" = ["context", "C"]), range(min = 0))]
    around: Option<f64>,
    /// Such as "rust" or "py".
    #[serde(rename = "type")]
    #[schemars(extend("x-aliases" = ["file_type"], "examples" = ["rust"]))]
    file_type: Option<String>,
    /// Let matches span lines, and `.` match line breaks.
    #[serde(default)]
    multiline: Option<bool>,
    /// Default: true.
    #[serde(rename = "-n")]
    #[schemars(extend("x-aliases" = ["line_numbers", "n"]))]
    numbers: Option<bool>,
    #[serde(rename = "-i")]
    #[schemars(extend("x-aliases" = ["case_insensitive", "ignore_case", "i"]))]
    insensitive: Option<bool>,
    #[serde(rename = "-o")]
    #[schemars(extend("x-aliases" = ["only_matching", "o"], "x-unlisted" = true))]
    only_matching: Option<bool>,
    /// Maximum lines or files. Default: 250. 0: all.
    #[schemars(extend("x-aliases" = ["limit", "max_results"]), range(min = 0))]
    head_limit: Option<u64>,
    #[schemars(range(min = 0))]
    offset: Option<u64>,
}

impl Tool for Grep {
    const NAME: &'static str = "Grep";
    type Op = grep::Grep;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let around = lines("-C", args.around)?;
        let base = at.source_or_root(args.path.as_deref())?;
        let search = GrepRequest {
            globs: args.glob.iter().flat_map(|globs| grep::globs(globs)).collect(),
            types: args.file_type.into_iter().filter(|name| !name.trim().is_empty()).collect(),
            case: if args.insensitive == Some(true) { Case::Insensitive } else { Case::Sensitive },
            before: around.or(lines("-B", args.before)?).unwrap_or(0),
            after: around.or(lines("-A", args.after)?).unwrap_or(0),
            span: if args.multiline == Some(true) { Span::Lines } else { Span::Line },
            show: if args.only_matching == Some(true) { Show::Matches } else { Show::Line },
            mode: match args.output_mode.unwrap_or_default() {
                OutputMode::Content => Mode::Content,
                OutputMode::FilesWithMatches => Mode::Files,
                OutputMode::Count => Mode::Count,
            },
            limit: Some(args.head_limit.map_or(LIMIT, size)).filter(|limit| *limit > 0),
            offset: args.offset.map_or(0, size),
            ..GrepRequest::of(base, args.pattern)
        };
        let numbers = if args.numbers == Some(false) { Numbers::Hidden } else { Numbers::Shown };
        Ok(Request { numbers, ..Request::of(search, at.reply_bytes()) })
    }

    fn render(output: &Output, page: &mut Page) {
        match output.mode {
            Mode::Content => content(output, page),
            Mode::Files => output.files.iter().for_each(|file| page.line(&file.path)),
            Mode::Count => output
                .files
                .iter()
                .for_each(|file| page.line(&format!("{}:{}", file.path, file.matching_lines))),
        }
        totals::end(output, page, &WORDING);
    }

    fn reword(failure: Failure) -> Failure {
        let one_line = failure.found.as_deref().is_some_and(|found| found.contains(grep::ONE_LINE));
        if !one_line {
            return failure;
        }
        failure.hint(Hint::Advice("Or set multiline to true, so that a match may span lines.".to_owned()))
    }
}

fn lines(name: &str, count: Option<f64>) -> Result<Option<usize>, Failure> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is whole and not negative; the cast saturates"
    )]
    match count {
        None => Ok(None),
        Some(count) if count >= 0.0 && count.fract() == 0.0 => Ok(Some(count as usize)),
        Some(count) => {
            Err(Failure::invalid(format!("{name} must be a whole number of lines, 0 or more; got {count}.")))
        }
    }
}

fn content(output: &Output, page: &mut Page) {
    let surrounded = output.files.iter().flat_map(|file| &file.lines).any(|line| !line.is_match);
    let mut body = String::new();
    for file in &output.files {
        for (number, line) in file.lines.iter().enumerate() {
            let apart = if number == 0 { !body.is_empty() } else { line.after_gap };
            if surrounded && apart {
                body.push_str("--\n");
            }
            shown(file, line, output.numbers, &mut body);
        }
    }
    page.take(body);
}

fn shown(file: &File, line: &Line, numbers: Numbers, body: &mut String) {
    let mark = if line.is_match { ':' } else { '-' };
    body.push_str(&file.path);
    body.push(mark);
    if numbers == Numbers::Shown {
        body.push_str(&line.number.to_string());
        body.push(mark);
    }
    body.push_str(&line.text);
    body.push('\n');
}
