// The extension's tables in any database, for a process that is connected to none. The rules:
//
//  - The database, its catalogues and each table are locked while their pages are read, so none of them is dropped or
//    rewritten meanwhile.
//  - A prepared transaction that has dropped or updated the extension keeps its tables locked until a DBA ends it, and
//    no start can wait for that. As long as it is in progress, nobody else changes the tables, and their pages are read
//    as they were before it. They are forgotten if it ends meanwhile.
//  - No row is skipped, because nobody would know its ids. A row that cannot be read is an error that names it. So is a
//    table that is missing, or that a crash would empty.
//  - The owner of a database must not be able to build such a row or table. What an owner can write there is counted as
//    if it were sound, and can do no more than that. See functions/record_triggers.cpp.
#pragma once

#include "core/function_ref.hpp"
#include "server/horizon/row.hpp"
#include "server/record/generator_record.hpp"
#include "server/start/patient_lock.hpp"

namespace snowid::server {

// What a reader of a database is told.
struct DatabaseVisitor {
    core::FunctionRef<void(const HorizonRow &row)> see_horizon;
    // The generator as that database records it, and its horizon.
    core::FunctionRef<void(const SlotInfo &info, bool overlap, const HorizonRow &row)> see_generator;
};

// Reads the database, or finds that it no longer exists. Raises an error if the database cannot be read. REQUIRES: a
// transaction.
void read_other_database(Oid database, const LockPatience &patience, const DatabaseVisitor &visitor);

}  // namespace snowid::server
