// Changing the records of named generators. Rows are never deleted: what a generator gives up stays as a claim, so that
// the next generator with that claim starts above its horizon, and so that no id of a record is used again.
#pragma once

#include "server/horizon/horizon.hpp"
#include "server/record/generator_record.hpp"

extern "C" {
#include "utils/acl.h"
}

namespace snowid::server {

void require_privilege(AclMode privilege);  // on the table snowid_generator

// The same for a function that changes records. From here to the end of the transaction no other session does.
void begin_change(FunctionCallInfo fcinfo, AclMode privilege);

// The generator goes on from the horizon of `state`. Its id is chosen here.
void create_generator(GeneratorRecord record, HorizonRow state);
void alter_generator(const GeneratorRecord &before, const GeneratorRecord &after);
void drop_generator(const GeneratorRecord &record);

bool claims_the_same(const GeneratorRecord &a, const GeneratorRecord &b);

// The generator makes nothing that `used` covers from here on; that is durable.
void skip_past(const GeneratorRecord &record, const core::UsedUp &used);

// A generator of given times begins again at the instant, which lies before its horizon. The promise is given up for
// what lies between. From here to the end of the transaction no horizon of the database goes up.
void rewind_generator(const GeneratorRecord &record, core::UnixNanos to);

}  // namespace snowid::server
