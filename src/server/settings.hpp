// The settings snowid.*: one table of them, and the values in force in this process.
//
// The worker id that ids are built with is not read from here but from shared memory, where there is one for the whole
// server; see shmem.hpp.
#pragma once

#include <cstdint>

#include "core/layout/layout.hpp"

namespace snowid::server {

struct Settings {
    core::Layout layout;
    std::uint32_t worker;
    int sno_partition;
    int clock_wait_ms;
    int clock_drift_ms;
    int clock_jump_ms;
    int max_generators;
    int reserve_ms;  // no more of it than clock_drift_ms is used
};

extern Settings settings;

void define_settings();

}  // namespace snowid::server
