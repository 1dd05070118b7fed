//! The `analyze` operation: the structure of a project and the dependencies between its modules.

pub(crate) mod mapping;
pub(crate) mod structure;

pub use crate::{
    agents::guide::DroppedClaim,
    code::symbol_index::{ReadFiles, SearchCoverage},
    search::investigate::{Finding, Output as Answer},
};
pub use structure::Depth;

use crate::{
    access::{Access, Touch},
    agents::guide::Guidance,
    call::CallCtx,
    failure::Failure,
    operation::Operation,
    overview::Overview,
    search::investigate::{self, limits::Limits, report, rounds},
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;

/// The `analyze` operation, which shows the structure of a project.
pub struct Analyze;

/// A request for the analysis of a directory.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory to analyze.
    pub base: WorkspacePath,
    /// The number of module levels to distinguish, and the length of the lists.
    pub depth: Depth,
    /// An additional question about the code, in natural language.
    pub question: Option<String>,
}

/// The structure of a project.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The analyzed directory, as displayed.
    pub path: String,
    /// The number of files in `path`.
    pub files: usize,
    /// The number of lines of the files in known languages that were read.
    pub lines: u64,
    /// The numbers of the files in known languages whose lines and entry points are known, and of the others.
    pub read: ReadFiles,
    /// The languages, sorted by number of lines, the largest first.
    pub languages: Vec<Language>,
    /// The entry points of programs, without those in tests.
    pub entries: Vec<Entry>,
    /// The number of entry points that are not listed.
    pub more_entries: usize,
    /// The other roots of the workspace, which were not analyzed; empty if `path` is not a root.
    pub other_roots: Vec<String>,
    /// The modules, sorted by name.
    pub modules: Vec<Module>,
    /// Dependency cycles: groups of modules that all use one another, directly or indirectly.
    pub rings: Vec<Vec<String>>,
    /// The files that are used by the most other files, the most used first. Uses in tests do not count.
    pub hotspots: Vec<Hotspot>,
    /// The symbols that other modules use, the most used first. Uses in tests do not count.
    pub public: Vec<Public>,
    /// The files that tests cover.
    pub tests: TestMap,
    /// The files that were searched for links between files.
    pub searched: SearchCoverage,
    /// The search results for the request's question, if any.
    pub answer: Option<Answer>,
    /// A model's answer to the request's question, if there is one and a model is configured.
    pub mapped: Option<Mapped>,
}

/// The answer of a model that reads the code chunk by chunk.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Mapped {
    /// The answer from all claims together, which cites claims as C1, C2, …; `None` if there are no claims,
    /// or if the request for the summary failed.
    pub summary: Option<String>,
    /// The reason why there is no summary although there are claims; otherwise `None`.
    pub unsummed: Option<String>,
    /// The model's claims about the code. The cited text of each claim was found in the files.
    pub claims: Vec<Finding>,
    /// The number of claims dropped because a citation is missing or wrong.
    pub dropped: usize,
    /// The first dropped claims.
    pub dropped_claims: Vec<DroppedClaim>,
    /// The number of code chunks sent to the model.
    pub chunks: usize,
    /// The code chunks without an answer, with reasons.
    pub failed: Vec<String>,
    /// The number of functions, types and sections in the chunks.
    pub blocks: usize,
    /// The number of functions, types and sections that contain terms of the question and are in no chunk.
    pub left_out: usize,
    /// The reason why the model was not queried; `None` if it was.
    pub not_asked: Option<String>,
}

/// The name under which the access rules allow or deny this operation's requests to a model.
const NAME: &str = "analyst";

/// The amount of code in one language.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Language {
    /// The name of the language.
    pub name: String,
    /// Files in the language.
    pub files: usize,
    /// Lines of the files in the language that were read.
    pub lines: u64,
    /// Numbers of the files in the language that were read, and of the others.
    pub read: ReadFiles,
}

/// The entry point of a program.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// The path of the file.
    pub path: String,
    /// The line number, counted from 1.
    pub line: u64,
    /// The entry point, for example its declaration.
    pub what: String,
}

/// A directory with code, as a module.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Module {
    /// The directory, relative to the analyzed directory.
    pub name: String,
    /// The module's number of code files.
    pub files: usize,
    /// The module's number of lines.
    pub lines: u64,
    /// The modules that this module uses.
    pub uses: Vec<String>,
    /// The modules that use this module.
    pub used_by: Vec<String>,
}

/// A file that other files use.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hotspot {
    /// The file's path.
    pub path: String,
    /// The number of other files that use the file.
    pub used_by: usize,
    /// The number of uses in other files.
    pub places: usize,
    /// The number of lines of the file.
    pub lines: u64,
}

/// A symbol that other modules use.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Public {
    /// The qualified name of the symbol.
    pub name: String,
    /// The kind of symbol, for example `function`.
    #[schemars(with = "String")]
    pub kind: toolpost_syntax::Kind,
    /// The file that defines the symbol.
    pub path: String,
    /// The line of the symbol's name, counted from 1.
    pub line: u32,
    /// The number of files in other modules that use the symbol.
    pub used_by: usize,
}

/// The files that tests cover.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct TestMap {
    /// The number of test files in the workspace.
    pub tests: usize,
    /// The number of test files outside the analyzed directory.
    pub outside: usize,
    /// The number of indexed files in the analyzed directory that are not tests.
    pub code: usize,
    /// The number of files that a test uses directly.
    pub reached: usize,
    /// The number of files with symbols that no test is known to use directly.
    pub unreached: usize,
    /// The longest files with symbols that no test is known to use directly.
    pub largest_unreached: Vec<String>,
    /// The number of uses in tests whose target is unknown or uncertain. Unless the number is 0, a test may
    /// use files that count as unreached.
    pub open: usize,
    /// The number of files of the workspace that are not searched for uses yet. Unless the number is 0, there may be more
    /// tests, and a test may use files that count as unreached.
    pub unsearched: usize,
    /// Test files with the files that they use, up to a maximum number of tests; empty at the depth `Shallow`.
    pub map: Vec<Tested>,
}

/// A test file, and the files that it uses.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tested {
    /// The test file.
    pub test: String,
    /// The files that the test uses.
    pub files: Vec<String>,
}

/// The limits of the search that answers the question of a request.
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
        let mut output = structure::analyze(overview, &request.base, request.depth, cx).await?;
        if let Some(objective) = request.question {
            let question =
                investigate::Request { limits: LIMITS, ..investigate::Request::of(objective, request.base) };
            let looked = rounds::investigate(overview.search(), &question, cx).await?;
            output.answer = Some(report::report(&question, looked));
            output.mapped = match Guidance::of(overview.search().agents(), cx, NAME) {
                Guidance::None => None,
                Guidance::Withheld(why) => Some(Mapped { not_asked: Some(why), ..Mapped::default() }),
                Guidance::Given(agents, _) => {
                    let asked = (question.objective.as_str(), &question.base, request.depth);
                    Some(mapping::mapped(overview, &agents, asked, cx).await?)
                }
            };
        }
        Ok(output)
    }
}
