#include "server/generator/overflow.hpp"

#include "pg/time.hpp"
#include "server/number/slots.hpp"
#include "server/shared/shared.hpp"
#include "server/shared/wait.hpp"
#include "server/shared/worker.hpp"

extern "C" {
#include "access/xact.h"
#include "commands/async.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/latch.h"
#include "utils/json.h"
#include "utils/memutils.h"

PGDLLEXPORT void snowid_notify_main(Datum);
}

namespace snowid::server {

constinit Slot *waiting_for = nullptr;

namespace {

constexpr std::int64_t kLongestNotifierNs = 5 * core::kNanosPerSecond;

// The worker that runs now, and its database. The databases take turns, and a round of them begins once a second.
struct Notifier {
    BackgroundWorkerHandle *handle;  // nullptr: there is none
    Oid database;                    // InvalidOid: between two rounds
    std::int64_t began_ns;
    std::int64_t round_ns;
};
constinit Notifier notifier{};

// Calls `see` with every slot and the name of its generator, under the lock of the slots.
template <typename See>
void each_slot(See see) {
    lock_slots(LW_SHARED);
    for (const Scheme scheme : kSchemes) see(shared->default_slot(scheme), "default", scheme);
    for_each_slot([&see](Slot &slot) { see(slot, slot.info.name, slot.info.scheme); });
    unlock_slots();
}

// Returns whether there is room for it.
bool start_notifier() {
    notifier.began_ns = pg::monotonic_ns();
    MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
    notifier.handle = start_worker_in(notifier.database, "snowid_notify_main", "snowid notifier");
    MemoryContextSwitchTo(caller);
    return notifier.handle != nullptr;
}

// Whether the worker is still running. What it could not tell is left to the counters.
bool is_notifying() {
    if (notifier.handle == nullptr) return false;
    pid_t pid = 0;
    const BgwHandleStatus status = GetBackgroundWorkerPid(notifier.handle, &pid);
    if (status == BGWH_STARTED || status == BGWH_NOT_YET_STARTED) {
        if (pg::monotonic_ns() - notifier.began_ns > kLongestNotifierNs) TerminateBackgroundWorker(notifier.handle);
        return true;
    }
    pfree(notifier.handle);
    notifier.handle = nullptr;
    return false;
}

void forget_untold() {
    each_slot([](Slot &slot, const char *, Scheme) {
        Oid told = notifier.database;
        if (slot.overflow.seen_ns.load() < notifier.began_ns)
            slot.overflow.database.compare_exchange_strong(told, InvalidOid);
    });
}

// Goes on to the next database with an overflow. Returns false after the last one.
bool go_on() {
    Oid next = InvalidOid;
    each_slot([&next](Slot &slot, const char *, Scheme) {
        const Oid database = slot.overflow.database.load();
        if (database > notifier.database && (next == InvalidOid || database < next)) next = database;
    });
    notifier.database = next;
    return OidIsValid(next);
}

// Returns whether any overflow is going on.
bool end_overflows() {
    const std::int64_t before_ns = pg::monotonic_ns() - core::kNanosPerSecond;
    bool any = false;
    each_slot([&](Slot &slot, const char *, Scheme) {
        Overflow &overflow = slot.overflow;
        if (overflow.since_ns.load() == 0) return;
        if (OidIsValid(overflow.database.load()) || overflow.seen_ns.load() > before_ns || overflow.waiting.load() > 0)
            any = true;
        else
            overflow.since_ns.store(0);
    });
    return any;
}

struct Message {
    char generator[NAMEDATALEN];
    Scheme scheme;
    int waiting;
    std::int64_t for_ms;
};

void send(const Message &message) {
    StringInfoData payload;
    initStringInfo(&payload);
    appendStringInfoString(&payload, "{\"generator\": ");
    escape_json(&payload, message.generator);
    appendStringInfo(&payload, ", \"scheme\": \"%s\", \"waiting\": %d, \"for_ms\": " INT64_FORMAT "}",
                     scheme_row(message.scheme).name, message.waiting, message.for_ms);
    Async_Notify("snowid_overflow", payload.data);
}

// Of this database.
void send_all() {
    const auto slots = static_cast<Size>(shared->slot_count) + std::size(kSchemes);
    auto *messages = static_cast<Message *>(palloc(slots * sizeof(Message)));
    Size count = 0;
    const std::int64_t now_ns = pg::monotonic_ns();
    each_slot([&](Slot &slot, const char *name, Scheme scheme) {
        Oid here = MyDatabaseId;
        if (!slot.overflow.database.compare_exchange_strong(here, InvalidOid)) return;
        Message &message = messages[count++];
        const std::int64_t since_ns = slot.overflow.since_ns.load(), for_ns = since_ns == 0 ? 0 : now_ns - since_ns;
        message = {{}, scheme, slot.overflow.most_waiting.exchange(0), for_ns / core::kNanosPerMilli};
        strlcpy(message.generator, name, sizeof message.generator);
    });
    for (Size i = 0; i < count; ++i) send(messages[i]);
}

void begin_overflow(Slot &slot) {
    end_overflow();
    count(slot.counters.overflows);
    Overflow &overflow = slot.overflow;
    waiting_for = &slot;
    advance_to(overflow.most_waiting, overflow.waiting.fetch_add(1) + 1);
    const std::int64_t now_ns = pg::monotonic_ns();
    overflow.seen_ns.store(now_ns);
    overflow.database.store(MyDatabaseId);
    std::int64_t none = 0;
    if (!overflow.since_ns.compare_exchange_strong(none, now_ns)) return;
    shared->worker.wake();
}

// Until the clock reaches this time, ids are ahead of it for a known reason.
std::int64_t behind_until_ns(const Slot &slot) {
    return std::max(shared->behind_until_ns.load(std::memory_order_relaxed),
                    slot.start_ns.load(std::memory_order_relaxed));
}

}  // namespace

void await_clock(Slot &slot, core::UnixNanos due, bool is_ahead) {
    const core::UnixNanos now = pg::wall_clock();
    std::int64_t left = due.value - now.value;
    if (left <= 0) return;
    const std::int64_t began = pg::monotonic_ns(), deadline = began + left;
    if (is_ahead && now.value >= behind_until_ns(slot)) begin_overflow(slot);
    while (left > 0) {
        sleep_slice(std::min(left, core::kLongestSliceNs));
        left = std::min(due.value - pg::wall_clock().value, deadline - pg::monotonic_ns());
    }
    end_overflow();
    count(slot.counters.waits);
    count(slot.counters.wait_ns, pg::monotonic_ns() - began);
}

long notify_overflows() {
    if (is_notifying()) return 1000;
    const bool any = end_overflows();
    if (OidIsValid(notifier.database)) {
        forget_untold();
    } else {
        const std::int64_t left_ns = notifier.round_ns + core::kNanosPerSecond - pg::monotonic_ns();
        if (!any) return -1;
        if (left_ns > 0) return static_cast<long>(left_ns / core::kNanosPerMilli + 1);
        notifier.round_ns = pg::monotonic_ns();
    }
    for (; go_on(); forget_untold())
        if (start_notifier()) break;
    return 1000;
}

}  // namespace snowid::server

using namespace snowid::server;

void snowid_notify_main(Datum database) {
    connect_worker(DatumGetObjectId(database));
    if (shared == nullptr) attach_shared();
    StartTransactionCommand();
    send_all();
    CommitTransactionCommand();
}
