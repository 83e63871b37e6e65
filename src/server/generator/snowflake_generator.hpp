// A generator of snowflakes: the fast path of an id, and what happens off that path. What it works out from settings
// and records is kept until one of them changes.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/timeline/timeline.hpp"
#include "server/generator/composer.hpp"
#include "server/generator/durable_generator.hpp"
#include "server/generator/watermark.hpp"
#include "server/waiting/snowflake_clock.hpp"

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

    // Up to `want` ids for a batch, at least one.
    SnowflakeRun next_run(std::uint64_t want);

    // An id with the given time. Raises an error unless the generator is made for given times.
    std::uint64_t next_at(TimestampTz time);

    // Returns an id. Every row with a lower id that was taken in the row's own transaction, and that will ever be
    // committed, is visible to the active snapshot and to later ones. See core/safe.
    std::uint64_t watermark();

private:
    void begin();
    void prepare(For purpose = For::ids);
    void enter_tick();

    // Records from when this transaction may have ids, before it takes a position by that clock.
    void hold(core::UnixNanos now) {
        hold_.from(slot_->timeline.earliest_next(reserve_.ticks(), now), reserve_.generator());
    }

    WantedPosition wanted(std::uint64_t position, std::uint64_t seen) const noexcept {
        return {position, reserve_.ticks().end_of(position), seen};
    }
    std::uint64_t next_slowly();
    SnowflakeRun take_run(std::uint64_t want);

    core::TickWindow tick_;  // of the last id, up to the soft limit
    Composer composer_;
    SnowflakePolicy policy_{};
    Watermark watermark_;
};

extern SnowflakeGenerator snowflake_generator;

}  // namespace snowid::server
