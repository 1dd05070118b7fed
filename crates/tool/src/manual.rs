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
        let manual = |(tool, body)| Self { tool, description: paragraph(body), steps: steps(body) };
        sections(page).map(manual).collect()
    }

    /// Finds the section about a tool in the pages.
    #[must_use]
    pub fn of_tool(pages: &[&'a str], tool: &'a str) -> Option<Self> {
        Self::section(pages, tool).map(|body| Self { tool, description: paragraph(body), steps: steps(body) })
    }

    /// Returns the description in the section about one tool, without parsing its examples.
    #[must_use]
    pub fn description(pages: &[&'a str], tool: &str) -> Option<String> {
        Self::section(pages, tool).map(paragraph)
    }

    /// Returns the text below the heading of a tool.
    fn section(pages: &[&'a str], tool: &str) -> Option<&'a str> {
        pages
            .iter()
            .flat_map(|page| sections(page))
            .find(|(heading, _)| *heading == tool)
            .map(|(_, body)| body)
    }
}

/// Splits a page at its second-level headings, into headings and the text below each. A heading may be in the first
/// line. Text before the first heading is left out.
fn sections(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let first = page.strip_prefix('\u{feff}').unwrap_or(page);
    let parts = first.split("\n## ").enumerate();
    let headed = parts.filter_map(|(at, part)| if at == 0 { part.strip_prefix("## ") } else { Some(part) });
    headed.map(|part| {
        let (heading, body) = part.split_once('\n').unwrap_or((part, ""));
        (heading.trim(), body)
    })
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

#[cfg(test)]
mod tests {
    use super::Manual;
    use toolpost_test_rows::each;

    #[test]
    fn every_heading_of_a_page_begins_a_section() {
        const TWO: &[(&str, &str)] = &[("a", "Does a."), ("b", "Does b.")];
        let rows: [(&str, &[(&str, &str)]); 7] = [
            ("## a\nDoes a.\n\n## b\nDoes b.\n", TWO),
            ("\n## a\n\nDoes a.\n\n## b\n\nDoes b.", TWO),
            ("# Tools\n\nText.\n\n## a\n\nDoes\na.\n\nMore.\n\n## b\nDoes b.\n", TWO),
            ("\u{feff}## a\r\n\r\nDoes a.\r\n\r\n## b\r\nDoes b.\r\n", TWO),
            ("## a", &[("a", "")]),
            ("### a\nDoes a.\n", &[]),
            ("", &[]),
        ];
        each(rows, |(page, wanted)| {
            let sections = Manual::of_page(page);
            let found: Vec<_> = sections.iter().map(|it| (it.tool, it.description.as_str())).collect();
            assert_eq!(found, wanted, "{page:?}");
            for (tool, description) in wanted {
                assert_eq!(Manual::description(&[page], tool).as_deref(), Some(*description), "{page:?}");
                let manual = Manual::of_tool(&[page], tool).unwrap();
                assert_eq!(manual.description, *description, "{page:?}");
            }
        });
    }
}
