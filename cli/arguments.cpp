#include "arguments.hpp"

#include <charconv>
#include <cstdarg>
#include <cstring>
#include <ctime>

#include "core/layout/layout_text.hpp"
#include "core/text/time_text.hpp"

namespace snowid::cli {
namespace {

struct Option {
    std::string_view name;
    const char *Arguments::*place;  // nullptr for --json, which has no value
};

constexpr Option kOptions[] = {
    {"--layout", &Arguments::layout},       {"-n", &Arguments::count},
    {"--time", &Arguments::time},           {"--metabyte", &Arguments::metabyte},
    {"--partition", &Arguments::partition}, {"--json", nullptr},
};

const Option *find_option(std::string_view word, std::string_view allowed) {
    const std::string_view name = word.substr(0, word.find('='));
    core::FixedText<32> padded;
    padded.append(" ");
    padded.append(name);
    padded.append(" ");
    for (const Option &option : kOptions)
        if (option.name == name && allowed.find(padded.view()) != std::string_view::npos) return &option;
    return nullptr;
}

bool is_option(const char *word) { return word[0] == '-' && word[1] != '\0' && (word[1] < '0' || word[1] > '9'); }

}  // namespace

Shown::Shown(std::string_view given) noexcept {
    constexpr std::size_t kMost = 64;
    shown_.append([&](core::Writer &out) { out.put_printable(given.substr(0, kMost)); });
    if (given.size() > kMost) shown_.append("...");
}

void fail(const char *format, ...) {
    std::va_list values;
    std::fflush(stdout);
    std::fputs("snowid: ", stderr);
    va_start(values, format);
    std::vfprintf(stderr, format, values);
    va_end(values);
    std::fputc('\n', stderr);
    std::exit(kWrong);
}

std::string_view Arguments::text(int i, const char *what) const {
    if (i >= texts_count) fail("%s is missing; see snowid help.", what);
    return texts[i];
}

Arguments read_arguments(int count, char **words, std::string_view options) {
    Arguments all;
    all.texts = words;
    for (int i = 0; i < count; ++i) {
        char *word = words[i];
        if (std::strcmp(word, "--") == 0) {
            while (++i < count) all.texts[all.texts_count++] = words[i];
        } else if (!is_option(word)) {
            all.texts[all.texts_count++] = word;
        } else {
            const Option *option = find_option(word, options);
            const char *value = std::strchr(word, '=');
            if (option == nullptr) fail("there is no option \"%s\" here; see snowid help.", Shown(word).text());
            if (option->place == nullptr && value != nullptr) fail("--json takes no value.");
            if (option->place == nullptr) {
                all.json = true;
                continue;
            }
            if (value == nullptr && ++i == count) fail("%s needs a value; see snowid help.", word);
            all.*(option->place) = value != nullptr ? value + 1 : words[i];
        }
    }
    return all;
}

std::uint64_t number(const char *text, const char *what, std::uint64_t max) {
    std::uint64_t value = 0;
    const char *end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (stop != end || stop == text || error != std::errc{} || value > max)
        fail("%s must be a whole number from 0 to %llu, not \"%s\".", what, static_cast<unsigned long long>(max),
             Shown(text).text());
    return value;
}

core::UnixMicros time(std::string_view text) {
    core::UnixMicros t{};
    if (!core::parse_time(text, t))
        fail("\"%s\" is not a UTC time such as 2024-01-01 or 2024-01-01T10:20:30.123Z.", Shown(text).text());
    return t;
}

core::Layout layout(std::string_view text) {
    core::Layout read{};
    const core::LayoutError error = core::parse_layout(text.empty() ? core::kPresets[0].name : text, read);
    if (error.fault == core::LayoutFault::none) return read;
    core::FaultText fault;
    core::describe(error, Shown(error.where).text(), fault);
    fail("invalid snowflake layout \"%s\". %s", Shown(text).text(), fault.text);
}

core::UnixNanos clock() noexcept {
    std::timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return {now.tv_sec * core::kNanosPerSecond + now.tv_nsec};
}

void print(std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
}

int finish(int status) {
    const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (is_written) return status;
    std::perror("snowid");
    return kWrong;
}

}  // namespace snowid::cli
