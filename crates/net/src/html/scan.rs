//! HTML scanner in a single pass, without backtracking, which returns texts, and tags with their attributes.

use std::borrow::Cow;

/// A piece of an HTML text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HtmlToken<'h> {
    /// Raw text between tags, in which entities are not decoded.
    Text(&'h str),
    /// A start tag, with its attributes.
    Open(Tag<'h>),
    /// An end tag, by the name of its element.
    Close(Cow<'h, str>),
}

/// A start tag of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag<'h> {
    /// The name of the element, in lower case.
    pub(super) name: Cow<'h, str>,
    /// The attributes; entities in their values are not decoded.
    pub(super) attributes: Vec<(Cow<'h, str>, &'h str)>,
    /// The form of the tag: self-closing or not.
    pub(super) closed: TagForm,
}

/// The form of a start tag: self-closing or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagForm {
    /// A self-closing tag, such as `<a/>`.
    SelfClosing,
    /// A tag without a slash, such as `<a>`.
    Open,
}

impl<'h> Tag<'h> {
    /// Returns the value of an attribute, in which entities are not decoded.
    pub(super) fn attribute(&self, name: &str) -> Option<&'h str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

/// Maximum number of attributes of an element; further ones are ignored.
const ATTRIBUTES: usize = 64;
/// Elements whose content is raw text up to their end tag.
const RAW: &[&str] = &["script", "style", "xmp", "iframe", "noembed", "noframes", "textarea", "title"];

/// An iterator over the texts and tags of an HTML text.
pub(super) struct Scan<'h> {
    html: &'h str,
    at: usize,
    /// The raw-text element (such as `script`) whose content comes next, if any.
    raw: Option<Cow<'h, str>>,
}

impl<'h> Scan<'h> {
    pub(super) fn new(html: &'h str) -> Self {
        Self { html, at: 0, raw: None }
    }

    fn rest(&self) -> &'h str {
        &self.html[self.at..]
    }

    /// Moves the position past the next occurrence of `what`, or to the end.
    fn behind(&mut self, what: &str) {
        self.at = self.rest().find(what).map_or(self.html.len(), |found| self.at + found + what.len());
    }

    /// Reads the content of a raw-text element (such as `script`), up to its end tag.
    fn raw_text(&mut self, name: &str) -> &'h str {
        let rest = self.rest();
        let mut from = 0;
        while let Some(found) = rest[from..].find("</") {
            let after = &rest.as_bytes()[from + found + 2..];
            let is_name =
                after.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()));
            let ends = after.get(name.len()).is_none_or(|byte| b" \t\n\x0c\r/>".contains(byte));
            if is_name && ends {
                self.at += from + found;
                return &rest[..from + found];
            }
            from += found + 2;
        }
        self.at = self.html.len();
        rest
    }

    /// Reads the tag that begins with the `<` at the current position; `None` for comments, declarations, and invalid
    /// or unfinished tags.
    fn tag(&mut self) -> Option<HtmlToken<'h>> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        match bytes.get(1) {
            Some(b'!') if rest.starts_with("<!--") => {
                self.at += 4;
                if self.rest().starts_with('>') {
                    self.at += 1;
                } else {
                    self.behind("-->");
                }
                None
            }
            Some(b'!' | b'?') => {
                self.behind(">");
                None
            }
            Some(b'/') if bytes.get(2).is_some_and(u8::is_ascii_alphabetic) => {
                self.at += 2;
                let tag = self.words()?;
                Some(HtmlToken::Close(tag.name))
            }
            Some(b'/') => {
                self.behind(">");
                None
            }
            _ => {
                self.at += 1;
                let tag = self.words()?;
                self.raw = RAW.iter().any(|name| *name == tag.name).then(|| tag.name.clone());
                Some(HtmlToken::Open(tag))
            }
        }
    }

    /// Reads the name and attributes of a tag, up to the `>`; `None` for an unfinished tag.
    fn words(&mut self) -> Option<Tag<'h>> {
        let bytes = self.html.as_bytes();
        let name = self.word(|byte| b" \t\n\x0c\r/>".contains(&byte));
        let mut tag = Tag { name: lower(name), attributes: Vec::new(), closed: TagForm::Open };
        loop {
            self.skip(|byte| b" \t\n\x0c\r/".contains(&byte));
            match bytes.get(self.at)? {
                b'>' => {
                    if bytes[self.at - 1] == b'/' {
                        tag.closed = TagForm::SelfClosing;
                    }
                    self.at += 1;
                    return Some(tag);
                }
                b'=' => self.at += 1,
                _ => {}
            }
            let name = self.word(|byte| b" \t\n\x0c\r/>=".contains(&byte));
            let value = self.value();
            let is_new = |name: &str| tag.attributes.iter().all(|(known, _)| known != name);
            if !name.is_empty() && tag.attributes.len() < ATTRIBUTES {
                let name = lower(name);
                if is_new(&name) {
                    tag.attributes.push((name, value));
                }
            }
        }
    }

    /// Reads the value of an attribute, after its name.
    fn value(&mut self) -> &'h str {
        let before = self.at;
        self.skip(|byte| byte.is_ascii_whitespace());
        if self.html.as_bytes().get(self.at) != Some(&b'=') {
            self.at = before;
            return "";
        }
        self.at += 1;
        self.skip(|byte| byte.is_ascii_whitespace());
        let Some(quote @ (b'"' | b'\'')) = self.html.as_bytes().get(self.at).copied() else {
            return self.word(|byte| b" \t\n\x0c\r>".contains(&byte));
        };
        self.at += 1;
        let value = self.word(|byte| byte == quote);
        self.at = (self.at + 1).min(self.html.len());
        value
    }

    /// Reads up to the first byte for which `ends` returns true, or to the end.
    fn word(&mut self, ends: impl Fn(u8) -> bool) -> &'h str {
        let from = self.at;
        self.skip(|byte| !ends(byte));
        &self.html[from..self.at]
    }

    fn skip(&mut self, passes: impl Fn(u8) -> bool) {
        let bytes = &self.html.as_bytes()[self.at..];
        self.at += bytes.iter().position(|byte| !passes(*byte)).unwrap_or(bytes.len());
    }
}

impl<'h> Iterator for Scan<'h> {
    type Item = HtmlToken<'h>;

    fn next(&mut self) -> Option<HtmlToken<'h>> {
        if let Some(name) = self.raw.take() {
            let text = self.raw_text(&name);
            if !text.is_empty() {
                return Some(HtmlToken::Text(text));
            }
        }
        while self.at < self.html.len() {
            let bytes = self.html.as_bytes();
            let begins = |at: usize| {
                bytes[at] == b'<'
                    && bytes
                        .get(at + 1)
                        .is_some_and(|next| next.is_ascii_alphabetic() || b"!/?".contains(next))
            };
            if begins(self.at) {
                if let Some(piece) = self.tag() {
                    return Some(piece);
                }
                continue;
            }
            let from = self.at;
            self.at += 1;
            while self.at < bytes.len() && !begins(self.at) {
                self.at += 1;
            }
            return Some(HtmlToken::Text(&self.html[from..self.at]));
        }
        None
    }
}

fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    /// Scans an HTML text and formats its pieces for tests: texts in quotes, tags with their attributes.
    fn shown(html: &str) -> String {
        let words = Scan::new(html).map(|piece| match piece {
            HtmlToken::Text(text) => format!("{text:?}"),
            HtmlToken::Close(name) => format!("</{name}>"),
            HtmlToken::Open(tag) => {
                let attributes: String =
                    tag.attributes.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                let end = if tag.closed == TagForm::SelfClosing { "/" } else { "" };
                format!("<{}{attributes}{end}>", tag.name)
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn html_is_scanned_into_tags_and_texts() {
        let rows = [
            ("a<b>c</b>", r#""a" <b> "c" </b>"#),
            ("<A HREF='x>y' b=c d e = \"f\" />", "<a href=x>y b=c d= e=f/>"),
            ("<a b=1 b=2>", "<a b=1>"),
            ("a < b << <3 <", r#""a < b << <3 <""#),
            ("a<!-- <b> -->c<!doctype html><?x y?>d</ e>f", r#""a" "c" "d" "f""#),
            ("<!-->a<!-- b", r#""a""#),
            (
                "<script>if (a</b>c) '</scripts>'</SCRIPT >d",
                r#"<script> "if (a</b>c) '</scripts>'" </script> "d""#,
            ),
            ("<style>a", r#"<style> "a""#),
            ("<title></title>a", r#"<title> </title> "a""#),
            ("a<b c='d", r#""a""#),
            ("<é>", r#""<é>""#),
            ("<a é=ü>ö</a>", r#"<a é=ü> "ö" </a>"#),
            ("<a =b =>c", r#"<a b=> "c""#),
            ("", ""),
        ];
        each(rows, |(html, wanted)| {
            assert_eq!(shown(html), wanted, "{html}");
        });
    }
}
