#include "server/start/new_floors.hpp"

#include "pg/compat.hpp"
#include "server/durable/floor.hpp"
#include "server/shared/worker.hpp"
#include "server/start/reader.hpp"

extern "C" {
#include "access/xact.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "postmaster/bgworker.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

PGDLLEXPORT void snowid_floor_main(Datum);
}

namespace snowid::server {
namespace {

bool exist() {
    StartTransactionCommand();
    const bool all = std::all_of(std::begin(kSchemes), std::end(kSchemes), has_floor);
    CommitTransactionCommand();
    return all;
}

// Returns false if there is no room for another worker.
bool make_in(Oid database) {
    BackgroundWorkerHandle *handle = start_worker_in(database, "snowid_floor_main", "snowid floor");
    if (handle != nullptr) WaitForBackgroundWorkerShutdown(handle);
    return handle != nullptr;
}

}  // namespace

// A database that was made later is less likely to be a template, from which nobody can make another one meanwhile.
bool have_floors() {
    if (exist()) return true;
    const List *databases = all_databases();
    for (int i = list_length(databases) - 1; i >= 0; --i) {
        if (!make_in(list_nth_oid(databases, i))) break;
        if (exist()) return true;
    }
    ereport(LOG, (errmsg("snowid: no second background worker could record how far this server's ids have come"),
                  errhint("Raise max_worker_processes. At its first start snowid needs a second one for a moment.")));
    return false;
}

}  // namespace snowid::server

using namespace snowid::server;

// The commit waits for no standby. It is flushed before the first id is made, because the floor is written before that.
void snowid_floor_main(Datum database) {
    connect_worker(DatumGetObjectId(database));
    SetConfigOption("synchronous_commit", "local", PGC_SUSET, PGC_S_OVERRIDE);
    StartTransactionCommand();
    PushActiveSnapshot(GetTransactionSnapshot());
    make_floors();
    PopActiveSnapshot();
    CommitTransactionCommand();
    ereport(LOG, (errmsg("snowid: the server keeps a record of how far its ids have come from now on"),
                  errdetail("Databases that were dropped earlier are not in it.")));
}
