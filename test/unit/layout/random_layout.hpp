// Random layouts in text form, and ids composed bit by bit: the slow and obvious twin of core/layout.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/layout/layout_text.hpp"
#include "vectors.hpp"

namespace snowid::test {

inline constexpr core::UnixMicros kNow{1'767'225'600'000'000};  // 2026-01-01

inline core::Layout layout_of(const std::string &text) {
    core::Layout layout{};
    const core::LayoutError error = core::parse_layout(text, layout);
    EXPECT_EQ(error.fault, core::LayoutFault::none) << text << " at " << error.where;
    return layout;
}

inline std::string text_of(const core::Layout &layout) {
    char buffer[core::kMaxLayoutText];
    return std::string(buffer, core::format_layout(layout, buffer));
}

inline std::uint64_t below(std::mt19937_64 &random, std::uint64_t n) { return random() % n; }

// Small, large and random numbers: the interesting ones are near both ends.
inline std::uint64_t up_to(std::mt19937_64 &random, std::uint64_t max) {
    switch (below(random, 4)) {
        case 0: return std::min<std::uint64_t>(below(random, 3), max);
        case 1: return max - std::min<std::uint64_t>(below(random, 3), max);
        default: return max == std::numeric_limits<std::uint64_t>::max() ? random() : below(random, max + 1);
    }
}

struct RandomEpoch {
    std::string text;
    std::int64_t micros;
};

// Counts the days one by one.
inline RandomEpoch random_epoch(std::mt19937_64 &random) {
    const auto is_leap = [](int y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; };
    const auto days_in = [&](int y, int m) {
        return m == 2 ? (is_leap(y) ? 29 : 28) : (m == 4 || m == 6 || m == 9 || m == 11 ? 30 : 31);
    };
    const int year = 1900 + static_cast<int>(below(random, 126)), month = 1 + static_cast<int>(below(random, 12));
    const int day = 1 + static_cast<int>(below(random, static_cast<std::uint64_t>(days_in(year, month))));
    std::int64_t days = day - 1;
    for (int y = year; y < 1970; ++y) days -= is_leap(y) ? 366 : 365;
    for (int y = 1970; y < year; ++y) days += is_leap(y) ? 366 : 365;
    for (int m = 1; m < month; ++m) days += days_in(year, m);

    char text[64];
    std::int64_t in_day = 0;
    const int date_size = std::snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
    if (below(random, 2) == 0) {
        in_day = static_cast<std::int64_t>(below(random, 86'400)) * 1'000'000;
        if (below(random, 2) == 0) in_day += static_cast<std::int64_t>(below(random, 1000)) * 1000;
        if (below(random, 2) == 0) in_day += static_cast<std::int64_t>(below(random, 1000));
        in_day = std::max<std::int64_t>(in_day % 86'400'000'000, 1);
        char *at = text + date_size;
        const auto second = static_cast<int>(in_day / 1'000'000), micros = static_cast<int>(in_day % 1'000'000);
        const std::size_t room = sizeof text - static_cast<std::size_t>(date_size);
        if (micros == 0)
            std::snprintf(at, room, "T%02d:%02d:%02dZ", second / 3600, second / 60 % 60, second % 60);
        else if (micros % 1000 == 0)
            std::snprintf(at, room, "T%02d:%02d:%02d.%03dZ", second / 3600, second / 60 % 60, second % 60,
                          micros / 1000);
        else
            std::snprintf(at, room, "T%02d:%02d:%02d.%06dZ", second / 3600, second / 60 % 60, second % 60, micros);
    }
    return {text, days * 86'400'000'000 + in_day};
}

struct Part {
    std::string name;
    int bits;
};

struct RandomLayout {
    RandomEpoch epoch;
    std::string tick;
    std::int64_t tick_us;
    std::vector<Part> parts;  // from the high bit to the low one

    std::string text() const {
        std::string text = "epoch=" + epoch.text + ",tick=" + tick;
        for (const Part &part : parts) text += "," + part.name + "=" + std::to_string(part.bits);
        return text;
    }
};

inline std::string random_name(std::mt19937_64 &random, std::size_t serial) {
    static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    std::string name(1, kLetters[below(random, 27)]);
    name += std::to_string(serial);  // makes the name unique
    while (name.size() < core::Field::kMaxName && below(random, 5) != 0) name += kLetters[below(random, 37)];
    return name;
}

inline void random_tick(std::mt19937_64 &random, RandomLayout &out) {
    static constexpr std::int64_t kCommon[] = {1, 1000, 4000, 10'000, 1'000'000, 3'600'000'000};
    out.tick_us = below(random, 2) == 0 ? kCommon[below(random, 6)]
                                        : 1 + static_cast<std::int64_t>(up_to(random, (1ULL << below(random, 31)) - 1));
    if (out.tick_us % 1'000'000 == 0)
        out.tick = std::to_string(out.tick_us / 1'000'000) + "s";
    else if (out.tick_us % 1000 == 0)
        out.tick = std::to_string(out.tick_us / 1000) + "ms";
    else
        out.tick = std::to_string(out.tick_us) + "us";
}

// A third of the layouts use all 64 bits. The sequence is anywhere below the time.
inline RandomLayout random_layout(std::mt19937_64 &random) {
    RandomLayout out{random_epoch(random), {}, 0, {}};
    random_tick(random, out);
    int worker_bits = 0;
    for (std::size_t fields = below(random, 7); out.parts.size() < fields && worker_bits < 31;) {
        const int bits = 1 + static_cast<int>(below(random, static_cast<std::uint64_t>(31 - worker_bits)));
        out.parts.push_back({random_name(random, out.parts.size()), bits});
        worker_bits += bits;
    }
    const int sequence_bits = 1 + static_cast<int>(below(random, 31));
    const auto at = static_cast<std::ptrdiff_t>(below(random, out.parts.size() + 1));
    out.parts.insert(out.parts.begin() + at, {"sequence", sequence_bits});

    const int room = std::min(63, 64 - worker_bits - sequence_bits);
    int time_bits =
        below(random, 3) == 0 ? room : 1 + static_cast<int>(below(random, static_cast<std::uint64_t>(room)));
    const std::int64_t after_epoch =
        std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(out.epoch.micros, 0);
    while ((1ULL << time_bits) - 1 > static_cast<std::uint64_t>(after_epoch / out.tick_us)) --time_bits;
    out.parts.insert(out.parts.begin(), {"time", time_bits});
    return out;
}

// Writes the values bit by bit, from the highest bit to the lowest.
inline std::uint64_t compose_slowly(const std::vector<Part> &parts,
                                    const std::map<std::string, std::uint64_t> &values) {
    std::uint64_t id = 0;
    for (const Part &part : parts)
        for (int bit = part.bits - 1; bit >= 0; --bit) id = id * 2 + (values.at(part.name) >> bit & 1);
    return id;
}

inline std::uint64_t worker_slowly(const std::vector<Part> &parts, const std::map<std::string, std::uint64_t> &values) {
    std::uint64_t worker = 0;
    for (const Part &part : parts)
        if (part.name != "time" && part.name != "sequence")
            for (int bit = part.bits - 1; bit >= 0; --bit) worker = worker * 2 + (values.at(part.name) >> bit & 1);
    return worker;
}

}  // namespace snowid::test
