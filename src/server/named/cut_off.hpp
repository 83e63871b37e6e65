// A backfill generator is cut off when its last ids may be lost: a restore or a failover has left WAL behind
// since its row was advanced, or it comes from a dump. Its callers' data went back as well, so they may give the same
// times again, and no clock tells the ids apart. So:
//
//  - It goes on above everything that it can have made, which is hardly ahead of the clock. With the first id it is no
//    longer cut off, because its row is advanced before that id is made.
//  - If it may be given times of the future, it can have made anything. It waits for somebody who knows that nothing is
//    lost, and calls snowid_generator_accept().
#pragma once

#include "server/durable/horizon.hpp"
#include "server/named/generator_record.hpp"
#include "server/number/number.hpp"

namespace snowid::server {

bool is_cut_off(const GeneratorRecord &record, const HorizonRow &row);

// Raises an error if the generator is cut off.
void require_all_ids(const GeneratorRecord &record, const HorizonRow &row);

// What is used up according to the row, and what can have been lost. Raises an error if that can be anything.
core::UsedUp used_with_lost(const GeneratorRecord &record, const HorizonRow &row);

// `from` is the first time that it can be given, or 0 if there is none.
[[noreturn]] void raise_cut_off(const char *name, core::UnixNanos known, core::UnixNanos from);

}  // namespace snowid::server
