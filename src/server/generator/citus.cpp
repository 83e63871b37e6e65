#include "server/generator/citus.hpp"

#include "server/shared/shared.hpp"

extern "C" {
#include "commands/extension.h"
}

namespace snowid::server {

void require_chosen_number(Scheme scheme) {
    if (shared->number(scheme).is_set.load() || !OidIsValid(get_extension_oid("citus", true))) return;
    const SchemeRow &row = scheme_row(scheme);
    ereport(
        ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("no %s is set, but this database is one of several", row.number_title),
         errdetail("The extension citus is in this database. Without a %s of its own, each of its servers would "
                   "make the same ids.",
                   row.number_title),
         errhint("Set %s to a number that no other server has, in postgresql.conf, and reload.", row.number_setting)));
}

}  // namespace snowid::server
