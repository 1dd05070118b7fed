//! Repeated attempts to start a program during a temporary shortage of a system resource, such as memory or
//! PIDs.

use std::time::Duration;

use toolpost_sandbox::{SandboxError, limit_of};

use crate::error::StartError;

/// Total time to wait until a missing system resource, such as memory, is available again.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// First pause between two attempts to start a program. Each further pause is twice as long.
const FIRST: Duration = Duration::from_millis(5);
/// Longest pause between two attempts to start a program.
const LONGEST: Duration = Duration::from_millis(250);

/// Number of further attempts if a path that the sandbox shows is missing: it existed when the sandbox was
/// prepared, and was removed or replaced since.
const AGAIN: u32 = 3;

/// Starts a program, and tries again if a system resource is missing that may become available, or if a path that the
/// sandbox shows was removed or replaced. Each failure of `start` must mean that no program ran.
pub(crate) fn start_patiently<T>(start: impl FnMut() -> Result<T, StartError>) -> Result<T, StartError> {
    with_pauses(start, std::thread::sleep)
}

fn with_pauses<T>(
    mut start: impl FnMut() -> Result<T, StartError>,
    mut pause: impl FnMut(Duration),
) -> Result<T, StartError> {
    let (mut waited, mut next, mut replaced) = (Duration::ZERO, FIRST, 0);
    loop {
        let error = match start() {
            Ok(started) => return Ok(started),
            Err(error) => error,
        };
        let is_short = error.fault().is_some_and(|fault| limit_of(fault).is_some());
        let wait = if is_short && waited < PATIENCE {
            next
        } else if is_replaced(&error) && replaced < AGAIN {
            replaced += 1;
            FIRST
        } else {
            return Err(error);
        };
        pause(wait);
        waited += wait;
        next = (next * 2).min(LONGEST);
    }
}

/// Returns whether the sandbox could not be built because a path was missing or had been replaced.
fn is_replaced(error: &StartError) -> bool {
    let StartError::Sandbox(SandboxError::Step { fault, .. }) = error else { return false };
    matches!(fault.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR | libc::ESTALE | libc::ELOOP))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use toolpost_test_rows::each;

    /// Starts a program that fails `fails` times with an error. Returns the outcome, the number of attempts
    /// and the total of the pauses.
    fn tried(fails: usize, error: impl Fn() -> StartError) -> (Result<(), String>, usize, Duration) {
        let (mut attempts, mut waited) = (0, Duration::ZERO);
        let start = || {
            attempts += 1;
            if attempts <= fails { Err(error()) } else { Ok(()) }
        };
        let ended = with_pauses(start, |pause| waited += pause);
        (ended.map_err(|error| error.to_string()), attempts, waited)
    }

    fn sandbox(errno: i32) -> StartError {
        let fault = io::Error::from_raw_os_error(errno);
        SandboxError::Step { step: "the sandbox's namespaces could not be created".to_owned(), fault }.into()
    }

    #[test]
    fn starts_are_retried_during_temporary_shortages() {
        let kinds: [fn(i32) -> StartError; 4] = [
            sandbox,
            |errno| StartError::Missing { what: "a pipe", fault: io::Error::from_raw_os_error(errno) },
            |errno| {
                let fault = io::Error::from_raw_os_error(errno);
                StartError::Refused { program: "p".to_owned(), fault }
            },
            |errno| {
                let fault = io::Error::from_raw_os_error(errno);
                StartError::RefusedInside { program: "p".to_owned(), fault }
            },
        ];
        let short = [
            libc::EAGAIN,
            libc::ENOMEM,
            libc::ENOBUFS,
            libc::ENOSPC,
            libc::EUSERS,
            libc::EMFILE,
            libc::ETOOMANYREFS,
            libc::ENFILE,
            524,
        ];
        each(kinds, |kind| {
            each(short, |errno| {
                each([0, 1, 5, 12], |fails| {
                    let (ended, attempts, _) = tried(fails, || kind(errno));
                    assert_eq!((ended, attempts), (Ok(()), fails + 1), "{errno}");
                });
                // If the shortage lasts, the start fails; the error names the exhausted limit and the next
                // step.
                let (ended, _, waited) = tried(usize::MAX, || kind(errno));
                assert!(waited >= PATIENCE && waited < PATIENCE * 2, "{waited:?}");
                let (error, limit) = (ended.unwrap_err(), limit_of(&io::Error::from_raw_os_error(errno)));
                assert!(error.contains(limit.unwrap()) && error.contains("wait until"), "{error}");
            });
            each([libc::EPERM, libc::EACCES, libc::EINVAL, libc::ENOSYS, libc::EIO], |errno| {
                let (ended, attempts, waited) = tried(1, || kind(errno));
                assert_eq!((ended.is_err(), attempts, waited), (true, 1, Duration::ZERO), "{errno}");
            });
        });
    }

    #[test]
    fn a_path_that_was_replaced_is_looked_up_again() {
        each([libc::ENOENT, libc::ENOTDIR, libc::ESTALE, libc::ELOOP], |errno| {
            assert_eq!(tried(2, || sandbox(errno)), (Ok(()), 3, FIRST * 2));
            let (ended, attempts, _) = tried(usize::MAX, || sandbox(errno));
            assert_eq!((ended.is_err(), attempts), (true, 4));
        });
        let (ended, attempts, _) = tried(1, || StartError::ShuttingDown);
        assert_eq!((ended.is_err(), attempts), (true, 1));
    }
}
