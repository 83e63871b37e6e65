#include "server/named/cut_off.hpp"

#include "pg/error.hpp"

namespace snowid::server {

bool is_cut_off(const GeneratorRecord &record, const HorizonRow &row) {
    return record.backfill && !goes_on(row.history());
}

void require_all_ids(const GeneratorRecord &record, const HorizonRow &row) {
    if (!is_cut_off(record, row)) return;
    raise_cut_off(record.name, {row.horizon_ns},
                  record.future ? core::UnixNanos{0} : end_of_given_times(record.ticks()));
}

core::UsedUp used_with_lost(const GeneratorRecord &record, const HorizonRow &row) {
    if (record.future) require_all_ids(record, row);
    if (!is_cut_off(record, row)) return row.used_up();
    return core::merged(row.used_up(), core::UsedUp::all_before(end_of_given_times(record.ticks())));
}

void raise_cut_off(const char *name, core::UnixNanos known, core::UnixNanos from) {
    const char *rest = from.value == 0 ? "It may have been given any time."
                                       : psprintf("It makes ids of times from %s on.", pg::shown_time(from));
    ereport(
        ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("the last ids of generator \"%s\" may be lost", name),
         errdetail("After a restore or a failover, this server knows %s. %s",
                   known.value == 0 ? "none of them" : psprintf("only those before %s", pg::shown_time(known)), rest),
         errhint("Make another generator, with another number, for such times. If it is certain that nothing was "
                 "lost, run: SELECT snowid_generator_accept('%s');",
                 name)));
}

}  // namespace snowid::server
