#include "server/number/server_number.hpp"

#include "pg/clock.hpp"
#include "pg/compat.hpp"
#include "server/base/settings.hpp"
#include "server/memory/shared.hpp"

namespace snowid::server {
namespace {

// The furthest that any slot of the scheme has come, in any database and with any number.
core::UnixNanos first_time_after_all(Scheme scheme) {
    const SchemeRow &row = row_of(scheme);
    const Slot &own = shared->default_slot(scheme);
    core::UnixNanos end{std::max(first_free_time(scheme).value, own.highest_horizon_ns.load())};
    for_each_slot([&](const Slot &slot) {
        if (slot.info.scheme != scheme || slot.info.backfill) return;
        const core::UnixNanos of_slot{slot.highest_horizon_ns.load()};
        end = std::max(end, at_most_the_clocks(std::max(of_slot, row.first_unused_time(slot, slot.info))));
    });
    return end;
}

// A slot in use that has the number. REQUIRES: the lock of the slots.
const Slot *holder_of(Scheme scheme, std::uint32_t number) {
    const Slot *holder = nullptr;
    for_each_slot([&](const Slot &slot) {
        if (slot.info.scheme == scheme && takes_number_of_server(slot.info, number)) holder = &slot;
    });
    return holder;
}

void note_holder(ServerNumber &number, Oid database, const char *name) {
    number.holder_database = database;
    strlcpy(number.holder, name, sizeof number.holder);
}

const char *shown_holder(const ServerNumber &number) {
    const char *database = get_database_name(number.holder_database);
    return psprintf("generator \"%s\" of database \"%s\"", number.holder, database == nullptr ? "" : database);
}

// Covers everything that the server's clock can have let anyone use of the number, and everything known to be used.
// REQUIRES: the lock of the slots.
core::UsedUp used_before_next(Scheme scheme) {
    const core::UnixNanos latest = latest_time();
    const core::UnixNanos durable = at_most_the_clocks({shared->number(scheme).used_until_ns.load()});
    return core::UsedUp::all_before(std::max({latest, durable, first_time_after_all(scheme)}));
}

std::uint32_t chosen_number(Scheme scheme) { return row_of(scheme).shown_number(shared->number(scheme).next.load()); }

enum class Installed : std::uint8_t { yes, held_by_generator, no_longer_wanted };

Installed install(Scheme scheme) {
    ServerNumber &number = shared->number(scheme);
    const std::uint32_t next = chosen_number(scheme);
    lock_slots(true);
    if (const Slot *holder = holder_of(scheme, next)) note_holder(number, holder->key.database, holder->info.name);
    const bool is_free = number.holder[0] == '\0', is_wanted = !has_directory();
    if (is_free && is_wanted) {
        shared->tenure.from_ns.store(0);
        put_in_force(scheme, next, used_before_next(scheme));
    }
    unlock_slots();
    if (!is_wanted) return Installed::no_longer_wanted;
    return is_free ? Installed::yes : Installed::held_by_generator;
}

// All numbers come from the configuration from now on. If the configuration has gone back to the directory meanwhile,
// no id is made until there is a tenure, whichever of the two processes stores its word last.
void leave_directory() {
    lock_slots(true);
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
    shared->number(scheme).bits.store(row_of(scheme).number_bits(number), std::memory_order_release);
}

bool wants_other_numbers() {
    if (has_directory()) return false;
    if (shared->tenure.until_ns.load() != INT64_MAX) return true;
    return std::any_of(std::begin(kSchemes), std::end(kSchemes), [](Scheme scheme) {
        return shared->number(scheme).wanted.load() != shared->number(scheme).bits.load();
    });
}

void choose_next_numbers() {
    lock_slots(true);
    for (const Scheme scheme : kSchemes) {
        ServerNumber &number = shared->number(scheme);
        number.next.store(number.wanted.load());
        number.used_until_ns.store(0);
        number.holder_database = InvalidOid;
        number.holder[0] = '\0';
    }
    unlock_slots();
}

void note_claim(const SlotInfo &claim, Oid database, const core::UsedUp &used) {
    if (has_directory()) return;
    ServerNumber &number = shared->number(claim.scheme);
    const std::uint32_t next = next_number(claim.scheme);
    if (!could_meet(claim, server_info(claim.scheme, next))) return;
    raise_to(number.used_until_ns, row_of(claim.scheme).first_time_after(used).value);
    if (claim.name[0] == '\0' || !takes_number_of_server(claim, next)) return;
    lock_slots(true);
    note_holder(number, database, claim.name);
    unlock_slots();
}

void start_numbers() {
    lock_slots(true);
    for (const Scheme scheme : kSchemes) {
        const ServerNumber &number = shared->number(scheme);
        if (!has_directory()) shared->number(scheme).bits.store(number.next.load(), std::memory_order_release);
        Slot &own = shared->default_slot(scheme);
        own.info = server_info(scheme, server_number(scheme));
        // The clock may have been set back since the last incarnation, so claims also count as far as that one has
        // come.
        const core::UnixNanos claimed{number.used_until_ns.load()}, come{own.highest_horizon_ns.load()};
        const core::UnixNanos used = std::max(at_most_the_clocks(claimed), std::min(claimed, come));
        begin_number(own, own.info, core::UsedUp::all_before(used));
        own.start_ns.store(own.highest_horizon_ns.load());
    }
    unlock_slots();
    for (const Scheme scheme : kSchemes) {
        const ServerNumber &number = shared->number(scheme);
        if (number.holder[0] == '\0') continue;
        const char *name = row_of(scheme).number_name;
        ereport(LOG, (errmsg("snowid: %s makes no ids, because it has the server's own %s, %u", shown_holder(number),
                             name, server_number(scheme)),
                      errhint("Give one of them another number.")));
    }
}

void install_next_numbers() {
    const bool was_of_directory = shared->tenure.until_ns.load() != INT64_MAX;
    bool all = true;
    for (const Scheme scheme : kSchemes) {
        const std::uint32_t before = server_number(scheme), next = chosen_number(scheme);
        if (before == next && !was_of_directory) continue;
        const char *name = row_of(scheme).number_name;
        const Installed installed = install(scheme);
        all = all && installed == Installed::yes;
        if (installed == Installed::no_longer_wanted) return;
        if (installed == Installed::yes)
            ereport(LOG, (errmsg("snowid: the %s is %u from here on, and was %u", name, next, before)));
        else
            ereport(LOG, (errmsg("snowid: the %s stays %u, because %s has %u", name, before,
                                 shown_holder(shared->number(scheme)), next),
                          errhint("Give one of them another number, and reload.")));
    }
    if (all && was_of_directory) leave_directory();
}

core::UnixNanos first_free_time(Scheme scheme) {
    const SchemeRow &row = row_of(scheme);
    const core::UnixNanos own = row.first_unused_time(shared->default_slot(scheme), server_info(scheme, 0));
    const ServerNumber &number = shared->number(scheme);
    core::UnixNanos end{std::max({number.given_up_until_ns.load(), number.named_until_ns.load(), own.value})};
    for_each_slot([&](const Slot &slot) {
        if (slot.info.follows_server && slot.info.scheme == scheme && !slot.info.backfill)
            end = std::max(end, at_most_the_clocks(row.first_unused_time(slot, slot.info)));
    });
    return end;
}

void forget_past_numbers(Scheme scheme, core::UnixNanos from) {
    ServerNumber &number = shared->number(scheme);
    number.given_up_until_ns.store(std::min(number.given_up_until_ns.load(), from.value));
    number.named_until_ns.store(std::min(number.named_until_ns.load(), from.value));
}

std::uint32_t server_number(Scheme scheme) {
    return row_of(scheme).shown_number(shared->number(scheme).bits.load(std::memory_order_acquire));
}

std::uint32_t next_number(Scheme scheme) {
    if (has_directory()) return server_number(scheme);
    return chosen_number(scheme);
}
std::uint32_t wanted_number(Scheme scheme) {
    if (has_directory()) return server_number(scheme);
    return row_of(scheme).shown_number(shared->number(scheme).wanted.load());
}

SlotInfo server_info(Scheme scheme, std::uint32_t number) {
    const SchemeRow &row = row_of(scheme);
    const core::Layout layout = row.has_layout ? settings.layout : core::Layout{};
    return {"default", scheme, false, layout, {0, row.last_sequence(layout)}, true, true, number};
}

bool takes_number_of_server(const SlotInfo &named, std::uint32_t number) {
    return named.is_apart && !named.follows_server && could_meet(named, server_info(named.scheme, number));
}

bool takes_number_of_server(const SlotInfo &named) {
    if (has_directory()) return false;  // its numbers are a range; see directory_numbers.hpp
    lock_slots(false);
    const std::uint32_t numbers[] = {server_number(named.scheme), next_number(named.scheme),
                                     wanted_number(named.scheme)};
    unlock_slots();
    return std::any_of(std::begin(numbers), std::end(numbers),
                       [&](std::uint32_t number) { return takes_number_of_server(named, number); });
}

}  // namespace snowid::server
