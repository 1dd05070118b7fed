//! PDFs for the tests, written object by object.

/// Builder for a PDF file.
pub(crate) struct Paper {
    objects: Vec<(usize, Vec<u8>)>,
    shift: usize,
}

impl Paper {
    pub(crate) fn new() -> Self {
        Self { objects: Vec::new(), shift: 0 }
    }

    /// Creates a document with one page that draws `content`. Helvetica is `F1`; `fonts` and `resources` add
    /// others.
    pub(crate) fn page(content: &str, fonts: &str, resources: &str) -> Self {
        Self::new()
            .object(1, "<</Type/Catalog/Pages 2 0 R>>")
            .object(2, "<</Type/Pages/Kids[3 0 R]/Count 1>>")
            .object(
                3,
                &format!("<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R{fonts}>>{resources}>>>>"),
            )
            .stream(4, "", content.as_bytes())
            .object(5, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    }

    /// Creates a document of many pages, each with a line that contains its number.
    pub(crate) fn of_pages(count: usize) -> Self {
        let kids: String = (0..count).map(|page| format!("{} 0 R ", 10 + 2 * page)).collect();
        let mut paper = Self::new()
            .object(1, "<</Type/Catalog/Pages 2 0 R>>")
            .object(2, &format!("<</Type/Pages/Kids[{kids}]/Count {count}/Resources<</Font<</F1 5 0 R>>>>>>"))
            .object(5, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
        for page in 0..count {
            let content = format!("BT /F1 12 Tf 72 700 Td (This is page number {}) Tj ET", page + 1);
            let id = 10 + 2 * page;
            paper = paper.object(id, &format!("<</Type/Page/Parent 2 0 R/Contents {} 0 R>>", id + 1)).stream(
                id + 1,
                "",
                content.as_bytes(),
            );
        }
        paper
    }

    pub(crate) fn object(mut self, id: usize, body: &str) -> Self {
        self.objects.push((id, body.as_bytes().to_vec()));
        self
    }

    pub(crate) fn stream(mut self, id: usize, entries: &str, data: &[u8]) -> Self {
        let head = format!("<</Length {}{entries}>>\nstream\n", data.len());
        self.objects.push((id, [head.as_bytes(), data, b"\nendstream"].concat()));
        self
    }

    /// Shifts all positions in the cross-reference table, so that they are wrong.
    pub(crate) fn misplaced(mut self, shift: usize) -> Self {
        self.shift = shift;
        self
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        let mut out = b"%PDF-1.7\n".to_vec();
        let size = self.objects.iter().map(|(id, _)| id + 1).max().unwrap_or(1);
        let mut places = vec![None; size];
        for (id, body) in &self.objects {
            places[*id] = Some(out.len() + self.shift);
            out.extend(format!("{id} 0 obj\n").bytes());
            out.extend(body);
            out.extend(b"\nendobj\n");
        }
        let table = out.len();
        out.extend(format!("xref\n0 {size}\n").bytes());
        for place in places {
            let row =
                place.map_or("0000000000 65535 f \n".to_owned(), |place| format!("{place:010} 00000 n \n"));
            out.extend(row.bytes());
        }
        out.extend(format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF\n").bytes());
        out
    }
}
