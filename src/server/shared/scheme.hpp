// A scheme is a kind of id that needs its own number and a durable horizon: snowflakes and snos.
//
// Everything the server must know about a scheme is one row of a table. The functions of a row are in one file,
// generator/<scheme>_scheme.cpp, and all other code asks the row. So to the server a new scheme is a name and a row
// here, and that file. What makes its ids is a class in generator/; what calls the class, in types/.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>

#include "core/timeline/claim.hpp"
#include "core/timeline/horizon.hpp"
#include "core/timeline/used_up.hpp"

namespace snowid::server {

struct GeneratorRecord;
struct HorizonRow;
struct Slot;
struct SlotInfo;

struct SchemeRow;

enum class Scheme : std::uint8_t { snowflake, sno };
extern const SchemeRow kSnowflakeScheme, kSnoScheme;
inline constexpr const SchemeRow *kSchemeRows[] = {&kSnowflakeScheme, &kSnoScheme};

inline constexpr auto kSchemes = [] {
    std::array<Scheme, std::size(kSchemeRows)> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Scheme>(i);
    return all;
}();

struct SchemeSpan {
    core::UnixNanos last;      // the time of the last id; if it is not after the scheme's epoch, there is none yet
    core::UnixMicros ends_at;  // the last time that an id can have
};

struct LastTaken {
    core::UnixNanos end;  // of its tick
    std::uint64_t seen;   // the timeline's state
};

// What a caller that saw the timeline in the state `seen` needs of a generator's horizon.
struct HorizonNeed {
    std::uint64_t seen;
    core::HorizonGoal goal;
    core::UnixNanos until;  // its ids end here, however far the horizon is
};

// What became of the horizon.
struct Advance {
    enum Outcome : std::uint8_t {
        enough,    // it was high enough
        advanced,  // its row must be written
        unseen,    // its row was written in a way that no trigger saw, and stays as it is
        late,      // the timeline has changed since the caller saw it
        busy,
    } outcome;
    core::UnixNanos end{0};   // no id under the horizon has this time or a later one
    std::uint64_t limit = 0;  // the first position that must not be taken

    bool is_reached() const noexcept { return outcome <= advanced; }
};

struct SchemeRow {
    const char *name;
    std::int64_t default_generator;  // the number of the server's own generator in _snowid.horizon

    // A generator's number, which tells its ids from other generators' ids: the worker or the partition.
    const char *number_name;
    std::optional<std::uint32_t> GeneratorRecord::*number;
    const char *number_title;  // of the server's number, for people
    const char *number_setting;
    std::uint32_t (*largest_number)(const core::Layout &layout);
    std::uint32_t (*configured_number)();
    bool (*is_number_set)();
    std::uint64_t (*number_bits)(std::uint32_t number);  // as ids hold it

    // What a generator of the scheme may be.
    bool has_layout;
    void (*check)(const GeneratorRecord &record);
    std::uint64_t (*last_sequence)(const core::Layout &layout);
    core::Ticks (*ticks)(const core::Layout &layout, core::SequenceRange sequences);
    core::Claim (*claim)(const SlotInfo &info);

    // The timeline in a slot. Functions that change it REQUIRE the lock of the slots.
    void (*begin)(Slot &slot, const SlotInfo &info, const core::UsedUp &used);
    void (*finish_tick)(Slot &slot);
    void (*skip_past)(Slot &slot, const core::Ticks &ticks, const core::UsedUp &used);
    void (*rewind)(Slot &slot, const SlotInfo &info, core::UnixNanos to);
    core::UnixNanos (*first_unused_time)(const Slot &slot, const SlotInfo &info);
    SchemeSpan (*span)(const Slot &slot, const SlotInfo &info);

    // What is used up.
    core::UnixNanos (*first_time_after)(const core::UsedUp &used);
    core::UsedUp (*used_by)(const Slot &slot);  // in any database

    // The horizon. When ids are ahead of the clock, it goes the margin beyond them. Only `advance` changes a row.
    std::int64_t (*margin_ns)(const core::Ticks &ticks);
    std::uint64_t (*positions_in)(const core::Ticks &ticks, std::int64_t ns);  // rounded up to a tick
    LastTaken (*last_taken)(const Slot &slot, const core::Ticks &ticks);
    Advance (*advance)(Slot &slot, const core::Ticks &ticks, const HorizonNeed &need, HorizonRow &row);
};

inline const SchemeRow &scheme_row(Scheme scheme) noexcept { return *kSchemeRows[static_cast<std::size_t>(scheme)]; }

}  // namespace snowid::server
