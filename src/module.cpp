#include "pg/compat.hpp"
#include "pg/source/cipher.hpp"
#include "planner/implied/implied.hpp"
#include "server/durable/lost_wal.hpp"
#include "server/durable/tables.hpp"
#include "server/generator/generators.hpp"
#include "server/number/slots.hpp"
#include "server/number/tenure.hpp"
#include "server/safe/holders.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"
#include "server/start/start.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/builtins.h"

SNOWID_MODULE_MAGIC("snowid", SNOWID_VERSION);

PGDLLEXPORT void _PG_init(void);
}

void _PG_init(void) {
    snowid::server::define_settings();
    snowid::server::install_drop_hook();
    snowid::server::install_guards();
    snowid::planner::install_implied_hooks();
    snowid::server::note_upgrade();
    if (!process_shared_preload_libraries_in_progress) return;
    snowid::server::look_for_lost_wal();
    snowid::server::install_shared_memory_hooks();
    snowid::server::install_holder_hooks();
    snowid::server::watch_transactions();  // from the first one on, because workers write into their leader's row
    snowid::server::register_start_worker();
    snowid::server::register_directory_worker();
    snowid::pg::warm_up_openssl();
}

// The version of the loaded library. The extension's SQL may have another version.
SNOWID_FUNCTION(snowid_library_version) { PG_RETURN_DATUM(CStringGetTextDatum(SNOWID_VERSION)); }
