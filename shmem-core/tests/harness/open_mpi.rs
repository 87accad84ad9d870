//! Open MPI, as the library of tests.

use std::process::Command;

/// Settings of Open MPI for the machines that tests run on: as root in a container, with few cores,
/// beside other tests.
pub(crate) fn for_tests(command: &mut Command) {
    for (variable, value) in [
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_hwloc_base_binding_policy", "none"),
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
    ] {
        command.env(variable, value);
    }
}
