#include "server/waiting/overflow.hpp"

#include "pg/clock.hpp"
#include "server/base/worker.hpp"
#include "server/memory/shared.hpp"
#include "server/number/slots.hpp"

extern "C" {
#include "access/xact.h"
#include "commands/async.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/json.h"

PGDLLEXPORT void snowid_notify_main(Datum);
}

namespace snowid::server {

constinit Slot *waiting_for = nullptr;

namespace {

struct Message {
    char generator[NAMEDATALEN];
    Scheme scheme;
    int waiting;
    std::int64_t for_ms;
};

static_assert(sizeof(Message) <= BGW_EXTRALEN);

// A worker is tied to one database, and generators are in many. If there is no room for a worker, the counters still
// show what it would have reported.
void start_notifier(Oid database, const Message &message) {
    BackgroundWorker worker{};
    describe_worker(worker, "snowid_notify_main", "snowid notifier");
    worker.bgw_restart_time = BGW_NEVER_RESTART;
    worker.bgw_main_arg = ObjectIdGetDatum(database);
    std::memcpy(worker.bgw_extra, &message, sizeof message);
    RegisterDynamicBackgroundWorker(&worker, nullptr);
}

// Returns whether the overflow is still going on.
bool notify(Slot &slot, const char *name, Scheme scheme) {
    Overflow &overflow = slot.overflow;
    const std::int64_t since_ns = overflow.since_ns.load(), now_ns = pg::monotonic_ns();
    if (since_ns == 0) return false;
    const Oid database = overflow.database.exchange(InvalidOid);
    if (OidIsValid(database)) {
        Message message{{}, scheme, overflow.most_waiting.exchange(0), (now_ns - since_ns) / core::kNanosPerMilli};
        strlcpy(message.generator, name, sizeof message.generator);
        start_notifier(database, message);
    }
    if (now_ns - overflow.seen_ns.load() < core::kNanosPerSecond || overflow.waiting.load() > 0) return true;
    overflow.since_ns.store(0);
    return false;
}

}  // namespace

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

long notify_overflows() {
    bool any = false;
    for (const Scheme scheme : kSchemes) any |= notify(shared->default_slot(scheme), "default", scheme);
    lock_slots(false);
    for_each_slot([&any](Slot &slot) { any |= notify(slot, slot.info.name, slot.info.scheme); });
    unlock_slots();
    return any ? 1000 : -1;
}

}  // namespace snowid::server

using namespace snowid::server;

void snowid_notify_main(Datum database) {
    pqsignal(SIGTERM, die);
    BackgroundWorkerUnblockSignals();
    BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, BGWORKER_BYPASS_ALLOWCONN);
    Message message{};
    std::memcpy(&message, MyBgworkerEntry->bgw_extra, sizeof message);
    StartTransactionCommand();
    StringInfoData payload;
    initStringInfo(&payload);
    appendStringInfoString(&payload, "{\"generator\": ");
    escape_json(&payload, message.generator);
    appendStringInfo(&payload, ", \"scheme\": \"%s\", \"waiting\": %d, \"for_ms\": " INT64_FORMAT "}",
                     scheme_row(message.scheme).name, message.waiting, message.for_ms);
    Async_Notify("snowid_overflow", payload.data);
    CommitTransactionCommand();
}
