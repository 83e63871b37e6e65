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
        if (const core::UnixNanos now = pg::wall_clock(); !tick_.holds(now)) [[unlikely]]
            enter_tick(now);
        std::uint64_t position = shared->timeline.take_now(tick_);
        if (position == 0) [[unlikely]]
            position = take_slowly();
        ++issued_;
        return id_at(position);
    }

    // Up to `want` ids for a batch: positions for id_at(), at least one.
    core::Run next_run(std::uint64_t want);

    // Composed with the worker that is in force now.
    std::uint64_t id_at(std::uint64_t position) const noexcept {
        return position >> sequence_bits_ << time_shift_ | (position & sequence_mask_) << sequence_shift_ |
               shared->worker_bits.load(std::memory_order_relaxed);
    }

    // Before the next id everything is worked out anew.
    void forget() noexcept {
        ready_ = false;
        tick_ = {};
    }
    void count_issued() noexcept;  // tells the server's counter what this backend has issued since the last time

private:
    void prepare();
    void enter_tick(core::UnixNanos now);
    std::uint64_t take_slowly();
    core::Run take_run(std::uint64_t want) const noexcept;
    void wait_for(std::int64_t tick, std::int64_t ahead) const;
    void extend(std::uint64_t position, Patience patience);
    core::ClockPolicy policy_at(core::UnixNanos now) const noexcept;
    [[noreturn]] void raise_clock_behind(const core::Decision &d) const;
    [[noreturn]] void raise_leap(std::int64_t by_ns) const;
    [[noreturn]] void raise_ended() const;

    core::TickWindow tick_;  // of the last id, up to the soft limit
    std::int64_t issued_ = 0;
    std::uint64_t sequence_mask_ = 0;
    int sequence_bits_ = 0;
    int sequence_shift_ = 0;
    int time_shift_ = 0;
    bool ready_ = false;
    std::uint64_t soft_limit_ = 0;
    core::Ticks ticks_;
    std::uint64_t limit_ = 0;
    core::ClockPolicy policy_{};
    std::int64_t start_lead_ns_ = 0;
};

extern Generator generator;

inline void generator_settings_changed() noexcept { generator.forget(); }

}  // namespace snowid::server
