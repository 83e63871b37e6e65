#include "core/inspect/numbers.hpp"

#include <charconv>

#include "core/id/snowflake.hpp"
#include "core/layout/layout_text.hpp"
#include "core/text/number.hpp"

namespace snowid::core {
namespace {

constexpr std::size_t kMostDigits = 20;

// Accepts a snowflake, or an unsigned number of 64 bits.
bool parse_decimal(std::string_view text, std::uint64_t &out) noexcept {
    if (text.size() > kMostDigits) return false;
    Snowflake id{};
    const Status status = parse(text, id);
    out = id.bits();
    if (status != Status::out_of_range) return status == Status::ok;
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, out);
    return error == std::errc{} && stop == end;
}

void set_number(Finding &of, std::uint64_t bits) noexcept {
    Findings::set_canonical<Snowflake::kTextSize>(of, [&](char *out) { return format(Snowflake::of_bits(bits), out); });
}

Finding &add_snowflake(std::string_view name, Confidence confidence, const Layout &layout, std::uint64_t bits,
                       Findings &out) noexcept {
    Finding &added = out.add(name, confidence, layout.time_of(bits));
    set_number(added, bits);
    Findings::set_fields(added, [&](JsonObject &fields) { put_fields(fields, layout, bits); });
    return added;
}

struct UnixUnit {
    std::string_view name;
    std::int64_t size;  // in us
};

// The unit in which the number is a plausible time, or nullptr if there is none.
const UnixUnit *unix_unit(const Inspected &in, std::uint64_t number) noexcept {
    static constexpr UnixUnit kUnits[] = {{"s", kMicrosPerSecond}, {"ms", kMicrosPerMilli}, {"us", 1}};
    for (const UnixUnit &unit : kUnits)
        if (number < static_cast<std::uint64_t>(INT64_MAX / unit.size) &&
            in.is_plausible({static_cast<std::int64_t>(number) * unit.size}))
            return &unit;
    return nullptr;
}

void add_unix_time(const UnixUnit &unit, std::uint64_t number, Findings &out) noexcept {
    Finding &added = out.add("unix-time", Confidence::possible, {static_cast<std::int64_t>(number) * unit.size});
    set_number(added, number);
    Findings::set_fields(added, [&](JsonObject &fields) { fields.add("unit", unit.name); });
}

// Numbers from a sequence are small, so as snowflakes they have times soon after the epoch.
bool is_time_of(const Inspected &in, const Layout &layout, std::uint64_t bits) noexcept {
    constexpr std::int64_t kHour = 3600 * kMicrosPerSecond;
    const UnixMicros t = layout.time_of(bits);
    return layout.contains(bits) && in.is_plausible(t) && t.value - layout.epoch.value >= kHour;
}

void add_own_snowflake(const Inspected &in, std::uint64_t bits, bool is_unix_time, Findings &out) noexcept {
    const Layout &layout = in.context.layout;
    if (!layout.contains(bits)) return;
    const bool is_likely = is_time_of(in, layout, bits) && !is_unix_time;
    add_snowflake("snowflake", is_likely ? Confidence::likely : Confidence::possible, layout, bits, out);
}

void add_preset_snowflakes(const Inspected &in, std::uint64_t bits, Findings &out) noexcept {
    for (const Preset &preset : kPresets) {
        Layout layout{};
        if (parse_layout(preset.text, layout).fault != LayoutFault::none || layout == in.context.layout) continue;
        if (layout.contains(bits) && in.is_plausible(layout.time_of(bits)))
            add_snowflake("snowflake/", Confidence::possible, layout, bits, out).format.append(preset.name);
    }
}

// Snowflakes of the present years have ten or eleven characters.
void find_in_base(const Inspected &in, NumberBase base, std::string_view name, Findings &out) noexcept {
    std::uint64_t bits = 0;
    if (in.is_number || in.text.size() < 10 || in.text.size() > 11) return;
    if (parse_number(base, in.text, bits) == Status::ok && is_time_of(in, in.context.layout, bits))
        add_snowflake(name, Confidence::possible, in.context.layout, bits, out);
}

}  // namespace

void find_numbers(const Inspected &in, Findings &out) noexcept {
    std::uint64_t bits = 0;
    if (parse_decimal(in.text, bits)) {
        const UnixUnit *unit = unix_unit(in, bits);
        add_own_snowflake(in, bits, unit != nullptr, out);
        if (unit != nullptr) add_unix_time(*unit, bits, out);
        add_preset_snowflakes(in, bits, out);
    }
    find_in_base(in, NumberBase::base62, "snowflake in base62", out);
    find_in_base(in, NumberBase::base58, "snowflake in base58", out);
}

}  // namespace snowid::core
