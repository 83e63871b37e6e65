// The text of a layout, the only form that leaves the program:
//     epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12
// The name of a preset can replace its text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/layout/layout.hpp"
#include "core/text/writer.hpp"

namespace snowid::core {

struct Preset {
    std::string_view name;
    std::string_view text;
};

inline constexpr Preset kPresets[] = {
    {"default", "epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12"},
    {"twitter", "epoch=2010-11-04T01:42:54.657Z,tick=1ms,time=41,datacenter=5,worker=5,sequence=12"},
    {"discord", "epoch=2015-01-01,tick=1ms,time=42,worker=5,process=5,sequence=12"},
    {"instagram", "epoch=2011-08-24T21:07:01.721Z,tick=1ms,time=41,shard=13,sequence=10"},
    {"mastodon", "epoch=1970-01-01,tick=1ms,time=48,sequence=16"},
    {"sonyflake", "epoch=2014-09-01,tick=10ms,time=39,sequence=8,machine=16"},
    {"sonyflake2", "epoch=2025-01-01,tick=10ms,time=39,sequence=8,machine=16"},
    {"baidu", "epoch=2016-05-19T16:00:00Z,tick=1s,time=28,worker=22,sequence=13"},
    {"wide", "epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14"},
    {"js", "epoch=2024-01-01,tick=1ms,time=41,worker=5,sequence=7"},
};

// What can be wrong with the text of a layout, or of a worker.
enum class LayoutFault : std::uint8_t {
    none,
    unknown_preset,
    not_a_pair,  // not name=value
    bad_name,    // not a lower-case identifier of at most Field::kMaxName characters
    repeated,
    missing,
    too_many_fields,
    bad_epoch,      // not a date
    early_epoch,    // before 1900
    future_epoch,   // in a new layout
    bad_tick,       // not a count of us, ms or s
    bad_bits,       // not a number from 1 to 63
    too_many_bits,  // more than 64 in all
    wide_sequence,  // more than Layout::kMaxPartBits
    wide_worker,
    time_not_first,
    ends_too_late,  // after the last instant that UnixMicros can hold
    not_a_number,   // from here on of a worker
    unknown_field,
    out_of_range,
};

struct LayoutError {
    LayoutFault fault;
    std::string_view where;  // the wrong word: part of the input, or a literal
    std::uint64_t max = 0;   // for out_of_range: the largest value that the field can have
};

// For a layout in use. Its epoch may be later than the clock.
LayoutError parse_layout(std::string_view text, Layout &out) noexcept;
// For a layout that is being chosen. Refuses an epoch in the future: it is a typing error, or the clock is wrong.
LayoutError parse_new_layout(std::string_view text, UnixMicros now, Layout &out) noexcept;

inline constexpr std::size_t kMaxLayoutText = 256;

// Writes the canonical text without a terminator and returns its length. REQUIRES: room for kMaxLayoutText.
std::size_t format_layout(const Layout &layout, char *out) noexcept;

// The worker as a setting gives it: a number, or the layout's fields by name, as in "region=1,dc=2,node=4".
LayoutError parse_worker(std::string_view text, const Layout &layout, std::uint32_t &out) noexcept;

// What is wrong with the text of a layout or of a worker, as a sentence for its author.
using FaultText = FixedText<256>;

// `where` is error.where, made fit for a message.
void describe(const LayoutError &error, std::string_view where, FaultText &out) noexcept;

}  // namespace snowid::core
