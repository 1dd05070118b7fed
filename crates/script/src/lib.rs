//! JavaScript within limits: host functions in, plain data out.
