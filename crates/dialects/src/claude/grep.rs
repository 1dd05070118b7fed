//! `Grep`: lines that match a regular expression, in the files under a directory.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        glob::{Complete, Prune, Rules},
        grep::{self, Case, File, Line, Matching, Mode, Multiline, Output, Request},
    },
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Grep;

/// How many lines or files one reply shows, if nothing else is asked.
const LIMIT: u64 = 250;

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
    /// Regular expression (Rust syntax, as ripgrep).
    #[schemars(extend("x-aliases" = ["query", "regex"], "examples" = ["fn \\w+_timeout"]))]
    pattern: String,
    /// File or directory to search in; the workspace's root if left out.
    #[schemars(extend("x-aliases" = ["directory", "file_path"], "examples" = ["src"]))]
    path: Option<String>,
    /// Only files whose name fits, such as "*.js" or "!*.min.js".
    #[schemars(extend("x-aliases" = ["include"], "examples" = ["*.rs"]))]
    glob: Option<String>,
    /// Matching lines, the paths of files (the default), or a count for each file.
    output_mode: Option<OutputMode>,
    /// Lines to show after each match, with output_mode "content".
    #[serde(rename = "-A")]
    #[schemars(extend("x-aliases" = ["after_context", "A"]), range(min = 0))]
    after: Option<f64>,
    /// Lines to show before each match, with output_mode "content".
    #[serde(rename = "-B")]
    #[schemars(extend("x-aliases" = ["before_context", "B"]), range(min = 0))]
    before: Option<f64>,
    /// Lines to show around each match, with output_mode "content".
    #[serde(rename = "-C")]
    #[schemars(extend("x-aliases" = ["context", "C"]), range(min = 0))]
    around: Option<f64>,
    /// Only files of this type, such as "rust" or "py".
    #[serde(rename = "type")]
    #[schemars(extend("x-aliases" = ["file_type"], "examples" = ["rust"]))]
    file_type: Option<String>,
    /// Let the pattern span lines, and `.` match line breaks.
    #[serde(default)]
    multiline: Option<bool>,
    #[serde(rename = "-n")]
    #[schemars(extend("x-aliases" = ["line_numbers", "n"], "x-unlisted" = true))]
    numbers: Option<bool>,
    #[serde(rename = "-i")]
    #[schemars(extend("x-aliases" = ["case_insensitive", "ignore_case", "i"], "x-unlisted" = true))]
    insensitive: Option<bool>,
    #[serde(rename = "-o")]
    #[schemars(extend("x-aliases" = ["only_matching", "o"], "x-unlisted" = true))]
    only_matching: Option<bool>,
    #[schemars(extend("x-aliases" = ["limit", "max_results"], "x-unlisted" = true), range(min = 0))]
    head_limit: Option<u64>,
    #[schemars(extend("x-unlisted" = true), range(min = 0))]
    offset: Option<u64>,
}

impl Tool for Grep {
    const NAME: &'static str = "Grep";
    type Op = grep::Grep;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let around = lines("-C", args.around)?;
        Ok(Request {
            base: at.path_or_root(args.path.as_deref())?,
            pattern: args.pattern,
            globs: args.glob.iter().flat_map(|globs| grep::globs(globs)).collect(),
            types: args.file_type.into_iter().filter(|name| !name.trim().is_empty()).collect(),
            case: if args.insensitive == Some(true) { Case::Insensitive } else { Case::Sensitive },
            before: lines("-B", args.before)?.or(around).unwrap_or(0),
            after: lines("-A", args.after)?.or(around).unwrap_or(0),
            multiline: if args.multiline == Some(true) { Multiline::Across } else { Multiline::Within },
            matching: if args.only_matching == Some(true) { Matching::MatchOnly } else { Matching::WholeLine },
            numbered: args.numbers != Some(false),
            mode: match args.output_mode.unwrap_or_default() {
                OutputMode::Content => Mode::Content,
                OutputMode::FilesWithMatches => Mode::Files,
                OutputMode::Count => Mode::Count,
            },
            limit: Some(args.head_limit.unwrap_or(LIMIT)).filter(|limit| *limit > 0),
            offset: args.offset.unwrap_or(0),
            rules: Rules::Git,
            prune: Prune::Nothing,
        })
    }

    fn render(output: &Output, page: &mut Page) {
        let shown = match output.mode {
            Mode::Content => content(output, page),
            Mode::Files => files(output, page),
            Mode::Count => counts(output, page),
        };
        window(output, shown, page);
        super::walked::notes(&output.walk, page);
        if output.walk.complete != Complete::Yes {
            page.note("timed_out: true; these are the matches found so far, not all of them; narrow path, glob or pattern");
        }
    }
}

fn lines(name: &str, count: Option<f64>) -> Result<Option<u64>, Failure> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is whole and not negative; the cast saturates")]
    match count {
        None => Ok(None),
        Some(count) if count >= 0.0 && count.fract() == 0.0 => Ok(Some(count as u64)),
        Some(count) => Err(Failure::invalid(format!("{name} must be a whole number of lines, 0 or more; got {count}."))),
    }
}

fn content(output: &Output, page: &mut Page) -> u64 {
    let mut body = String::new();
    let mut shown = 0;
    for file in &output.files {
        for line in &file.lines {
            shown += u64::from(line.is_match);
            body.push_str(&shown_line(file, line, output.numbered));
            body.push('\n');
        }
    }
    page.text(&body);
    shown
}

fn shown_line(file: &File, line: &Line, numbered: bool) -> String {
    if line.is_gap {
        return "--".to_owned();
    }
    let mark = if line.is_match { ':' } else { '-' };
    let number = if numbered { format!("{}{mark}", line.number) } else { String::new() };
    format!("{}{mark}{number}{}", file.path, line.text)
}

fn files(output: &Output, page: &mut Page) -> u64 {
    output.files.iter().for_each(|file| page.line(&file.path));
    output.files.len() as u64
}

fn counts(output: &Output, page: &mut Page) -> u64 {
    output.files.iter().for_each(|file| page.line(&format!("{}:{}", file.path, file.matches)));
    output.files.len() as u64
}

/// Says how much there is in all, and how to get the rest.
fn window(output: &Output, shown: u64, page: &mut Page) {
    if output.files_matched == 0 {
        page.line(&format!("No matches found in {} files", output.files_searched));
        return;
    }
    let total = if output.mode == Mode::Content { output.lines_matched } else { output.files_matched };
    let what = match output.mode {
        Mode::Content => format!("{} matching lines in {} files", output.lines_matched, output.files_matched),
        Mode::Files => format!("{} files match", output.files_matched),
        Mode::Count => format!("total {} in {} files", output.lines_matched, output.files_matched),
    };
    if shown == 0 {
        page.line(&format!("No entries at this offset: {what}"));
    } else if output.offset + shown < total {
        page.note(format!("{}-{} of {what}; continue with offset {}", output.offset + 1, output.offset + shown, output.offset + shown));
    } else {
        page.note(what);
    }
}
