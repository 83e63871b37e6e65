// A generator of snowflakes: the fast path of an id, and what happens off that path. What it works out from settings
// and records is kept until one of them changes.
#pragma once

#include "core/layout/layout.hpp"
#include "core/timeline/timeline.hpp"
#include "server/generator/durable_generator.hpp"
#include "server/generator/snowflake_clock.hpp"
#include "server/safe/safe_horizon.hpp"

namespace snowid::server {

// What an id contains besides its position: the worker in force, where the layout has it.
struct Composition {
    std::uint64_t sequence_mask;
    int sequence_shift;
    std::uint64_t worker_bits;

    std::uint64_t id_at(std::uint64_t position) const noexcept {
        return (position & ~sequence_mask) | (position & sequence_mask) << sequence_shift | worker_bits;
    }

    // For a position that is an id already.
    static constexpr Composition none() noexcept { return {0, 0, 0}; }
};

// Consecutive ids, and the worker that was in force when their positions were taken.
struct SnowflakeRun {
    core::Run positions;
    Composition composition;

    std::uint64_t take() noexcept {
        --positions.count;
        return composition.id_at(positions.first++);
    }
};

// Holds where the worker in force is found, and what the layout says about an id's bits.
class Composer {
public:
    void follow(const core::Layout &layout, const std::atomic<std::uint64_t> &worker_bits) noexcept {
        layout_ = layout;
        sequence_mask_ = layout.sequence().max();
        sequence_shift_ = layout.sequence().shift;
        worker_bits_ = &worker_bits;
    }
    void keep(const core::Layout &layout, std::uint32_t worker) noexcept {
        own_worker_bits_.store(layout.place_worker(worker), std::memory_order_relaxed);
        follow(layout, own_worker_bits_);
    }

    const core::Layout &layout() const noexcept { return layout_; }

    // Loaded before a position is taken, and valid if the slot has not changed after that.
    Composition now() const noexcept {
        return {sequence_mask_, sequence_shift_, worker_bits_->load(std::memory_order_acquire)};
    }

private:
    std::uint64_t sequence_mask_ = 0;
    int sequence_shift_ = 0;
    const std::atomic<std::uint64_t> *worker_bits_ = nullptr;
    core::Layout layout_{};
    std::atomic<std::uint64_t> own_worker_bits_{0};
};

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

    // The same for sessions that insert side by side: see core/timeline/stretches.hpp.
    std::uint64_t spread() {
        if (!stretch_span_.holds(pg::near_clock.count())) [[unlikely]]
            enter_stretch();
        const Composition composition = composer_.now();
        const std::uint64_t position = stretches_.take();
        if (position == 0 || has_changed()) [[unlikely]]
            return spread_slowly();
        ++issued_;
        return composition.id_at(position);
    }

    // Up to `want` ids for a batch, at least one.
    SnowflakeRun next_run(std::uint64_t want);

    // An id with the given time. Raises an error unless the generator is made for given times.
    std::uint64_t next_at(TimestampTz time);

    // Returns an id. Every row with a lower id that was taken in the row's own transaction, and that will ever be
    // committed, is visible to the active snapshot and to later ones. See core/safe.
    std::uint64_t safe_horizon();

private:
    void begin();
    void prepare(For purpose = For::ids);
    void enter_tick();

    // Records from when this transaction may have ids, before it takes a position in that tick or a later one.
    void hold(std::int64_t tick) {
        hold_.from(slot_->timeline.earliest_next(reserve_.ticks(), tick), reserve_.generator());
    }

    WantedPosition wanted(std::uint64_t position, std::uint64_t seen) const noexcept {
        return {position, reserve_.ticks().end_of(position), seen};
    }
    std::uint64_t next_slowly();
    void enter_stretch();
    std::uint64_t spread_slowly();
    bool has_stretch();
    void follow_stretches();
    SnowflakeRun take_run(std::uint64_t want);

    core::TickWindow tick_;  // of the last id, up to the soft limit
    Composer composer_;
    SnowflakePolicy policy_{};
    SafeHorizon safe_horizon_;
};

extern SnowflakeGenerator snowflake_generator;

}  // namespace snowid::server
