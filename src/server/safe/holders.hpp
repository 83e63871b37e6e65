// The holders of the safe horizon in shared memory: a row for each process, and a row for each transaction that can be
// prepared. See core/safe.
//
//  - Rows exist only with preload. Without it, a parallel worker may have the library when its leader does not, and
//    nobody would clear the leader's row.
//  - A row is cleared only after its transaction has left PostgreSQL's list of running transactions. A session that is
//    ended by force aborts its transaction after its parallel workers have ended.
//  - COMMIT PREPARED clears nothing. A reader of a prepared transaction's row asks a snapshot whether it still runs.
#pragma once

#include "core/function_ref.hpp"
#include "core/safe/sample.hpp"
#include "pg/prelude.hpp"

namespace snowid::server {

void install_holder_hooks();

bool has_holders();
void require_holders();  // raises an error if this server has none

// From now on, every transaction that begins is known to belong to this incarnation.
void note_incarnation();

core::Holder &own_holder();  // REQUIRES: has_holders()
core::Holder *own_holder_if_any();

// Copies the row of this process into the row of the transaction that has just been prepared.
void hand_over(const core::Holder &own);

// Records that this transaction may have ids of the generator from that time on.
void hold_safe_horizon(std::int64_t generator, core::UnixNanos from);

// The earliest time from which this transaction may have ids of one generator, as far as that is recorded.
class Hold {
public:
    void from(core::UnixNanos time, std::int64_t generator) {
        if (time.value >= from_ns_) return;
        from_ns_ = time.value;
        hold_safe_horizon(generator, time);
    }
    void forget() noexcept { from_ns_ = core::kNotHeld; }

private:
    std::int64_t from_ns_ = core::kNotHeld;
};

using OfGenerator = core::FunctionRef<bool(std::int64_t generator)>;

// The same for what processes keep for later transactions. What they have kept since before `old` is revoked.
std::int64_t earliest_word(OfGenerator holds, std::int64_t old);

// The earliest time that any process has recorded in this database for a generator for which `holds` returns true.
std::int64_t earliest_held(OfGenerator holds);

// Prepared transactions of this database that may have ids of such generators. Some of them may have ended. The memory
// comes from the current context.
std::span<const core::PreparedHolder> prepared_holders(OfGenerator holds);

// What SQL shows about the holders in this database. What a transaction of an earlier incarnation holds is not known.
struct ShownHolder {
    std::int64_t generator;  // core::Holder::kNoGenerator: any
    int pid;                 // 0: it is prepared
    TransactionId xid;       // of a prepared transaction
    std::int64_t from_ns;
};
void each_holder(core::FunctionRef<void(const ShownHolder &holder)> see);

}  // namespace snowid::server
