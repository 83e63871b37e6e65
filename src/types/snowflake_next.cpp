// The functions that generate snowflakes.
#include "pg/batch.hpp"
#include "pg/function.hpp"
#include "server/generator.hpp"

using snowid::server::generator;

namespace {

// Takes positions in runs, so that most rows touch nothing shared.
struct SnowflakeBatch {
    snowid::core::Run run;

    Datum next(std::uint64_t left) {
        if (run.count == 0) run = generator.next_run(left);
        --run.count;
        return UInt64GetDatum(generator.id_at(run.first++));
    }
};

}  // namespace

SNOWID_FUNCTION(snowid_snowflake_next) { return UInt64GetDatum(generator.next()); }
SNOWID_FUNCTION(snowid_snowflake_next_batch) { return snowid::pg::type_next_batch<SnowflakeBatch>(fcinfo); }
