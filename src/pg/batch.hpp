// T_next_batch(n) returns rows one at a time, so a select list streams them and a cancel stops them.
#pragma once

#include "pg/compat.hpp"

namespace snowid::pg {

// `Source` is the state that the call keeps between rows. It starts as zeroes. next(left) makes the Datum of the next
// id when `left` are still to come. begin(), if it is defined, reads the arguments.
template <typename Source>
Datum type_next_batch(FunctionCallInfo fcinfo) {
    static_assert(std::is_trivially_copyable_v<Source>);
    struct Batch {
        std::uint64_t left;
        Source source;
    };
    if (SRF_IS_FIRSTCALL()) {
        const std::int64_t n = PG_GETARG_INT64(0);
        if (n <= 0)
            ereport(ERROR,
                    (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("cannot make a batch of " INT64_FORMAT " ids", n),
                     errdetail("The number of ids must be at least 1.")));
        FuncCallContext *call = SRF_FIRSTCALL_INIT();
        call->user_fctx = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(Batch));
        static_cast<Batch *>(call->user_fctx)->left = static_cast<std::uint64_t>(n);
        if constexpr (requires(Source source) { source.begin(fcinfo); })
            static_cast<Batch *>(call->user_fctx)->source.begin(fcinfo);
    }
    FuncCallContext *call = SRF_PERCALL_SETUP();
    auto *batch = static_cast<Batch *>(call->user_fctx);
    if (batch->left == 0) SRF_RETURN_DONE(call);
    const Datum id = batch->source.next(batch->left--);
    SRF_RETURN_NEXT(call, id);
}

}  // namespace snowid::pg
