//! Tuning of the memory allocator.

/// Maximum number of arenas. Each arena retains freed memory; further threads share them.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS: i32 = 2;
/// Thresholds for `mmap` and for trimming the heap, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: (i32, i32) = (1 << 20, 2 << 20);

/// Limits the freed memory that the allocator retains.
///
/// By default glibc returns freed memory above 128 KB after each reply. Once a block of many megabytes has
/// been freed, it retains twice as much for ever, in up to eight arenas per core (mallopt(3)). Other
/// allocators are left alone.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "no safe interface tells the allocator what to keep; these are numbers alone")]
pub fn keep_little() {
    // SAFETY: `mallopt` takes two numbers, and refuses those that it does not know.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, ARENAS);
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT.0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT.1);
    }
}

/// Does nothing: this allocator is not tuned.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_little() {}

/// Returns free memory between used blocks to the system; for the end of memory-intensive work.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "no safe interface tells the allocator to give back what is free")]
pub fn give_back() {
    // SAFETY: `malloc_trim` takes a number, does not touch used memory, and may be called at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Does nothing: this allocator is not tuned.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
