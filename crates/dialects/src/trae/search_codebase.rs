//! `search_codebase`: semantic search for blocks of code.

use crate::common::{block, walk_notes};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        glob::Complete,
        semantic::{Alike, Output, Request, Semantic, Truncation},
    },
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct SearchCodebase;

/// Maximum number of blocks in a reply, their tokens in total, and the bytes of each.
const MOST: (usize, u64, usize) = (12, 8_000, 4_000);

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Description of the code, with terms that may appear in it.
    #[schemars(extend("x-aliases" = ["question", "search_query", "pattern"], "examples" = ["where an expired session is renewed"]))]
    query: String,
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["target_directory", "directories", "search_directory", "path"], "examples" = [["src"]]))]
    target_directories: Option<Vec<String>>,
}

impl Tool for SearchCodebase {
    const NAME: &'static str = "search_codebase";
    type Op = Semantic;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let bases = match args.target_directories.as_deref() {
            None | Some([]) => vec![at.path_or_root(None)?],
            Some(said) => said.iter().map(|said| at.source(said)).collect::<Result<_, _>>()?,
        };
        Ok(Request {
            bases,
            query: args.query,
            limit: MOST.0,
            tokens: MOST.1,
            each: MOST.2,
            max_bytes: at.reply_bytes(),
        })
    }

    fn render(output: &Output, page: &mut Page) {
        if output.blocks.is_empty() {
            let files = counted(output.searched as u64, "file");
            page.line(&match output.walk.complete {
                Complete::Yes => format!("No code found in {files}"),
                Complete::NotReady | Complete::TimedOut | Complete::Cancelled => {
                    format!("Nothing found yet: searched only {files} so far, so there may be more")
                }
            });
        }
        for (at, found) in output.blocks.iter().enumerate() {
            if at > 0 {
                page.text("\n");
            }
            let block = &found.block;
            page.line(&format!("{} (score {:.2}: {})", block::place(block), block.score, why(found)));
            block::body(block, page);
        }
        notes(output, page);
    }
}

/// Formats why a block was found: its similarity to the query, and the words of the query in it.
fn why(found: &Alike) -> String {
    let meaning =
        found.likeness.map_or_else(|| "no embedding yet".to_owned(), |near| format!("similarity {near:.2}"));
    if found.words.is_empty() {
        meaning
    } else {
        format!("{meaning}, matching words {}", found.words.join(", "))
    }
}

/// Adds notes about the number of searched blocks, blocks without embeddings, and files that were not searched.
fn notes(output: &Output, page: &mut Page) {
    if !output.blocks.is_empty() {
        let (shown, all) = (output.blocks.len(), counted(output.compared as u64, "block"));
        let shown = if shown == output.compared { all } else { format!("the best {shown} of {all}") };
        page.note(format!(
            "{shown} in {}, ranked by {} and keywords",
            counted(output.searched as u64, "file"),
            output.model
        ));
    }
    if output.cut == Truncation::Room {
        page.note("the reply is full; pass narrower target_directories");
    }
    if output.unknown {
        page.note("the embedding model knows none of the query's words, so this was a keyword search only; ask in English");
    }
    if output.without > 0 {
        page.note(format!(
            "searched by keywords only, because they have no embeddings yet: {} of {}; make the same call again to continue",
            output.without,
            counted(output.searched as u64, "file")
        ));
    }
    walk_notes::notes(&output.walk, output.blocks.len() as u64, page);
    let advice = "pass narrower target_directories";
    walk_notes::incomplete(&output.walk, "not all files were searched", advice, page);
}
