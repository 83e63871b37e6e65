// What goes wrong with the directory, for the view and for the log. The log reports each outage once, not each attempt.
#pragma once

#include <cstdint>

#include "core/fleet/tenure.hpp"

namespace snowid::server {

void note_error(int sqlstate, const char *message, const char *detail, const char *hint);
void note_lost_connection(const char *why);
void note_waiting();  // for the directory's standby
void note_objection(core::TenureObjection objection, std::int64_t behind_ns);
void note_twice(std::uint32_t worker);  // another server has it, too
void note_success();

}  // namespace snowid::server
