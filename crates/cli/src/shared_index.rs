//! `toolpost index push`, `forget` and `prune`: changes to the shared index.

use crate::{
    args::{Forget, Prune, Push},
    out::{self, size},
    workspace,
};
use anyhow::{Context, Result};
use std::{
    io::{IsTerminal, Write},
    process::ExitCode,
};
use toolpost::{Settings, parts};
use toolpost_shared_index::{Push as Pushing, Server};
use toolpost_text::plural::counted;

/// Pushes a commit to the shared index.
pub(crate) fn push(settings: &Settings, args: &Push) -> Result<ExitCode> {
    let server = server(settings, args.address.as_ref())?;
    let workspace = workspace::open_and_report(settings)?;
    let root = workspace.roots().first().context("the workspace has no root")?;
    let policy = parts::policy(settings, &workspace)?;
    let may_read = |path: &[u8]| {
        let path = std::str::from_utf8(path).ok().and_then(|path| workspace.within(root, path).ok());
        path.is_some_and(|path| policy.lets_read(&path))
    };
    let repository = settings.repositories.value.as_ref().and_then(|names| names.first()).cloned();
    let (commit, branch) = (args.commit.clone(), args.branch.clone());
    let push = Pushing { folder: root.path(), repository, commit, branch, may_read: &may_read };
    let person = std::io::stderr().is_terminal();
    let pushed = push.run(&server, &mut |done, total| {
        if person && (done % 256 == 0 || done == total) {
            let _ = write!(std::io::stderr(), "\r{done} of {total} file contents ");
        }
    });
    if person {
        writeln!(std::io::stderr())?;
    }
    let pushed = pushed?;
    if args.json {
        out::line(&serde_json::to_string_pretty(&pushed)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let short = pushed.commit.get(..12).unwrap_or(&pushed.commit);
    out::line(&format!(
        "Pushed {} {short} ({}) to the index at {}: {}; sent {} with {} of text.",
        pushed.repository,
        pushed.branch,
        server.place(),
        counted(pushed.files as u64, "file"),
        counted(pushed.sent as u64, "new file content"),
        size(pushed.sent_bytes),
    ))?;
    if let Some(why) = &pushed.without_vectors {
        out::line(&format!(
            "The pushed code has no embeddings, so only keyword search finds it: {}.",
            out::harmless(why)
        ))?;
    }
    if pushed.withheld > 0 {
        out::line(&format!("Files skipped because a rule forbids reading them: {}.", pushed.withheld))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Removes a repository, or one of its branches, from the shared index.
pub(crate) fn forget(settings: &Settings, args: &Forget) -> Result<ExitCode> {
    let server = server(settings, args.address.as_ref())?;
    let forgotten = toolpost_shared_index::forget(&server, &args.name, args.branch.as_deref())?;
    if args.json {
        out::line(&serde_json::to_string_pretty(&forgotten)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    out::line(&format!(
        "removed {} ({}) from the index at {}, with {} ({})",
        forgotten.repository,
        forgotten.branches.join(", "),
        server.place(),
        counted(forgotten.contents, "file content"),
        size(forgotten.bytes),
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Deletes content that no branch uses any more.
pub(crate) fn prune(settings: &Settings, args: &Prune) -> Result<ExitCode> {
    let server = server(settings, args.address.as_ref())?;
    let person = std::io::stderr().is_terminal();
    let pruned = toolpost_shared_index::prune(&server, &mut |done, total| {
        if person {
            let _ = write!(std::io::stderr(), "\r{done} of {total} repositories ");
        }
    });
    if person {
        writeln!(std::io::stderr())?;
    }
    let pruned = pruned?;
    if args.json {
        out::line(&serde_json::to_string_pretty(&pruned)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    out::line(&format!(
        "removed {} ({}) that no branch uses; checked {} in the index at {}",
        counted(pruned.contents, "file content"),
        size(pruned.bytes),
        counted(pruned.repositories as u64, "repository"),
        server.place(),
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the server at `address`, or else the one in the settings.
fn server(settings: &Settings, address: Option<&String>) -> Result<Server> {
    let address = address.or(settings.index.value.as_ref());
    let address =
        address.context("no index is set: pass its URL, postgres://USER:PASSWORD@HOST:PORT/DATABASE")?;
    Ok(Server::at(address)?)
}
