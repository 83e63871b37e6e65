// A number tells the ids of a generator from those of others: the worker in snowflakes, or the partition in snos,
// together with a range of sequence numbers. How a number begins and ends is the same for all generators, the server's
// own and named ones, and for all reasons: a start, a reload, the creation, change or drop of a generator, a ROLLBACK.
// The law:
//
//  - A number begins above all ids that were ever made with it on this server.
//  - No tick has ids of two numbers of one timeline, for the number may stand above the sequence in an id. So a change
//    of the number finishes the tick.
//  - A backend reads the number, takes a position, and then looks at the slot's version. If that has changed, it leaves
//    the position unused. It learns the version under the lock of the slots, so never halfway through a change.
#pragma once

#include "server/memory/slot.hpp"

namespace snowid::server {

// From here on the slot's timeline makes ids by `info`, and none that `used` covers. REQUIRES: the lock of the slots.
void begin_number(Slot &slot, const SlotInfo &info, const core::UsedUp &used);

// Breaks the promise: the slot goes on from the instant. It still uses no time that the directory gave another server.
// REQUIRES: the lock of the slots.
void rewind_number(Slot &slot, const SlotInfo &info, core::UnixNanos to);

// Positions taken before, whose version nobody has looked at yet, are left unused. REQUIRES: the lock of the slots.
void end_number(Slot &slot);

// The same for a slot that is freed. The server remembers how far its ids have come.
void end_number_and_free(Slot &slot);

core::UnixNanos latest_time();  // the latest that the clock lets anyone use

// A generator of one database can have come further than any clock, by given times, a layout of long ticks or a
// restore. What it says of numbers that all databases share counts only as far as the clock lets ids go.
core::UnixNanos at_most_the_clocks(core::UnixNanos end);

core::Claim claim_of(const SlotInfo &info);

// Whether ids of the two, of one scheme, stand for the same times, and their claims overlap.
bool could_meet(const SlotInfo &a, const SlotInfo &b);

}  // namespace snowid::server
