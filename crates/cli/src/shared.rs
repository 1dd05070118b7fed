//! The index that many machines share: asked by searches, and pushed to by `toolpost index push`.

use crate::{args::Push as Args, index::size, out, settings::Settings, wire};
use anyhow::{Context, Result};
use std::{
    io::{IsTerminal, Write},
    process::ExitCode,
    sync::Arc,
};
use toolpost_shared::{Asking, Push, Server, name_in};
use toolpost_workspace::Workspace;

/// Makes what asks the shared index about a workspace; none where no index is named.
pub(crate) fn asking(settings: &Settings, workspace: &Workspace) -> Result<Option<Arc<Asking>>> {
    let Some(address) = &settings.shared.index.value else { return Ok(None) };
    let server = Server::at(address)?;
    let names = match &settings.shared.repositories.value {
        Some(names) => names.clone(),
        None => workspace.roots().iter().map(|root| name_in(root.path())).collect(),
    };
    Ok(Some(Arc::new(Asking::new(server, names))))
}

/// Brings a commit into the index.
pub(crate) fn push(settings: &Settings, args: &Args) -> Result<ExitCode> {
    let address = args.address.as_ref().or(settings.shared.index.value.as_ref());
    let address = address.context("no index is named: say postgres://USER:PASSWORD@HOST:PORT/DATABASE")?;
    let server = Server::at(address)?;
    let workspace = wire::open_and_tell(settings)?;
    let root = workspace.roots().first().context("there is no root")?;
    let policy = wire::judging(settings, &workspace)?;
    let may_read = |path: &[u8]| {
        let path = std::str::from_utf8(path).ok().and_then(|path| workspace.within(root, path).ok());
        path.is_some_and(|path| policy.lets_read(&path))
    };
    let repository = settings.shared.repositories.value.as_ref().and_then(|names| names.first()).cloned();
    let (commit, branch) = (args.commit.clone(), args.branch.clone());
    let push = Push { folder: root.path(), repository, commit, branch, may_read: &may_read };
    let person = std::io::stderr().is_terminal();
    let pushed = push.run(&server, &mut |done, total| {
        if person && (done % 256 == 0 || done == total) {
            let _ = write!(std::io::stderr(), "\r{done} of {total} contents ");
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
        "{} {short} ({}): {} files are in the index at {}; {} contents with {} of text were new.",
        pushed.repository,
        pushed.branch,
        pushed.files,
        server.place(),
        pushed.sent,
        size(pushed.sent_bytes),
    ))?;
    if pushed.withheld > 0 {
        out::line(&format!("{} files were kept out: the rules do not let them be read.", pushed.withheld))?;
    }
    Ok(ExitCode::SUCCESS)
}
