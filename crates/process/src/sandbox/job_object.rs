//! Windows job object: ends everything that a program has started, and isolates nothing.
#![expect(unsafe_code, reason = "job objects have no safe interface")]

use std::ffi::c_void;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::process::Child;
use std::ptr::{null, null_mut};

/// `JobObjectExtendedLimitInformation`.
const EXTENDED_LIMITS: i32 = 9;
/// All processes end when the last handle of the job is closed, so also when the server is killed.
const KILL_ON_JOB_CLOSE: u32 = 0x2000;
/// A process that faults ends, and shows no window.
const DIE_ON_UNHANDLED_EXCEPTION: u32 = 0x400;

/// A program and all that it starts, which end together.
#[derive(Debug)]
pub(crate) struct JobObject(OwnedHandle);

/// `JOBOBJECT_BASIC_LIMIT_INFORMATION`.
#[repr(C)]
struct BasicLimits {
    process_time: i64,
    job_time: i64,
    flags: u32,
    smallest_working_set: usize,
    largest_working_set: usize,
    processes: u32,
    affinity: usize,
    priority: u32,
    scheduling: u32,
}

/// `JOBOBJECT_EXTENDED_LIMIT_INFORMATION`.
#[repr(C)]
struct ExtendedLimits {
    basic: BasicLimits,
    counters: [u64; 6],
    process_memory: usize,
    job_memory: usize,
    peak_of_process: usize,
    peak_of_job: usize,
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn CreateJobObjectW(attributes: *const c_void, name: *const u16) -> RawHandle;
    fn SetInformationJobObject(job: RawHandle, class: i32, limits: *const c_void, bytes: u32) -> i32;
    fn AssignProcessToJobObject(job: RawHandle, process: RawHandle) -> i32;
    fn TerminateJobObject(job: RawHandle, code: u32) -> i32;
}

impl JobObject {
    /// Makes a job whose processes end with it.
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: no attributes and no name are allowed; the handle is new and nobody else's.
        let job = unsafe {
            let job = CreateJobObjectW(null(), null());
            if job == null_mut() {
                return Err(io::Error::last_os_error());
            }
            OwnedHandle::from_raw_handle(job)
        };
        // SAFETY: the structure is made of numbers, for which zero is a value.
        let mut limits: ExtendedLimits = unsafe { zeroed() };
        limits.basic.flags = KILL_ON_JOB_CLOSE | DIE_ON_UNHANDLED_EXCEPTION;
        let bytes = size_of::<ExtendedLimits>() as u32;
        // SAFETY: the structure lives through the call, and has the length that is said.
        let set = unsafe {
            SetInformationJobObject(
                job.as_raw_handle(),
                EXTENDED_LIMITS,
                (&limits as *const ExtendedLimits).cast(),
                bytes,
            )
        };
        done(set).map(|()| Self(job))
    }

    /// Takes a program in, with all that it starts from now on: it has to be started suspended, or to wait.
    pub(crate) fn take(&self, child: &Child) -> io::Result<()> {
        // SAFETY: both handles are open.
        done(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), child.as_raw_handle()) })
    }

    /// Ends all of its processes.
    pub(crate) fn end(&self) -> io::Result<()> {
        // SAFETY: the handle is open.
        done(unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) })
    }
}

/// Says, in the words of an enforcement, that none of it isolates.
pub(crate) const WHY_NOT: &str = "a job object ends what a program has started, and isolates nothing";

fn done(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
