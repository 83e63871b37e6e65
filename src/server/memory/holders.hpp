// The holders of the safe horizon in shared memory: a row for each process, and one for each transaction that can be
// prepared. See core/safe.
//
//  - Rows are there with preload only. Without it a parallel worker may have the library where its leader has not, and
//    nobody would clear the leader's row.
//  - A row is cleared after its transaction has left PostgreSQL's list of running ones, and never earlier.
//    A session that is ended by force aborts its transaction after its parallel workers have ended.
//  - COMMIT PREPARED clears nothing. A reader of a prepared transaction's row asks a snapshot whether it runs.
#pragma once

#include <cstdint>
#include <span>

#include "core/function_ref.hpp"
#include "core/safe/sample.hpp"
#include "pg/prelude.hpp"

namespace snowid::server {

// With the hooks of shared memory.
Size holders_size();
void make_or_find_holders();
void watch_transactions();

bool has_holders();
void require_holders();  // raises an error if this server has none

// A transaction that begins from here on is known to be of this incarnation.
void note_incarnation();

// Says that this transaction may have ids of the generator from that time on.
void hold_horizon(std::int64_t generator, core::UnixNanos from);

using Holds = core::FunctionRef<bool(std::int64_t generator)>;

// The earliest time that a process has said in this database for such a generator.
std::int64_t earliest_held(Holds holds);

// Prepared transactions of this database that may have ids of such generators, and may have ended. The memory is the
// caller's context's.
std::span<const core::PreparedHolder> prepared_holders(Holds holds);

// What SQL shows of those of this database. Of an earlier incarnation's transaction it is not known what it holds.
struct ShownHolder {
    std::int64_t generator;  // core::Holder::kNoGenerator: any
    int pid;                 // 0: it is prepared
    TransactionId xid;       // of a prepared one
    std::int64_t from_ns;
};
void each_holder(core::FunctionRef<void(const ShownHolder &holder)> see);

}  // namespace snowid::server
