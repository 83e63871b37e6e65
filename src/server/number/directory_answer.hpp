// Turns the directory's answer into what the keeper of the tenure expects.
#pragma once

#include "core/fleet/tenure.hpp"
#include "directory/connection.hpp"

namespace snowid::server {

struct Reply {
    core::TenureAnswer answer;
    std::int32_t free_numbers;
};

// Returns false if no directory would answer that.
bool parse_row(const directory::Answer &row, bool is_taken, Reply &reply);

const char *shown_token(const core::TenureToken &token);  // valid until the next call

}  // namespace snowid::server
