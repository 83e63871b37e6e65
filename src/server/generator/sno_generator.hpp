// A generator of snos. When the clock steps back, the generator flips the tick-tock bit; see core/sno/timeline.hpp.
// What it has used with either value of the bit is durable before it makes an id.
#pragma once

#include "core/id/sno.hpp"
#include "pg/time.hpp"
#include "server/generator/durable_generator.hpp"

namespace snowid::server {

class SnoGenerator : public DurableGenerator {
public:
    static constexpr Scheme kScheme = Scheme::sno;

    constexpr SnoGenerator() noexcept : DurableGenerator(kScheme) {}
    explicit SnoGenerator(std::string_view name) noexcept : DurableGenerator(kScheme, name) {}

    [[gnu::always_inline]] core::Sno next(std::int64_t metabyte) {
        std::uint32_t partition = 0;
        const core::SnoPosition position = take(partition);
        ++issued_;
        return core::from_position(position, metabyte, partition);
    }

    // Up to `want` ids for a batch, at least one. A batch holds no ids ahead of the clock, so it slows down only its
    // own caller.
    core::SnoRun next_run(std::uint64_t want);

    // An id with the given time. Raises an error unless the generator is made for given times.
    core::Sno next_at(TimestampTz time, std::int64_t metabyte);

private:
    core::SnoPosition take(std::uint32_t &partition) {
        for (;;) {
            if (!takes_part_ || asks_first_ || has_changed()) [[unlikely]]
                begin();
            partition = this->partition();
            const std::uint64_t seen = slot_->snos.look();
            const core::SnoDecision d = slot_->snos.take(bounds_, policy_, seen, pg::wall_clock(), hard_limit());
            if (has_changed()) [[unlikely]]
                continue;
            if (d.verdict == core::SnoVerdict::make && d.position.unit < soft_limit()) [[likely]]
                return d.position;
            if (settle(seen, d)) return d.position;
        }
    }

    // Loaded before an id is taken, and valid if the slot has not changed after that.
    std::uint32_t partition() const noexcept {
        return static_cast<std::uint32_t>(partition_->load(std::memory_order_acquire));
    }

    void begin();
    void prepare();
    bool settle(std::uint64_t seen, const core::SnoDecision &d);
    // A position is a unit.
    std::int64_t soft_limit() const noexcept { return static_cast<std::int64_t>(reserve_.soft_limit()); }
    std::int64_t hard_limit() const noexcept { return static_cast<std::int64_t>(reserve_.hard_limit()); }
    static WantedPosition wanted(std::int64_t unit, std::uint64_t seen) noexcept {
        return {static_cast<std::uint64_t>(unit), core::SnoUnits::start(unit + 1), seen};
    }

    core::SnoBounds bounds_{};
    core::SnoPolicy policy_{};
    const std::atomic<std::uint64_t> *partition_ = nullptr;
    std::atomic<std::uint64_t> own_partition_{0};
};

extern SnoGenerator sno_generator;

}  // namespace snowid::server
