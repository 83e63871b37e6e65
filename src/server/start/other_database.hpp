// The extension's tables in any database, for a process that is connected to none. CREATE DATABASE reads its template's
// pg_class in the same way: page by page, with the rules of visibility and without PostgreSQL's caches. The rules:
//
//  - The database, its two catalogues and each table are locked while their pages are read, so none of them is dropped
//    or rewritten meanwhile.
//  - Nothing that a database's owner could have written there is trusted. A row of another shape is skipped.
#pragma once

#include "core/function_ref.hpp"
#include "server/horizon/row.hpp"
#include "server/record/generator_record.hpp"
#include "server/start/patient_lock.hpp"

namespace snowid::server {

struct OtherDatabase {
    core::FunctionRef<void(const HorizonRow &row)> see_horizon;
    // The generator as that database records it, and its horizon.
    core::FunctionRef<void(const SlotInfo &info, bool overlap, const core::UsedUp &used)> see_generator;
};

// Reads the database, or finds that it no longer exists. Raises an error if the database cannot be read. REQUIRES: a
// transaction.
void read_other_database(Oid database, const LockPatience &patience, const OtherDatabase &visitor);

}  // namespace snowid::server
