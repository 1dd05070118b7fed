//! `analyze`: what a project is made of, and how its parts hang together.

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

/// What is analyzed, and how far.
#[derive(Debug, Clone)]
pub struct Request {
    /// The directory.
    pub base: WorkspacePath,
    /// How far.
    pub depth: Depth,
    /// What is asked beside, in words.
    pub question: Option<String>,
}

/// What a project is made of.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The directory.
    pub path: String,
    /// How many files it has.
    pub files: usize,
    /// How many lines those in known languages have.
    pub lines: u64,
    /// Its languages, those with most lines first.
    pub languages: Vec<Language>,
    /// Where programs begin.
    pub entries: Vec<Entry>,
    /// How many more there are.
    pub more_entries: usize,
    /// Its modules, by name.
    pub modules: Vec<Module>,
    /// Modules that all use one another.
    pub rings: Vec<Vec<String>>,
    /// The files that most others use.
    pub hotspots: Vec<Hotspot>,
    /// The symbols that other modules use.
    pub public: Vec<Public>,
    /// What tests reach.
    pub tests: TestMap,
    /// What was searched for links.
    pub searched: Searched,
    /// What a search found to the question.
    pub answer: Option<Answer>,
    /// What a model answered to the question, where there is one.
    pub mapped: Option<Mapped>,
}

/// What a model answered that was asked of the code chunk by chunk.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Mapped {
    /// The answer, from all claims together; it names them as C1, C2, ….
    pub summary: Option<String>,
    /// Why there is none although there are claims.
    pub unsummed: Option<String>,
    /// What the chunks showed; what each claim cites stands there.
    pub claims: Vec<Finding>,
    /// How many claims were dropped, since nothing was cited for them or what was cited does not stand there.
    pub dropped: usize,
    /// The first of these.
    pub dropped_claims: Vec<Dropped>,
    /// Of how many chunks it was asked.
    pub chunks: usize,
    /// The chunks of which there is no answer, each with the reason.
    pub failed: Vec<String>,
    /// How many blocks the chunks hold.
    pub blocks: usize,
    /// How many blocks with words of the question were left out.
    pub left_out: usize,
    /// Why it was not asked.
    pub not_asked: Option<String>,
}

/// The name by which rules speak of what asks.
const NAME: &str = "analyst";

/// A language.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Language {
    /// Its name.
    pub name: String,
    /// How many files.
    pub files: usize,
    /// How many lines.
    pub lines: u64,
}

/// Where a program begins.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// The file.
    pub path: String,
    /// The line.
    pub line: u64,
    /// What stands there.
    pub what: String,
}

/// A directory with code, as a part of the whole.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Module {
    /// Its path from the directory that is analyzed.
    pub name: String,
    /// How many files of code.
    pub files: usize,
    /// How many lines.
    pub lines: u64,
    /// Which modules it uses.
    pub uses: Vec<String>,
    /// Which modules use it.
    pub used_by: Vec<String>,
}

/// A file that others use.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hotspot {
    /// The file.
    pub path: String,
    /// How many files use it.
    pub used_by: usize,
    /// At how many places.
    pub places: usize,
    /// How many lines it has.
    pub lines: u64,
}

/// A symbol that other modules use.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Public {
    /// Its name behind the names of what it stands in.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// The file.
    pub path: String,
    /// Its first line.
    pub line: u32,
    /// How many files of other modules use it.
    pub used_by: usize,
}

/// What tests reach.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct TestMap {
    /// How many files are tests.
    pub tests: usize,
    /// How many are not.
    pub code: usize,
    /// How many of those are used by a test directly.
    pub reached: usize,
    /// How many that define something are not.
    pub unreached: usize,
    /// The longest of them.
    pub largest_unreached: Vec<String>,
    /// Which files each test uses.
    pub map: Vec<Tested>,
}

/// A file of tests, and what it uses.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tested {
    /// The test.
    pub test: String,
    /// The files that it uses.
    pub files: Vec<String>,
}

/// How much is done for a question.
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
