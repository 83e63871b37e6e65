// The number of this server: snowid.worker_id and snowid.sno_partition, as its own generators and those that follow it
// have them, for all databases.
#pragma once

#include "server/memory/number.hpp"

namespace snowid::server {

// A reload, by the server's worker. It chooses the wanted numbers as the next ones, reads the claims of all databases,
// and puts the next numbers in force, each above all that is known to be used. Until then, and if a named generator has
// one of them, ids go on with the numbers in force; in the latter case the log says so. A start goes the same way, but
// has no number to go on with: a named generator that has the server's number is refused when it is used.
bool wants_other_numbers();
void choose_next_numbers();
void note_claim(const SlotInfo &claim, Oid database, const core::UsedUp &used);
void install_next_numbers();
void start_numbers();

// From here on the server's own generator of the scheme, and those that follow it, make ids by the number, and none
// that `used` covers. REQUIRES: the lock of the slots.
void put_in_force(Scheme scheme, std::uint32_t number, const core::UsedUp &used);

// The first time that no generator has used that follows the server, or that was given up in this incarnation.
// REQUIRES: the lock of the slots.
core::UnixNanos first_free_time(Scheme scheme);

std::uint32_t server_number(Scheme scheme);  // in force
std::uint32_t next_number(Scheme scheme);
std::uint32_t wanted_number(Scheme scheme);
SlotInfo server_info(Scheme scheme, std::uint32_t number);

// Whether a named generator could make the ids that the server makes by the number, and must not.
bool takes_number_of_server(const SlotInfo &named, std::uint32_t number);
bool takes_number_of_server(const SlotInfo &named);  // by the one in force, the next or the wanted one

}  // namespace snowid::server
