#include "server/generator/generators.hpp"

#include "pg/compat.hpp"
#include "server/durable/await_start.hpp"
#include "server/generator/overflow.hpp"
#include "server/named/generator_record.hpp"
#include "server/number/slots.hpp"
#include "server/shared/settings.hpp"

extern "C" {
#include "access/xact.h"
#include "storage/ipc.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
}

namespace snowid::server {
namespace {

constinit GeneratorList<&SessionGenerator::in_session> generators_of_session;
constinit core::Holder nobody;
constinit core::Holder *holder = &nobody;  // this process's own, which its parallel workers write into

struct NameKey {
    char name[NAMEDATALEN];
    Scheme scheme;
};

struct Named {
    NameKey key;
    SessionGenerator *generator;
};

constinit HTAB *by_name = nullptr;

HTAB *make_names() {
    HASHCTL control{};
    control.keysize = sizeof(NameKey);
    control.entrysize = sizeof(Named);
    control.hcxt = TopMemoryContext;
    return hash_create("snowid generators", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

// REQUIRES: a name shorter than NAMEDATALEN.
NameKey key_of(Scheme scheme, std::string_view name) {
    NameKey key;
    std::memset(&key, 0, sizeof key);
    name.copy(key.name, name.size());
    key.scheme = scheme;
    return key;
}

// Whoever waits for ids has used a generator.
void end_used() {
    if (generators_of_transaction.is_empty()) return;
    end_overflow();
    generators_of_transaction.take_all([](SessionGenerator &g) { g.end_transaction(); });
}

// Looks after generators that the transaction has not used, too. It is rare, and apart for the same reason as
// require_preparable().
[[gnu::noinline]] void end_rarely(XactEvent event) {
    if (has_holders()) holder = &own_holder();
    if (event == XACT_EVENT_PREPARE && holder->is_used()) hand_over(*holder);
    holder->let_go();
    const bool crowded = is_crowded();
    if (any_has_forgotten || crowded)
        generators_of_session.for_each([crowded](SessionGenerator &g) { g.leave_at_end(crowded); });
    any_has_forgotten = false;
    end_used();
}

void end_transaction(XactEvent event, void *) {
    switch (event) {
        case XACT_EVENT_COMMIT:
        case XACT_EVENT_ABORT:
        case XACT_EVENT_PARALLEL_COMMIT:
        case XACT_EVENT_PARALLEL_ABORT:
            if (any_has_forgotten || was_ever_crowded()) [[unlikely]]
                return end_rarely(event);
            if (holder->is_used()) holder->let_go();
            return end_used();
        case XACT_EVENT_PREPARE: return end_rarely(event);
        default: return;
    }
}

void leave_all(int, Datum) {
    end_overflow();
    generators_of_session.for_each([](SessionGenerator &g) { g.is_default() ? g.forget() : g.leave(); });
}

void forget_all() noexcept {
    generators_of_session.for_each([](SessionGenerator &g) { g.forget(); });
}

void watch_for_changes() {
    static constinit bool watching = false;
    if (watching) return;
    on_change = forget_all;
    watch_transactions();
    before_shmem_exit(leave_all, Datum{0});
    watching = true;
}

// What memory_for_named() has looked up, for the one that then uses it.
struct Found {
    LocalTransactionId transaction;  // 0: nobody may use it
    CommandId command;
    std::uint64_t changes;
    GeneratorRecord record;
};

constinit Found found{};

}  // namespace

GeneratorRecord look_up_again(std::string_view name, std::uint64_t &changes) {
    const bool is_same_command =
        std::exchange(found.transaction, InvalidLocalTransactionId) == pg::local_transaction() &&
        found.command == GetCurrentCommandId(false);
    if (is_same_command && name == found.record.name) {
        changes = found.changes;
        return found.record;
    }
    changes = slot_changes();
    return require_record(name);
}

void watch_transactions() {
    static constinit bool watching = false;
    if (!watching) RegisterXactCallback(end_transaction, nullptr);
    watching = true;
}

void count_all_issued() noexcept {
    generators_of_transaction.for_each([](SessionGenerator &g) { g.count_issued(); });
}

bool leave_unused() noexcept {
    count_all_issued();
    bool any = false;
    generators_of_session.for_each([&any](SessionGenerator &g) { any |= g.leave_if_unused(); });
    return any;
}

void list_generator(SessionGenerator &generator) {
    watch_for_changes();
    generators_of_session.add(generator);
}

SessionGenerator *find_named(Scheme scheme, std::string_view name) {
    if (by_name == nullptr || name.size() >= NAMEDATALEN) return nullptr;
    const NameKey key = key_of(scheme, name);
    auto *named = static_cast<Named *>(hash_search(by_name, &key, HASH_FIND, nullptr));
    return named == nullptr ? nullptr : named->generator;
}

void add_named(SessionGenerator &made) {
    if (by_name == nullptr) by_name = make_names();
    const NameKey key = key_of(made.scheme(), made.name());
    static_cast<Named *>(hash_search(by_name, &key, HASH_ENTER, nullptr))->generator = &made;
    list_generator(made);
}

void *memory_for_named(Scheme scheme, std::string_view name, std::size_t size) {
    await_start();
    found.transaction = InvalidLocalTransactionId;
    found.changes = slot_changes();
    found.record = require_record(name);
    require_scheme(found.record, scheme);
    found.command = GetCurrentCommandId(false);
    found.transaction = pg::local_transaction();
    return MemoryContextAlloc(TopMemoryContext, size);
}

constinit bool any_has_forgotten = true;
constinit GeneratorList<&SessionGenerator::in_transaction> generators_of_transaction;

SessionGenerator::SessionGenerator(Scheme scheme, std::string_view name) noexcept : name_{scheme} {
    name_.size = name.copy(name_.text, sizeof name_.text - 1);
}

void SessionGenerator::leave() noexcept {
    forget();
    if (slot_ == nullptr) return;
    if (!is_default()) leave_slot(*slot_);
    slot_ = nullptr;
}

bool SessionGenerator::leave_if_unused() noexcept {
    if (is_default() || slot_ == nullptr || is_used_ || is_uncommitted_) return false;
    leave();
    return true;
}

void SessionGenerator::count_issued() noexcept {
    if (issued_ == 0) return;
    count(slot_->counters.issued, issued_);
    issued_ = 0;
    is_used_ = true;
}

// No generator is in the middle of using its slot. So those that have forgotten what they worked out leave it.
void SessionGenerator::leave_at_end(bool is_crowded) noexcept {
    count_issued();
    if (!ready_ || is_uncommitted_)
        leave();
    else if (is_crowded)
        leave_if_unused();
}

void SessionGenerator::end_transaction() noexcept {
    leave_tick();
    is_used_ = takes_part_ = is_spreading_ = false;
    hold_.forget();
}

}  // namespace snowid::server
