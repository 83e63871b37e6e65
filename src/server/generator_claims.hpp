// Who else has, or had, a claim to the ids of a generator.
#pragma once

#include <cstdint>

#include "server/generator_record.hpp"

namespace snowid::server {

// An error that names the other where the record claims what the server's default generator or another one of this
// database has, unless it is allowed to.
void require_own_claim(const GeneratorRecord &record);

// No id that any other generator has made under an overlapping claim that it gave up is of this time or later.
// REQUIRES: such claims cannot be used any more.
core::UnixNanos end_of_past_claims(const GeneratorRecord &record);

// The record with everything named that it leaves open, as it must be remembered.
GeneratorRecord claim_of_the_past(GeneratorRecord record);

}  // namespace snowid::server
