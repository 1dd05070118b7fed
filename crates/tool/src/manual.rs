//! Documentation pages next to the code: the tool descriptions for the model, and the examples that run as
//! tests.

/// The section about one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manual<'a> {
    /// The tool's name, as in the heading.
    pub tool: &'a str,
    /// The first paragraph: the description that the model sees.
    pub description: String,
    /// The steps of the examples, in order.
    pub steps: Vec<Example<'a>>,
}

/// A step of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Example<'a> {
    /// Puts a file into the workspace (a block that opens with `file NAME`).
    File(&'a str, &'a str),
    /// Calls a tool (a block that opens with `call`): its name, then its arguments as JSON.
    Call(&'a str),
    /// The complete expected reply of the last call (`reply`).
    Reply(&'a str),
    /// The complete expected failure of the last call (`failure`).
    Failure(&'a str),
}

impl<'a> Manual<'a> {
    /// Parses the sections of a page: each second-level heading is a tool.
    #[must_use]
    pub fn of_page(page: &'a str) -> Vec<Self> {
        let mut sections = Vec::new();
        for section in page.split("\n## ").skip(1) {
            let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
            sections.push(Self { tool: heading.trim(), description: paragraph(body), steps: steps(body) });
        }
        sections
    }

    /// Finds the section about a tool in the pages.
    #[must_use]
    pub fn of_tool(pages: &[&'a str], tool: &str) -> Option<Self> {
        pages.iter().flat_map(|page| Self::of_page(page)).find(|manual| manual.tool == tool)
    }
}

fn paragraph(body: &str) -> String {
    let lines = body.lines().skip_while(|line| line.trim().is_empty());
    let lines: Vec<&str> = lines.take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
    lines.join(" ")
}

fn steps(body: &str) -> Vec<Example<'_>> {
    let mut steps = Vec::new();
    let mut rest = body;
    while let Some(start) = rest.find("\n```") {
        let block = &rest[start + 4..];
        let Some((info, block)) = block.split_once('\n') else { break };
        let Some(end) = block.find("\n```").or_else(|| block.starts_with("```").then_some(0)) else { break };
        let text = &block[..end];
        rest = &block[end..];
        rest = rest.get(4..).unwrap_or("");
        match info.split_once(' ').unwrap_or((info, "")) {
            ("file", name) => steps.push(Example::File(name.trim(), text)),
            ("call", _) => steps.push(Example::Call(text)),
            ("reply", _) => steps.push(Example::Reply(text)),
            ("failure", _) => steps.push(Example::Failure(text)),
            _ => {}
        }
    }
    steps
}
