#include "server/number/server_number.hpp"

#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/builtins.h"
}

namespace snowid::server {
namespace {

// A slot that has the number and that backends use. One that nobody uses is freed: its generator may be gone, and if it
// is not, its record holds the number. REQUIRES: the lock of the slots.
const Slot *holder_of(Scheme scheme, std::uint32_t number) {
    const Slot *holder = nullptr;
    for_each_slot([&](Slot &slot) {
        if (slot.info.scheme != scheme || !takes_number_of_server(slot.info, number)) return;
        if (slot.users.load() != 0) holder = &slot;
        if (slot.users.load() != 0) return;
        shared->slot_changes.fetch_add(1);
        end_number_and_free(slot);
    });
    return holder;
}

const char *shown_database(Oid database) {
    const char *name = get_database_name(database);
    return name == nullptr ? "" : name;
}

// A start may read a database a second time.
void note_holder(NumberHolders &holders, Oid database, const char *name) {
    for (int i = 0; i < holders.shown_count; ++i)
        if (holders.shown[i].database == database && std::strcmp(holders.shown[i].name, name) == 0) return;
    if (holders.shown_count == std::ssize(holders.shown)) {
        ++holders.more;
        return;
    }
    auto &holder = holders.shown[holders.shown_count++];
    holder.database = database;
    strlcpy(holder.name, name, sizeof holder.name);
}

std::uint32_t chosen_number(Scheme scheme) { return shared->number(scheme).next.load(); }

// Covers everything that the server's clock can have let anyone use of the number, and everything known to be used.
// REQUIRES: the lock of the slots.
core::UsedUp used_before_next(Scheme scheme) {
    const ServerNumber &number = shared->number(scheme);
    const core::UnixNanos durable =
        std::max(at_most_the_clocks({number.used_until_ns.load()}), {number.believed_until_ns.load()});
    const core::UnixNanos free = first_free_time(server_info(scheme, chosen_number(scheme)), true);
    return core::UsedUp::all_before(std::max({latest_time(), durable, free}));
}

enum class Installed : std::uint8_t { yes, held_by_generator, used_up, no_longer_wanted };

// If ids of the next number would be refused, because they begin further ahead than the clock lets them go, while those
// of the present one are made, it waits. Sets `begin` to where it begins.
Installed install(Scheme scheme, core::UnixNanos &begin) {
    ServerNumber &number = shared->number(scheme);
    const std::uint32_t next = chosen_number(scheme);
    lock_slots(LW_EXCLUSIVE);
    if (const Slot *holder = holder_of(scheme, next))
        note_holder(number.holders, holder->key.database, holder->info.name);
    Installed installed = Installed::yes;
    const core::UsedUp used = used_before_next(scheme);
    begin = used.horizon;
    if (has_directory())
        installed = Installed::no_longer_wanted;
    else if (number.holders.count() > 0)
        installed = Installed::held_by_generator;
    else if (begin > latest_time() && shared->default_slot(scheme).highest_horizon_ns.load() <= latest_time().value)
        installed = Installed::used_up;
    if (installed == Installed::yes) {
        shared->tenure.from_ns.store(0);
        put_in_force(scheme, next, used);
    }
    unlock_slots();
    return installed;
}

// Only the server's worker tells, and once for each number.
void tell_of_wait(const char *name, std::uint32_t before, std::uint32_t next, core::UnixNanos begin) {
    static constinit core::UnixNanos told{0};
    if (begin <= told) return;
    told = begin;
    const bool is_long = begin.value > latest_time().value + settings.clock_jump_ns();
    ereport(LOG, (errmsg("snowid: the %s stays %u for now, because ids with %u have reached %s", name, before, next,
                         pg::shown_time(begin)),
                  is_long ? errhint("Check the server's time source.")
                          : errhint("Nothing needs to be done: the server takes the number when the clock is near.")));
}

// Nobody can take the number between the drop and the reload, because it is the wanted one.
void tell_of_refusal(const char *name, std::uint32_t before, std::uint32_t next, const NumberHolders &holders) {
    ereport(
        LOG,
        (errmsg_plural("snowid: the %s stays %u, because %s has %u", "snowid: the %s stays %u, because %s have %u",
                       static_cast<unsigned long>(holders.count()), name, before, shown_holders(holders, true), next),
         errhint("Give the generator another %s, or run in the database \"%s\": SELECT snowid_generator_drop(%s); Then "
                 "reload. Or restart the server: at a start it takes its number, and a generator that has the same one "
                 "makes no ids.",
                 name, shown_database(holders.shown[0].database), quote_literal_cstr(holders.shown[0].name))));
}

// All numbers come from the configuration from now on. If the configuration has gone back to the directory meanwhile,
// no id is made until there is a tenure, whichever of the two processes stores its word last.
void leave_directory() {
    lock_slots(LW_EXCLUSIVE);
    shared->slot_changes.fetch_add(1);
    shared->tenure.range.store(0);
    shared->tenure.tenure = {};
    shared->tenure.report = {};
    shared->tenure.until_ns.store(INT64_MAX);
    if (has_directory()) shared->tenure.until_ns.store(0);
    unlock_slots();
}

}  // namespace

void put_in_force(Scheme scheme, std::uint32_t number, const core::UsedUp &used) {
    begin_number(shared->default_slot(scheme), server_info(scheme, number), used);
    for_each_slot([&](Slot &slot) {
        if (slot.info.scheme == scheme && slot.info.follows_server) begin_number(slot, slot.info, used);
    });
    store_number(scheme, number);
}

bool wants_other_numbers() {
    if (has_directory()) return false;
    if (shared->tenure.until_ns.load() != INT64_MAX) return true;
    return std::any_of(std::begin(kSchemes), std::end(kSchemes),
                       [](Scheme scheme) { return shared->number(scheme).wanted.load() != server_number(scheme); });
}

void choose_next_numbers() {
    lock_slots(LW_EXCLUSIVE);
    for (const Scheme scheme : kSchemes) {
        ServerNumber &number = shared->number(scheme);
        number.next.store(number.wanted.load());
        number.used_until_ns.store(0);
        number.believed_until_ns.store(0);
        number.holders = {};
    }
    unlock_slots();
}

void note_claim(const SlotInfo &claim, Oid database, const core::UsedUp &used) {
    if (has_directory()) return;
    ServerNumber &number = shared->number(claim.scheme);
    const std::uint32_t next = next_number(claim.scheme);
    if (!could_meet(claim, server_info(claim.scheme, next))) return;
    const core::UnixNanos end = scheme_row(claim.scheme).first_time_after(used);
    advance_to(number.used_until_ns, end.value);
    if (!claim.backfill && at_most_believed(end) == end) advance_to(number.believed_until_ns, end.value);
    if (claim.name[0] == '\0' || !takes_number_of_server(claim, next)) return;
    lock_slots(LW_EXCLUSIVE);
    note_holder(number.holders, database, claim.name);
    unlock_slots();
}

void start_numbers() {
    lock_slots(LW_EXCLUSIVE);
    for (const Scheme scheme : kSchemes) {
        const ServerNumber &number = shared->number(scheme);
        if (!has_directory()) store_number(scheme, number.next.load());
        Slot &own = shared->default_slot(scheme);
        own.info = server_info(scheme, server_number(scheme));
        // The clock may have been set back since the last incarnation, so claims also count as far as that one has
        // come.
        const core::UnixNanos claimed{number.used_until_ns.load()}, come{own.highest_horizon_ns.load()};
        const core::UnixNanos used = std::max(
            {at_most_the_clocks(claimed), std::min(claimed, come), core::UnixNanos{number.believed_until_ns.load()}});
        begin_number(own, own.info, core::UsedUp::all_before(used));
        own.start_ns.store(own.highest_horizon_ns.load());
    }
    unlock_slots();
    for (const Scheme scheme : kSchemes) {
        const NumberHolders holders = holders_of_next(scheme);
        if (holders.count() == 0) continue;
        const char *name = scheme_row(scheme).number_name;
        ereport(LOG, (errmsg_plural("snowid: %s makes no ids, because it has the server's own %s, %u",
                                    "snowid: %s make no ids, because they have the server's own %s, %u",
                                    static_cast<unsigned long>(holders.count()), shown_holders(holders, true), name,
                                    server_number(scheme)),
                      errhint("Give one of them another number.")));
    }
}

bool install_next_numbers() {
    const bool was_of_directory = shared->tenure.until_ns.load() != INT64_MAX;
    bool all = true, settled = true;
    for (const Scheme scheme : kSchemes) {
        const std::uint32_t before = server_number(scheme), next = chosen_number(scheme);
        if (before == next && !was_of_directory) continue;
        const char *name = scheme_row(scheme).number_name;
        core::UnixNanos begin{0};
        const Installed installed = install(scheme, begin);
        all = all && installed == Installed::yes;
        settled = settled && installed != Installed::used_up;
        if (installed == Installed::no_longer_wanted) return true;
        if (installed == Installed::yes)
            ereport(LOG, (errmsg("snowid: the %s is %u from here on, and was %u", name, next, before)));
        else if (installed == Installed::used_up)
            tell_of_wait(name, before, next, begin);
        else
            tell_of_refusal(name, before, next, holders_of_next(scheme));
    }
    if (all && was_of_directory) leave_directory();
    return settled;
}

NumberHolders holders_of_next(Scheme scheme) {
    lock_slots(LW_SHARED);
    const NumberHolders holders = shared->number(scheme).holders;
    unlock_slots();
    return holders;
}

const char *shown_holders(const NumberHolders &holders, bool quoted) {
    StringInfoData list;
    initStringInfo(&list);
    for (int i = 0; i < holders.shown_count; ++i) {
        const char *link = i + 1 == holders.count() ? " and " : ", ";
        appendStringInfo(&list, quoted ? "%sgenerator \"%s\" of database \"%s\"" : "%sgenerator %s of database %s",
                         i == 0 ? "" : link, holders.shown[i].name, shown_database(holders.shown[i].database));
    }
    if (holders.more > 0) appendStringInfo(&list, list.len == 0 ? "%d generators" : " and %d more", holders.more);
    return list.data;
}

void begin_number(core::Floor &floor, Scheme scheme, std::uint32_t number) {
    constexpr std::uint32_t kNone = UINT32_MAX;
    floor.begin_number(has_directory() ? kNone : number, scheme_row(scheme).has_layout ? shared->layout_hash : 0);
}

void forget_past_numbers(Scheme scheme, core::UnixNanos from) {
    for (ClockedPast &past : shared->number(scheme).past) {
        past.given_up_until_ns.store(std::min(past.given_up_until_ns.load(), from.value));
        past.named_until_ns.store(std::min(past.named_until_ns.load(), from.value));
    }
    shared->reached_ns.store(std::min(shared->reached_ns.load(), from.value));
    for (GivenPast &past : shared->given_past)
        if (past.scheme == scheme) past.until = std::min(past.until, from);
}

std::uint32_t next_number(Scheme scheme) {
    if (has_directory()) return server_number(scheme);
    return chosen_number(scheme);
}
std::uint32_t wanted_number(Scheme scheme) {
    if (has_directory()) return server_number(scheme);
    return shared->number(scheme).wanted.load();
}

SlotInfo server_info(Scheme scheme, std::uint32_t number) {
    const SchemeRow &row = scheme_row(scheme);
    const core::Layout layout = row.has_layout ? settings.layout : core::Layout{};
    return {"default", scheme, false, layout, {0, row.last_sequence(layout)}, true, true, number};
}

bool takes_number_of_server(const SlotInfo &named, std::uint32_t number) {
    return named.is_apart && !named.follows_server && could_meet(named, server_info(named.scheme, number));
}

bool takes_number_of_server(const SlotInfo &named) {
    if (has_directory()) return false;  // its numbers are a range; see directory_numbers.hpp
    lock_slots(LW_SHARED);
    const std::uint32_t numbers[] = {server_number(named.scheme), next_number(named.scheme),
                                     wanted_number(named.scheme)};
    unlock_slots();
    return std::any_of(std::begin(numbers), std::end(numbers),
                       [&](std::uint32_t number) { return takes_number_of_server(named, number); });
}

}  // namespace snowid::server
