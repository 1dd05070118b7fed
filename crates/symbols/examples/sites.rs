//! Prints all calls of a directory with their targets, one per line, for manual inspection.
#![allow(clippy::print_stdout, reason = "the example prints its results")]

use toolpost_symbols::{Index, Resolution};
use toolpost_workspace::{Options, Workspace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::args().nth(1).ok_or("usage: sites DIRECTORY [CACHE]")?;
    let (workspace, _) = Workspace::open(Options { roots: vec![root.into()], ..Options::default() })?;
    let index = Index::new(workspace, std::env::args().nth(2).map(Into::into));
    let began = std::time::Instant::now();
    let graph = index.graph(&|| false)?;
    let built = began.elapsed();
    let began = std::time::Instant::now();
    let sites = graph.sites();
    let resolved = began.elapsed();
    let mut counts = std::collections::BTreeMap::new();
    for site in &sites {
        let told = match &site.found {
            Resolution::Targets(targets) => {
                *counts.entry(targets[0].how.name()).or_insert(0) += 1;
                let all = targets.iter().map(|target| {
                    let symbol = graph.symbol(target.at);
                    let path = &graph.file(target.at.file).path;
                    format!(
                        "{}:{}:{} ({})",
                        path,
                        symbol.lines.0,
                        graph.text(symbol.qualified),
                        target.how.name()
                    )
                });
                all.collect::<Vec<_>>().join(" | ")
            }
            other => {
                let told = format!("{other:?}").to_lowercase();
                *counts
                    .entry(match other {
                        Resolution::Outside => "outside",
                        Resolution::Local => "-local",
                        _ => "unresolved",
                    })
                    .or_insert(0) += 1;
                told
            }
        };
        println!("{}:{} {} -> {told}", site.path, site.at.start, site.name);
    }
    drop(graph);
    let began = std::time::Instant::now();
    drop(index.graph(&|| false)?);
    println!(
        "{} sites {counts:?}; built {built:?}, resolved {resolved:?}, again {:?}",
        sites.len(),
        began.elapsed()
    );
    Ok(())
}
