#include "pg/source/random.hpp"

extern "C" {
#include "port.h"
}

namespace snowid::pg {

constinit RandomBuffer random_buffer{};

void refill_random_buffer() {
    RandomBuffer &buffer = random_buffer;
    buffer.pid = 0;  // if drawing fails, the buffer counts as empty
    if (!pg_strong_random(buffer.bytes, sizeof buffer.bytes))
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values")));
    buffer.used = 0;
    buffer.pid = MyProcPid;
}

}  // namespace snowid::pg
