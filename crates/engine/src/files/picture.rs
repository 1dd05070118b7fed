//! The `picture` operation: shows an image file; an SVG image is returned as text.

use super::read::{self, Content, Read};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::Files,
    operation::Operation,
    seen_content::SeenContent,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;

/// The `picture` operation, which shows an image file.
pub struct Picture;

/// A request to show an image file.
#[derive(Debug, Clone)]
pub struct Request {
    /// The path of the file, resolved inside a root.
    pub path: WorkspacePath,
    /// The path as the caller wrote it, for suggestions if nothing exists there.
    pub raw_path: String,
    /// The maximum size of the text of an SVG image, in bytes.
    pub max_bytes: usize,
}

/// The image, or the text of an SVG image.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output(read::Output);

impl Output {
    /// Returns the content as an output of `read`.
    #[must_use]
    pub fn read(&self) -> &read::Output {
        &self.0
    }
}

impl Operation for Picture {
    const NAME: &'static str = "picture";
    const ACCESS: &'static [Access] = Read::ACCESS;
    type Capability = Files;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.path)
    }

    async fn run(files: &Files, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (files, cx) = (files.clone(), cx.clone());
        blocking(move || {
            let Request { path, raw_path, max_bytes } = request;
            // A PDF is refused later in any case; one page is enough to recognize it.
            let request =
                read::Request { pages: Some("1".to_owned()), ..read::Request::of(path, raw_path, max_bytes) };
            let shown = read::read(&files, &request, &cx)?;
            is_picture(&shown).map(|()| Output(shown))
        })
        .await
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        Read::seen(&output.0)
    }
}

/// The words of the failure between the displayed path of a file that is not an image and the type of the file.
pub const NOT_AN_IMAGE: &str = " is not an image but ";

/// Refuses a file that is not an image; the failure states the type of the file.
fn is_picture(shown: &read::Output) -> Result<(), Failure> {
    let what = match &shown.content {
        Content::Image(_) => return Ok(()),
        Content::Text(_) if is_drawing(shown) => return Ok(()),
        Content::Text(_) => "text",
        Content::Pdf(_) => "a PDF",
        Content::Notebook(_) => "a notebook",
        Content::Office(_) => "a document or an archive",
    };
    let what = format!("{}{NOT_AN_IMAGE}{what}, {} bytes.", shown.path, shown.bytes);
    let known = "Images are PNG, JPEG, GIF, WebP and SVG files, whatever their names.";
    Err(Failure::new(Kind::WrongKind, what).hint(Hint::Advice(known.to_owned())))
}

/// Returns true if the outermost element of a text is `svg`.
fn is_drawing(shown: &read::Output) -> bool {
    let Some(text) = shown.text() else { return false };
    let lines: Vec<&str> = text.lines.iter().take(60).map(|line| line.text).collect();
    let begins = lines.join("\n");
    let mut rest = begins.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = match rest {
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<!") => ">",
            _ => break,
        };
        let Some((_, after)) = rest.split_once(end) else { return false };
        rest = after.trim_start();
    }
    let name = rest.strip_prefix("<svg").or_else(|| rest.strip_prefix("<svg:svg"));
    name.is_some_and(|after| after.starts_with([' ', '\t', '\n', '\r', '>', '/', ':']))
}
