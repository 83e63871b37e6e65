// What all backends of the server share. There are no locks: every field is one atomic word.
//
//     timeline      the last position taken by any backend of any database
//     worker_bits   the worker id in force, where it stands in an id; written by the postmaster alone
//     random        of the ids whose uniqueness is random; see random_state.hpp
#pragma once

#include <atomic>
#include <cstdint>

#include "core/gen/timeline.hpp"
#include "server/random_state.hpp"

namespace snowid::server {

struct Shared {
    core::Timeline timeline;
    alignas(64) std::atomic<std::uint64_t> worker_bits;
    RandomState random;
};

extern Shared *shared;  // nullptr unless the library was preloaded

void install_shmem_hooks();
void publish_worker();  // makes settings.worker the server's

}  // namespace snowid::server
