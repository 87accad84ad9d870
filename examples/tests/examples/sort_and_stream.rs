//! The integer sort and the memory bandwidth benchmark.
