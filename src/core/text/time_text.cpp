#include "core/text/time_text.hpp"

#include <charconv>
#include <chrono>

namespace snowid::core {
namespace {

// Removes a number of fixed width from the front of `rest`, and the character `before` it ('\0' if there is none).
bool take_digits(std::string_view &rest, char before, std::size_t width, int &out) noexcept {
    const std::size_t skip = before == '\0' ? 0 : 1;
    if (rest.size() < skip + width || (skip == 1 && rest[0] != before)) return false;
    unsigned value = 0;
    const auto [stop, error] = std::from_chars(rest.data() + skip, rest.data() + skip + width, value);
    if (error != std::errc{} || stop != rest.data() + skip + width) return false;
    out = static_cast<int>(value);
    rest.remove_prefix(skip + width);
    return true;
}

// Removes a fraction of at most six digits, such as ".657", and returns it in microseconds.
bool take_fraction(std::string_view &rest, std::int64_t &micros) noexcept {
    std::size_t digits = 0;
    micros = 0;
    for (rest.remove_prefix(1); !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; ++digits) {
        if (digits == 6) return false;
        micros = micros * 10 + (rest[0] - '0');
        rest.remove_prefix(1);
    }
    if (digits == 0) return false;
    for (; digits < 6; ++digits) micros *= 10;
    return true;
}

// A day of the proleptic Gregorian calendar. std::chrono::year ends in 32767, and the years of ids go further.
struct Date {
    std::int64_t year;
    unsigned month;
    unsigned day;
};

// 400 years always have the same number of days. So only the days that whole periods of 400 years leave go through the
// calendar.
Date date_of(std::int64_t days) noexcept {
    constexpr std::int64_t kDays = 146'097, kYears = 400;
    const std::int64_t rounds = floor_div(days, kDays);
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days - rounds * kDays}}};
    return {static_cast<int>(date.year()) + rounds * kYears, static_cast<unsigned>(date.month()),
            static_cast<unsigned>(date.day())};
}

void put_date(Writer &out, std::int64_t days) noexcept {
    const Date date = date_of(days);
    if (date.year < 0) out.put('-');
    out.put_padded(date.year < 0 ? -date.year : date.year, 4);
    out.put('-');
    out.put_padded(date.month, 2);
    out.put('-');
    out.put_padded(date.day, 2);
}

void put_time_of_day(Writer &out, std::int64_t micros, bool always_millis) noexcept {
    const std::int64_t second = micros / kMicrosPerSecond, fraction = micros % kMicrosPerSecond;
    out.put('T');
    out.put_padded(second / 3600, 2);
    out.put(':');
    out.put_padded(second / 60 % 60, 2);
    out.put(':');
    out.put_padded(second % 60, 2);
    if (fraction != 0 || always_millis) {
        out.put('.');
        if (fraction % kMicrosPerMilli == 0)
            out.put_padded(fraction / kMicrosPerMilli, 3);
        else
            out.put_padded(fraction, 6);
    }
    out.put('Z');
}

}  // namespace

bool parse_time(std::string_view text, UnixMicros &out) noexcept {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    std::int64_t micros = 0;
    std::string_view rest = text;
    if (!take_digits(rest, '\0', 4, year) || !take_digits(rest, '-', 2, month) || !take_digits(rest, '-', 2, day))
        return false;
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) return false;
    if (!rest.empty()) {
        if (!take_digits(rest, rest[0] == 'T' ? 'T' : ' ', 2, hour) || !take_digits(rest, ':', 2, minute)) return false;
        if (!rest.empty() && rest[0] == ':') {
            if (!take_digits(rest, ':', 2, second)) return false;
            if (!rest.empty() && rest[0] == '.' && !take_fraction(rest, micros)) return false;
        }
        if (!rest.empty() && rest != "Z") return false;
    }
    if (hour > 23 || minute > 59 || second > 59) return false;
    const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
    out.value = days * kMicrosPerDay + (hour * 3600 + minute * 60 + second) * kMicrosPerSecond + micros;
    return true;
}

void put_time(Writer &out, UnixMicros t) noexcept {
    const std::int64_t day = floor_div(t.value, kMicrosPerDay);
    put_date(out, day);
    put_time_of_day(out, t.value - day * kMicrosPerDay, true);
}

void put_short_time(Writer &out, UnixMicros t) noexcept {
    const std::int64_t day = floor_div(t.value, kMicrosPerDay);
    put_date(out, day);
    if (t.value != day * kMicrosPerDay) put_time_of_day(out, t.value - day * kMicrosPerDay, false);
}

}  // namespace snowid::core
