// The number of this server: snowid.worker_id and snowid.sno_partition, for its own generators and those that follow
// it, in all databases.
#pragma once

#include "core/timeline/floor.hpp"
#include "server/number/number.hpp"
#include "server/shared/shared.hpp"

namespace snowid::server {

// How the server's worker carries out a reload: it chooses the wanted numbers as the next ones, reads the claims of all
// databases, and puts the next numbers in force, each above everything known to be used. Until then, ids keep the
// numbers in force. They also keep them while what is used is ahead of the clock, or if a named generator has one of
// the next numbers, and then the log says so. A start does the same, but has no earlier numbers to keep. So a named
// generator that has the server's number is refused when it is used.
bool wants_other_numbers();
void choose_next_numbers();
void note_claim(const SlotInfo &claim, Oid database, const core::UsedUp &used);
bool install_next_numbers();  // false if one must wait for the clock
void start_numbers();

// From here on, the server's own generator of the scheme, and those that follow it, make ids with the number, and none
// that `used` covers. REQUIRES: the lock of the slots.
void put_in_force(Scheme scheme, std::uint32_t number, const core::UsedUp &used);

// The number begins in the floor. A number that a directory gives out counts as none, so that leaving it begins
// another.
void begin_number(core::Floor &floor, Scheme scheme, std::uint32_t number);

// Breaks the promise: what generators that are gone have made from the instant on no longer counts. REQUIRES: the lock
// of the slots.
void forget_past_numbers(Scheme scheme, core::UnixNanos from);

std::uint32_t next_number(Scheme scheme);
std::uint32_t wanted_number(Scheme scheme);
SlotInfo server_info(Scheme scheme, std::uint32_t number);

// Those that the last reload or the start has found.
NumberHolders holders_of_next(Scheme scheme);
const char *shown_holders(const NumberHolders &holders,
                          bool quoted);  // needs a transaction, for the names of databases

// Whether a named generator could make the ids that the server makes with the number, and must not.
bool takes_number_of_server(const SlotInfo &named, std::uint32_t number);
bool takes_number_of_server(const SlotInfo &named);  // with the number in force, the next or the wanted one

}  // namespace snowid::server
