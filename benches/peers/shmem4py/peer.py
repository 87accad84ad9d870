"""The peer in Python: small works by shmem4py, asked for and answered over a socket: see ../README.md.

Written as users of shmem4py write it, with symmetric NumPy arrays and the functions of its documentation.
What a work needs is made before the clock is read: its loop holds nothing but the call.
"""

import gc
import mmap
import os
import socket
import sys
import traceback
from functools import partial
from itertools import repeat
from time import monotonic_ns

# Open MPI 4.1 crashes in finalize with the hook that this leaves out. Others do not know it.
os.environ.setdefault("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0")

import numpy as np  # noqa: E402
from shmem4py import shmem  # noqa: E402

# Bytes of each of the arrays.
ROOM = 8 << 20

me, n_pes = shmem.my_pe(), shmem.n_pes()

# Signals came with OpenSHMEM 1.5, and so did collectives of any number of bytes.
SIGNALS = shmem.info_get_version() >= (1, 5)
WORD = 1 if SIGNALS else 4

# Private memory, from which is put and into which is got: at the start of a page.
own = np.frombuffer(mmap.mmap(-1, ROOM, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), np.uint8)
own[...] = 0
# Symmetric memory: what collectives take, and what they and the transfers of PE 0 write.
source = shmem.zeros(ROOM, np.uint8, align=4096)
target = shmem.zeros(ROOM, np.uint8, align=4096)
# A symmetric cell for the atomic operations of PE 0, and what PE 0 knows it to hold on PE 1.
cell = shmem.zeros(1, np.uint64)
counted = 0
# A symmetric word that says which round trip is there, and the last one.
flag = shmem.new_signal() if SIGNALS else shmem.zeros(1, np.uint64)
round_trip = 0


def elements(array, size, times=1):
    """The start of an array of bytes, as elements of up to 8: so many times `size` bytes."""
    dtype = {1: np.uint8, 2: np.uint16, 4: np.uint32}.get(size, np.float64)
    return array[: size * times].view(dtype)


def again(repeats, call):
    """What makes a call so many times."""

    def work():
        for _ in repeat(None, repeats):
            call()

    return work


# Each of the following prepares a work, and returns what is timed. First what PE 0 does alone, to PE 1: it is
# complete after the quiet that `perform` adds.


def put(size, stride, repeats):
    to, of = elements(target, size, stride), elements(own, size)
    call = partial(shmem.put, to, of, 1) if stride == 1 else partial(shmem.iput, to, of, 1, tst=stride)
    return again(repeats, call)


def get(size, stride, repeats):
    to, of = elements(own, size), elements(target, size, stride)
    call = partial(shmem.get, to, of, 1) if stride == 1 else partial(shmem.iget, to, of, 1, sst=stride)
    return again(repeats, call)


def put_nbi(size, _stride, repeats):
    return again(repeats, partial(shmem.put_nbi, elements(target, size), elements(own, size), 1))


def fetch_add(_size, _stride, repeats):
    global counted
    counted += repeats
    return again(repeats, partial(shmem.atomic_fetch_add, cell, 1, 1))


def add(_size, _stride, repeats):
    global counted
    counted += repeats
    return again(repeats, partial(shmem.atomic_add, cell, 1, 1))


def compare_swap(_size, _stride, repeats):
    global counted
    values = range(counted, counted + repeats)
    counted += repeats
    compare_swap, cell_ = shmem.atomic_compare_swap, cell

    def work():
        for i in values:
            compare_swap(cell_, i, i + 1, 1)

    return work


# What all do together.


def ping_pong(size, _stride, repeats):
    global round_trip
    values = range(round_trip + 1, round_trip + 1 + repeats)
    round_trip += repeats
    to, of, other = elements(target, size), elements(own, size), 1 - me

    if SIGNALS:

        def send(i):
            shmem.put_signal(to, of, other, flag, i, shmem.SIGNAL_SET)

        def receive(i):
            shmem.signal_wait_until(flag, shmem.CMP_EQ, i)

    else:

        def send(i):
            shmem.put(to, of, other)
            shmem.fence()
            shmem.atomic_set(flag, i, other)

        def receive(i):
            shmem.wait_until(flag, shmem.CMP_EQ, i)

    def ping():
        for i in values:
            send(i)
            receive(i)

    def pong():
        for i in values:
            receive(i)
            send(i)

    return (ping, pong)[me] if me < 2 else lambda: None


def barrier(_size, _stride, repeats):
    return again(repeats, shmem.barrier_all)


def sync(_size, _stride, repeats):
    return again(repeats, shmem.sync_all)


def reduce(size, _stride, repeats):
    return again(repeats, partial(shmem.sum_reduce, elements(target, size), elements(source, size)))


def broadcast(size, _stride, repeats):
    return again(repeats, partial(shmem.broadcast, elements(target, size), elements(source, size), 0))


def fcollect(size, _stride, repeats):
    return again(repeats, partial(shmem.fcollect, elements(target, size, n_pes), elements(source, size)))


def collect(size, _stride, repeats):
    return again(repeats, partial(shmem.collect, elements(target, size, n_pes), elements(source, size)))


def alltoall(size, _stride, repeats):
    to, of = elements(target, size, n_pes), elements(source, size, n_pes)
    return again(repeats, partial(shmem.alltoall, to, of))


# Who takes part: PE 0 while the others sleep; PE 0 and PE 1; all; all, and what each gives lies side by side.
ALONE, PAIR, ALL, EACH = range(4)

# For each operation: who takes part, and what the bytes are a multiple of, and not more than.
OPERATIONS = {
    "put": (put, ALONE, 1, ROOM),
    "get": (get, ALONE, 1, ROOM),
    "put_nbi": (put_nbi, ALONE, 1, ROOM),
    "fetch_add": (fetch_add, ALONE, 8, 8),
    "add": (add, ALONE, 8, 8),
    "compare_swap": (compare_swap, ALONE, 8, 8),
    "ping_pong": (ping_pong, PAIR, 1, ROOM),
    "barrier": (barrier, ALL, 1, 0),
    "sync": (sync, ALL, 1, 0),
    "reduce": (reduce, ALL, 8, ROOM),
    "broadcast": (broadcast, ALL, WORD, ROOM),
    "fcollect": (fcollect, EACH, WORD, ROOM),
    "collect": (collect, EACH, WORD, ROOM),
    "alltoall": (alltoall, EACH, WORD, ROOM),
    "alltoall_to_ready": (alltoall, EACH, WORD, ROOM),
}


def perform(name, size, stride, repeats):
    """The nanoseconds that it took, on PE 0; `None`, on all PEs, where it cannot be done."""
    if name not in OPERATIONS:
        return None
    prepare, who, unit, most = OPERATIONS[name]
    strided = prepare in (put, get)
    # One element has no stride.
    if strided and size < 8:
        stride = 1
    parts = n_pes if who == EACH else stride
    if (
        (who in (ALONE, PAIR) and n_pes < 2)
        or size % unit != 0
        or (size == 0) != (most == 0)
        or (size > 8 and size % 8 != 0)
        or stride < 1
        or (stride != 1 and not strided)
        or size * parts > most
    ):
        return None
    if who == ALONE and me != 0:
        return 0
    work = prepare(size, stride, repeats)
    if who != ALONE:
        shmem.barrier_all()
    start = monotonic_ns()
    work()
    if who == ALONE:
        shmem.quiet()
    end = monotonic_ns()
    return end - start if me == 0 else 0


def try_all():
    """Each work once, with a look at what it did."""
    mine, given, taken = own.view(np.float64), source.view(np.float64), target.view(np.float64)

    if n_pes > 1 and me == 0:
        mine[:8] = range(1, 9)
        perform("put", 64, 3, 2)
        perform("get", 24 * 8, 1, 2)
        spread = [i // 3 + 1 if i % 3 == 0 else 0 for i in range(24)]
        assert mine[:24].tolist() == spread, "put with a stride, or get"
        perform("get", 64, 3, 2)
        assert mine[:8].tolist() == list(range(1, 9)), "get with a stride"
        perform("put", 64, 1, 2)
        mine[:8] = 0
        perform("get", 64, 1, 2)
        assert mine[:8].tolist() == list(range(1, 9)), "put"
        mine[7] = 10
        perform("put_nbi", 64, 1, 2)
        mine[7] = 0
        perform("get", 64, 1, 2)
        assert mine[7] == 10, "put_nbi"
        perform("fetch_add", 8, 1, 2)
        perform("add", 8, 1, 3)
        perform("compare_swap", 8, 1, 4)
        assert shmem.atomic_fetch(cell, 1) == counted == 9, "an atomic operation"
    shmem.barrier_all()

    if n_pes > 1:
        mine[0] = 20 + me
        perform("ping_pong", 8, 1, 3)
        assert me > 1 or taken[0] == 20 + 1 - me, "ping_pong"
    perform("barrier", 0, 1, 2)
    perform("sync", 0, 1, 2)

    given[0] = me + 1
    perform("reduce", 8, 1, 16)
    assert taken[0] == n_pes * (n_pes + 1) // 2, "reduce"
    shmem.barrier_all()
    given[0] = me + 30
    perform("broadcast", 8, 1, 16)
    assert taken[0] == 30, "broadcast"
    perform("fcollect", 8, 1, 16)
    assert taken[:n_pes].tolist() == list(range(30, 30 + n_pes)), "fcollect"
    shmem.barrier_all()
    given[0] = me + 60
    perform("collect", 8, 1, 16)
    assert taken[:n_pes].tolist() == list(range(60, 60 + n_pes)), "collect"
    shmem.barrier_all()
    given[:n_pes] = me * n_pes + np.arange(n_pes)
    perform("alltoall", 8, 1, 16)
    assert taken[:n_pes].tolist() == [i * n_pes + me for i in range(n_pes)], "alltoall"
    shmem.barrier_all()


def main():
    # As timeit does.
    gc.disable()
    try_all()
    with socket.socket(socket.AF_UNIX) as conductor:
        conductor.connect(os.environ["BENCH_SOCKET"])
        conductor.sendall(f"{os.getpid()} {me} {n_pes}\n".encode())
        for line in conductor.makefile():
            name, size, stride, repeats = line.split()
            took = perform(name, int(size), int(stride), int(repeats))
            conductor.sendall(f"{'none' if took is None else took}\n".encode())


try:
    main()
except Exception:
    # The others would wait for this PE.
    traceback.print_exc()
    sys.stderr.flush()
    shmem.global_exit(1)
