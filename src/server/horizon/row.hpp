// A row of the table snowid_horizon: how far a generator's ids may have come.
#pragma once

#include <cstdint>

#include "core/timeline/used_up.hpp"
#include "server/base/scheme.hpp"

namespace snowid::server {

// The row as it lies on the page.
struct HorizonRow {
    std::int64_t generator = 0;
    std::int64_t horizon_ns = 0;
    std::int64_t clock_offset_ns = 0;  // wall time minus elapsed time when it was last raised,
    std::int64_t boot = 0;             // in this boot of the machine,
    std::int64_t server = 0;           // by this server,
    std::int64_t timeline = 0;         // on this WAL timeline
    std::int64_t safe = 0;             // of a sno generator
    std::int64_t toggles = 0;          // of a sno generator

    bool is_sound() const noexcept { return as_written().is_sound(); }

    // The server has one generator of snos for all databases, and a row that SQL has added speaks for only one of them.
    // Such a row may say that time is used, but not with which tick-tock bit.
    core::UsedUp used_up() const noexcept {
        if (generator != kSnoScheme.default_generator || server != 0) return as_written();
        return as_written().with_either_bit();
    }
    void set(const core::UsedUp &used) noexcept {
        horizon_ns = used.horizon.value;
        safe = used.safe;
        toggles = static_cast<std::int64_t>(used.toggles);
    }

private:
    core::UsedUp as_written() const noexcept { return {{horizon_ns}, safe, static_cast<std::uint64_t>(toggles)}; }
};

}  // namespace snowid::server
