// The functions that generate snowflakes.
#include "pg/arguments.hpp"
#include "pg/batch.hpp"
#include "pg/function.hpp"
#include "server/generator.hpp"
#include "types/generator_argument.hpp"

using snowid::server::Generator;
using snowid::server::generator;
using snowid::types::generator_argument;

namespace {

// Takes positions in runs, so that most rows touch nothing shared. The ids of a run keep the worker that was in force
// when the run was taken, however long a cursor stays open: they are below the horizon of that time, and another
// generator may have the worker since.
struct SnowflakeBatch {
    Generator *of;
    snowid::core::Run run;
    Generator::Composition composition;

    void begin(FunctionCallInfo fcinfo) {
        of = &generator;
        if (PG_NARGS() > 1) of = &snowid::server::named_generator<Generator>(snowid::pg::text_argument(fcinfo, 1));
    }
    Datum next(std::uint64_t left) {
        if (run.count == 0) {
            run = of->next_run(left);
            composition = of->composition();
        }
        --run.count;
        return UInt64GetDatum(composition.id_at(run.first++));
    }
};

}  // namespace

SNOWID_FUNCTION(snowid_snowflake_next) { return UInt64GetDatum(generator.next()); }
SNOWID_FUNCTION(snowid_snowflake_next_of) { return UInt64GetDatum(generator_argument<Generator>(fcinfo, 0).next()); }
SNOWID_FUNCTION(snowid_snowflake_at) {
    return UInt64GetDatum(generator_argument<Generator>(fcinfo, 1).next_at(PG_GETARG_TIMESTAMPTZ(0)));
}
SNOWID_FUNCTION(snowid_snowflake_next_batch) { return snowid::pg::type_next_batch<SnowflakeBatch>(fcinfo); }
