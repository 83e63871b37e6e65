// A generator of snowflakes: the fast path of an id, and what happens off that path. What it works out from settings
// and records is kept until one of them changes.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/timeline/timeline.hpp"
#include "server/generator/composer.hpp"
#include "server/generator/durable_generator.hpp"
#include "server/generator/required_clock.hpp"
#include "server/generator/watermark.hpp"
#include "server/memory/holders.hpp"

namespace snowid::server {

class SnowflakeGenerator : public DurableGenerator {
public:
    static constexpr Scheme kScheme = Scheme::snowflake;

    constexpr SnowflakeGenerator() noexcept : DurableGenerator(kScheme) {}
    explicit SnowflakeGenerator(std::string_view name) noexcept : DurableGenerator(kScheme, name) {}

    std::uint64_t next() {
        if (!tick_span_.holds(pg::near_clock.count())) [[unlikely]]
            enter_tick();
        const Composition composition = composer_.now();
        const std::uint64_t position = slot_->timeline.take_now(tick_);
        if (position == 0 || has_changed()) [[unlikely]]
            return next_slowly();
        ++issued_;
        return composition.id_at(position);
    }

    // Consecutive ids, and the worker that was in force when their positions were taken.
    struct Run {
        core::Run positions;
        Composition composition;

        std::uint64_t take() noexcept {
            --positions.count;
            return composition.id_at(positions.first++);
        }
    };

    // Up to `want` ids for a batch, at least one.
    Run next_run(std::uint64_t want);

    // An id with the given time. Raises an error unless the generator is made for given times.
    std::uint64_t next_at(TimestampTz time);

    // Returns an id. Every row with a lower id that was taken in the row's own transaction, and that will ever be
    // committed, is visible to the active snapshot and to later ones. See core/safe.
    std::uint64_t watermark();

private:
    void begin();
    void prepare(For purpose = For::ids);
    void enter_tick();

    // Records the time from which this transaction may have ids, before it takes a position. `now` is the clock that
    // the position will be taken by, too.
    void hold(core::UnixNanos now) {
        const core::UnixNanos from = slot_->timeline.earliest_next(reserve_.ticks(), now);
        if (from.value >= held_from_ns_) return;
        held_from_ns_ = from.value;
        hold_watermark(reserve_.generator(), from);
    }

    WantedPosition wanted(std::uint64_t position, std::uint64_t seen) const noexcept {
        const core::Ticks &ticks = reserve_.ticks();
        return {position, ticks.start(ticks.tick_of(position) + 1), seen};
    }
    std::uint64_t next_slowly();
    std::uint64_t take_slowly();
    bool take_by_policy(std::uint64_t &id);
    Run take_run(std::uint64_t want);
    void wait_for(std::int64_t tick, std::int64_t ahead) const;

    core::TickWindow tick_;  // of the last id, up to the soft limit
    Composer composer_;
    SnowflakePolicy policy_{};
    Watermark watermark_;
};

extern SnowflakeGenerator snowflake_generator;

}  // namespace snowid::server
