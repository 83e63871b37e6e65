// Changing the record of named generators. Rows are never deleted: what a generator gives up stays as a claim of the
// past, so that whoever claims the same starts above its horizon, and so that no number is used again.
#pragma once

#include "server/generator_record.hpp"
#include "server/horizon.hpp"
#include "server/slots.hpp"

extern "C" {
#include "utils/acl.h"
}

namespace snowid::server {

void require_privilege(AclMode privilege);  // on the table snowid_generator

// The same for a function that changes records. From here to the end of the transaction nobody else does.
void begin_change(FunctionCallInfo fcinfo, AclMode privilege);

// It goes on from the horizon of `state`; its number is chosen here.
void create_generator(GeneratorRecord record, HorizonRow state);
void alter_generator(const GeneratorRecord &before, const GeneratorRecord &after);
void drop_generator(const GeneratorRecord &record);

bool claims_the_same(const GeneratorRecord &a, const GeneratorRecord &b);

// What covers all ids of the scheme before the instant.
core::UsedUp all_before(Scheme scheme, core::UnixNanos end);

// No id that the state covers is made by it from here on; that is durable.
void go_on_above(const GeneratorRecord &record, const core::UsedUp &state);

}  // namespace snowid::server
