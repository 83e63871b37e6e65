// The server's default generator, as one backend sees it: the shared timeline, and what follows from settings and the
// database's record, worked out once and kept until one of them changes.
#pragma once

#include <cstdint>

#include "core/gen/timeline.hpp"
#include "core/layout/layout.hpp"
#include "pg/clock.hpp"
#include "server/shmem.hpp"

namespace snowid::server {

class Generator {
public:
    std::uint64_t next() {
        if (!ready_) [[unlikely]]
            prepare();
        std::uint64_t position = shared->timeline.take_now(ticks_, pg::wall_clock(), ticks_.end());
        if (position == 0) [[unlikely]]
            position = take_slowly();
        return id_at(position);
    }

    // Up to `want` ids for a batch: positions for id_at(), at least one.
    core::Run next_run(std::uint64_t want);

    // Composed with the worker that is in force now.
    std::uint64_t id_at(std::uint64_t position) const noexcept {
        return position >> sequence_bits_ << time_shift_ | ticks_.sequence_of(position) << sequence_shift_ |
               shared->worker_bits.load(std::memory_order_relaxed);
    }

    void forget() noexcept { ready_ = false; }

private:
    void prepare();
    std::uint64_t take_slowly();
    void wait_for(std::int64_t tick) const;
    [[noreturn]] void raise_clock_behind(const core::Decision &d) const;
    [[noreturn]] void raise_ended() const;

    bool ready_ = false;
    int sequence_bits_ = 0;
    int sequence_shift_ = 0;
    int time_shift_ = 0;
    core::ClockPolicy policy_{};
    core::Ticks ticks_;
};

extern Generator generator;

inline void generator_settings_changed() noexcept { generator.forget(); }

}  // namespace snowid::server
