// The safe horizon in SQL, and the transactions that hold it back.
#include "pg/time.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/layout_record.hpp"
#include "server/generator/generators.hpp"
#include "server/generator/snowflake_generator.hpp"
#include "server/safe/holders.hpp"
#include "server/shared/owner.hpp"

extern "C" {
#include "access/xlog.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

void require_safe_horizon() {
    if (RecoveryInProgress())
        ereport(ERROR,
                (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("the safe horizon is not known on a standby"),
                 errdetail("Only the primary knows which transactions have taken ids."),
                 errhint("Ask the primary for the horizon and then for pg_current_wal_insert_lsn(). Wait until "
                         "pg_last_wal_replay_lsn() has reached it, and read below that horizon.")));
    require_holders();
}

}  // namespace

SNOWID_FUNCTION(snowid_safe_horizon) {
    require_safe_horizon();
    return UInt64GetDatum(snowflake_generator.safe_horizon());
}

SNOWID_FUNCTION(snowid_safe_horizon_of) {
    require_safe_horizon();
    return UInt64GetDatum(generator_argument<SnowflakeGenerator>(fcinfo, 0).safe_horizon());
}

SNOWID_FUNCTION(snowid_has_holders) { return BoolGetDatum(has_holders()); }

// For the view snowid_holders.
SNOWID_FUNCTION(snowid_holders) {
    require_monitor("snowid_holders");
    const Rows rows(fcinfo);
    const Ticks ticks(recorded_layout());
    each_holder([&](const ShownHolder &holder) {
        const bool is_prepared = holder.pid == 0, is_known = holder.from_ns != INT64_MIN;
        rows.add({
            {Int64GetDatum(holder.generator), holder.generator == Holder::kNoGenerator},
            {Int32GetDatum(holder.pid), is_prepared},
            {TransactionIdGetDatum(holder.xid), !is_prepared},
            UInt64GetDatum(is_known ? ticks.floor(ticks.at({holder.from_ns})) : 0),
            {TimestampTzGetDatum(to_timestamptz(to_micros({holder.from_ns}))), !is_known},
        });
    });
    return Datum{0};
}
