// What stands on the command line, and what is said where it is wrong.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/layout/layout.hpp"
#include "core/text/writer.hpp"
#include "core/time.hpp"

namespace snowid::cli {

// The statuses that the program ends with.
inline constexpr int kDone = 0, kNothingKnown = 1, kWrong = 2;

// A user's text for a message: printable, and not too long.
struct Shown {
    explicit Shown(std::string_view given) noexcept;
    const char *text() const noexcept { return shown_.text; }

private:
    core::FixedText<80> shown_;
};

// Says what is wrong, and ends the program. `format` is printf's.
[[noreturn]] [[gnu::format(printf, 1, 2)]] void fail(const char *format, ...);

// An option that was not given is nullptr.
struct Arguments {
    const char *layout = nullptr;
    const char *count = nullptr;
    const char *time = nullptr;
    const char *metabyte = nullptr;
    const char *partition = nullptr;
    bool json = false;
    int texts_count = 0;
    char **texts = nullptr;

    // The text at this place, which `what` names.
    std::string_view text(int i, const char *what) const;
};

// `options` are the names that the command has, one after another with a space before and after each. What is no option
// is a text.
Arguments read_arguments(int count, char **words, std::string_view options);

std::uint64_t number(const char *text, const char *what, std::uint64_t max);
core::UnixMicros time(std::string_view text);
core::Layout layout(std::string_view text);  // the layout named default, if the text is empty
core::UnixNanos clock() noexcept;

// Prints a line; what was written badly is noticed at the end, by finish().
void print(std::string_view line);
int finish(int status);

}  // namespace snowid::cli
