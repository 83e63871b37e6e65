// snowid inspect [--layout L] [--json] [ID...]
#include "core/inspect/inspect.hpp"

#include <cstdio>

#include "arguments.hpp"
#include "commands.hpp"
#include "core/id/sno.hpp"
#include "core/text/time_text.hpp"

namespace snowid::cli {
namespace {

using core::Finding;

// The members of a JSON object, which have simple values, as name=value.
void put_members(core::Writer &out, std::string_view json) noexcept {
    bool is_after_colon = false;
    for (const char c : json) {
        if (c == ':') out.put('=');
        const bool is_said = c != '{' && c != '}' && c != '"' && c != ':' && c != ',' && !(c == ' ' && is_after_colon);
        if (is_said) out.put(c);
        is_after_colon = c == ':';
    }
}

void print_finding(const Finding &finding, std::string_view id) {
    core::FixedText<640> line;
    const core::FixedText<40> time = finding.time ? core::time_text(*finding.time) : core::FixedText<40>{};
    char start[128];
    const int size = std::snprintf(start, sizeof start, "  %-20s %-9s %-25s ", finding.format.text,
                                   name_of(finding.confidence).data(), time.text);
    line.append(std::string_view(start, static_cast<std::size_t>(size)));
    line.append([&](core::Writer &out) { put_members(out, finding.fields.view()); });
    if (finding.canonical.view() != id) {
        line.append("  canonical=");
        line.append(finding.canonical.view());
    }
    core::Sno sno{};
    if (finding.format.view() == "sno" && parse(finding.canonical.view(), sno) == core::Status::ok)
        line.append([&](core::Writer &out) {
            out.put("  bytes=");
            out.put_hex(sno.bytes);
        });
    while (line.size > 0 && line.text[line.size - 1] == ' ') --line.size;
    print(line.view());
}

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

void print_nothing(std::string_view id) {
    print(is_space(id.front()) || is_space(id.back()) ? "  nothing known; there is white space around it"
                                                      : "  nothing known");
}

void print_id(std::string_view id) {
    core::FixedText<core::kMaxInspected * 4> text;
    text.append([&](core::Writer &out) { out.put_printable(id); });
    print(text.view());
}

class Session {
public:
    explicit Session(const Arguments &arguments) noexcept
        : context_{layout(arguments.layout == nullptr ? "" : arguments.layout), to_micros(clock())},
          as_json_(arguments.json) {}

    void inspect(std::string_view id) {
        if (id.empty()) return refuse("an empty text is not an id.");
        if (id.size() > core::kMaxInspected) {
            std::fprintf(stderr, "snowid: \"%s\" is too long for an id: it has %zu bytes, but an id has at most %zu.\n",
                         Shown(id).text(), id.size(), core::kMaxInspected);
            status_ = kWrong;
            return;
        }
        Finding found[core::kMaxFindings];
        const std::size_t count = core::inspect(id, context_, found);
        if (count == 0 && status_ == kDone) status_ = kNothingKnown;
        if (as_json_) return print_json(id, found, count);
        print_id(id);
        for (std::size_t i = 0; i < count; ++i) print_finding(found[i], id);
        if (count == 0) print_nothing(id);
    }
    int status() const noexcept { return status_; }

private:
    void refuse(const char *why) {
        std::fprintf(stderr, "snowid: %s\n", why);
        status_ = kWrong;
    }
    static void print_json(std::string_view id, const Finding *found, std::size_t count) {
        static char json[core::kMaxInspectedJson];
        core::Writer out(json, sizeof json);
        core::put_json(out, id, found, count);
        print(out.view());
    }

    core::InspectContext context_;
    bool as_json_;
    int status_ = kDone;
};

// A line is an id. Empty lines are none, and a line may end as on Windows.
void inspect_lines(Session &session) {
    char *line = nullptr;
    std::size_t room = 0;
    for (ssize_t size = 0; (size = getline(&line, &room, stdin)) >= 0;) {
        auto length = static_cast<std::size_t>(size);
        if (length > 0 && line[length - 1] == '\n') --length;
        if (length > 0 && line[length - 1] == '\r') --length;
        if (length > 0) session.inspect({line, length});
    }
    std::free(line);
}

}  // namespace

int inspect(int count, char **words) {
    const Arguments arguments = read_arguments(count, words, " --layout --json ");
    Session session(arguments);
    for (int i = 0; i < arguments.texts_count; ++i) session.inspect(arguments.texts[i]);
    if (arguments.texts_count == 0) inspect_lines(session);
    return session.status();
}

}  // namespace snowid::cli
