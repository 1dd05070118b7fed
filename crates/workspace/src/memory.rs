//! Tuning of the memory allocator.

/// Maximum number of arenas of the allocator. Each arena retains freed memory, so threads beyond this number
/// share an arena.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS: i32 = 2;
/// Thresholds of the allocator, in bytes: the block size from which it uses `mmap`, and the amount of free
/// memory at which it trims the heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: (i32, i32) = (1 << 20, 2 << 20);

/// Limits the freed memory that the allocator retains.
///
/// By default, glibc returns freed memory above 128 KB to the system. Once a block of many megabytes has been
/// freed, glibc permanently retains up to twice its size in each arena, with up to eight arenas per core
/// (mallopt(3)). Other allocators are not changed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "no safe interface sets the limits of the allocator; the call takes only numbers"
)]
pub fn keep_little() {
    // SAFETY: `mallopt` takes two numbers, and refuses unknown ones.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, ARENAS);
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT.0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT.1);
    }
}

/// Does nothing, because this allocator is not tuned.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_little() {}

/// Returns free memory between used blocks to the system. Called after work that needs much memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "no safe interface makes the allocator release free memory")]
pub fn give_back() {
    // SAFETY: `malloc_trim` takes a number, does not touch used memory, and may be called at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Does nothing, because this allocator is not tuned.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
