// A number, together with a range of sequence numbers, tells the ids of a generator from those of others. It is the
// worker in snowflakes, or the partition in snos. How a number begins and ends is the same for all generators, the
// server's own and named ones, and for all causes: a start, a reload, a ROLLBACK, and the creation, change or drop of a
// generator. The law:
//
//  - A number begins above all ids that were ever made with it on this server.
//  - On one timeline, no tick has ids with two numbers, because the number may be above the sequence in an id. So a
//    change of the number finishes the tick.
//  - A backend reads the number, takes a position, and then checks the slot's version. If the version has changed, it
//    leaves the position unused. It learns the version under the lock of the slots, so never halfway through a change.
#pragma once

#include "server/shared/shared.hpp"

namespace snowid::server {

// Ids with the server's ticks are counted apart from those with others, which cannot be the same.
bool has_ticks_of_server(const SlotInfo &info);
ClockedPast &past_of(const SlotInfo &info);

// From here on, the slot's timeline makes ids according to `info`, and none that `used` covers. REQUIRES: the lock of
// the slots.
void begin_number(Slot &slot, const SlotInfo &info, const core::UsedUp &used);

// Breaks the promise: the slot continues from the instant. It still uses no time that the directory gave another
// server. REQUIRES: the lock of the slots.
void rewind_number(Slot &slot, const SlotInfo &info, core::UnixNanos to);

// Positions that were taken before, but whose version nobody has checked yet, are left unused. The server remembers how
// far the ids have come. REQUIRES: the lock of the slots.
void end_number(Slot &slot);
void end_number_and_free(Slot &slot);

// No backfill generator that the server's clock bounds has made an id of this time or later, wherever it was.
core::UnixNanos end_of_given_times(const core::Ticks &ticks);

// After a start the last given time is not known. But the horizon is hardly ever further ahead of it than this.
std::int64_t last_given_us(core::UnixNanos horizon);

// A generator of one database can be further ahead than any clock, because of given times, a layout with long ticks, or
// a restore. What it says about numbers that all databases share counts only as far as the clock lets ids go, or has
// let them go before it was set back. A leap that nobody has accepted lets none go.
core::UnixNanos at_most_the_clocks(core::UnixNanos end, const core::Ticks &ticks = {});

// How much of what a row says is believed. Right after a start, ids may be ahead of the clock by the drift and the
// reserve, and their row by another reserve. The clock may have been set back by the drift since an honest row was
// written, and this server's ids may have come further.
core::UnixNanos at_most_believed(core::UnixNanos end, const core::Ticks &ticks = {});

// The same for a backfill generator, which the clock lets go further ahead.
core::UnixNanos at_most_given(const core::Ticks &ticks, core::UnixNanos end);

// A backfill generator is about to make ids up to there. Its number remembers that when it is gone. Given times
// may follow the clock far ahead for ever, so they count for nobody else's number.
void note_given(const SlotInfo &info, core::UnixNanos end);

// When a number that begins now is free: above what any generator of this server can have made with the same bits,
// however that gave its number up, in whichever database, and by whichever layout. A generator that is not new has kept
// its number since an earlier incarnation. Given times begin where their callers say. REQUIRES: the lock of the slots.
core::UnixNanos first_free_time(const SlotInfo &info, bool is_new);

core::Claim claim_of(const SlotInfo &info);

// Whether the two can make the same ids: their ids stand for the same times, and their claims overlap. REQUIRES: both
// have the same scheme.
bool could_meet(const SlotInfo &a, const SlotInfo &b);

}  // namespace snowid::server
