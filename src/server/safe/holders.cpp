#include "server/safe/holders.hpp"

#include "pg/compat.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "access/transam.h"
#include "access/twophase.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/shmem.h"
}

namespace snowid::server {
namespace {

struct Holders {
    std::atomic<std::uint64_t> first_xid;  // 0: not noted yet
    core::Holder rows[];
};

constinit Holders *holders = nullptr;
constinit core::Holder *hold_row = nullptr;  // that of its leader or its own, from its first id on

int first_prepared() { return MaxBackends + NUM_AUXILIARY_PROCS; }
int row_count() { return first_prepared() + max_prepared_xacts; }

core::Holder &holder_of(const PGPROC &process) { return holders->rows[&process - ProcGlobal->allProcs]; }

std::uint64_t next_xid() { return U64FromFullTransactionId(ReadNextFullTransactionId()); }

// A prepared transaction has a PGPROC but no process. The xid in it identifies the transaction, and stays set after the
// transaction's end.
struct Prepared {
    TransactionId xid;
    Oid database;
};

Prepared prepared_in(int place) {
    const volatile PGPROC &process = PreparedXactProcs[place];
    const Prepared prepared{process.xid, process.databaseId};
    std::atomic_thread_fence(std::memory_order_acquire);
    return prepared;
}

core::Holder &prepared_row(int place) { return holders->rows[first_prepared() + place]; }

[[gnu::noinline]] void hold_first(std::int64_t generator, core::UnixNanos from) {
    if (holders == nullptr) return;
    note_incarnation();
    const PGPROC *leader = MyProc->lockGroupLeader;
    hold_row = &holder_of(leader == nullptr ? *MyProc : *leader);
    if (hold_row == &own_holder())
        for (core::Word &word : hold_row->words()) word.end();
    hold_row->belong_to(MyDatabaseId);
    hold_row->hold(generator, from);
}

template <typename See>
void each_prepared(const See &see) {
    for (int i = 0; i < max_prepared_xacts; ++i) {
        const Prepared prepared = prepared_in(i);
        if (TransactionIdIsValid(prepared.xid) && prepared.database == MyDatabaseId) see(prepared.xid, prepared_row(i));
    }
}

constinit shmem_request_hook_type previous_request_hook = nullptr;
constinit shmem_startup_hook_type previous_startup_hook = nullptr;

Size holders_size() {
    return add_size(sizeof(Holders), mul_size(static_cast<Size>(row_count()), sizeof(core::Holder)));
}

void request_memory() {
    if (previous_request_hook != nullptr) previous_request_hook();
    RequestAddinShmemSpace(holders_size());
}

void make_or_find_memory() {
    if (previous_startup_hook != nullptr) previous_startup_hook();
    bool found = false;
    LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
    holders = static_cast<Holders *>(ShmemInitStruct("snowid holders", holders_size(), &found));
    if (!found) {
        new (holders) Holders();
        for (int i = 0; i < row_count(); ++i) new (&holders->rows[i]) core::Holder();
    }
    LWLockRelease(AddinShmemInitLock);
}

bool is_of_earlier_incarnation(TransactionId xid, const core::Holder &row) {
    return core::prepared_from(row, MyDatabaseId, xid, next_xid(), holders->first_xid.load(),
                               [](std::int64_t) { return false; }) == INT64_MIN;
}

}  // namespace

void install_holder_hooks() {
    previous_request_hook = shmem_request_hook;
    shmem_request_hook = request_memory;
    previous_startup_hook = shmem_startup_hook;
    shmem_startup_hook = make_or_find_memory;
}

bool has_holders() { return holders != nullptr; }

void require_holders() {
    if (holders == nullptr) raise_not_preloaded_for_safe_horizon();
}

core::Holder &own_holder() { return holder_of(*MyProc); }

core::Holder *own_holder_if_any() { return holders == nullptr ? nullptr : &own_holder(); }

void hand_over(const core::Holder &own) {
    const TransactionId xid = GetTopTransactionIdIfAny();
    for (int i = 0; i < max_prepared_xacts; ++i)
        if (prepared_in(i).xid == xid) prepared_row(i).take_over(own, xid);
}

void note_incarnation() {
    if (holders == nullptr || holders->first_xid.load(std::memory_order_acquire) != 0 || RecoveryInProgress()) return;
    std::uint64_t unknown = 0;
    holders->first_xid.compare_exchange_strong(unknown, next_xid());
}

void hold_safe_horizon(std::int64_t generator, core::UnixNanos from) {
    if (hold_row == nullptr) [[unlikely]]
        return hold_first(generator, from);
    hold_row->hold(generator, from);
}

std::int64_t earliest_word(OfGenerator holds, std::int64_t old) {
    std::int64_t earliest = core::kNotHeld;
    for (int i = 0; i < MaxBackends; ++i)
        earliest = std::min(earliest, holders->rows[i].earliest_word(MyDatabaseId, holds, old));
    return earliest;
}

std::int64_t earliest_held(OfGenerator holds) {
    std::int64_t earliest = core::kNotHeld;
    for (int i = 0; i < MaxBackends; ++i) earliest = std::min(earliest, holders->rows[i].earliest(MyDatabaseId, holds));
    std::atomic_thread_fence(std::memory_order_acquire);  // a row that is let go has been handed over before
    return earliest;
}

std::span<const core::PreparedHolder> prepared_holders(OfGenerator holds) {
    if (max_prepared_xacts == 0) return {};
    auto *found = static_cast<core::PreparedHolder *>(
        palloc(sizeof(core::PreparedHolder) * static_cast<Size>(max_prepared_xacts)));
    std::size_t count = 0;
    each_prepared([&](TransactionId xid, const core::Holder &row) {
        const std::int64_t from =
            core::prepared_from(row, MyDatabaseId, xid, next_xid(), holders->first_xid.load(), holds);
        if (from != core::kNotHeld) found[count++] = {xid, from};
    });
    return {found, count};
}

void each_holder(core::FunctionRef<void(const ShownHolder &holder)> see) {
    if (holders == nullptr) return;
    note_incarnation();
    for (int i = 0; i < MaxBackends; ++i) {
        const core::Holder &row = holders->rows[i];
        row.each([&](std::int64_t generator, std::int64_t from) {
            const int pid = ProcGlobal->allProcs[i].pid;
            if (row.database() == MyDatabaseId && pid != 0) see({generator, pid, InvalidTransactionId, from});
        });
    }
    each_prepared([&](TransactionId xid, const core::Holder &row) {
        if (!TransactionIdIsInProgress(xid)) return;
        if (row.prepared() == xid)
            row.each([&](std::int64_t generator, std::int64_t from) { see({generator, 0, xid, from}); });
        else if (is_of_earlier_incarnation(xid, row))
            see({core::Holder::kNoGenerator, 0, xid, INT64_MIN});
    });
}

}  // namespace snowid::server
