//! What the allocator keeps of the memory that was freed.

/// How many arenas there are at most: each keeps what was freed in it, and threads beyond these share them.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS: i32 = 2;
/// From how many bytes on a block is given back by itself, and how many bytes may be left over at the end of an arena.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: (i32, i32) = (1 << 20, 2 << 20);

/// Has the allocator keep enough for the next reply, and no more.
///
/// The one of glibc begins by giving back whatever is more than 128 KB, after each reply anew, and once a block of many megabytes was
/// freed, it keeps twice as much for ever, in up to eight arenas for each core (mallopt(3)). Other allocators are left as they are.
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

/// Has the allocator keep enough for the next reply, and no more; this one is left as it is.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_little() {}

/// Gives back what was freed between blocks that are in use: for the end of work that took much memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "no safe interface tells the allocator to give back what is free")]
pub fn give_back() {
    // SAFETY: `malloc_trim` takes a number, touches nothing that is in use, and may be called at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Gives back what was freed between blocks that are in use; this allocator is left as it is.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
