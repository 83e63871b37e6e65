// Writes rows of the extension's own tables for whoever may have them there, but may not write them.
#pragma once

#include "pg/prelude.hpp"

namespace snowid::server {

struct Argument {
    Oid type;
    Datum value;
    bool is_null = false;
};
using Arguments = std::span<const Argument>;
Arguments arguments_of(FunctionCallInfo fcinfo);  // in the current memory context

void execute(const char *sql, Arguments arguments);

// Runs one statement on one of our tables, and returns how many rows it wrote. The text has %s in place of the table.
std::uint64_t write_own(Oid table, const char *sql, Arguments arguments);
std::uint64_t write_own(const char *table, const char *sql, Arguments arguments = {});

}  // namespace snowid::server
