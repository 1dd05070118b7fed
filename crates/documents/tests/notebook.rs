//! Tests of reading notebooks, and of the errors for those that cannot be read.
#![cfg(test)]

use crate::pictures;
use toolpost_test_rows::each;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::ImageFormat;
use pictures::{encoded, plain};
use serde_json::{Value, json};
use toolpost_documents::image::{Format, ImageLimits, show};
use toolpost_documents::notebook::{Cell, CellKind, Notebook, NotebookError, NotebookLimits, Output, read};

fn text(text: &str) -> Output {
    Output::Text { text: text.to_owned(), left_out: 0 }
}

fn not_shown(why: &str) -> Output {
    Output::NotShown { why: why.to_owned() }
}

fn cell(id: &str, kind: CellKind, source: &str) -> Cell {
    Cell { id: id.to_owned(), kind, execution_count: None, source: source.to_owned(), outputs: Vec::new() }
}

fn check(notebook: &Value, language: Option<&str>, cells: Vec<Cell>) {
    let expected = Notebook { language: language.map(str::to_owned), cells };
    assert_eq!(read(notebook.to_string().as_bytes(), NotebookLimits::default()), Ok(expected));
}

/// Returns the outputs that are read from a notebook of format 4 with one cell.
fn outputs(outputs: &Value, limits: NotebookLimits) -> Vec<Output> {
    let cell = json!({"cell_type": "code", "source": "", "outputs": outputs});
    let notebook = json!({"nbformat": 4, "metadata": {}, "cells": [cell]});
    read(notebook.to_string().as_bytes(), limits).unwrap().cells.remove(0).outputs
}

#[test]
fn reads_format_4() {
    let notebook = json!({
        "nbformat": 4, "nbformat_minor": 5,
        "metadata": {"kernelspec": {"language": "old"}, "language_info": {"name": "python"}},
        "cells": [
            {"cell_type": "markdown", "id": "intro", "source": ["# Title\n", "words"]},
            {"cell_type": "code", "id": "a1", "execution_count": 7, "source": "1 + 1", "outputs": [
                {"output_type": "execute_result", "execution_count": 7, "data": {"text/plain": ["2"]}},
            ]},
            {"cell_type": "code", "execution_count": null, "source": [], "outputs": []},
            {"cell_type": "raw", "source": "as it is"},
        ],
    });
    let first = cell("intro", CellKind::Markdown, "# Title\nwords");
    let second =
        Cell { execution_count: Some(7), outputs: vec![text("2")], ..cell("a1", CellKind::Code, "1 + 1") };
    let third = cell("cell-2", CellKind::Code, "");
    check(&notebook, Some("python"), vec![first, second, third, cell("cell-3", CellKind::Raw, "as it is")]);
    check(&json!({"nbformat": 4, "cells": []}), None, vec![]);
}

#[test]
fn reads_format_3() {
    let notebook = json!({
        "nbformat": 3, "metadata": {"name": ""},
        "worksheets": [
            {"cells": [
                {"cell_type": "heading", "level": 2, "source": "Part"},
                {"cell_type": "code", "language": "python", "prompt_number": 3, "input": ["a\n", "b"], "outputs": [
                    {"output_type": "stream", "stream": "stdout", "text": ["x\n"]},
                    {"output_type": "pyout", "prompt_number": 3, "text": ["3"], "html": ["<b>3</b>"]},
                    {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": ["t"]},
                ]},
            ]},
            {"cells": [{"cell_type": "markdown", "source": "more"}]},
        ],
    });
    let raised =
        Output::Error { name: "E".to_owned(), value: "v".to_owned(), traceback: "t".to_owned(), left_out: 0 };
    let code = Cell {
        execution_count: Some(3),
        outputs: vec![text("x\n"), text("3"), raised],
        ..cell("cell-1", CellKind::Code, "a\nb")
    };
    let cells =
        vec![cell("cell-0", CellKind::Markdown, "## Part"), code, cell("cell-2", CellKind::Markdown, "more")];
    check(&notebook, Some("python"), cells);
}

#[test]
fn shows_each_kind_of_output() {
    let png = encoded(&plain(30, 20), ImageFormat::Png);
    let jpeg = encoded(&plain(30, 20), ImageFormat::Jpeg);
    let broken = STANDARD.encode(&jpeg[..jpeg.len() / 2]);
    let lines = STANDARD
        .encode(&png)
        .as_bytes()
        .chunks(76)
        .map(|line| format!("{}\n", line.escape_ascii()))
        .collect::<Vec<_>>();
    let picture = |bytes: &[u8]| Output::Image(show(bytes, ImageLimits::default()).unwrap());
    let why = format!(
        "image/jpeg: broken JPEG image ({} bytes): the data ends before the image is complete; restore or export the \
         file again",
        jpeg.len() / 2
    );
    let data = |data: Value| json!([{"output_type": "display_data", "data": data, "metadata": {}}]);
    let rows = [
        (json!([{"output_type": "stream", "name": "stderr", "text": "plain"}]), vec![text("plain")]),
        (
            json!([{"output_type": "stream", "text": ["\u{1b}[31mred\u{1b}[0m\n", "10%\r50%\r100%\r\n", "done\r"]}]),
            vec![text("red\n100%\ndone")],
        ),
        (
            json!([{"output_type": "stream", "text": "a\u{1b}]0;title\u{7}b\u{1b}]8;;x\u{1b}\\c\u{1b}(Bd\u{1b}"}]),
            vec![text("abcd")],
        ),
        (data(json!({"image/png": STANDARD.encode(&png), "text/plain": "<Figure>"})), vec![picture(&png)]),
        (data(json!({"image/png": lines})), vec![picture(&png)]),
        (data(json!({"image/jpeg": STANDARD.encode(&jpeg)})), vec![picture(&jpeg)]),
        (
            data(json!({"image/jpeg": broken, "text/plain": "<Figure>"})),
            vec![not_shown(&why), text("<Figure>")],
        ),
        (data(json!({"image/png": "%%%"})), vec![not_shown("image/png: Invalid symbol 37, offset 0.")]),
        (data(json!({"text/html": "<b>x</b>", "text/plain": "x"})), vec![text("x")]),
        (data(json!({"text/markdown": "*x*"})), vec![text("*x*")]),
        (
            data(json!({"text/html": "<b>x</b>", "image/svg+xml": "<svg/>"})),
            vec![not_shown("output of type text/html, image/svg+xml")],
        ),
        (data(json!({"application/json": {"a": [1, 2]}})), vec![text("{\"a\":[1,2]}")]),
        (
            json!([{"output_type": "pyout", "png": STANDARD.encode(&png), "text": "<Figure>"}]),
            vec![picture(&png)],
        ),
        (json!([{"output_type": "new"}, 7, null]), vec![not_shown("output of type unknown")]),
    ];
    each(rows, |(written, expected)| {
        assert_eq!(outputs(&written, NotebookLimits::default()), expected, "{written}");
    });
}

#[test]
fn cuts_long_outputs_and_omits_surplus_images() {
    let limits = NotebookLimits { max_output_bytes: 5, max_images: 1, ..NotebookLimits::default() };
    let png = STANDARD.encode(encoded(&plain(3, 2), ImageFormat::Png));
    let written = json!([
        {"output_type": "stream", "text": "12345"},
        {"output_type": "stream", "text": "1234é6"},
        {"output_type": "error", "ename": "E", "evalue": "\u{1b}[1mv", "traceback": ["first", "l\u{1b}[0mast"]},
        {"output_type": "display_data", "data": {"image/png": png}},
        {"output_type": "display_data", "data": {"image/png": png}},
    ]);
    let mut shown = outputs(&written, limits);
    assert!(matches!(&shown.remove(3), Output::Image(picture) if picture.format == Format::Png));
    let raised = Output::Error {
        name: "E".to_owned(),
        value: "v".to_owned(),
        traceback: "\nlast".to_owned(),
        left_out: 5,
    };
    let cut = Output::Text { text: "1234".to_owned(), left_out: 3 };
    let last = not_shown("image/png: the limit on images per notebook (1) is reached");
    assert_eq!(shown, [text("12345"), cut, raised, last]);
}

#[test]
fn reports_why_a_notebook_is_invalid() {
    let not = |why: &str| format!("the JSON is not a notebook: {why}");
    let deep = format!("{{\"nbformat\": 4, \"cells\": {}", "[".repeat(100_000));
    let repair = "read it as text to repair it";
    let rows = [
        (
            "",
            format!("the notebook is not valid JSON: EOF while parsing a value at line 1 column 0; {repair}"),
        ),
        (
            "{\n  \"cells\": [,]}",
            format!("the notebook is not valid JSON: expected value at line 2 column 13; {repair}"),
        ),
        (
            &deep,
            format!(
                "the notebook is not valid JSON: recursion limit exceeded at line 1 column 152; {repair}"
            ),
        ),
        ("[]", not("the top level is not an object")),
        ("{}", not("`nbformat` is missing or is not a whole number")),
        ("{\"nbformat\": \"4\"}", not("`nbformat` is missing or is not a whole number")),
        ("{\"nbformat\": 4}", not("`cells` is missing or is not a list")),
        ("{\"nbformat\": 3}", not("`worksheets` is missing or is not a list")),
        ("{\"nbformat\": 3, \"worksheets\": [1]}", not("a worksheet is not an object")),
        ("{\"nbformat\": 4, \"cells\": [{}]}", not("cell 0 is of the unknown type \"\"")),
        (
            "{\"nbformat\": 5}",
            "unknown notebook format 5: versions 3 and 4 are supported; read it as text".to_owned(),
        ),
    ];
    each(rows, |(written, expected)| {
        let message = read(written.as_bytes(), NotebookLimits::default())
            .map_err(|error: NotebookError| error.to_string());
        assert_eq!(message, Err(expected));
    });
    let marked = [&b"\xef\xbb\xbf"[..], br#"{"nbformat": 4, "cells": []}"#].concat();
    assert_eq!(read(&marked, NotebookLimits::default()), Ok(Notebook { language: None, cells: vec![] }));
    assert!(matches!(
        read(b"{\"a\": \"\xff\"}", NotebookLimits::default()),
        Err(NotebookError::Json { line: 1, .. })
    ));
}
