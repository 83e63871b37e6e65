// Who may use a generator: everybody, or the roles whose names its record has, and their members. Names, so that a dump
// can be restored where a role is missing or has another number.
#pragma once

#include "server/record/generator_record.hpp"

namespace snowid::server {

// Raises an error unless the current user may use the generator. Superusers may use all.
void require_grant(const char *generator, const ArrayType *granted_to);

const ArrayType *granted_to_current_user();

// The record's names and that one more, or less. "public" is everybody; without everybody the current user is left.
const ArrayType *granted(const GeneratorRecord &record, const char *role);
const ArrayType *revoked(const GeneratorRecord &record, const char *role);

}  // namespace snowid::server
