// A row of the table _snowid.horizon: how far a generator's ids may have come.
#pragma once

#include <cstdint>

#include "core/timeline/history.hpp"
#include "core/timeline/used_up.hpp"
#include "server/shared/scheme.hpp"

namespace snowid::server {

// The row as it lies on the page.
struct HorizonRow {
    std::int64_t generator = 0;
    std::int64_t horizon_ns = 0;
    std::int64_t server = 0;    // that has last advanced it; 0: only SQL has written the row
    std::int64_t timeline = 0;  // in this history: see core/timeline/history.hpp
    std::int64_t safe = 0;      // of a sno generator
    std::int64_t toggles = 0;   // of a sno generator

    bool is_sound() const noexcept { return as_written().is_sound(); }
    core::History history() const noexcept { return {timeline}; }
    // Nobody but the owner of the database, with an old version, can have written a state that no generator can be in.
    void make_sound() noexcept { set(as_written().nearest_sound()); }

    // The server has one generator of snos for all databases, and a row that SQL has added speaks for only one of them.
    // Such a row may say that time is used, but not with which tick-tock bit.
    core::UsedUp used_up() const noexcept {
        if (generator != kSnoScheme.default_generator || server != 0) return as_written();
        return as_written().with_either_bit();
    }
    // Returns whether that says more than the row said before.
    bool cover(const core::UsedUp &used) noexcept {
        const core::UsedUp before = used_up();
        set(core::merged(before, used));
        return used_up() != before;
    }
    void set(const core::UsedUp &used) noexcept {
        horizon_ns = used.horizon.value;
        safe = used.safe;
        toggles = static_cast<std::int64_t>(used.toggles);
    }
    // Another row of the same generator.
    void merge(const HorizonRow &other) noexcept {
        set(core::merged(used_up(), other.used_up()));
        if (timeline != other.timeline) timeline = core::History::unknown().word;
        if (other.server == 0) server = 0;
    }

private:
    core::UsedUp as_written() const noexcept { return {{horizon_ns}, safe, static_cast<std::uint64_t>(toggles)}; }
};

}  // namespace snowid::server
