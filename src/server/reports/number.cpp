// For snowid_check(): the named generators that have the number configured for the server.
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

// In this database we can see whether a generator still has the number. For another database, the next reload finds
// out.
bool still_holds(Scheme scheme, Oid database, const char *name) {
    if (database != MyDatabaseId) return true;
    GeneratorRecord record{};
    return find_record(name, record) && record.scheme == scheme &&
           takes_number_of_server(record.info(), next_number(scheme));
}

NumberHolders still_holding(Scheme scheme) {
    const NumberHolders found = holders_of_next(scheme);
    NumberHolders left{};
    left.more = found.more;
    for (int i = 0; i < found.shown_count; ++i)
        if (still_holds(scheme, found.shown[i].database, found.shown[i].name))
            left.shown[left.shown_count++] = found.shown[i];
    return left;
}

}  // namespace

SNOWID_FUNCTION(snowid_number_of_server) {
    if (shared == nullptr && can_share()) attach_shared();
    Scheme scheme{};
    if (shared == nullptr || !find_scheme(snowid::pg::text_argument(fcinfo, 0), scheme)) PG_RETURN_NULL();
    const NumberHolders holders = still_holding(scheme);
    const bool is_held = holders.count() != 0;
    Datum values[] = {UInt32GetDatum(server_number(scheme)), UInt32GetDatum(next_number(scheme)),
                      is_held ? CStringGetTextDatum(shown_holders(holders, false)) : Datum{0},
                      Int32GetDatum(holders.count())};
    const bool nulls[] = {false, false, !is_held, false};
    return snowid::pg::row_datum(fcinfo, values, nulls);
}
