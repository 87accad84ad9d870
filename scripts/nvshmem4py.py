"""Checks what the book says in NVSHMEM4Py, on a machine without a GPU.

    python3 scripts/nvshmem4py.py table PAGE           the calls in the first column of the tables of a page
    python3 scripts/nvshmem4py.py run PROGRAM PES      a program
    python3 scripts/nvshmem4py.py facts                what the page says of puts and of atomic operations

The packages of NVSHMEM4Py are those of NVIDIA, and so are the signatures. A program runs on that many processes. In
it, NVSHMEM's library, CUDA's devices and MPI are the small classes below, CuPy is NumPy, and a stream does at once what
it is asked for. A call that NVIDIA's own function would not take is an error here too: the signatures are compared at
each call, as these classes are put in its place.
"""

import ast
import ctypes
import inspect
import mmap
import multiprocessing
import re
import runpy
import sys
import types

import cuda.core
import numpy
import nvshmem.bindings as bindings

HEAP = 1 << 20  # bytes of a PE
SECONDS = 60  # that a PE waits for the others

me, npes, heap, used, barrier = 0, 1, 0, 0, None


def same_calls(real, stand_in):
    """`stand_in`, each function of which takes only what that of `real` takes."""
    for name, function in list(vars(stand_in).items()):
        static = isinstance(function, staticmethod)
        if not static and not inspect.isfunction(function):
            continue
        signature = inspect.signature(getattr(real, name))

        def call(*arguments, _function=getattr(stand_in, name), _signature=signature, **named):
            _signature.bind(*arguments, **named)
            return _function(*arguments, **named)

        setattr(stand_in, name, staticmethod(call) if static else call)
    return stand_in


class Library:
    """NVSHMEM's library: its memory is shared by the processes, a part for each PE."""

    @staticmethod
    def hostlib_init_attr(flags, attr):
        assert flags == bindings.Flags.INIT_WITH_MPI_COMM

    @staticmethod
    def hostlib_finalize():
        barrier.wait(SECONDS)

    @staticmethod
    def my_pe():
        return me

    @staticmethod
    def n_pes():
        return npes

    @staticmethod
    def malloc(size):
        global used
        used += -(-size // 64) * 64
        assert used <= HEAP
        barrier.wait(SECONDS)
        return heap + me * HEAP + used - -(-size // 64) * 64

    @staticmethod
    def free(ptr):
        barrier.wait(SECONDS)

    @staticmethod
    def putmem_on_stream(dest, source, bytes, pe, cstrm):
        ctypes.memmove(of_pe(dest, bytes, pe), source, bytes)

    @staticmethod
    def barrier_all_on_stream(stream):
        barrier.wait(SECONDS)

    @staticmethod
    def double_sum_reduce_on_stream(team, dest, src, nreduce, stream):
        assert team == bindings.Team_id.TEAM_WORLD
        doubles = ctypes.c_double * nreduce
        size = ctypes.sizeof(doubles)
        barrier.wait(SECONDS)
        parts = [doubles.from_address(of_pe(src, size, pe)) for pe in range(npes)]
        sums = [sum(elements) for elements in zip(*parts)]
        barrier.wait(SECONDS)
        doubles.from_address(of_pe(dest, size, me))[:] = sums


def of_pe(address, size, pe):
    """The address of the same place on another PE."""
    offset = address - heap - me * HEAP
    assert 0 <= offset <= offset + size <= used and 0 <= pe < npes
    return heap + pe * HEAP + offset


class Stream:
    """A stream of `cuda.core`."""

    def sync(self):
        pass

    def __cuda_stream__(self):
        return (0, 0)


class Device:
    """A device of `cuda.core`, of which there is one."""

    def __init__(self, device_id=None):
        assert device_id in (None, 0)
        self.device_id = 0

    def set_current(self, ctx=None):
        pass

    def create_stream(self, obj=None, options=None):
        return Stream()


class Buffer:
    """A buffer of `cuda.core`."""

    @staticmethod
    def from_handle(ptr, size, mr=None, owner=None, *, stream=None):
        buffer = Buffer()
        buffer.handle, buffer.size, buffer.memory_resource = ptr, size, mr
        return buffer

    def close(self, stream=None):
        self.memory_resource.deallocate(self.handle, self.size)


class Array(numpy.ndarray):
    """An array of CuPy."""

    device = types.SimpleNamespace(id=0)
    data = property(lambda self: types.SimpleNamespace(ptr=self.ctypes.data))


class ExternalStream:
    """A stream of CuPy."""

    def __init__(self, stream):
        stream.__cuda_stream__()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Cupy(types.ModuleType):
    """CuPy, which has the names of NumPy."""

    ndarray = Array
    cuda = types.SimpleNamespace(Stream=types.SimpleNamespace(from_external=ExternalStream))

    @staticmethod
    def from_dlpack(buffer, copy):
        assert not copy
        memory = (ctypes.c_uint8 * buffer.size).from_address(buffer.handle)
        return numpy.frombuffer(memory, numpy.uint8).view(Array)

    def __getattr__(self, name):
        return getattr(numpy, name)


class Comm:
    """A communicator of MPI, which names the PE."""

    handle = 0

    def Get_rank(self):
        return me


def stand_in():
    """Puts these classes in the places of the packages."""
    for name in vars(same_calls(bindings, Library)):
        if not name.startswith("_"):
            setattr(bindings, name, getattr(Library, name))
    for name, kind in (("Stream", Stream), ("Device", Device), ("Buffer", Buffer)):
        setattr(cuda.core, name, same_calls(getattr(cuda.core, name), kind))
    cuda.core.system = types.SimpleNamespace(get_num_devices=lambda: 1)
    sys.modules["cupy"] = Cupy("cupy")
    mpi = types.ModuleType("mpi4py.MPI")
    mpi.Comm, mpi.COMM_WORLD, mpi._sizeof = Comm, Comm(), lambda kind: ctypes.sizeof(ctypes.c_void_p)
    sys.modules["mpi4py"], sys.modules["mpi4py.MPI"] = types.ModuleType("mpi4py"), mpi
    sys.modules["mpi4py"].MPI = mpi
    import nvshmem.core  # noqa: F401, which sees these


def run(function, pes):
    """Runs a function on so many processes, and returns how many have failed."""
    global me, npes, heap, barrier
    npes = pes
    memory = mmap.mmap(-1, npes * HEAP)
    heap = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    fork = multiprocessing.get_context("fork")
    barrier = fork.Barrier(npes)
    stand_in()

    def body():
        try:
            function()
        except BaseException:
            barrier.abort()
            raise

    processes = []
    for me in range(npes):
        processes.append(fork.Process(target=body))
        processes[-1].start()
    for process in processes:
        process.join()
    return sum(process.exitcode != 0 for process in processes)


def facts():
    """A put moves as many bytes as the smaller of two arrays has, and takes no other part. Atomics have no stream."""
    import cupy
    import nvshmem.core as nv

    stream = cuda.core.Device().create_stream()
    nv.init(device=cuda.core.Device(), initializer_method="mpi")
    a, b, short = nv.array((8,)), nv.array((8,)), nv.array((4,))
    a[:], b[:], short[:] = 0, 1, 2
    nv.put(a[:2], b[:2], remote_pe=0, stream=stream)
    assert (a == 1).all(), "a part at the start is the whole"
    nv.put(a, short, remote_pe=0, stream=stream)
    assert a.tolist() == [2, 2, 2, 2, 1, 1, 1, 1]
    try:
        nv.put(a[2:], b, remote_pe=0, stream=stream)
    except nv.NvshmemInvalid:
        pass
    else:
        raise AssertionError("a part that begins elsewhere is no error")
    for array in (a, b, short):
        nv.free_array(array)
    nv.finalize()
    atomics = [getattr(nv, name) for name in dir(nv) if name.startswith("atomic_")]
    assert atomics and not any("stream" in inspect.signature(function).parameters for function in atomics)


def table(page):
    """Each name in the first column is there, and each call of it is one that it takes. CuPy's are not looked for."""
    import nvshmem.core as nv

    roots = {"nv": nv, "s": cuda.core.Stream}
    checked = 0

    def resolve(node):
        if isinstance(node, ast.Attribute):
            return getattr(resolve(node.value), node.attr)
        return roots[node.id]

    def is_ours(node):
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in roots

    for row in open(page, encoding="utf-8"):
        if not row.startswith("| "):
            continue
        for code in re.findall("`([^`]*)`", row.split("|")[1]):
            for node in ast.walk(ast.parse(code.replace("…", "..."), mode="eval")):
                if isinstance(node, ast.Attribute) and is_ours(node):
                    resolve(node)
                    checked += 1
                if isinstance(node, ast.Call) and is_ours(node.func):
                    signature = inspect.signature(resolve(node.func))
                    given = [argument for argument in node.args if not is_dots(argument)]
                    itself = [None] if node.func.value.id == "s" else []
                    bind = signature.bind if len(given) == len(node.args) else signature.bind_partial
                    try:
                        bind(*itself, *given, **{argument.arg: argument.value for argument in node.keywords})
                    except TypeError as error:
                        sys.exit(f"{page}: {code}: {error}")
    assert checked, f"{page} has no table"
    return checked


def is_dots(node):
    return isinstance(node, ast.Constant) and node.value is ...


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "table":
        print(f"{table(rest[0])} names of NVSHMEM4Py in {rest[0]}")
    elif what == "run":
        sys.exit(run(lambda: runpy.run_path(rest[0]), int(rest[1])))
    elif what == "facts":
        sys.exit(run(facts, 1))
    else:
        sys.exit(__doc__)
