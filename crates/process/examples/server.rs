//! A server that tests kill: starts a job for each shell command in its arguments, prints the job's run id,
//! and shuts down when its standard input ends.
//!
//! With `--namespaces DIRECTORY` or `--bubblewrap DIRECTORY` as the first arguments, the commands run in a
//! sandbox of that kind.
#![expect(clippy::print_stdout, reason = "the test that started this program reads its output")]

use std::io::Read;

use toolpost_process::{
    Jobs, Launch, Means, Plan, Program, Sandbox, SessionKey, Settings, StartError, WaitCondition, inner_step,
};

fn main() -> Result<(), StartError> {
    inner_step();
    let jobs = Jobs::new(Settings::default())?;
    let session = SessionKey("the only one".to_owned());
    let fault = |what| move |fault| StartError::Missing { what, fault };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(fault("a runtime"))?;
    let mut lines = std::env::args().skip(1).peekable();
    let means = match lines.next_if(|word| word.starts_with("--")).as_deref() {
        Some("--bubblewrap") => Means::Bubblewrap,
        Some(_) => Means::Namespaces,
        None => Means::Nothing,
    };
    let confined = if means == Means::Nothing { None } else { lines.next() };
    for line in lines {
        let mut launch = Launch::new(Program::line(line), confined.as_deref().unwrap_or("/"));
        if let Some(directory) = &confined {
            launch.sandbox = Sandbox::On(Plan { means, ..Plan::new([directory]) });
        }
        let job = jobs.start(&session, &launch)?;
        runtime.block_on(job.wait(WaitCondition::Output(0), std::time::Duration::from_secs(60)));
        println!("{}", job.run_id());
    }
    std::io::stdin().read_to_end(&mut Vec::new()).map_err(fault("its input"))?;
    runtime.block_on(jobs.shut_down());
    Ok(())
}
