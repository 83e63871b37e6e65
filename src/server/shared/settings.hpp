// The settings snowid.*: one table of them, and the values in force in this process.
//
// Ids are not built with this worker id but with the one in shared memory, which is the same for the whole server; see
// shared/shared.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/layout/layout.hpp"
#include "core/time.hpp"

namespace snowid::server {

struct Settings {
    core::Layout layout;
    std::uint32_t worker;
    bool worker_is_set;   // 0 is a number too
    bool from_directory;  // the number comes from the fleet's directory
    const char *directory;
    int directory_lease_ms;
    int sno_partition;
    bool sno_partition_is_set;
    int clock_wait_ms;
    int clock_drift_ms;
    int clock_jump_ms;
    int max_generators;
    int max_generators_per_database;  // -1: as many as leave room for other databases
    int reserve_ms;
    bool infer;

    std::int64_t clock_wait_ns() const noexcept { return core::millis(clock_wait_ms); }
    std::int64_t clock_drift_ns() const noexcept { return core::millis(clock_drift_ms); }
    std::int64_t directory_lease_ns() const noexcept { return core::millis(directory_lease_ms); }
    std::int64_t clock_jump_ns() const noexcept { return core::millis(clock_jump_ms); }
    // Never more than the drift, because ids made after a crash must not be further ahead than that.
    std::int64_t reserve_ns() const noexcept { return core::millis(std::min(reserve_ms, clock_drift_ms)); }
};

extern Settings settings;

void define_settings();

// Raises an error if this process has a default value because the configured one is invalid.
void require_settings();

// Reports settings that cannot be combined with snowid.worker_id = directory.
void check_directory_settings(int level);

// Fixes the server's layout until the next start, whatever the setting says meanwhile.
void settle_layout(const core::Layout &layout);

// Called whenever a setting that decides about the server's numbers gets a value.
inline void (*on_number_setting)() = nullptr;

// Generators cache what they work out from settings and records. This tells them when one of those has changed. A
// backend has one listener, its generators.
inline void (*on_change)() noexcept = nullptr;

// A setting, or one of the extension's tables, has changed.
inline void note_change() noexcept {
    if (on_change != nullptr) on_change();
}

}  // namespace snowid::server
