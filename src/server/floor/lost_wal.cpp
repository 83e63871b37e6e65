#include "server/floor/lost_wal.hpp"

#include <unistd.h>

#include "pg/prelude.hpp"

extern "C" {
#include "access/xlog.h"
#include "catalog/pg_control.h"
#include "common/controldata_utils.h"
#include "miscadmin.h"
}

namespace snowid::server {
namespace {

constinit std::int64_t lost_before = 0;

bool has_file(const char *name) { return access(name, F_OK) == 0; }  // in the data directory, where the postmaster is

bool was_in_recovery(const ControlFileData &control) {
    return control.state == DB_SHUTDOWNED_IN_RECOVERY || control.state == DB_IN_ARCHIVE_RECOVERY;
}

}  // namespace

void look_for_lost_wal() {
    if (IsUnderPostmaster || has_file(RECOVERY_SIGNAL_FILE) || has_file(STANDBY_SIGNAL_FILE)) return;
    bool is_whole = false;
    const ControlFileData *control = get_controlfile(DataDir, &is_whole);
    if (is_whole && (was_in_recovery(*control) || has_file(BACKUP_LABEL_FILE))) lost_before = control->time;
}

std::int64_t wal_lost_before_start() { return lost_before; }

}  // namespace snowid::server
