// The tenure of this server: the number that a directory has given it, and the piece of that number's time. Ids of the
// server's number are made in [from, until) and nowhere else, so two servers never make the same id, whatever has
// happened to either of them. A number from the configuration has all time.
//
//  - `until` is looked at in BackendGenerator::extend, where the durable horizon is: the lower one counts.
//  - `from` holds because the timelines of the server's number never begin below it: put_in_force() moves them, and
//    what sets a timeline lower (begin_slot, rewind_number) moves it again, under the same lock.
#pragma once

#include "core/function_ref.hpp"
#include "server/memory/slot.hpp"
#include "server/memory/tenure_memory.hpp"

namespace snowid::server {

struct TenureView {
    core::Tenure tenure;
    DirectoryReport report;
    core::UnixNanos until;
};
TenureView view_tenure();

// By the directory's worker.
void install_tenure(const core::Tenure &tenure);
void raise_tenure(const core::Tenure &tenure);  // the same number with a later end
void lose_tenure(const core::Tenure &tenure);   // without its token; what was given is used to its end
// Those that are in use with numbers of their own are looked up again, when it is known which are the directory's.
void close_generators_of_unknown_numbers();
void note_directory_answer(std::int64_t clock_difference_ns, std::int32_t free_numbers);
void note_directory_address(const char *address);
void note_directory_error(const DirectoryError &error);
const char *shown_error(const DirectoryError &error);  // in the database's encoding

// Returns until when the number is this server's own, as soon as that is enough. Asks the directory and waits for it if
// it must, unless it is to give up. Raises an error if that does not come about.
enum class Patience : std::uint8_t { none, some };
core::UnixNanos await_tenure(Patience patience, core::FunctionRef<bool(core::UnixNanos until)> is_enough);

}  // namespace snowid::server
