// Which other generators have, or had, a claim to the ids of a generator.
#pragma once

#include "server/named/generator_record.hpp"

namespace snowid::server {

// Whether the two could make the same id, even if they are allowed to. If the layouts have their times in different
// places, claims cannot tell the ids apart. That is so for records from before a change of the database's layout.
bool meets(const SlotInfo &info, const SlotInfo &other);

// Raises an error that names the other if the record claims ids of the server's own generator or of another one in this
// database, unless it is allowed to overlap.
void require_own_claim(const GeneratorRecord &record);

// No generator that gave up an overlapping claim has made an id with this time or later. REQUIRES: such claims can no
// longer be used.
core::UnixNanos end_of_past_claims(const GeneratorRecord &record);

// All claims of this database, also those that were given up.
struct ClaimOfRecord {
    GeneratorRecord record;
    SlotInfo info;
};
using Claims = std::span<const ClaimOfRecord>;
Claims read_claims();

// No other claim that the generator could meet has made an id of this time or later. Raises an error that names one if
// that is not given up.
core::UnixNanos end_of_meeting(const ClaimOfRecord &claim, Claims all);

// The record as a claim that is given up: without a name, and with the values that it left open written out. Its ids
// are of the future only if the last of them may be lost.
GeneratorRecord given_up(GeneratorRecord record);

}  // namespace snowid::server
