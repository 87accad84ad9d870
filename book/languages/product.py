import cupy as cp
import nvshmem.core as nv
from cuda.core import Device, system
from mpi4py import MPI

N = 64  # rows of the matrix, and elements of the vector, on each PE

device = Device(MPI.COMM_WORLD.Get_rank() % system.get_num_devices())
device.set_current()
nv.init(device=device, mpi_comm=MPI.COMM_WORLD, initializer_method="mpi")
me, npes = nv.my_pe(), nv.n_pes()
right = (me + 1) % npes
stream = device.create_stream()

with cp.cuda.Stream.from_external(stream):
    i = cp.arange(me * N, (me + 1) * N)
    j = cp.arange(npes * N)
    rows = (i[:, None] * (j + 1) % 11).astype("float64")
    here, there, product, total = (
        nv.array((N,), dtype="float64") for _ in range(4)
    )
    here[:] = i % 7
    product[:] = 0

    for step in range(npes):
        nv.put(there, here, remote_pe=right, stream=stream)
        first = (me - step) % npes * N  # of the block that is here
        product += rows[:, first : first + N] @ here
        nv.barrier_all(stream=stream)
        here, there = there, here

    nv.reduce(nv.Teams.TEAM_WORLD, total, product, "sum", stream=stream)
    if me == 0:
        result = float(total.sum())
        print(f"the elements of the product have the sum {result:.0f}")
    stream.sync()
    for array in (here, there, product, total):
        nv.free_array(array)
nv.finalize()
