#include "server/durable/lost_wal.hpp"

#include <unistd.h>

#include "pg/prelude.hpp"

extern "C" {
#include "access/xlog.h"
#include "catalog/pg_control.h"
#include "common/controldata_utils.h"
#include "miscadmin.h"
#include "storage/fd.h"
}

namespace snowid::server {
namespace {

// In the data directory, where every process is.
constexpr const char *kMark = "snowid_lost_wal", *kUnreadMark = "snowid_unread", *kUpgradedMark = "snowid_upgraded";

constinit std::int64_t lost_before = 0;

bool has_file(const char *name) { return access(name, F_OK) == 0; }

bool was_in_recovery(const ControlFileData &control) {
    return control.state == DB_SHUTDOWNED_IN_RECOVERY || control.state == DB_IN_ARCHIVE_RECOVERY;
}

// A server that cannot make it starts all the same.
void make_mark(const char *mark) {
    FILE *file = AllocateFile(mark, PG_BINARY_W);
    if (file == nullptr) {
        ereport(LOG, (errcode_for_file_access(), errmsg("snowid: could not create file \"%s\": %m", mark)));
        return;
    }
    FreeFile(file);
    fsync_fname(mark, false);
    fsync_fname(".", true);
}

}  // namespace

void look_for_lost_wal() {
    if (IsUnderPostmaster) return;
    if (has_file(RECOVERY_SIGNAL_FILE) || has_file(STANDBY_SIGNAL_FILE)) {
        forget_lost_wal();
        return;
    }
    bool is_whole = false;
    const ControlFileData *control = get_controlfile(DataDir, &is_whole);
    if (!is_whole) return;
    const bool is_marked = has_file(kMark);
    if (!is_marked && !was_in_recovery(*control) && !has_file(BACKUP_LABEL_FILE)) return;
    lost_before = control->time;
    if (!is_marked) make_mark(kMark);
}

std::int64_t wal_lost_before_start() { return lost_before; }

void note_upgrade() {
    if (!IsBinaryUpgrade) return;
    if (!enableFsync && !was_upgraded()) make_mark(kUpgradedMark);
    if (!is_unread()) make_mark(kUnreadMark);
}

bool is_unread() { return has_file(kUnreadMark); }

bool was_upgraded() { return has_file(kUpgradedMark); }

void forget_upgrade() {
    if (was_upgraded()) durable_unlink(kUpgradedMark, LOG);
    if (is_unread()) durable_unlink(kUnreadMark, LOG);
}

void forget_lost_wal() {
    if (has_file(kMark)) durable_unlink(kMark, LOG);
}

}  // namespace snowid::server
