// Which other generators have, or had, a claim to the ids of a generator.
#pragma once

#include "server/durable/horizon.hpp"
#include "server/named/generator_record.hpp"
#include "server/number/number.hpp"

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

// A backfill generator is cut off when its last ids may be lost: a restore or a failover has left WAL behind
// since its row was advanced, or it comes from a dump. Its callers' data went back as well, so they may give the same
// times again, and no clock tells the ids apart. So:
//
//  - It goes on above everything that it can have made, which is hardly ahead of the clock. With the first id it is no
//    longer cut off, because its row is advanced before that id is made.
//  - If it may be given times of the future, it can have made anything. It waits for somebody who knows that nothing is
//    lost, and calls snowid_generator_accept().

bool is_cut_off(const GeneratorRecord &record, const HorizonRow &row);

// Raises an error if the generator is cut off.
void require_all_ids(const GeneratorRecord &record, const HorizonRow &row);

// What is used up according to the row, and what can have been lost. Raises an error if that can be anything.
core::UsedUp used_with_lost(const GeneratorRecord &record, const HorizonRow &row);

// `from` is the first time that it can be given, or 0 if there is none.
[[noreturn]] void raise_cut_off(const char *name, core::UnixNanos known, core::UnixNanos from);

}  // namespace snowid::server
