// The tenure of this server: the number that a directory has given it, and the piece of that number's time. Ids of the
// server's number are made in [from, until) and nowhere else, so two servers never make the same id, whatever has
// happened to either of them. A number from the configuration has all time.
//
//  - `until` is looked at in BackendGenerator::extend, where the durable horizon is: the lower one counts.
//  - `from` holds because the timelines of the server's number never begin below it: put_in_force() moves them, and
//    what sets a timeline lower (begin_slot, rewind_number) moves it again, under the same lock.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/fleet/tenure.hpp"
#include "core/function_ref.hpp"
#include "pg/prelude.hpp"
#include "server/memory/slot.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "storage/latch.h"
}

namespace snowid::server {

// What went wrong with the directory last, for people. Texts are in UTF-8, for the worker knows no database's encoding.
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
    std::int64_t clock_difference_ns;  // of this server's clock from the directory's
    std::int32_t free_numbers;
    char address[256];  // host and port
    DirectoryError error;
};

struct alignas(64) TenureMemory {
    std::atomic<std::int64_t> until_ns;  // 0: no id may be made; INT64_MAX: the number is not a directory's
    std::atomic<std::int64_t> from_ns;
    std::atomic<bool> from_directory;   // whether the configuration says so
    std::atomic<std::uint64_t> range;   // the numbers that the directory gives out; see directory_range()
    std::atomic<Latch *> worker_latch;  // of the directory's worker
    std::atomic<int> worker_pid;
    core::Tenure tenure;     // guarded by the lock of the slots, as is
    DirectoryReport report;  // the rest
};

bool has_directory();
core::WorkerRange directory_range();  // {0, 0}: there is none

// A configuration that has changed from a number to the directory: nothing is made until there is a tenure.
void want_directory(bool from_directory);

// A number of the configuration is in force.
void leave_directory();

// By the directory's worker.
core::Tenure kept_tenure();  // what an earlier worker has left
void install_tenure(const core::Tenure &tenure);
void keep_tenure(const core::Tenure &tenure);  // the same number, with a later end or without its token
void note_directory_answer(std::int64_t clock_difference_ns, std::int32_t free_numbers);
void note_directory_address(const char *address);
void note_directory_error(const DirectoryError &error);
const char *shown_error(const DirectoryError &error);  // in the database's encoding

// Whether a named generator has a number that is the directory's to give out. Such a one is refused, and so is one that
// would make ids of given times by the server's number.
bool takes_number_of_directory(const SlotInfo &named);
void require_number_of_person(const SlotInfo &named);

// Returns until when the number is this server's own, as soon as that is enough. Asks the directory and waits for it if
// it must, unless it is to give up. Raises an error if that does not come about.
enum class Patience : std::uint8_t { none, some };
core::UnixNanos await_tenure(Patience patience, core::FunctionRef<bool(core::UnixNanos until)> is_enough);

}  // namespace snowid::server
