// Random bytes from PostgreSQL's CSPRNG, drawn into a buffer of this process: asking the source for a few bytes at a
// time costs more than all else that an id needs. A byte is handed out once and wiped, and a process that finds its
// parent's buffer after a fork draws its own. The postmaster never draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/bytes.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace snowid::pg {

struct RandomBuffer {
    static constexpr std::size_t kSize = 4096;

    int pid;  // the process that drew them; no process has 0
    std::size_t used;
    std::uint8_t bytes[kSize];
};

extern RandomBuffer random_buffer;

// Draws all of the buffer anew; an error where the source fails.
void refill_random_buffer();

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
