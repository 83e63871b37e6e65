// Writes rows of the extension's own tables for whoever may have them there, but may not write them.
#pragma once

#include "pg/prelude.hpp"

namespace snowid::server {

void execute(const char *sql, int count, const Oid *types, Datum *values, const char *nulls);

// Runs one statement on one of our tables. The text has %s in place of the table.
std::uint64_t write_own(const char *table, const char *sql, int count, const Oid *types, Datum *values,
                        const char *nulls);
std::uint64_t write_own(Oid table, const char *sql, int count, const Oid *types, Datum *values, const char *nulls);

// The same with the arguments of the call.
std::uint64_t write_own(const char *table, const char *sql, int count, const Oid *types, FunctionCallInfo fcinfo);

}  // namespace snowid::server
