// Changing the records of named generators. What a generator gives up stays as a claim, so that the next generator with
// that claim starts above its horizon, and so that no record's id is used again.
#pragma once

#include "pg/prelude.hpp"
#include "server/durable/horizon.hpp"
#include "server/named/generator_record.hpp"

extern "C" {
#include "utils/acl.h"
}

namespace snowid::server {

void require_privilege(AclMode privilege);  // on the table _snowid.generator

// The same for a function that changes records. From here until the end of the transaction, no other session changes
// any.
void begin_change(FunctionCallInfo fcinfo, AclMode privilege);

// The generator continues from the horizon of `state`. Its id is chosen here.
void create_generator(GeneratorRecord record, HorizonRow state);
void alter_generator(const GeneratorRecord &before, const GeneratorRecord &after);
void drop_generator(const GeneratorRecord &record);

using ChangeGrants = bool (*)(GeneratorRecord &record, const char *role);  // grant or revoke
void change_grants(GeneratorRecord record, ChangeGrants change, const char *role);

bool claims_the_same(const GeneratorRecord &a, const GeneratorRecord &b);

// Judges all generators of this database by the layout that is recorded now. Raises an error that names two of them if
// they could make the same ids. Each row goes up to the instant at least, and above what has these ids already. Slots
// stay as they are.
void begin_by_layout(core::UnixNanos from);

// From here on, the generator makes nothing that `used` covers. That is durable.
void skip_past(const GeneratorRecord &record, const core::UsedUp &used);

// For a generator that is cut off, see claims.hpp: from here on it goes on where its row ends. Returns false if it is
// not cut off.
bool accept_generator(const GeneratorRecord &record);

// Lets a backfill generator begin again at the instant, which is before its horizon. The promise is given up for
// the time in between. From here until the end of the transaction, no horizon of the database goes up.
void rewind_generator(const GeneratorRecord &record, core::UnixNanos to);

// The defaults of columns and domains that name a generator. Names inside other texts, such as the body of a function,
// are not found.

// Raises an error that names the defaults that use the generator.
void require_unused(const char *generator);

// Changes the defaults to the generator's new name. Raises an error that names those that the user does not own.
void rename_uses(const char *before, const char *after);

}  // namespace snowid::server
