// Which other generators have, or had, a claim to the ids of a generator.
#pragma once

#include <cstdint>

#include "server/record/generator_record.hpp"

namespace snowid::server {

// Raises an error that names the other if the record claims what the server's own generator or another one of this
// database has, unless it is allowed to.
void require_own_claim(const GeneratorRecord &record);

// No generator that gave up an overlapping claim has made an id of this time or later.
// REQUIRES: such claims cannot be used any more.
core::UnixNanos end_of_past_claims(const GeneratorRecord &record);

// The record as a claim that is given up: without a name, and with everything written out that it left open.
GeneratorRecord given_up(GeneratorRecord record);

}  // namespace snowid::server
