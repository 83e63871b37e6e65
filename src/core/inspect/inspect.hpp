// Finds the formats that a text may be an id of. Every finding has passed the parser of its format. A format without a
// structure of its own is never guessed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/inspect/parts.hpp"
#include "core/layout/layout.hpp"
#include "core/text/writer.hpp"
#include "core/time.hpp"

namespace snowid::core {

// What people paste around an id: spaces, quotes, brackets, commas, and the forms in which programs print its bytes.
inline constexpr std::size_t kMaxPasted = 48;

// The id in the text: a part of it, or its bytes as hex digits in `room`, or its number in decimal.
// REQUIRES: kMaxPasted characters at `room`.
std::string_view unwrap(std::string_view text, char *room) noexcept;

// An id after the name of what it belongs to, as in usr_0ujtsYcgvSTl8PAuAdqWYSMnLOv. Empty if there is no such name.
std::string_view after_prefix(std::string_view text, std::size_t size) noexcept;

// What a text may be, most certain first, and how certain each finding is.

// certain: the form has redundancy, and this text fits it. likely: the form fits, and the time is between 2006 and
// tomorrow. possible: the form fits.
enum class Confidence : std::uint8_t { certain, likely, possible };

constexpr std::string_view name_of(Confidence confidence) noexcept {
    constexpr std::string_view kNames[] = {"certain", "likely", "possible"};
    return kNames[static_cast<int>(confidence)];
}

inline constexpr std::size_t kMaxFormat = 240;  // "one of ", and names

struct Finding {
    FixedText<kMaxFormat> format;
    Confidence confidence;
    std::optional<UnixMicros> time;
    FixedText<96> canonical;
    FixedText<kMaxFieldsText> fields;  // a JSON object
};

struct InspectContext {
    Layout layout;  // of the user's own snowflakes; it leads among equals
    UnixMicros now;
    bool own_leads = false;  // the user has chosen the layout for these ids
    // The workers of this server or its fleet, from `first` on.
    std::uint32_t first_worker = 0;
    std::uint32_t workers = 0;

    constexpr bool is_known_worker(std::uint64_t id) const noexcept {
        return layout.contains(id) && layout.worker(id) - first_worker < workers;
    }
};

inline constexpr std::size_t kMaxFindings = 32;

// A text to inspect.
struct Inspected {
    std::string_view text;
    const InspectContext &context;
    bool is_number;
    bool is_hex;

    static constexpr UnixMicros k2006{1'136'073'600 * kMicrosPerSecond};

    constexpr bool is_plausible(UnixMicros t) const noexcept {
        return t >= k2006 && t.value - kMicrosPerDay <= context.now.value;
    }
    constexpr Confidence by_time(Confidence best, UnixMicros t) const noexcept {
        return is_plausible(t) ? best : Confidence::possible;
    }
};

class Findings {
public:
    // REQUIRES: room for kMaxFindings at `out`.
    Findings(Finding *out, const Inspected &in) noexcept : in_(in), begin_(out), end_(out) {}

    // Adds the finding after those that are as certain, but before those of the future and of times before any id.
    Finding &add(std::string_view format, Confidence confidence, std::optional<UnixMicros> time = {}) noexcept {
        const bool odd = is_odd(time);
        Finding *place = begin_;
        while (place != end_ &&
               (place->confidence < confidence || (place->confidence == confidence && (odd || !is_odd(place->time)))))
            ++place;
        Finding &of = put(place, format, confidence);
        of.time = time;
        return of;
    }
    // Adds the finding before those that are as certain.
    Finding &add_first(std::string_view format, Confidence confidence) noexcept {
        Finding *place = begin_;
        while (place != end_ && place->confidence < confidence) ++place;
        return put(place, format, confidence);
    }
    template <WideId Id>
    void add_wide(std::string_view format, Confidence confidence, const Id &id) noexcept {
        Finding &added = add(format, confidence, id.time());
        set_canonical<Id::kTextSize>(added, [&](char *out) { return core::format(id, out); });
        set_fields(added, [&](JsonObject &out) { put_parts(out, id); });
    }

    // Unless these are called, a finding is written as the text is, and has no fields.
    // write(out) writes at most Size characters and returns how many.
    template <std::size_t Size, typename Write>
    static void set_canonical(Finding &of, const Write &write) noexcept {
        char text[Size];
        of.canonical = {};
        of.canonical.append({text, write(text)});
    }
    // write(object) adds the members.
    template <typename Write>
    static void set_fields(Finding &of, const Write &write) noexcept {
        of.fields = {};
        of.fields.append([&](Writer &out) {
            JsonObject object(out);
            write(object);
            object.end();
        });
    }

    std::size_t count() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
    const Finding *begin() const noexcept { return begin_; }
    bool is_odd(std::optional<UnixMicros> time) const noexcept { return time && !in_.is_plausible(*time); }

private:
    Finding &put(Finding *place, std::string_view format, Confidence confidence) noexcept {
        std::move_backward(place, end_, end_ + 1);
        ++end_;
        *place = {};
        place->format.append(format);
        place->confidence = confidence;
        place->canonical.append(in_.text);
        place->fields.append("{}");
        return *place;
    }

    const Inspected &in_;
    Finding *begin_;
    Finding *end_;
};

// Finds what a number may be, in decimal and in other bases: snowflakes, Unix times, and what is neither.
void find_numbers(const Inspected &in, Findings &out) noexcept;

// In bytes. No id is this long. Callers refuse a longer text.
inline constexpr std::size_t kMaxInspected = 200;

// Most certain first. Returns the number of findings, 0 for an empty text. REQUIRES: room for kMaxFindings at `out`.
std::size_t inspect(std::string_view text, const InspectContext &context, Finding *out) noexcept;

// {"id": …, "findings": [{"format": …, "confidence": …, "time": …, "canonical": …, "fields": {…}}, …]}
inline constexpr std::size_t kMaxInspectedJson = kMaxInspected * 6 + kMaxFindings * 1024;
void put_json(Writer &out, std::string_view text, const Finding *findings, std::size_t count) noexcept;

}  // namespace snowid::core
