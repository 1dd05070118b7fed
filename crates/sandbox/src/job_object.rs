//! Windows job object: kills everything that a program has started, but isolates nothing.
#![expect(unsafe_code, reason = "job objects have no safe interface")]

use std::ffi::c_void;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::process::Child;
use std::ptr::{null, null_mut};

/// The number of the information class `JobObjectExtendedLimitInformation` in the Windows API.
const EXTENDED_LIMITS: i32 = 9;
/// Flag of a job: Windows kills all its processes when the last handle of the job is closed, even if the
/// server is killed.
const KILL_ON_JOB_CLOSE: u32 = 0x2000;
/// Flag of a job: a process that crashes exits without showing a window.
const DIE_ON_UNHANDLED_EXCEPTION: u32 = 0x400;

/// A Windows job for a program and everything that it starts; dropping it kills them.
#[derive(Debug)]
pub(crate) struct JobObject(OwnedHandle);

/// The structure `JOBOBJECT_BASIC_LIMIT_INFORMATION` of the Windows API.
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

/// The structure `JOBOBJECT_EXTENDED_LIMIT_INFORMATION` of the Windows API.
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
    /// Creates a job whose processes are killed when it is dropped.
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: null attributes and a null name are allowed; the handle is new and unshared.
        let job = unsafe {
            let job = CreateJobObjectW(null(), null());
            if job == null_mut() {
                return Err(io::Error::last_os_error());
            }
            OwnedHandle::from_raw_handle(job)
        };
        // SAFETY: the structure consists of numbers, for which zero is valid.
        let mut limits: ExtendedLimits = unsafe { zeroed() };
        limits.basic.flags = KILL_ON_JOB_CLOSE | DIE_ON_UNHANDLED_EXCEPTION;
        let bytes = size_of::<ExtendedLimits>() as u32;
        // SAFETY: the structure outlives the call, and has the given length.
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

    /// Adds a program, with everything that it starts from now on. The program must be suspended or waiting,
    /// so that it has started nothing before.
    pub(crate) fn take(&self, child: &Child) -> io::Result<()> {
        // SAFETY: both handles are open.
        done(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), child.as_raw_handle()) })
    }

    /// Kills all processes of the job.
    pub(crate) fn end(&self) -> io::Result<()> {
        // SAFETY: the handle is open.
        done(unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) })
    }
}

/// The reason why a job object enforces no restriction of a sandbox.
pub(crate) const WHY_NOT: &str =
    "a job object kills the processes that a program has started, but isolates nothing";

fn done(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
