// The server's default generator, as one backend sees it: the shared timeline; what follows from settings and the
// database's record, worked out once and kept until one of them changes; and how far this database's horizon lets this
// backend go.
//
// The position is the server's, the limit is the backend's own, learned from the horizon of its database. From the soft
// limit on, halfway, the backend tries to raise the horizon, and gives up at once where that means waiting; at the
// limit it waits for it.
#pragma once

#include <cstdint>

#include "core/gen/timeline.hpp"
#include "core/layout/layout.hpp"
#include "pg/clock.hpp"
#include "server/horizon.hpp"
#include "server/shmem.hpp"

namespace snowid::server {

class Generator {
public:
    std::uint64_t next() {
        if (!ready_) [[unlikely]]
            prepare();
        std::uint64_t position = shared->timeline.take_now(ticks_, pg::wall_clock(), soft_limit_);
        if (position == 0) [[unlikely]]
            position = take_slowly();
        ++issued_;
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
    void count_issued() noexcept;  // tells the server's counter what this backend has issued since the last time

    const core::Ticks &ticks();  // ready to use

private:
    void prepare();
    std::uint64_t take_slowly();
    void wait_for(std::int64_t tick, std::int64_t ahead) const;
    void extend(std::uint64_t position, Patience patience);
    const core::ClockPolicy &policy_at(core::UnixNanos now) const noexcept;
    [[noreturn]] void raise_clock_behind(const core::Decision &d) const;
    [[noreturn]] void raise_leap(std::int64_t by_ns) const;
    [[noreturn]] void raise_ended() const;

    bool ready_ = false;
    int sequence_bits_ = 0;
    int sequence_shift_ = 0;
    int time_shift_ = 0;
    std::uint64_t soft_limit_ = 0;
    std::int64_t issued_ = 0;
    core::Ticks ticks_;
    std::uint64_t limit_ = 0;
    core::ClockPolicy policy_{};
    core::ClockPolicy start_policy_{};  // until the clock has reached the horizon of the start
};

extern Generator generator;

inline void generator_settings_changed() noexcept { generator.forget(); }

}  // namespace snowid::server
