#include "pg/prelude.hpp"
#include "server/settings.hpp"
#include "server/shmem.hpp"
#include "server/start.hpp"

extern "C" {
#include "miscadmin.h"

#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(.name = "snowid", .version = SNOWID_VERSION);
#else
PG_MODULE_MAGIC;
#endif

PGDLLEXPORT void _PG_init(void);
}

void _PG_init(void) {
    snowid::server::define_settings();
    if (!process_shared_preload_libraries_in_progress) return;
    snowid::server::install_shmem_hooks();
    snowid::server::register_start_worker();
}
