use std::collections::HashMap;

pub struct Row;

impl Row {
    pub fn total(&self) -> u32 {
        1
    }
    pub fn is_new(&self) -> bool {
        true
    }
}

pub struct Name(Row);

impl Name {
    pub fn row(&self) -> u32 {
        self.0.total() //-> src/lib.rs:Row.total
    }
}

pub struct Sheet {
    rows: Vec<Row>,
    named: HashMap<String, Row>,
    pairs: Vec<(String, Row)>,
    last: Option<Row>,
}

impl Sheet {
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter() //-> external
    }

    pub fn split(&self) -> (Row, Name) {
        todo!() //-> external
    }

    pub fn sum(&self) {
        for row in &self.rows {
            row.total(); //-> src/lib.rs:Row.total
        }
        for row in self.rows.iter() { //-> external
            row.total(); //-> src/lib.rs:Row.total
        }
        for (number, row) in self.rows.iter().enumerate() { //-> external, external
            row.total(); //-> src/lib.rs:Row.total
        }
        for (name, row) in &self.named {
            row.total(); //-> src/lib.rs:Row.total
        }
        for (name, row) in &self.pairs {
            row.total(); //-> src/lib.rs:Row.total
        }
        for row in self.rows() { //-> src/lib.rs:Sheet.rows
            row.total(); //-> src/lib.rs:Row.total
        }
        let (row, name) = self.split(); //-> src/lib.rs:Sheet.split
        row.total(); //-> src/lib.rs:Row.total
        name.row(); //-> src/lib.rs:Name.row
        self.rows.iter().filter(|row| row.is_new()).map(|row| row.total()).sum::<u32>(); //-> external, external, src/lib.rs:Row.is_new, external, src/lib.rs:Row.total, external
        self.rows().filter(|row| row.is_new()).count(); //-> src/lib.rs:Sheet.rows, external, src/lib.rs:Row.is_new, external
        self.pairs.iter().map(|(_, row)| row.total()).max(); //-> external, external, src/lib.rs:Row.total, external
        if let Some(row) = &self.last {
            row.total(); //-> src/lib.rs:Row.total
        }
        let Some(row) = self.rows.first() else { return }; //-> external
        row.total(); //-> src/lib.rs:Row.total
        while let Some(row) = self.rows().next() { //-> src/lib.rs:Sheet.rows, external
            row.total(); //-> src/lib.rs:Row.total
        }
        match self.rows.last() { //-> external
            Some(row) => row.total(), //-> src/lib.rs:Row.total
            None => 0,
        };
    }
}
