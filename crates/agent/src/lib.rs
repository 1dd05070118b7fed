//! Model clients, the loop, delegates and bridged servers.

pub mod bridge;
