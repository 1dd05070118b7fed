//! Measures searches with the index and without one, in one process: `instant ROOT [CACHE]`.
#![expect(clippy::print_stdout, reason = "an example prints to stdout")]

use std::error::Error;
use std::time::{Duration, Instant};

use toolpost_search::{Control, GrepRequest, Mode, grep};
use toolpost_trigrams::TrigramIndex;
use toolpost_workspace::{Options, Workspace, walk};

/// Returns the CPU time of this process in seconds, which other programs hardly affect.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

const PATTERNS: [&str; 10] = [
    "PM_RESUME",
    "EXPORT_SYMBOL_GPL",
    "ERR_SYS|PME_TURN_OFF|LINK_REQ_RST|CFG_BME_EVT",
    r"\bspin_lock_irqsave\b",
    "(?i)todo.*deprecated",
    r"[A-Za-z_]+_probe\(struct platform_device \*",
    "return -E[A-Z]+;",
    r"static const struct file_operations \w+_fops",
    r"fn\s+new\(",
    "kmalloc_array",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().ok_or("usage: instant ROOT [CACHE]")?;
    let options = Options { roots: vec![root.into()], ..Options::default() };
    let workspace = Workspace::open(options)?.0;
    let began = Instant::now();
    let index = TrigramIndex::new(workspace.clone(), arguments.next().map(Into::into));
    let status = index.settle(&walk::Options::default(), Duration::from_secs(600));
    println!("{:.2} s {status:?}", began.elapsed().as_secs_f64());
    let own: Vec<String> = arguments.collect();
    if let [pattern, times] = own.as_slice() {
        let request = GrepRequest {
            mode: Mode::Content,
            limit: Some(250),
            ..GrepRequest::of(workspace.resolve(".")?, pattern)
        };
        for _ in 0..times.parse()? {
            grep(&workspace, &request, &Control::default(), Some(&index))?;
        }
        return Ok(());
    }
    for pattern in PATTERNS {
        let time =
            |mode: Mode, limit: Option<usize>, index: Option<&TrigramIndex>| -> Result<_, Box<dyn Error>> {
                let request =
                    GrepRequest { mode, limit, ..GrepRequest::of(workspace.resolve(".")?, pattern) };
                let mut best = f64::MAX;
                let mut entries = 0;
                for _ in 0..if index.is_some() { 7 } else { 2 } {
                    let began = cpu();
                    let output = grep(&workspace, &request, &Control::default(), index)?;
                    best = best.min((cpu() - began) * 1e3);
                    entries = output.entries;
                }
                Ok((best, entries))
            };
        let first = time(Mode::Content, Some(250), Some(&index))?;
        let files = time(Mode::Files, Some(250), Some(&index))?;
        let all = time(Mode::Content, None, Some(&index))?;
        let plain = time(Mode::Content, None, None)?;
        println!(
            "{pattern:50} first 250 {:7.2} ms, files {:7.2}, all {:7.2} ({}), plain {:7.1}: {:.0}x {:.0}x",
            first.0,
            files.0,
            all.0,
            all.1,
            plain.0,
            plain.0 / first.0,
            plain.0 / all.0
        );
        assert_eq!(all.1, plain.1);
    }
    Ok(())
}
