// Positions of the random timeline for ids that are spread: see core/timeline/stretches.hpp. Nothing is promised to the
// safe horizon, so nothing is held.
#pragma once

#include "core/timeline/stretches.hpp"
#include "server/generator/random_ids.hpp"

namespace snowid::server {

class RandomSpread {
public:
    std::uint64_t next() {
        if (!span_.holds(pg::near_clock.count())) [[unlikely]]
            enter();
        const std::uint64_t position = stretches_.take();
        if (position == 0) [[unlikely]]
            return next_slowly();
        return position;
    }
    void end_transaction() noexcept {
        span_ = {};
        is_spreading_ = false;
    }

private:
    void enter();
    std::uint64_t next_slowly();
    bool has_stretch();

    core::CountSpan span_, look_span_;  // as those of a SessionGenerator
    core::Stretches stretches_;
    bool is_spreading_ = false;
};

extern RandomSpread random_spread;

}  // namespace snowid::server
