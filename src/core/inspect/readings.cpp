#include "core/inspect/readings.hpp"

#include <charconv>

#include "core/id/snowflake.hpp"
#include "core/text/time_text.hpp"

namespace snowid::core {
namespace {

// What speaks for a preset before the number is looked at: since when there are such ids, and how many bits rarer they
// are than others. Ids begin weeks after the epoch, because numbers of cards, and dates written in one word, would fall
// into these weeks.
struct Prior {
    std::string_view preset;
    std::string_view since;
    int rarity;
};

constexpr Prior kPriors[] = {
    {"default", "2024-02-01", 4},    {"twitter", "2010-12-01", 0},  {"discord", "2015-02-01", 0},
    {"instagram", "2011-09-20", 1},  {"mastodon", "2016-03-01", 0}, {"sonyflake", "2014-12-01", 1},
    {"sonyflake2", "2025-02-15", 2}, {"baidu", "2016-06-20", 6},    {"wide", "2024-02-01", 6},
    {"js", "2024-04-01", 4},
};

struct UnixUnit {
    std::string_view name;
    std::int64_t ns;
};

constexpr UnixUnit kUnits[] = {{"s", kNanosPerSecond}, {"ms", kNanosPerMilli}, {"us", kNanosPerMicro}, {"ns", 1}};

UnixMicros time_or(std::string_view text, UnixMicros otherwise) noexcept {
    UnixMicros t{};
    return parse_time(text, t) ? t : otherwise;
}

// What a value costs in bits: if all are as frequent, and if small ones are more frequent.
int cost_of_any(int bits) noexcept { return bits * kBit; }

int width(std::uint64_t value) noexcept { return 64 - std::countl_zero(value); }
int cost_of_small(std::uint64_t value) noexcept { return (2 * width(value) + 1) * kBit; }
int cost_of_small(const Field &field, std::uint64_t value) noexcept {
    return std::min(cost_of_small(value), cost_of_any(field.bits + 1));
}

// Most tweets are of the data centres 10 and 11, the early ones of 1.
int datacenter(std::uint64_t value) noexcept { return (value == 10 || value == 11 || value == 1 ? 2 : 6) * kBit; }

// Nearly all processes of Discord are number 0, of a worker below 3.
int discord(std::string_view field, std::uint64_t value) noexcept {
    if (field == "worker") return (value < 3 ? 2 : 6) * kBit;
    return value == 0 ? 0 : (2 * width(value) + 4) * kBit;
}

int cost_of(std::string_view preset, const Field &field, std::uint64_t value) noexcept {
    if (preset == "twitter") return field.name_view() == "datacenter" ? datacenter(value) : cost_of_any(field.bits);
    if (preset == "discord") return discord(field.name_view(), value);
    if (preset == "instagram" || preset == "sonyflake" || preset == "sonyflake2") return cost_of_any(field.bits);
    return cost_of_small(field, value);
}

constexpr std::int64_t kDay = kMicrosPerDay;

}  // namespace

bool parse_decimal(std::string_view text, std::uint64_t &out) noexcept {
    constexpr std::size_t kMostDigits = 20;
    if (text.size() > kMostDigits) return false;
    Snowflake id{};
    const Status status = parse(text, id);
    out = id.bits();
    if (status != Status::out_of_range) return status == Status::ok;
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, out);
    return error == std::errc{} && stop == end;
}

UnixMicros Reading::time_of(std::uint64_t number) const noexcept {
    if (!is_unix_time()) return layout.time_of(number);
    if (unit_ns < kNanosPerMicro) return {static_cast<std::int64_t>(number / kNanosPerMicro)};
    const auto micros = static_cast<std::uint64_t>(unit_ns / kNanosPerMicro);
    return number < INT64_MAX / micros ? UnixMicros{static_cast<std::int64_t>(number * micros)} : kAfterAll;
}

bool Reading::fits(std::uint64_t number, UnixMicros now) const noexcept {
    if (!is_unix_time() && !layout.contains(number)) return false;
    const UnixMicros t = time_of(number);
    return t >= since && t.value - kDay <= now.value;
}

std::uint64_t Reading::life(UnixMicros now) const noexcept {
    if (now <= since) return 1;
    const auto micros = static_cast<std::uint64_t>(now.value - since.value);
    if (!is_unix_time()) return micros / static_cast<std::uint64_t>(layout.tick_us) + 1;
    if (unit_ns < kNanosPerMicro) return micros * kNanosPerMicro;
    return micros / static_cast<std::uint64_t>(unit_ns / kNanosPerMicro) + 1;
}

int Reading::worker_cost(std::uint64_t number) const noexcept {
    int cost = 0;
    for (int i = 0; !is_unix_time() && i < layout.field_count; ++i)
        if (layout.is_worker(i)) cost += cost_of(preset, layout.fields[i], layout.fields[i].read(number));
    return cost;
}

int Reading::sequence_cost(std::uint64_t number) const noexcept {
    if (is_unix_time()) return 0;
    const Field &field = layout.sequence();
    if (preset == "instagram" || preset == "mastodon") return cost_of_any(field.bits);
    return cost_of_small(field, field.read(number));
}

int Reading::cost(std::uint64_t number, UnixMicros now) const noexcept {
    std::uint64_t ticks = life(now);
    // A clock that is read in microseconds is often written in nanoseconds.
    for (std::int64_t unit = unit_ns; is_unix_time() && unit < kNanosPerMilli && number % 1000 == 0; unit *= 1000) {
        number /= 1000;
        ticks /= 1000;
    }
    return bits_of(ticks) + worker_cost(number) + sequence_cost(number) + rarity * kBit;
}

int of_today_bonus(UnixMicros t, UnixMicros now) noexcept { return now.value - t.value < kDay ? 8 * kBit : 0; }

int recent_bonus(UnixMicros last, UnixMicros now) noexcept {
    const std::int64_t age = now.value - last.value;
    return (age < kDay ? 8 : age < 30 * kDay ? 6 : age < 365 * kDay ? 3 : 0) * kBit;
}

Readings::Readings(const InspectContext &context) noexcept : all{}, count(1) {
    Reading &own = all[0];
    own.format.append("snowflake");
    own.layout = context.layout;
    const std::int64_t age = context.now.value - own.layout.epoch.value;
    own.since = {own.layout.epoch.value + (age > 0 ? age / 64 : 0)};
    for (const Preset &preset : kPresets) {
        Reading of{};
        if (parse_layout(preset.text, of.layout).fault != LayoutFault::none) continue;
        of.preset = preset.name;
        for (const Prior &prior : kPriors)
            if (prior.preset == preset.name) {
                of.since = time_or(prior.since, of.layout.epoch);
                of.rarity = prior.rarity;
            }
        if (of.layout == own.layout) {
            own.preset = preset.name;
            own.since = of.since;
            continue;
        }
        of.format.append("snowflake/");
        of.format.append(preset.name);
        all[count++] = of;
    }
    for (const UnixUnit &unit : kUnits) {
        Reading &of = all[count++];
        of.format.append("unix-time");
        of.unit_ns = unit.ns;
        of.unit_name = unit.name;
        of.since = Inspected::k2006;
    }
}

}  // namespace snowid::core
