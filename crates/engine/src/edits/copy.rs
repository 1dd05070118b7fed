//! The `copy` operation: copies a file, a link or a directory.

use super::{
    change::apply,
    move_copy,
    tree::{self, TreeEntry},
};
use crate::{
    access::{Access, Extent, Touch},
    call::CallCtx,
    edits::Edits,
    failure::{Failure, Hint, convert},
    files::stat::FileKind,
    operation::{Effect, Operation},
    seen_content::{SeenContent, SeenRange},
    workers::blocking,
};
use toolpost_workspace::{Action, CommitError, CommitKind, Coverage, Draft, Kind, Stat, WorkspacePath};

pub use super::move_copy::{Output, Request};

/// The `copy` operation, which copies a file, a link or a directory.
pub struct Copy;

/// Maximum number of bytes that one call copies.
const BYTES: u64 = 4 * 1024 * 1024 * 1024;

impl Operation for Copy {
    const NAME: &'static str = "copy";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Writes];
    const EFFECT: Effect = Effect::Adds;
    type Capability = Edits;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        vec![Touch::Read(request.from.clone()), Touch::Write(request.to.clone(), Extent::Whole)]
    }

    async fn run(edits: &Edits, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (edits, cx) = (edits.clone(), cx.clone());
        blocking(move || copy(&edits, &request, &cx)).await
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        output.seen.clone()
    }
}

fn copy(edits: &Edits, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    let Request { from, raw_path, to } = request;
    cx.check()?;
    let hold = apply::hold(edits, cx, vec![from.clone(), to.clone()])?;
    let stat = move_copy::source(edits.files(), from, raw_path)?;
    move_copy::apart(from, to, "copied")?;
    let tree = tree(edits, cx, from, to, &stat)?;
    let bytes = weigh(edits, cx, from, &stat, &tree)?;
    let places = tree::beneath(from, to, &tree);
    cx.check()?;
    let draft = Draft { path: to.clone(), action: Action::Copy { from: from.clone() } };
    let committed = hold
        .commit(vec![draft], &cx.cause)
        .map_err(|error| move_copy::taken(&error, failed(&error, from), to))?;
    let hash = committed.changes.first().and_then(|change| change.after);
    // A caller that has seen the whole original has also seen the copy. Content that the caller saw earlier
    // at the target paths no longer exists there.
    let known = cx.session.ledger.seen(from).filter(|seen| Some(seen.hash) == hash);
    let known = known.is_some_and(|seen| seen.coverage == Coverage::Whole);
    let copy =
        SeenContent { path: to.clone(), hash: hash.filter(|_| known), part: SeenRange::Whole, bytes: None };
    let others =
        places.into_iter().map(|path| SeenContent { path, hash: None, part: SeenRange::Whole, bytes: None });
    Ok(Output {
        from: from.display(),
        to: to.display(),
        kind: FileKind::from(stat.kind),
        bytes,
        entries: tree.len() as u64,
        notes: hold.notes().iter().chain(&committed.notes).map(ToString::to_string).collect(),
        seen: std::iter::once(copy).chain(others).collect(),
    })
}

/// Lists the content of a directory; empty for a file or a link. Fails if an entry is anything else, such as a socket,
/// or unless the rules allow reading every entry and writing the path of every copy.
fn tree(
    edits: &Edits,
    cx: &CallCtx,
    from: &WorkspacePath,
    to: &WorkspacePath,
    stat: &Stat,
) -> Result<Vec<TreeEntry>, Failure> {
    match stat.kind {
        Kind::File | Kind::Link => return Ok(Vec::new()),
        Kind::Directory => {}
        other => return Err(not_copied(from, other)),
    }
    let tree = tree::inside(edits.files(), from, cx)?;
    let odd = |inside: &&TreeEntry| !matches!(inside.kind, Kind::File | Kind::Directory | Kind::Link);
    if let Some(odd) = tree.iter().find(odd) {
        return Err(not_copied(&odd.path, odd.kind));
    }
    tree::judge(cx, Access::Reads, from, tree.iter().map(|inside| &inside.path))?;
    tree::judge(cx, Access::Writes, to, &tree::beneath(from, to, &tree))?;
    Ok(tree)
}

fn not_copied(path: &WorkspacePath, kind: Kind) -> Failure {
    let what = format!(
        "{} is {}; only files, links and directories are copied. Nothing was copied.",
        path.display(),
        kind.name()
    );
    Failure::new(crate::failure::Kind::WrongKind, what)
}

/// Returns the total size of the files to copy in bytes; refuses more than `BYTES`.
fn weigh(
    edits: &Edits,
    cx: &CallCtx,
    from: &WorkspacePath,
    stat: &Stat,
    tree: &[TreeEntry],
) -> Result<u64, Failure> {
    let mut bytes = if stat.kind == Kind::File { stat.len } else { 0 };
    for inside in tree.iter().filter(|inside| inside.kind == Kind::File) {
        cx.check()?;
        bytes += edits.files().workspace().stat(&inside.path).map_or(0, |stat| stat.len);
    }
    if bytes <= BYTES {
        return Ok(bytes);
    }
    let what = format!(
        "{} has {bytes} bytes; at most {BYTES} are copied in one call. Nothing was copied.",
        from.display()
    );
    Err(Failure::new(crate::failure::Kind::TooLarge, what)
        .hint(Hint::Advice("Copy only the parts that you need.".to_owned())))
}

fn failed(error: &CommitError, from: &WorkspacePath) -> Failure {
    let failure = convert::commit(error);
    match error.why {
        CommitKind::Exists => failure,
        _ => {
            let what = format!("{} could not be copied: {}", from.display(), failure.what);
            Failure { what, ..failure }
        }
    }
}
