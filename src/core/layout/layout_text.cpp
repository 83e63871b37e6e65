#include "core/layout/layout_text.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/text/time_text.hpp"

namespace snowid::core {
namespace {

// std::string_view::substr may throw; this never does.
constexpr std::string_view slice(std::string_view s, std::size_t from, std::size_t to) noexcept {
    return {s.data() + from, to - from};
}

constexpr std::string_view trim(std::string_view s) noexcept {
    std::size_t from = 0, to = s.size();
    while (from < to && s[from] == ' ') ++from;
    while (to > from && s[to - 1] == ' ') --to;
    return slice(s, from, to);
}

struct Pair {
    std::string_view name;
    std::string_view value;
};

// Calls see(pair) with each pair of `name=value,name=value`, up to the first error.
template <typename See>
LayoutError each_pair(std::string_view text, LayoutFault if_none, const See &see) noexcept {
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(',', from), text.size());
        const std::string_view item = slice(text, from, end);
        const std::size_t at = item.find('=');
        if (at == item.npos) return {if_none, item};
        const LayoutError error = see(Pair{trim(slice(item, 0, at)), trim(slice(item, at + 1, item.size()))});
        if (error.fault != LayoutFault::none) return error;
        from = end + 1;
    }
    return {};
}

bool parse_number(std::string_view text, std::uint64_t &out) noexcept {
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, out);
    return error == std::errc{} && stop == end && !text.empty();
}

bool parse_tick(std::string_view text, std::int64_t &out) noexcept {
    constexpr struct {
        std::string_view suffix;
        std::uint64_t micros;
    } kUnits[] = {{"us", 1}, {"ms", kMicrosPerMilli}, {"s", kMicrosPerSecond}};  // "s" last: "us" and "ms" end in it
    for (const auto &unit : kUnits) {
        if (!text.ends_with(unit.suffix)) continue;
        std::uint64_t count = 0;
        if (!parse_number(slice(text, 0, text.size() - unit.suffix.size()), count)) return false;
        if (count == 0 || count > 3'600'000'000 / unit.micros) return false;
        out = static_cast<std::int64_t>(count * unit.micros);
        return true;
    }
    return false;
}

constexpr bool is_name(std::string_view text) noexcept {
    if (text.empty() || text.size() > Field::kMaxName || (text[0] >= '0' && text[0] <= '9')) return false;
    for (const char c : text)
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
    return true;
}

LayoutFault add_field(Layout &layout, const Pair &pair) noexcept {
    if (!is_name(pair.name)) return LayoutFault::bad_name;
    for (int i = 0; i < layout.field_count; ++i)
        if (layout.fields[i].name_view() == pair.name) return LayoutFault::repeated;
    if (layout.field_count == Layout::kMaxFields) return LayoutFault::too_many_fields;
    std::uint64_t bits = 0;
    if (!parse_number(pair.value, bits) || bits < 1 || bits > 63) return LayoutFault::bad_bits;

    if (pair.name == "time") layout.time_index = layout.field_count;
    if (pair.name == "sequence") layout.sequence_index = layout.field_count;
    Field &field = layout.fields[layout.field_count++];
    pair.name.copy(field.name, Field::kMaxName);
    field.bits = static_cast<std::uint8_t>(bits);
    return LayoutFault::none;
}

LayoutError parse_epoch_pair(Layout &layout, const Pair &pair, UnixMicros latest_epoch) noexcept {
    constexpr UnixMicros k1900{-25567 * kMicrosPerDay};
    if (!parse_time(pair.value, layout.epoch)) return {LayoutFault::bad_epoch, pair.value};
    if (layout.epoch < k1900) return {LayoutFault::early_epoch, pair.value};
    if (layout.epoch > latest_epoch) return {LayoutFault::future_epoch, pair.value};
    return {};
}

// Checks the rules that involve all fields, and gives each field its place.
LayoutError finish(Layout &layout) noexcept {
    if (layout.time_index < 0) return {LayoutFault::missing, "time"};
    if (layout.sequence_index < 0) return {LayoutFault::missing, "sequence"};
    if (layout.time_index != 0) return {LayoutFault::time_not_first, layout.fields[0].name_view()};
    int shift = 0;
    for (int i = layout.field_count - 1; i >= 0; --i) {
        if (shift + layout.fields[i].bits > 64) return {LayoutFault::too_many_bits, {}};
        layout.fields[i].shift = static_cast<std::uint8_t>(shift);
        shift += layout.fields[i].bits;
    }
    if (layout.sequence().bits > Layout::kMaxPartBits) return {LayoutFault::wide_sequence, {}};
    if (layout.worker_bits() > Layout::kMaxPartBits) return {LayoutFault::wide_worker, {}};
    std::int64_t end = 0;
    if (__builtin_mul_overflow(layout.last_tick(), layout.tick_us, &end) ||
        __builtin_add_overflow(end, layout.epoch.value, &end) || end == kAfterAll.value)
        return {LayoutFault::ends_too_late, {}};
    return {};
}

LayoutError parse_fields(std::string_view text, UnixMicros latest_epoch, Layout &out) noexcept {
    bool has_epoch = false, has_tick = false;
    out = Layout{.epoch = {}, .tick_us = 0, .field_count = 0, .time_index = -1, .sequence_index = -1, .fields = {}};
    const LayoutError error = each_pair(text, LayoutFault::not_a_pair, [&](const Pair &pair) -> LayoutError {
        if (pair.name == "epoch") {
            if (std::exchange(has_epoch, true)) return {LayoutFault::repeated, pair.name};
            return parse_epoch_pair(out, pair, latest_epoch);
        }
        if (pair.name == "tick") {
            if (std::exchange(has_tick, true)) return {LayoutFault::repeated, pair.name};
            return {parse_tick(pair.value, out.tick_us) ? LayoutFault::none : LayoutFault::bad_tick, pair.value};
        }
        const LayoutFault fault = add_field(out, pair);
        return {fault, fault == LayoutFault::bad_bits ? pair.value : pair.name};
    });
    if (error.fault != LayoutFault::none) return error;
    if (!has_epoch) return {LayoutFault::missing, "epoch"};
    if (!has_tick) return {LayoutFault::missing, "tick"};
    return finish(out);
}

void put_tick(Writer &out, std::int64_t micros) noexcept {
    if (micros % kMicrosPerSecond == 0) {
        out.put_number(micros / kMicrosPerSecond);
        out.put("s");
    } else if (micros % kMicrosPerMilli == 0) {
        out.put_number(micros / kMicrosPerMilli);
        out.put("ms");
    } else {
        out.put_number(micros);
        out.put("us");
    }
}

LayoutError parse_worker_fields(std::string_view text, const Layout &layout, std::uint32_t &out) noexcept {
    std::uint64_t bits = 0;
    bool seen[Layout::kMaxFields] = {};
    const LayoutError error = each_pair(text, LayoutFault::not_a_number, [&](const Pair &pair) -> LayoutError {
        int index = 0;
        while (index < layout.field_count &&
               !(layout.is_worker(index) && layout.fields[index].name_view() == pair.name))
            ++index;
        if (index == layout.field_count) return {LayoutFault::unknown_field, pair.name};
        const Field &field = layout.fields[index];
        if (std::exchange(seen[index], true)) return {LayoutFault::repeated, pair.name};
        std::uint64_t value = 0;
        if (!parse_number(pair.value, value)) return {LayoutFault::not_a_number, pair.value};
        if (value > field.max()) return {LayoutFault::out_of_range, pair.name, field.max()};
        bits |= field.place(value);
        return {};
    });
    if (error.fault != LayoutFault::none) return error;
    for (int i = 0; i < layout.field_count; ++i)
        if (layout.is_worker(i) && !seen[i]) return {LayoutFault::missing, layout.fields[i].name_view()};
    out = layout.worker(bits);
    return {};
}

// The text around the wrong part, or around the largest number allowed.
struct Sentence {
    std::string_view before;
    std::string_view after;
};

Sentence about(LayoutFault fault) noexcept {
    switch (fault) {
        case LayoutFault::none: break;
        case LayoutFault::unknown_preset: return {"There is no layout named \"", "\"."};
        case LayoutFault::not_a_pair: return {"\"", "\" is not of the form name=value."};
        case LayoutFault::bad_name:
            return {"\"", "\" is not a field's name: lower-case letters, digits and _, at most 15 of them."};
        case LayoutFault::repeated: return {"\"", "\" is there twice."};
        case LayoutFault::missing: return {"\"", "\" is missing."};
        case LayoutFault::too_many_fields: return {"It has more than 8 fields.", {}};
        case LayoutFault::bad_epoch:
            return {"\"", "\" is not a UTC date such as 2024-01-01 or 2010-11-04T01:42:54.657Z."};
        case LayoutFault::early_epoch: return {"The epoch ", " is before 1900."};
        case LayoutFault::future_epoch: return {"The epoch ", " is in the future by this server's clock."};
        case LayoutFault::bad_tick: return {"\"", "\" is not a tick: a count of us, ms or s, from 1us to 3600s."};
        case LayoutFault::bad_bits: return {"\"", "\" is not a number of bits from 1 to 63."};
        case LayoutFault::too_many_bits: return {"Its fields have more than 64 bits together.", {}};
        case LayoutFault::wide_sequence: return {"Its sequence has more than 31 bits.", {}};
        case LayoutFault::wide_worker: return {"Its worker's fields have more than 31 bits together.", {}};
        case LayoutFault::time_not_first:
            return {"\"time\" must be the first field, not \"", "\": ids sort by what is in their high bits."};
        case LayoutFault::ends_too_late: return {"Its time reaches past the year 294246.", {}};
        case LayoutFault::not_a_number: return {"\"", "\" is not a whole number."};
        case LayoutFault::unknown_field: return {"The layout has no field \"", "\" in its worker."};
        case LayoutFault::out_of_range: return {"\"", "\" must be from 0 to "};
    }
    return {};
}
static_assert(Field::kMaxName == 15 && Layout::kMaxFields == 8 && Layout::kMaxPartBits == 31);

}  // namespace

LayoutError parse_layout(std::string_view text, Layout &out) noexcept { return parse_new_layout(text, kAfterAll, out); }

LayoutError parse_new_layout(std::string_view text, UnixMicros now, Layout &out) noexcept {
    const std::string_view trimmed = trim(text);
    if (trimmed.find('=') != std::string_view::npos) return parse_fields(trimmed, now, out);
    for (const Preset &preset : kPresets)
        if (preset.name == trimmed) return parse_fields(preset.text, now, out);
    return {LayoutFault::unknown_preset, trimmed};
}

std::size_t format_layout(const Layout &layout, char *buffer) noexcept {
    Writer out(buffer, kMaxLayoutText);
    out.put("epoch=");
    put_short_time(out, layout.epoch);
    out.put(",tick=");
    put_tick(out, layout.tick_us);
    for (int i = 0; i < layout.field_count; ++i) {
        out.put(",");
        out.put(layout.fields[i].name_view());
        out.put("=");
        out.put_number(layout.fields[i].bits);
    }
    return out.size();
}

LayoutError parse_worker(std::string_view text, const Layout &layout, std::uint32_t &out) noexcept {
    const std::string_view trimmed = trim(text);
    if (trimmed.find('=') != std::string_view::npos) return parse_worker_fields(trimmed, layout, out);
    std::uint64_t value = 0;
    if (!parse_number(trimmed, value)) return {LayoutFault::not_a_number, trimmed};
    if (value > layout.max_worker()) return {LayoutFault::out_of_range, "worker", layout.max_worker()};
    out = static_cast<std::uint32_t>(value);
    return {};
}

void describe(const LayoutError &error, std::string_view where, FaultText &out) noexcept {
    const Sentence sentence = about(error.fault);
    out.append(sentence.before);
    if (sentence.after.empty()) return;
    out.append(where);
    out.append(sentence.after);
    if (error.fault != LayoutFault::out_of_range) return;
    out.append([&](Writer &to) {
        to.put_number(error.max);
        to.put('.');
    });
}

}  // namespace snowid::core
