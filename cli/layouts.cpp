// snowid bound FORMAT TIME [--layout L], snowid layout TEXT, and snowid layouts
#include <cstdio>

#include "arguments.hpp"
#include "commands.hpp"
#include "core/inspect/bounds.hpp"
#include "core/layout/layout_text.hpp"
#include "core/text/time_text.hpp"

namespace snowid::cli {
namespace {

using namespace snowid::core;

void print_field(const Layout &layout, int i) {
    const Field &field = layout.fields[i];
    if (i == layout.time_index)
        std::printf("%-15s %2d bits from bit %2d: %s until %s\n", field.name, field.bits, field.shift,
                    time_text(layout.epoch).text, time_text(layout.last_generated_time()).text);
    else
        std::printf("%-15s %2d bits from bit %2d: 0 to %llu\n", field.name, field.bits, field.shift,
                    static_cast<unsigned long long>(field.max()));
}

FixedText<200> bound_formats_text() {
    FixedText<200> text;
    for (const std::string_view &name : kBoundFormats) {
        if (text.size > 0) text.append(&name == &kBoundFormats.back() ? " and " : ", ");
        text.append(name);
    }
    return text;
}

}  // namespace

int bound(int count, char **words) {
    const Arguments arguments = read_arguments(count, words, " --layout ");
    const std::string_view format = arguments.text(0, "the format"), when = arguments.text(1, "the time");
    if (arguments.texts_count > 2) fail("bound takes one time, not \"%s\" too.", Shown(arguments.texts[2]).text());
    if (arguments.layout != nullptr && format != "snowflake") fail("only a snowflake has a layout.");
    const Layout of = layout(arguments.layout == nullptr ? "" : arguments.layout);
    Bounds bounds;
    switch (find_bounds(format, of, time(when), kAfterAll, bounds)) {
        case BoundFault::none: break;
        case BoundFault::unknown_format:
            fail("there is no format \"%s\". There are %s.", Shown(format).text(), bound_formats_text().text);
        case BoundFault::no_ids: fail("every %s has an earlier time.", Shown(format).text());
    }
    print(bounds.first.view());
    return kDone;
}

int layout_command(int count, char **words) {
    const Arguments arguments = read_arguments(count, words, " ");
    const Layout of = layout(arguments.text(0, "the layout"));
    if (arguments.texts_count > 1) fail("layout takes one text, not \"%s\" too.", Shown(arguments.texts[1]).text());
    char text[kMaxLayoutText];
    print({text, format_layout(of, text)});
    for (int i = 0; i < of.field_count; ++i) print_field(of, i);
    return kDone;
}

int layouts(int count, char **words) {
    if (read_arguments(count, words, " ").texts_count > 0) fail("layouts takes no text.");
    for (const Preset &preset : kPresets) std::printf("%-10s %s\n", preset.name.data(), preset.text.data());
    return kDone;
}

}  // namespace snowid::cli
