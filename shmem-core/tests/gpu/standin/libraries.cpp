// Stands in for four libraries on a machine without a GPU, under one name each: CUDA's driver, its
// compiler and its linker, and the host library of NVSHMEM. The memory of a device is that of the
// processor, which the PEs share; a stream is a thread; machine code is a library of the system, which
// the C++ compiler makes of a kernel with `nvshmem.h` of this folder.
//
// It has the routines that the back end `nvshmem` calls, and those of the driver that the crate cudarc
// calls besides, with the prototypes of NVIDIA's headers.
// STANDIN_FAULT="ROUTINE=STATUS,…" has routines return a status; other names are in `fault`'s callers.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

static void broken(const char *what) {
    fprintf(stderr, "stand-in: %s\n", what);
    abort();
}

// The number that STANDIN_FAULT gives `name`, or else `usual`.
static int fault(const char *name, int usual = 0) {
    const char *faults = getenv("STANDIN_FAULT");
    std::stringstream all(faults ? faults : "");
    std::string one, start = std::string(name) + "=";
    while (std::getline(all, one, ','))
        if (one.rfind(start, 0) == 0) return atoi(one.c_str() + start.size());
    return usual;
}
#define FAULT() \
    if (int status = fault(__func__)) return status

// ---------------------------------------------------------------- streams

struct Stream {
    std::mutex lock;
    std::condition_variable changed;
    std::deque<std::function<int()>> queue;
    bool busy = false, ends = false;
    int status = 0;
    std::thread thread{[this] { work(); }};

    void work() {
        std::unique_lock<std::mutex> held(lock);
        while (true) {
            changed.wait(held, [this] { return ends || !queue.empty(); });
            if (queue.empty()) return;
            auto task = std::move(queue.front());
            queue.pop_front();
            busy = true;
            bool skip = status != 0;
            held.unlock();
            int now = skip ? 0 : task();
            held.lock();
            if (now) status = now;
            busy = false;
            changed.notify_all();
        }
    }
    void push(std::function<int()> task) {
        std::lock_guard<std::mutex> held(lock);
        queue.push_back(std::move(task));
        changed.notify_all();
    }
    int wait() {
        std::unique_lock<std::mutex> held(lock);
        changed.wait(held, [this] { return queue.empty() && !busy; });
        return status;
    }
    ~Stream() {
        {
            std::lock_guard<std::mutex> held(lock);
            ends = true;
            changed.notify_all();
        }
        thread.join();
    }
};

static Stream *in(void *stream) {
    if (!stream) broken("an operation without a stream");
    return (Stream *)stream;
}
static void push(void *stream, std::function<void()> task) {
    in(stream)->push([=] {
        task();
        return 0;
    });
}

// Elements of 8 bytes arrive whole, as a GPU writes them.
static void move(void *to, const void *from, size_t bytes) {
    if (((uintptr_t)to | (uintptr_t)from | bytes) % 8 == 0) {
        for (size_t i = 0; i < bytes / 8; i++) __atomic_store_n((uint64_t *)to + i, ((volatile const uint64_t *)from)[i], __ATOMIC_RELEASE);
    } else if (((uintptr_t)to | (uintptr_t)from | bytes) % 4 == 0) {
        for (size_t i = 0; i < bytes / 4; i++) __atomic_store_n((uint32_t *)to + i, ((volatile const uint32_t *)from)[i], __ATOMIC_RELEASE);
    } else {
        for (size_t i = 0; i < bytes; i++) ((volatile char *)to)[i] = ((volatile const char *)from)[i];
    }
}

// ---------------------------------------------------------------- the driver

static thread_local void *current;
static int context;
static void entered() {
    if (current != &context) broken("a thread without the context");
}

API int cuInit(unsigned flags) {
    FAULT();
    return flags ? 1 : 0;
}
API int cuDriverGetVersion(int *version) {
    *version = fault("version", 12090);
    return 0;
}
API int cuGetErrorName(int status, const char **name) {
    *name = status == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
            : status == 100 ? "CUDA_ERROR_NO_DEVICE"
            : status == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : status == 719 ? "CUDA_ERROR_LAUNCH_FAILED"
                            : nullptr;
    return *name ? 0 : 1;
}
API int cuGetErrorString(int status, const char **text) {
    *text = status == 2     ? "out of memory"
            : status == 100 ? "no CUDA-capable device is detected"
            : status == 700 ? "an illegal memory access was encountered"
            : status == 719 ? "unspecified launch failure"
                            : nullptr;
    return *text ? 0 : 1;
}
API int cuDeviceGetCount(int *count) {
    FAULT();
    *count = fault("devices", 8);
    return 0;
}
API int cuDeviceGet(int *device, int number) {
    FAULT();
    *device = number;
    return number < fault("devices", 8) ? 0 : 101;
}
API int cuDeviceGetName(char *name, int room, int device) {
    snprintf(name, room, "Stand-in %d", device);
    return 0;
}
API int cuDeviceGetAttribute(int *value, int attribute, int) {
    // It is of the architecture 9.0, and has no pools of memory.
    *value = attribute == 75 ? 9 : 0;
    return attribute == 75 || attribute == 76 || attribute == 115 ? 0 : 1;
}
API int cuDevicePrimaryCtxRetain(void **made, int) {
    FAULT();
    *made = &context;
    return 0;
}
API int cuCtxSetCurrent(void *made) {
    current = made;
    return 0;
}
API int cuStreamCreate(void **stream, unsigned) {
    FAULT();
    entered();
    *stream = new Stream;
    return 0;
}
API int cuStreamSynchronize(void *stream) {
    int status = in(stream)->wait();
    FAULT();
    return status;
}
API int cuStreamDestroy_v2(void *stream) {
    delete in(stream);
    return 0;
}
API int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    FAULT();
    entered();
    *address = (uint64_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
    return *address ? 0 : 2;
}
API int cuMemFree_v2(uint64_t address) {
    free((void *)address);
    return 0;
}
static int copy(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    entered();
    push(stream, [=] { move((void *)to, (const void *)from, bytes); });
    return 0;
}
API int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
    FAULT();
    return copy(to, (uint64_t)from, bytes, stream);
}
API int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
    FAULT();
    return copy((uint64_t)to, from, bytes, stream);
}
API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    FAULT();
    return copy(to, from, bytes, stream);
}


// What cudarc calls besides.
API int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
API int cuCtxGetCurrent(void **made) {
    *made = current;
    return 0;
}
API int cuCtxSynchronize() {
    entered();
    return 0;
}
struct Event {
    std::mutex lock;
    std::condition_variable changed;
    int recorded = 0, done = 0;
};
typedef std::shared_ptr<Event> EventHandle;
API int cuEventCreate(void **event, unsigned) {
    entered();
    *event = new EventHandle(new Event);
    return 0;
}
API int cuEventDestroy_v2(void *event) {
    delete (EventHandle *)event;
    return 0;
}
API int cuEventRecord(void *event, void *stream) {
    EventHandle of = *(EventHandle *)event;
    std::lock_guard<std::mutex> held(of->lock);
    push(stream, [of, turn = ++of->recorded] {
        std::lock_guard<std::mutex> held(of->lock);
        of->done = std::max(of->done, turn);
        of->changed.notify_all();
    });
    return 0;
}
API int cuStreamWaitEvent(void *stream, void *event, unsigned) {
    EventHandle of = *(EventHandle *)event;
    std::lock_guard<std::mutex> held(of->lock);
    push(stream, [of, turn = of->recorded] {
        std::unique_lock<std::mutex> held(of->lock);
        of->changed.wait(held, [&] { return of->done >= turn; });
    });
    return 0;
}

struct Module {
    void *library;
    bool started = false;
};
struct Function {
    Module *module;
    void *bind, *sizes;
};
API int cuModuleLoadData(void **module, const void *image) {
    FAULT();
    entered();
    auto *header = (const Elf64_Ehdr *)image;
    size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
    char path[] = "/tmp/standin-XXXXXX";
    int file = mkstemp(path);
    if (file < 0 || write(file, image, size) != (ssize_t)size) return 1;
    close(file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unlink(path);
    if (!library) broken(dlerror());
    *module = new Module{library};
    return 0;
}
API int cuModuleGetFunction(void **function, void *module, const char *name) {
    auto *of = (Module *)module;
    void *bind = dlsym(of->library, (std::string("standin_bind_") + name).c_str());
    void *sizes = dlsym(of->library, (std::string("standin_sizes_") + name).c_str());
    *function = bind ? new Function{of, bind, sizes} : nullptr;
    return bind ? 0 : 500;
}
// The parameters of a kernel, after the last of which comes a zero.
API int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *size) {
    auto *sizes = (const size_t *)((Function *)function)->sizes;
    *offset = 0;
    for (size_t i = 0; i < index; i++) *offset += sizes[i];
    *size = sizes[index];
    return *size ? 0 : 1;
}
API int cuLaunchKernel(
    void *function, unsigned blocks, unsigned y, unsigned z, unsigned threads, unsigned block_y, unsigned block_z,
    unsigned shared, void *stream, void **arguments, void **extra) {
    FAULT();
    entered();
    if (y * z * block_y * block_z != 1 || shared || extra) return 1;
    auto *launched = (Function *)function;
    bool has_nvshmem = *(int *)dlsym(launched->module->library, "standin_has_nvshmem");
    if (launched->module->started != has_nvshmem) broken("nvshmemx_cumodule_init is for all modules with NVSHMEM, and no others");
    using Launch = std::function<std::string()>;
    auto bind = (Launch * (*)(unsigned, unsigned, void **)) launched->bind;
    std::shared_ptr<Launch> launch(bind(blocks, threads, arguments));
    in(stream)->push([=] {
        std::string what = (*launch)();
        if (what.empty()) return 0;
        printf("stand-in: a kernel has failed: %s\n", what.c_str());
        fflush(stdout);
        return 719;
    });
    return 0;
}

// ---------------------------------------------------------------- the compiler and the linker

struct Program {
    std::string source, object, log;
};
API const char *nvrtcGetErrorString(int) { return "NVRTC_ERROR_COMPILATION"; }
API int nvrtcVersion(int *major, int *minor) {
    *major = 12;
    *minor = 9;
    return 0;
}
API int nvrtcGetNumSupportedArchs(int *count) {
    *count = 1;
    return 0;
}
API int nvrtcGetSupportedArchs(int *list) {
    *list = 90;
    return 0;
}
API int nvrtcCreateProgram(void **program, const char *source, const char *, int, const char *const *, const char *const *) {
    *program = new Program{source, "", ""};
    return 0;
}
static std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
API int nvrtcCompileProgram(void *program, int, const char *const *) {
    auto *of = (Program *)program;
    std::regex kernel("extern \"C\" __global__ void (\\w+)");
    std::smatch found;
    // NVSHMEM's routines are in the header.
    if (!std::regex_search(of->source, found, kernel)) {
        of->object = "routines";
        return 0;
    }
    std::string name = found[1], folder = "/tmp/standin-XXXXXX";
    if (!mkdtemp(&folder[0])) broken("no temporary folder");
    // A text without NVSHMEM has the words of CUDA all the same.
    std::ofstream(folder + "/kernel.cpp") << "#include <nvshmem.h>\n" << of->source << "\nSTANDIN_KERNEL(" << name << ", "
                                          << (of->source.find("nvshmem") != std::string::npos) << ")\n";
    // A kernel may have the name of a function of the system's libraries, such as `step`.
    std::string command = "c++ -std=c++17 -w -shared -fPIC -fno-gnu-unique -Wl,-Bsymbolic -pthread -DSTANDIN_SHARED -I " STANDIN_INCLUDE " -o " +
                          folder + "/kernel.so " + folder + "/kernel.cpp 2>" + folder + "/log";
    int status = system(command.c_str());
    of->log = read_file(folder + "/log");
    of->object = read_file(folder + "/kernel.so");
    for (const char *file : {"/kernel.cpp", "/kernel.so", "/log"}) unlink((folder + file).c_str());
    rmdir(folder.c_str());
    return status ? 6 : 0;
}
static int text_size(const std::string &text, size_t *size) {
    *size = text.size();
    return 0;
}
static int text(const std::string &text, char *to) {
    memcpy(to, text.data(), text.size());
    return 0;
}
API int nvrtcGetProgramLogSize(void *program, size_t *size) { return text_size(((Program *)program)->log, size); }
API int nvrtcGetProgramLog(void *program, char *to) { return text(((Program *)program)->log, to); }
API int nvrtcGetCUBINSize(void *program, size_t *size) { return text_size(((Program *)program)->object, size); }
API int nvrtcGetCUBIN(void *program, char *to) { return text(((Program *)program)->object, to); }
API int nvrtcDestroyProgram(void **program) {
    delete (Program *)*program;
    return 0;
}

API int nvJitLinkVersion(unsigned *major, unsigned *minor) {
    *major = 12;
    *minor = 9;
    return 0;
}
API int __nvJitLinkCreate_12_0(void **link, uint32_t, const char **) {
    *link = new std::string;
    return 0;
}
API int __nvJitLinkAddData_12_0(void *link, int, const void *data, size_t size, const char *name) {
    if (!strcmp(name, "kernel")) *(std::string *)link = std::string((const char *)data, size);
    return 0;
}
API int __nvJitLinkAddFile_12_0(void *, int, const char *) { return 0; }
API int __nvJitLinkComplete_12_0(void *) { return 0; }
API int __nvJitLinkGetLinkedCubinSize_12_0(void *link, size_t *size) { return text_size(*(std::string *)link, size); }
API int __nvJitLinkGetLinkedCubin_12_0(void *link, void *to) { return text(*(std::string *)link, (char *)to); }
API int __nvJitLinkDestroy_12_0(void **link) {
    delete (std::string *)*link;
    return 0;
}

// ---------------------------------------------------------------- NVSHMEM

// At the start of the memory that the PEs share.
struct Meeting {
    std::atomic<uint32_t> waiting, opened;
    void meet(uint32_t n) {
        uint32_t before = opened.load();
        if (++waiting == n) {
            waiting = 0;
            opened++;
        }
        while (opened.load() == before) usleep(20);
    }
};
// A team, which is number 0 for that of all PEs.
constexpr int TEAMS = 64;
struct SharedTeam {
    Meeting meeting;
    int pes[64];
};
struct Head {
    // Of processes.
    Meeting host;
    std::atomic<uint64_t> teams;
    SharedTeam team[TEAMS];
};
constexpr size_t HEAD = 1 << 16, HEAP = size_t(16) << 30;
static_assert(sizeof(Head) <= HEAD);

static int my_pe, n_pes;
static char *memory;
static size_t used;
static std::mutex registered_lock;
// Never destroyed: a stream may end when the process already does.
static auto &registered = *new std::map<char *, size_t>;
static std::atomic<int> inside;
static int allocated, started_modules;
static bool finalised;

// NVSHMEM lets one thread call it at a time, until it is finalised.
struct Alone {
    Alone() {
        if (finalised) broken("NVSHMEM was called after it was finalised");
        if (inside++) broken("two threads call NVSHMEM at a time");
    }
    ~Alone() { inside--; }
};

static char *heap(int pe) { return memory + HEAD + HEAP * pe; }
static bool is_symmetric(const void *address, size_t bytes) {
    return (char *)address >= heap(my_pe) && (char *)address + bytes <= heap(my_pe) + used;
}
static void *place(const void *here, int pe) {
    if (!is_symmetric(here, 1)) broken("an address that is not symmetric");
    if (pe < 0 || pe >= n_pes) broken("no such PE");
    return heap(pe) + ((char *)here - heap(my_pe));
}
// The other side of a transfer: symmetric or registered.
static void check_near(const void *near, size_t bytes) {
    std::lock_guard<std::mutex> held(registered_lock);
    auto after = registered.upper_bound((char *)near);
    bool is_registered = false;
    if (after != registered.begin()) {
        auto [start, size] = *std::prev(after);
        is_registered = (char *)near + bytes <= start + size;
    }
    if (!is_registered && !is_symmetric(near, bytes)) broken("memory that is neither symmetric nor registered");
}

// The teams of this PE: the number among those of all PEs, how many PEs, and this one's number. The numbers on this PE
// are others than those on other PEs, as NVSHMEM's may be.
struct Team {
    int shared, size, my_pe;
    std::atomic<int> calls{0};
};
static std::map<int, Team> teams;
static std::mutex teams_lock;
static Team &team_of(int number) {
    std::lock_guard<std::mutex> held(teams_lock);
    auto found = teams.find(number);
    if (found == teams.end()) broken("no such team");
    return found->second;
}
static SharedTeam &shared(int team) { return ((Head *)memory)->team[team_of(team).shared]; }
static int team_n_pes(int team) { return team_of(team).size; }
static int team_my_pe(int team) { return team_of(team).my_pe; }
static int team_pe(int team, int number) {
    if (number < 0 || number >= team_n_pes(team)) broken("no such PE of a team");
    return shared(team).pes[number];
}
static void team_begin(int team) {
    if (team_of(team).calls++) broken("two calls of a team at a time");
}
static void team_meet(int team) { shared(team).meeting.meet(team_n_pes(team)); }
static void team_end(int team) { team_of(team).calls--; }
struct Teams {
    int (*n_pes)(int), (*my_pe)(int), (*pe)(int, int);
    void (*begin)(int), (*meet)(int), (*end)(int);
};
static const Teams for_kernels = {team_n_pes, team_my_pe, team_pe, team_begin, team_meet, team_end};

static void make_team(int number, int shared, int size, int index) {
    std::lock_guard<std::mutex> held(teams_lock);
    Team &team = teams[number];
    team.shared = shared;
    team.size = size;
    team.my_pe = index;
}

struct UniqueId {
    int version;
    char internal[124];
};
struct Arguments {
    int version;
    struct {
        int version;
        const UniqueId *id;
        int rank, ranks;
    } unique_id;
    char content[96];
};
struct Attributes {
    int version;
    void *mpi_comm;
    Arguments arguments;
};

API void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch) {
    *major = fault("major", 3);
    *minor = 8;
    *patch = 0;
}
API int nvshmemx_get_uniqueid(UniqueId *id) {
    FAULT();
    if (id->version != (1 << 16) + 128) return 1;
    std::random_device random;
    snprintf(id->internal, sizeof id->internal, "/standin-%08x%08x", random(), random());
    return 0;
}
API int nvshmemx_set_attr_uniqueid_args(int rank, int ranks, const UniqueId *id, Attributes *attributes) {
    if (attributes->version != (1 << 16) + 144 || attributes->arguments.version != (1 << 16) + 128) return 1;
    attributes->arguments.unique_id.id = id;
    attributes->arguments.unique_id.rank = rank;
    attributes->arguments.unique_id.ranks = ranks;
    return 0;
}
API int nvshmemx_hostlib_init_attr(unsigned flags, Attributes *attributes) {
    FAULT();
    entered();
    auto &given = attributes->arguments.unique_id;
    if (flags != 1 << 3 || given.version != (1 << 16) + 24 || memory) return 1;
    my_pe = given.rank;
    n_pes = given.ranks;
    // Where processes share a GPU that does not let them.
    if (fault("exclusive") && n_pes > 1) return 7;
    int file = shm_open(given.id->internal, O_RDWR | O_CREAT, 0600);
    size_t all = HEAD + HEAP * n_pes;
    if (file < 0 || ftruncate(file, all)) return 2;
    memory = (char *)mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    close(file);
    if (memory == MAP_FAILED) return 2;
    ((Head *)memory)->team[0].pes[my_pe] = my_pe;
    make_team(0, 0, n_pes, my_pe);
    ((Head *)memory)->host.meet(n_pes);
    shm_unlink(given.id->internal);
    return 0;
}
// After everything that it was asked for was given back, by all PEs.
API void nvshmemx_hostlib_finalize() {
    Alone alone;
    entered();
    if (started_modules) broken("a module that was not finalised");
    if (allocated) broken("memory that was not freed");
    ((Head *)memory)->host.meet(n_pes);
    finalised = true;
    if (const char *path = getenv("STANDIN_LOG")) std::ofstream(path, std::ios::app) << "finalised by PE " + std::to_string(my_pe) + "\n";
}
API int nvshmemx_init_status() { return fault("status", 2); }
API void *nvshmem_calloc(size_t count, size_t size) {
    if (fault("nvshmem_calloc")) return nullptr;
    Alone alone;
    entered();
    size_t start = (used + 511) / 512 * 512, end = start + count * size;
    ((Head *)memory)->host.meet(n_pes);
    if (end > HEAP) return nullptr;
    used = end;
    allocated++;
    return heap(my_pe) + start;
}
API void nvshmem_free(void *address) {
    Alone alone;
    entered();
    if (!is_symmetric(address, 1)) broken("memory that is not symmetric was freed");
    allocated--;
    ((Head *)memory)->host.meet(n_pes);
}
API void *nvshmem_ptr(const void *here, int pe) { return place(here, pe); }
// A store to its memory reaches all PEs of a team of one. There is nothing of that kind for more.
API void *nvshmemx_mc_ptr(int team, const void *here) {
    Alone alone;
    entered();
    if (!is_symmetric(here, 1)) broken("a multicast address of memory that is not symmetric");
    return team_n_pes(team) == 1 ? (void *)here : nullptr;
}
API int nvshmemx_buffer_register(void *address, size_t bytes) {
    FAULT();
    Alone alone;
    std::lock_guard<std::mutex> held(registered_lock);
    // Neither its own memory, nor the same twice.
    auto *start = (char *)address;
    if (is_symmetric(address, 1)) return 7;
    auto after = registered.lower_bound(start + bytes);
    if (after != registered.begin()) {
        auto [before, size] = *std::prev(after);
        if (before + size > start) return 7;
    }
    registered[start] = bytes;
    return 0;
}
API int nvshmemx_buffer_unregister(void *address) {
    Alone alone;
    std::lock_guard<std::mutex> held(registered_lock);
    return registered.erase((char *)address) == 1 ? 0 : 1;
}

struct TeamConfiguration {
    int version, contexts;
    uint64_t id;
    char padding[48];
};
API int nvshmemx_team_get_uniqueid(uint64_t *id) {
    FAULT();
    Alone alone;
    if (fault("status", 2) == 3) return 1;
    *id = ++((Head *)memory)->teams;
    return *id < TEAMS ? 0 : 1;
}
API int nvshmemx_team_init(int *team, TeamConfiguration *configuration, long mask, int size, int index) {
    FAULT();
    Alone alone;
    entered();
    if (configuration->version != (2 << 16) + 64 || configuration->contexts != -1 || mask != 2) return 1;
    if (configuration->id == 0 || configuration->id >= TEAMS || index < 0 || index >= size || size > n_pes) return 1;
    static int made = 0;
    if (made == fault("teams", TEAMS)) return 2;
    SharedTeam &shared = ((Head *)memory)->team[configuration->id];
    shared.pes[index] = my_pe;
    shared.meeting.meet(size);
    *team = 6 + my_pe + ++made;
    make_team(*team, (int)configuration->id, size, index);
    return 0;
}
API int nvshmemx_cumodule_init(void *module) {
    FAULT();
    auto *of = (Module *)module;
    auto start = (void (*)(int, int, void *(*)(const void *, int), const Teams *))dlsym(of->library, "standin_start");
    if (!start) return 1;
    start(my_pe, n_pes, place, &for_kernels);
    of->started = true;
    started_modules++;
    return 0;
}
API int nvshmemx_cumodule_finalize(void *module) {
    Alone alone;
    started_modules -= ((Module *)module)->started;
    ((Module *)module)->started = false;
    FAULT();
    return 0;
}

API void nvshmemx_putmem_on_stream(void *to, const void *from, size_t bytes, int pe, void *stream) {
    Alone alone;
    entered();
    check_near(from, bytes);
    void *there = place(to, pe);
    push(stream, [=] { move(there, from, bytes); });
}
API void nvshmemx_getmem_on_stream(void *to, const void *from, size_t bytes, int pe, void *stream) {
    Alone alone;
    entered();
    check_near(to, bytes);
    void *there = place(from, pe);
    push(stream, [=] { move(to, there, bytes); });
}
template <size_t SIZE>
static void strided(bool puts, void *to, const void *from, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe, void *stream) {
    Alone alone;
    entered();
    size_t span = SIZE * ((n - 1) * (puts ? sst : dst) + 1);
    check_near(puts ? from : to, span);
    char *target = (char *)(puts ? place(to, pe) : to);
    const char *source = (const char *)(puts ? from : place(from, pe));
    push(stream, [=] {
        for (size_t i = 0; i < n; i++) move(target + SIZE * dst * i, source + SIZE * sst * i, SIZE);
    });
}
#define STRIDED(BITS) \
    API void nvshmemx_iput##BITS##_on_stream(void *to, const void *from, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe, void *stream) { \
        strided<BITS / 8>(true, to, from, dst, sst, n, pe, stream); \
    } \
    API void nvshmemx_iget##BITS##_on_stream(void *to, const void *from, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe, void *stream) { \
        strided<BITS / 8>(false, to, from, dst, sst, n, pe, stream); \
    }
STRIDED(8)
STRIDED(16)
STRIDED(32)
STRIDED(64)
STRIDED(128)
API void nvshmemx_quiet_on_stream(void *stream) {
    Alone alone;
    entered();
    push(stream, [] { std::atomic_thread_fence(std::memory_order_seq_cst); });
}
API void nvshmemx_signal_op_on_stream(uint64_t *cell, uint64_t value, int operation, int pe, void *stream) {
    Alone alone;
    entered();
    auto *there = (uint64_t *)place(cell, pe);
    push(stream, [=] {
        if (operation == 9) __atomic_store_n(there, value, __ATOMIC_SEQ_CST);
        else if (operation == 10) __atomic_fetch_add(there, value, __ATOMIC_SEQ_CST);
        else broken("no such operation of a signal");
    });
}
#define WAIT(T, NAME) \
    API void nvshmemx_##NAME##_wait_until_on_stream(T *cell, int comparison, T value, void *stream) { \
        Alone alone; \
        entered(); \
        check_near(cell, sizeof(T)); \
        push(stream, [=] { \
            while (true) { \
                T seen = __atomic_load_n(cell, __ATOMIC_SEQ_CST); \
                bool holds[] = {seen == value, seen != value, seen > value, seen <= value, seen < value, seen >= value}; \
                if (holds[comparison]) return; \
                usleep(20); \
            } \
        }); \
    }
WAIT(int32_t, int32)
WAIT(uint32_t, uint32)
WAIT(int64_t, int64)
WAIT(uint64_t, uint64)

// Calls of a team, which streams make in one order.
static int exchange(int team, size_t bytes, void *stream, void *to, std::function<void(char *)> make) {
    Alone alone;
    entered();
    team_of(team);
    // Several PEs on one GPU without MPS.
    if (fault("status", 2) == 3) return 1;
    push(stream, [=] {
        team_begin(team);
        team_meet(team);
        std::vector<char> made(bytes);
        make(made.data());
        team_meet(team);
        move(to, made.data(), bytes);
        team_meet(team);
        team_end(team);
    });
    return 0;
}
API int nvshmemx_barrier_on_stream(int team, void *stream) {
    return exchange(team, 0, stream, nullptr, [](char *) {});
}
API int nvshmemx_team_sync_on_stream(int team, void *stream) {
    FAULT();
    return exchange(team, 0, stream, nullptr, [](char *) {});
}
API int nvshmemx_broadcastmem_on_stream(int team, void *to, const void *from, size_t bytes, int root, void *stream) {
    return exchange(team, bytes, stream, to, [=](char *made) { move(made, place(from, team_pe(team, root)), bytes); });
}
API int nvshmemx_fcollectmem_on_stream(int team, void *to, const void *from, size_t bytes, void *stream) {
    int n = team_n_pes(team);
    return exchange(team, bytes * n, stream, to, [=](char *made) {
        for (int i = 0; i < n; i++) move(made + i * bytes, place(from, team_pe(team, i)), bytes);
    });
}
API int nvshmemx_alltoallmem_on_stream(int team, void *to, const void *from, size_t bytes, void *stream) {
    int n = team_n_pes(team), me = team_my_pe(team);
    return exchange(team, bytes * n, stream, to, [=](char *made) {
        for (int i = 0; i < n; i++) move(made + i * bytes, (char *)place(from, team_pe(team, i)) + me * bytes, bytes);
    });
}
template <class T, class Join>
static int reduction(int team, T *to, const T *from, size_t start, size_t n, void *stream, Join join) {
    return exchange(team, n * sizeof(T), stream, to, [=](char *made) {
        for (size_t i = 0; i < n; i++) {
            T all = ((T *)place(from, team_pe(team, 0)))[start + i];
            for (int k = 1; k < team_n_pes(team); k++) all = join(all, ((T *)place(from, team_pe(team, k)))[start + i]);
            ((T *)made)[i] = all;
        }
    });
}
#define REDUCTION(T, NAME, OP, JOIN) \
    API int nvshmemx_##NAME##_##OP##_reduce_on_stream(int team, T *to, const T *from, size_t n, void *stream) { \
        return reduction(team, to, from, 0, n, stream, [](T a, T b) { return (T)(JOIN); }); \
    } \
    API int nvshmemx_##NAME##_##OP##_reducescatter_on_stream(int team, T *to, const T *from, size_t n, void *stream) { \
        return reduction(team, to, from, team_my_pe(team) * n, n, stream, [](T a, T b) { return (T)(JOIN); }); \
    }
// Overflow wraps around: the sum of unsigned numbers is that.
#define NUMBER(T, U, NAME) \
    REDUCTION(T, NAME, sum, (U)a + (U)b) \
    REDUCTION(T, NAME, prod, (U)a * (U)b) \
    REDUCTION(T, NAME, min, a < b ? a : b) \
    REDUCTION(T, NAME, max, a > b ? a : b)
#define INTEGER(T, U, NAME) \
    NUMBER(T, U, NAME) \
    REDUCTION(T, NAME, and, a & b) \
    REDUCTION(T, NAME, or, a | b) \
    REDUCTION(T, NAME, xor, a ^ b)
INTEGER(uint8_t, uint32_t, uint8)
INTEGER(uint16_t, uint32_t, uint16)
INTEGER(uint32_t, uint32_t, uint32)
INTEGER(uint64_t, uint64_t, uint64)
INTEGER(int8_t, uint32_t, int8)
INTEGER(int16_t, uint32_t, int16)
INTEGER(int32_t, uint32_t, int32)
INTEGER(int64_t, uint64_t, int64)
NUMBER(float, float, float)
NUMBER(double, double, double)
