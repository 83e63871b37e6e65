// The server's tenure as its backends share it; see tenure.hpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/fleet/tenure.hpp"
#include "pg/prelude.hpp"
#include "server/shared/worker_seat.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace snowid::server {

// The last problem with the directory, for people. Texts are in UTF-8, because the worker knows no database's encoding.
struct DirectoryError {
    int sqlstate;  // 0: nothing
    char message[256];
    char detail[256];
    char hint[256];
    TimestampTz at;
};

// What the view snowid_worker shows.
struct DirectoryReport {
    TimestampTz since;    // when the number came into force
    TimestampTz renewed;  // when the directory last gave time
    std::int64_t losses;
    std::int64_t clock_difference_ns;  // this server's clock compared with the directory's
    std::int32_t free_numbers;
    std::uint32_t twice;   // a number that another server had at the same time; 0: none
    TimestampTz twice_at;  // when the directory said so
    char address[256];     // host and port
    DirectoryError error;
};

struct alignas(64) TenureMemory {
    std::atomic<std::int64_t> until_ns;  // 0: no id may be made; INT64_MAX: the number does not come from a directory
    std::atomic<std::int64_t> from_ns;
    std::atomic<bool> from_directory;  // whether the configuration says so
    std::atomic<std::uint64_t> range;  // the numbers that the directory gives out; see directory_numbers.hpp
    std::atomic<std::uint64_t> news;   // how often the directory has given time, or another directory was set
    std::atomic<std::uint64_t> vain;   // what `news` was, and one more, when a caller had waited in vain
    WorkerSeat worker;                 // of the directory's worker
    core::Tenure tenure;               // guarded by the lock of the slots, as is
    DirectoryReport report;            // the rest
};

}  // namespace snowid::server
