// Random bytes from PostgreSQL's CSPRNG, drawn into a buffer of the process. Asking the source for a few bytes at a
// time would cost more than everything else in an id. Each byte is handed out once and then wiped. A child process does
// not use its parent's buffer after a fork, but draws its own bytes. The postmaster never draws.
#pragma once

#include "core/bytes.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "miscadmin.h"
#include "port.h"
}

namespace snowid::pg {

struct RandomBuffer {
    static constexpr std::size_t kSize = 4096;

    int pid;  // the process that drew the bytes, or 0
    std::size_t used;
    std::uint8_t bytes[kSize];
};

inline constinit RandomBuffer random_buffer{};

// Refills the whole buffer. Raises an error if the source fails.
[[gnu::noinline, gnu::cold]] inline void refill_random_buffer() {
    RandomBuffer &buffer = random_buffer;
    buffer.pid = 0;  // if drawing fails, the buffer counts as empty
    if (!pg_strong_random(buffer.bytes, sizeof buffer.bytes))
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values")));
    buffer.used = 0;
    buffer.pid = MyProcPid;
}

template <std::size_t N>
core::Bytes<N> random_bytes() {
    static_assert(N <= RandomBuffer::kSize);
    RandomBuffer &buffer = random_buffer;
    if (buffer.pid != MyProcPid || buffer.used > RandomBuffer::kSize - N) [[unlikely]]
        refill_random_buffer();
    core::Bytes<N> drawn;
    std::uint8_t *from = buffer.bytes + buffer.used;
    std::memcpy(drawn.data(), from, N);
    std::memset(from, 0, N);
    buffer.used += N;
    return drawn;
}

}  // namespace snowid::pg
