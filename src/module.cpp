#include "pg/prelude.hpp"
#include "server/settings.hpp"
#include "server/shmem.hpp"

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
    if (process_shared_preload_libraries_in_progress) snowid::server::install_shmem_hooks();
}
