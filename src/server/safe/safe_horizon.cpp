#include "server/safe/safe_horizon.hpp"

#include "core/safe/sample.hpp"
#include "pg/compat.hpp"
#include "pg/time.hpp"
#include "server/named/generator_record.hpp"
#include "server/safe/holders.hpp"

extern "C" {
#include "access/parallel.h"
#include "access/transam.h"
#include "storage/procarray.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

namespace snowid::server {
namespace {

constinit SnapshotData snapshot_of_sample{};

// What a sample asks of this server.
struct Server {
    OfGenerator holds;

    core::UnixNanos now() const { return pg::wall_clock(); }
    std::int64_t earliest_word(std::int64_t old) const { return server::earliest_word(holds, old); }
    std::int64_t earliest_held() const { return server::earliest_held(holds); }
    std::span<const core::PreparedHolder> prepared() const { return prepared_holders(holds); }
    std::uint32_t next_xid() const { return ReadNextTransactionId(); }
    void take_snapshot(core::Sample &to) const {
        snapshot_of_sample.snapshot_type = SNAPSHOT_MVCC;
        const SnapshotData &taken = *GetSnapshotData(&snapshot_of_sample);
        to.end = taken.xmax;
        to.count = taken.xcnt;
        std::copy_n(taken.xip, taken.xcnt, to.running);
        std::sort(to.running, to.running + to.count);
    }
};

core::Answers *make_answers() {
    const auto most = static_cast<std::size_t>(GetMaxSnapshotXidCount());
    auto *memory = static_cast<std::uint32_t *>(
        MemoryContextAlloc(TopMemoryContext, sizeof(std::uint32_t) * core::Answers::kArrays * most));
    auto *answers = new (MemoryContextAlloc(TopMemoryContext, sizeof(core::Answers))) core::Answers();
    answers->use(memory, most);
    return answers;
}

[[noreturn]] void raise_forgotten() {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("the safe horizon of an older snapshot is no longer known"),
             errdetail("Since then, this transaction has asked for the safe horizon with at least 16 other snapshots."),
             errhint("Read a cursor to its end before you ask again, or put the horizon into its query as a "
                     "constant.")));
}

// Otherwise, rows read in the leader and in its workers could be cut off at different places.
void require_leader() {
    if (!IsParallelWorker()) return;
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_TRANSACTION_STATE), errmsg("a parallel worker cannot ask for the safe horizon"),
             errhint("Declare functions that call snowid_safe_horizon PARALLEL RESTRICTED.")));
}

// A snapshot taken on a standby lists its transactions in another way, and may be used after the promotion.
const SnapshotData &active_snapshot() {
    const SnapshotData *active = ActiveSnapshotSet() ? GetActiveSnapshot() : nullptr;
    if (active != nullptr && active->snapshot_type == SNAPSHOT_MVCC && !active->takenDuringRecovery) return *active;
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the safe horizon is not known for a snapshot that this server did not take"),
                    errhint("Begin another transaction.")));
}

}  // namespace

void raise_no_safe_horizon_of_given_times() {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("a backfill generator has no safe horizon"),
             errdetail("It was made with backfill => true, so its callers decide which time comes next.")));
}

void SafeHorizon::begin(const Slot *slot, std::uint64_t version, std::int64_t generator) noexcept {
    if (others_ != nullptr) std::fill_n(others_, kOthers, 0);
    if (slot == slot_ && version == version_ && generator == generator_) return;
    slot_ = slot;
    version_ = version;
    generator_ = generator;
    if (answers_ != nullptr) answers_->forget_sample();
}

std::uint64_t SafeHorizon::ask(core::Timeline &timeline, const core::Ticks &ticks) {
    require_leader();
    const SnapshotData &active = active_snapshot();
    if (answers_ == nullptr) answers_ = make_answers();
    const core::Finished finished{active.xmax, {active.xip, active.xcnt}};
    const auto sample = [&](core::Sample &to) {
        note_incarnation();
        const auto holds = [this](std::int64_t generator) { return this->holds(generator); };
        Server server{holds};
        core::make_sample(to, timeline, ticks, server);
        if (slot_->version.load(std::memory_order_acquire) != version_) to.safe_horizon = 0;
    };
    const std::optional<std::uint64_t> answer = answers_->answer(pg::local_transaction(), finished, sample);
    if (!answer) raise_forgotten();
    return *answer;
}

bool SafeHorizon::holds(std::int64_t generator) {
    const std::int64_t of_server = scheme_row(Scheme::snowflake).default_generator;
    if (generator == generator_) return true;
    if (generator == of_server || generator_ == of_server) return false;
    if (others_ == nullptr)
        others_ = static_cast<std::int64_t *>(MemoryContextAllocZero(TopMemoryContext, sizeof(generator) * kOthers));
    std::int64_t &known = others_[static_cast<std::uint64_t>(generator) % kOthers];
    if (known == generator) return false;
    bool exists = false;
    records_with_id(generator, [&](const GeneratorRecord &record, HeapTuple) { exists = exists || record.has_name(); });
    if (exists) known = generator;
    return !exists;
}

}  // namespace snowid::server
