//! The Parallel Research Kernels: stencil, transpose and point-to-point synchronisation.
