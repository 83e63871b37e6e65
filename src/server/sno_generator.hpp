// A generator of snos. The clock that steps back makes it flip the tick-tock bit, see core/sno/timeline.hpp; what
// it has used with either value of the bit is durable before an id of it is issued.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/id/sno.hpp"
#include "pg/clock.hpp"
#include "server/attached_generator.hpp"

namespace snowid::server {

class SnoGenerator : public AttachedGenerator {
public:
    static constexpr Scheme kScheme = Scheme::sno;

    constexpr SnoGenerator() noexcept : AttachedGenerator(kScheme) {}
    explicit SnoGenerator(std::string_view name) noexcept : AttachedGenerator(kScheme, name) {}

    core::Sno next(std::int64_t metabyte) { return made(take(), metabyte); }

    // Up to `want` ids for a batch, at least one, whose sequence numbers follow the first's. It holds no ids ahead of
    // the clock: it slows its own caller only.
    core::SnoPosition next_run(std::uint64_t want, std::uint32_t &count);

    // The one that is in force now.
    std::uint32_t partition() const noexcept { return partition_->load(std::memory_order_relaxed); }

    // An id of the given time, of a generator that is made for that.
    core::Sno next_at(TimestampTz time, std::int64_t metabyte);

private:
    core::Sno made(const core::SnoPosition &position, std::int64_t metabyte) noexcept {
        ++issued_;
        return core::from_position(position, metabyte, partition());
    }

    core::SnoPosition take() {
        for (;;) {
            if (!ready_ || backfill_ || has_changed()) [[unlikely]]
                begin();
            const std::uint64_t seen = slot_->snos.look();
            const core::SnoDecision d = slot_->snos.take(bounds_, policy_, seen, pg::wall_clock(), limit_.hard);
            if (has_changed()) [[unlikely]]
                continue;
            if (d.verdict == core::SnoVerdict::issue && d.position.unit < limit_.soft) [[likely]]
                return d.position;
            if (settle(seen, d)) return d.position;
        }
    }

    void begin();
    void prepare();
    bool settle(std::uint64_t seen, const core::SnoDecision &d);
    void extend(std::uint64_t seen, std::int64_t unit, Patience patience);
    void extend_from(core::UnixNanos now, std::uint64_t seen, std::int64_t unit, Patience patience);
    [[noreturn]] void raise_out_of_time() const;

    core::SnoBounds bounds_{};
    core::SnoPolicy policy_{};
    const std::atomic<std::uint32_t> *partition_ = nullptr;
    Limit<std::int64_t> limit_;  // units
    std::atomic<std::uint32_t> own_partition_{0};
};

extern SnoGenerator sno_generator;

}  // namespace snowid::server
