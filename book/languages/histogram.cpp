#include <cstdint>
#include <iostream>
#include <upcxx/upcxx.hpp>
#include <vector>

int main() {
    upcxx::init();
    const int me = upcxx::rank_me(), n = upcxx::rank_n();
    const int each = (16 + n - 1) / n; // bins of a rank
    using pointer = upcxx::global_ptr<std::int64_t>;
    upcxx::dist_object<pointer> mine(upcxx::new_array<std::int64_t>(each));
    std::vector<pointer> bins;
    for (int rank = 0; rank < n; rank++)
        bins.push_back(mine.fetch(rank).wait());
    upcxx::atomic_domain<std::int64_t> domain({upcxx::atomic_op::add, upcxx::atomic_op::load});
    upcxx::promise<> added;
    for (int i = 0; i < 1000; i++) {
        const int bin = (1000 * me + i) % 137 % 16;
        domain.add(bins[bin % n] + bin / n, 1, std::memory_order_relaxed,
                   upcxx::operation_cx::as_promise(added));
    }
    added.finalize().wait();
    upcxx::barrier();
    if (me == 0)
        for (int bin = 0; bin < 16; bin++)
            std::cout << domain.load(bins[bin % n] + bin / n, std::memory_order_relaxed).wait() << ' ';
    upcxx::barrier();
    domain.destroy();
    upcxx::delete_array(*mine);
    upcxx::finalize();
}
