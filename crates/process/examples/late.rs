//! Calls `inner_step` too late, while a second thread runs, and prints the reason why bubblewrap is then not
//! available.
#![expect(clippy::print_stdout, reason = "the test that started this program reads its output")]

use toolpost_process::{Available, Means, inner_step};

fn main() {
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || stopped.recv());
    inner_step();
    for (means, why) in Available::up_to(Means::Bubblewrap).failed {
        println!("{}: {why}", means.name());
    }
    drop(stop);
    let _ = thread.join();
}
