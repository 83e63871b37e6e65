// For snowid_check(): the numbers of the server, and the named generators that have those configured for it.
#include "pg/compat.hpp"
#include "pg/type/arguments.hpp"
#include "server/named/generator_record.hpp"
#include "server/number/server_number.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/builtins.h"
}

using namespace snowid::server;

namespace {

void add(NumberHolders &holders, Oid database, const char *name) {
    if (holders.shown_count == std::ssize(holders.shown)) return;
    auto &holder = holders.shown[holders.shown_count++];
    holder.database = database;
    strlcpy(holder.name, name, sizeof holder.name);
}

// Those of other databases that the last reload has found, and those that this database has.
NumberHolders still_holding(Scheme scheme) {
    const NumberHolders found = holders_of_next(scheme);
    NumberHolders left{};
    int others = 0, own = 0;
    for (int i = 0; i < found.shown_count; ++i) {
        if (found.shown[i].database == MyDatabaseId) continue;
        add(left, found.shown[i].database, found.shown[i].name);
        ++others;
    }
    each_claim([&](const GeneratorRecord &record) {
        if (!record.has_name() || record.scheme != scheme ||
            !takes_number_of_server(record.info(), next_number(scheme)))
            return;
        add(left, MyDatabaseId, record.name);
        ++own;
    });
    left.more = std::max(others + own, others == 0 ? own : found.more + others) - left.shown_count;
    return left;
}

}  // namespace

// A row for each scheme, without numbers if this server has no shared memory.
SNOWID_FUNCTION(snowid_numbers_of_server) {
    if (shared == nullptr && can_share()) attach_shared();
    const snowid::pg::Rows rows(fcinfo);
    for (const Scheme scheme : kSchemes) {
        const SchemeRow &row = scheme_row(scheme);
        const bool is_unknown = shared == nullptr;
        const NumberHolders holders = is_unknown ? NumberHolders{} : still_holding(scheme);
        const bool has_holders = holders.count() != 0;
        rows.add({CStringGetTextDatum(row.name),
                  Int64GetDatum(row.default_generator),
                  CStringGetTextDatum(row.number_name),
                  CStringGetTextDatum(row.number_title),
                  CStringGetTextDatum(row.number_setting),
                  {UInt32GetDatum(is_unknown ? 0 : server_number(scheme)), is_unknown},
                  {UInt32GetDatum(is_unknown ? 0 : next_number(scheme)), is_unknown},
                  {has_holders ? CStringGetTextDatum(shown_holders(holders, false)) : Datum{0}, !has_holders},
                  {Int32GetDatum(holders.count()), is_unknown}});
    }
    return Datum{0};
}
