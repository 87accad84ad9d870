//! Programs whose accesses have no pattern: random updates, bale's histogram and index-gather.
