// For a scheme's check of a record: the faults that are the same for any scheme.
#pragma once

#include "server/named/generator_record.hpp"

namespace snowid::server {

[[noreturn]] void raise_bad_record(const char *name, const char *what, const char *hint);

// `last` is the largest sequence number of the scheme.
void check_sequences(const GeneratorRecord &record, std::uint64_t last);

}  // namespace snowid::server
