// The safe horizon of one generator as this session reports it. See core/safe.
#pragma once

#include "core/clock/ticks.hpp"
#include "core/safe/answers.hpp"
#include "server/shared/slot.hpp"

namespace snowid::server {

[[noreturn]] void raise_no_safe_horizon_of_given_times();

class SafeHorizon {
public:
    // The generator may be a different one from before, or may have changed.
    void begin(const Slot *slot, std::uint64_t version, std::int64_t generator) noexcept;

    // The safe horizon for the active snapshot, or 0 if none can be promised for it. Raises an error if this server did
    // not take that snapshot.
    std::uint64_t ask(core::Timeline &timeline, const core::Ticks &ticks);

private:
    static constexpr std::size_t kOthers = 1024;

    // Whether ids that someone holds of that generator may be this one's. Ids of a generator that is gone may have been
    // made under this one's name.
    bool holds(std::int64_t generator);

    const Slot *slot_ = nullptr;
    std::uint64_t version_ = 0;
    std::int64_t generator_ = 0;
    core::Answers *answers_ = nullptr;
    std::int64_t *others_ = nullptr;  // other generators that exist, each at the place that its number gives
};

}  // namespace snowid::server
