//! Model clients, the loop, delegates and bridged servers.
