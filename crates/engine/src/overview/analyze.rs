//! `analyze`: the structure of a project and the dependencies between its modules.

pub(crate) mod cycles;
pub(crate) mod depth;
pub(crate) mod mapping;
pub(crate) mod structure;

pub use crate::{
    agents::guide::Dropped,
    code::symbol_index::Searched,
    search::investigate::{Finding, Output as Answer},
};
pub use depth::Depth;

use crate::{
    access::{Access, Touch},
    agents::guide::Guidance,
    call::CallCtx,
    failure::Failure,
    operation::Operation,
    overview::Overview,
    search::investigate::{
        limits::Limits,
        report,
        rounds::{self, Question},
    },
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;

/// Analyzes a project.
pub struct Analyze;

/// A request for the analysis of a directory.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory.
    pub base: WorkspacePath,
    /// The depth of the analysis.
    pub depth: Depth,
    /// An additional question, in natural language.
    pub question: Option<String>,
}

/// The structure of a project.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The directory.
    pub path: String,
    /// The number of files.
    pub files: usize,
    /// The number of lines of the files in known languages.
    pub lines: u64,
    /// The languages, most lines first.
    pub languages: Vec<Language>,
    /// The entry points of programs.
    pub entries: Vec<Entry>,
    /// The number of further entry points.
    pub more_entries: usize,
    /// The other roots of the workspace, if one whole root was analyzed and they were not.
    pub other_roots: Vec<String>,
    /// The modules, by name.
    pub modules: Vec<Module>,
    /// Dependency cycles: groups of modules that all use one another.
    pub rings: Vec<Vec<String>>,
    /// The files with the most users.
    pub hotspots: Vec<Hotspot>,
    /// The symbols that other modules use.
    pub public: Vec<Public>,
    /// The files that tests cover.
    pub tests: TestMap,
    /// The extent of the index that was searched for links.
    pub searched: Searched,
    /// The search results for the question.
    pub answer: Option<Answer>,
    /// The answer of a model to the question, if a model is configured.
    pub mapped: Option<Mapped>,
}

/// The answer of a model that was queried about the code chunk by chunk.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Mapped {
    /// The answer, from all claims together; it refers to them as C1, C2, ….
    pub summary: Option<String>,
    /// The reason why there is no summary although there are claims.
    pub unsummed: Option<String>,
    /// The claims from the chunks; the cited text of each was found in the files.
    pub claims: Vec<Finding>,
    /// The number of claims that were dropped because they cite nothing or because a citation does not hold.
    pub dropped: usize,
    /// The first of the dropped claims.
    pub dropped_claims: Vec<Dropped>,
    /// The number of chunks that were sent to the model.
    pub chunks: usize,
    /// The chunks without an answer, each with the reason.
    pub failed: Vec<String>,
    /// The number of blocks in the chunks.
    pub blocks: usize,
    /// The number of blocks with terms of the question that were left out.
    pub left_out: usize,
    /// The reason why the model was not queried.
    pub not_asked: Option<String>,
}

/// The name of this agent in rules.
const NAME: &str = "analyst";

/// A language.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Language {
    /// Its name.
    pub name: String,
    /// The number of files.
    pub files: usize,
    /// The number of lines.
    pub lines: u64,
}

/// The entry point of a program.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// The file.
    pub path: String,
    /// The line.
    pub line: u64,
    /// The text of the line.
    pub what: String,
}

/// A directory with code, as a module of the project.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Module {
    /// Its path, relative to the analyzed directory.
    pub name: String,
    /// The number of code files.
    pub files: usize,
    /// The number of lines.
    pub lines: u64,
    /// The modules that it uses.
    pub uses: Vec<String>,
    /// The modules that use it.
    pub used_by: Vec<String>,
}

/// A file that others use.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hotspot {
    /// The file.
    pub path: String,
    /// The number of files that use it.
    pub used_by: usize,
    /// The number of places that use it.
    pub places: usize,
    /// Its number of lines.
    pub lines: u64,
}

/// A symbol that other modules use.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Public {
    /// Its qualified name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The file.
    pub path: String,
    /// Its first line.
    pub line: u32,
    /// The number of files in other modules that use it.
    pub used_by: usize,
}

/// The files that tests cover.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct TestMap {
    /// The number of test files of the workspace.
    pub tests: usize,
    /// The number of those outside the directory.
    pub outside: usize,
    /// The number of other files.
    pub code: usize,
    /// The number of those that a test uses directly.
    pub reached: usize,
    /// The number of those that define a symbol and that no test is known to use directly.
    pub unreached: usize,
    /// The longest of these.
    pub largest_unreached: Vec<String>,
    /// The number of uses in tests whose target is unknown or only possible; if there are any, a test may use an
    /// unreached file after all.
    pub open: usize,
    /// The files that each test uses.
    pub map: Vec<Tested>,
}

/// A test file, and the files that it uses.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tested {
    /// The test.
    pub test: String,
    /// The files that it uses.
    pub files: Vec<String>,
}

/// The limits of the work for a question.
const LIMITS: Limits = Limits { turns: 4, calls: 40 };

impl Operation for Analyze {
    const NAME: &'static str = "analyze";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Asks];
    type Capability = Overview;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.base)
    }

    async fn run(overview: &Overview, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let mut output = depth::analyze(overview, &request.base, request.depth, cx).await?;
        if let Some(objective) = request.question {
            let question = Question { limits: LIMITS, ..Question::of(objective, request.base) };
            let looked = rounds::investigate(overview.search(), &question, cx).await?;
            output.answer = Some(report::report(&question, looked));
            output.mapped = match Guidance::of(overview.search().agents(), cx, NAME) {
                Guidance::None => None,
                Guidance::Withheld(why) => Some(Mapped { not_asked: Some(why), ..Mapped::default() }),
                Guidance::Given(agents, _) => {
                    let asked = (question.objective.as_str(), &question.base, request.depth);
                    Some(depth::mapped(overview, &agents, asked, cx).await?)
                }
            };
        }
        Ok(output)
    }
}
