// Who may use a generator: everyone, or the roles that the table _snowid.granted lists for it, and their members. The
// table has names, so that a dump can be restored on a server where a role is missing or has another oid.
#pragma once

#include "server/named/generator_record.hpp"

extern "C" {
#include "utils/array.h"
#include "utils/relcache.h"
}

namespace snowid::server {

// The names of the roles, in the current memory context; nullptr if everyone may use the generator.
const ArrayType *granted_roles(const GeneratorRecord &record);

bool has_grant(Relation table, const char *generator, const char *role);  // a row of the table _snowid.granted

// Raises an error unless the current user may use the generator. Superusers may use every generator.
void require_grant(const char *generator, const ArrayType *granted_to);

// Change the table, and whether the record is restricted. "public" means everyone. Revoking it leaves the current user.
// Return false if nothing changes.
bool grant(GeneratorRecord &record, const char *role);
bool revoke(GeneratorRecord &record, const char *role);

void restrict_to_current_user(GeneratorRecord &record);
void rename_grants(const char *generator, const char *to);
void drop_grants(const char *generator);

}  // namespace snowid::server
