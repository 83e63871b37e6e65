// The tenure of this server: the number that a directory has given it, and a piece of that number's time. The server
// makes ids with the number only in [from, until). So two servers never make the same id, whatever happens to them. A
// number from the configuration has no such limits.
//
//  - Reserve::extend_to checks `until` together with the durable horizon. The earlier of the two counts.
//  - `from` holds because no timeline with the server's number begins below it. put_in_force() moves the timelines, and
//    code that sets one lower (begin_slot, rewind_number) moves it up again, under the same lock.
#pragma once

#include "core/fleet/tenure.hpp"
#include "server/shared/shared.hpp"

namespace snowid::server {

struct TenureView {
    core::Tenure tenure;
    DirectoryReport report;
    core::UnixNanos until;
};
TenureView view_tenure();

// Called by the directory's worker.
void install_tenure(const core::Tenure &tenure);
void extend_tenure(const core::Tenure &tenure);  // the same number with a later end
void lose_tenure(const core::Tenure &tenure);    // without its token; the time that was given is used to its end
void close_tenure(std::uint32_t twice);          // at once, because another server has the number, too
void note_news();                                // callers wait for the directory again
// Makes generators with their own numbers check again whether these are the directory's.
void close_generators_of_unknown_numbers();
void note_directory_answer(std::int64_t clock_difference_ns, std::int32_t free_numbers);
void note_directory_address(const char *address);
void note_directory_error(const DirectoryError &error);
const char *shown_error(const DirectoryError &error);  // in the database's encoding

// Wakes the directory's worker and waits until the tenure reaches that far. Returns its end. Raises an error if that
// takes too long.
core::UnixNanos await_tenure(core::UnixNanos end);

// What goes wrong with the directory, for the view and for the log. The log reports each outage once, not each attempt.

void note_error(int sqlstate, const char *message, const char *detail, const char *hint);
void note_lost_connection(const char *why);
void note_waiting();  // for the directory's standby
void note_objection(core::TenureObjection objection, std::int64_t behind_ns);
void note_twice(std::uint32_t worker);  // another server has it, too
void note_success();

// The background worker that asks the fleet's directory for this server's number, and for time with that number. It
// also runs on standbys, so that a promotion does not have to wait for a directory. No backend talks to the directory.
void register_directory_worker();  // called by the postmaster, if the configuration asks for the worker
void start_directory_worker();     // called later, if the configuration asks for it and there is none

}  // namespace snowid::server
