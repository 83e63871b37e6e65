#include "server/shared/preload.hpp"

#include "pg/prelude.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace snowid::server {

namespace {

int hint_to_preload() {
    const char *preloaded = shared_preload_libraries_string;
    const bool others = preloaded != nullptr && preloaded[0] != '\0';
    return errhint("Set shared_preload_libraries = '%s%ssnowid' in postgresql.conf and restart the server.",
                   others ? preloaded : "", others ? "," : "");
}

}  // namespace

void raise_not_preloaded() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("snowid must be loaded at server start to make ids"), hint_to_preload()));
}

void raise_not_preloaded_for_safe_horizon() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("snowid must be loaded at server start to know the safe horizon"),
                    errdetail("Sessions that load it later do not say which ids they hold."), hint_to_preload()));
}

void raise_not_preloaded_for_expiry() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("snowid must be loaded at server start to detach or drop partitions by their age"),
                    errdetail("Otherwise it does not notice that the clock has leapt."), hint_to_preload()));
}

void raise_on_standby() {
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot make ids during recovery"),
                    errdetail("Only a primary makes ids."), errhint("Connect to the primary.")));
}

}  // namespace snowid::server
