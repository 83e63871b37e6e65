// For snowid_check(): a named generator that has the number configured for the server.
#include "pg/compat.hpp"
#include "pg/type/arguments.hpp"
#include "server/memory/shared.hpp"
#include "server/number/server_number.hpp"
#include "server/record/generator_record.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/builtins.h"
}

using namespace snowid::server;

namespace {

struct Holder {
    Oid database;
    char name[NAMEDATALEN];
};

Holder holder_of(Scheme scheme) {
    Holder holder{};
    lock_slots(false);
    holder.database = shared->number(scheme).holder_database;
    strlcpy(holder.name, shared->number(scheme).holder, sizeof holder.name);
    unlock_slots();
    return holder;
}

// In this database we can see whether the generator still has the number. For another database, the next reload finds
// out.
bool still_holds(Scheme scheme, const Holder &holder) {
    if (holder.name[0] == '\0' || holder.database != MyDatabaseId) return holder.name[0] != '\0';
    GeneratorRecord record{};
    return find_record(holder.name, record) && record.scheme == scheme &&
           takes_number_of_server(record.info(), next_number(scheme));
}

}  // namespace

SNOWID_FUNCTION(snowid_number_of_server) {
    if (shared == nullptr && can_share()) attach_shared();
    Scheme scheme{};
    if (shared == nullptr || !find_scheme(snowid::pg::text_argument(fcinfo, 0), scheme)) PG_RETURN_NULL();
    const Holder holder = holder_of(scheme);
    const bool is_held = still_holds(scheme, holder);
    const char *database = is_held ? get_database_name(holder.database) : nullptr;
    Datum values[] = {UInt32GetDatum(server_number(scheme)), UInt32GetDatum(next_number(scheme)),
                      is_held ? CStringGetTextDatum(holder.name) : Datum{0},
                      database == nullptr ? Datum{0} : CStringGetTextDatum(database)};
    const bool nulls[] = {false, false, !is_held, database == nullptr};
    return snowid::pg::row_datum(fcinfo, values, nulls);
}
