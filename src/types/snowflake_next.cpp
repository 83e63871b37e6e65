// The functions that generate snowflakes.
#include "core/id/snowflake.hpp"
#include "pg/compat.hpp"
#include "pg/function.hpp"
#include "server/generator.hpp"

using snowid::core::Run;
using snowid::server::generator;

namespace {

// What one call of snowflake_next_batch keeps between its rows.
struct Batch {
    std::uint64_t left;
    Run run;
};

}  // namespace

SNOWID_FUNCTION(snowid_snowflake_next) { return UInt64GetDatum(generator.next()); }

SNOWID_FUNCTION(snowid_snowflake_next_batch) {
    if (SRF_IS_FIRSTCALL()) {
        const std::int64_t n = PG_GETARG_INT64(0);
        if (n <= 0)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("cannot generate a batch of " INT64_FORMAT " ids", n),
                            errdetail("The number of ids must be at least 1.")));
        FuncCallContext *call = SRF_FIRSTCALL_INIT();
        call->user_fctx = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(Batch));
        static_cast<Batch *>(call->user_fctx)->left = static_cast<std::uint64_t>(n);
    }
    FuncCallContext *call = SRF_PERCALL_SETUP();
    auto *batch = static_cast<Batch *>(call->user_fctx);
    if (batch->left == 0) SRF_RETURN_DONE(call);
    if (batch->run.count == 0) batch->run = generator.next_run(batch->left);
    --batch->left;
    --batch->run.count;
    SRF_RETURN_NEXT(call, UInt64GetDatum(generator.id_at(batch->run.first++)));
}
