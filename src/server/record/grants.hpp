// Who may use a generator: everyone, or the roles whose names its record lists, and their members. It lists names, so
// that a dump can be restored on a server where a role is missing or has another oid.
#pragma once

#include "server/record/generator_record.hpp"

namespace snowid::server {

// Raises an error unless the current user may use the generator. Superusers may use every generator.
void require_grant(const char *generator, const ArrayType *granted_to);

const ArrayType *granted_to_current_user();

// The record's names with one more, or one less. "public" means everyone. Revoking it leaves the current user.
const ArrayType *granted(const GeneratorRecord &record, const char *role);
const ArrayType *revoked(const GeneratorRecord &record, const char *role);

}  // namespace snowid::server
