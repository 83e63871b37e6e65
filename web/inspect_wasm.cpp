// The core for the page. Texts go in and out through two buffers; each function gets the lengths of what stands in the
// first, one text after the other, and returns the length of the JSON in the second.
#include "core/inspect/bounds.hpp"
#include "core/inspect/column.hpp"
#include "core/layout/layout_text.hpp"
#include "core/text/time_text.hpp"

namespace {

using namespace snowid::core;

constexpr std::size_t kRoom = 128 * 1024;
char in_text[kRoom];
char out_text[kMaxInspectedJson];

std::string_view given(std::size_t from, std::size_t size) { return {in_text + from, size}; }

// Writes {"error": ...} and returns false if the text is no layout.
bool read_layout(std::string_view text, Layout &layout, Writer &out) {
    const LayoutError error = parse_layout(text, layout);
    if (error.fault == LayoutFault::none) return true;
    FixedText<80> where;
    FaultText fault;
    where.append([&](Writer &to) { to.put_printable(error.where); });
    describe(error, where.view(), fault);
    JsonObject object(out);
    object.add("error", fault.view());
    object.end();
    return false;
}

template <typename Write>
std::size_t answer(std::string_view layout_text, const Write &write) {
    Writer out(out_text, sizeof out_text);
    Layout layout{};
    if (read_layout(layout_text, layout, out)) write(layout, out);
    return out.size();
}

InspectContext context_of(const Layout &layout, double now_ms, bool is_chosen) {
    InspectContext context{layout, {static_cast<std::int64_t>(now_ms) * kMicrosPerMilli}};
    context.own_leads = is_chosen;
    return context;
}

// {"findings": [{"format": …, "confidence": …, "fits": …, "first": …, "last": …}, …]}
void put_json(Writer &out, const ColumnFinding *findings, std::size_t count) {
    JsonObject all(out);
    all.add_json("findings", "[");
    for (const ColumnFinding *finding = findings; finding != findings + count; ++finding) {
        if (finding != findings) out.put(", ");
        JsonObject object(out);
        object.add("format", finding->format.view());
        object.add("confidence", name_of(finding->confidence));
        object.add_number("fits", finding->ids);
        if (finding->has_times) {
            object.add("first", time_text(finding->first).view());
            object.add("last", time_text(finding->last).view());
        }
        object.end();
    }
    out.put(']');
    all.end();
}

}  // namespace

extern "C" {

[[clang::export_name("in")]] char *snowid_in() { return in_text; }
[[clang::export_name("out")]] char *snowid_out() { return out_text; }

// An id and a layout, and whether the layout has been chosen for it.
[[clang::export_name("inspect")]] std::size_t snowid_inspect(std::size_t id, std::size_t layout, double now_ms,
                                                             bool is_chosen) {
    return answer(given(id, layout), [&](const Layout &of, Writer &out) {
        static Finding found[kMaxFindings];
        put_json(out, given(0, id), found, inspect(given(0, id), context_of(of, now_ms, is_chosen), found));
    });
}

// Ids, a line each, and a layout: what they are together.
[[clang::export_name("together")]] std::size_t snowid_together(std::size_t ids, std::size_t layout, double now_ms,
                                                               bool is_chosen) {
    return answer(given(ids, layout), [&](const Layout &of, Writer &out) {
        static ColumnFinding found[kMaxColumnFindings];
        Column column(context_of(of, now_ms, is_chosen));
        for (std::string_view rest = given(0, ids); !rest.empty();) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            if (line.size() <= kMaxInspected) column.add(line);
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        }
        put_json(out, found, column.findings(found));
    });
}

// A layout: its canonical text, its fields from the high bit to the low one, and the times in which it makes ids.
[[clang::export_name("layout")]] std::size_t snowid_layout(std::size_t size) {
    return answer(given(0, size), [](const Layout &of, Writer &out) {
        char canonical[kMaxLayoutText];
        JsonObject object(out);
        object.add("text", {canonical, format_layout(of, canonical)});
        object.add("from", time_text(of.epoch).view());
        object.add("until", time_text(of.last_generated_time()).view());
        object.add_json("fields", {});
        JsonObject fields(out);
        for (int i = 0; i < of.field_count; ++i)
            fields.add_number(of.fields[i].name_view(), unsigned{of.fields[i].bits});
        fields.end();
        object.end();
    });
}

// A format, a layout, and two times: the first id of the one or later, and the last before the other; neither if there
// are no such ids.
[[clang::export_name("range")]] std::size_t snowid_range(std::size_t format, std::size_t layout, std::size_t from,
                                                         std::size_t until) {
    return answer(given(format, layout), [&](const Layout &of, Writer &out) {
        const std::string_view name = given(0, format);
        UnixMicros start{}, end{};
        Bounds bounds;
        JsonObject object(out);
        if (!parse_time(given(format + layout, from), start) ||
            !parse_time(given(format + layout + from, until), end)) {
            object.add("error", "It is not a UTC time such as 2024-01-01 or 2024-01-01T10:20:30.123Z.");
        } else if (find_bounds(name, of, start, end, bounds) == BoundFault::none) {
            object.add("first", bounds.first.view());
            object.add("last", bounds.last.view());
        }
        object.end();
    });
}

// The formats that have ranges.
[[clang::export_name("formats")]] std::size_t snowid_formats() {
    Writer out(out_text, sizeof out_text);
    for (const std::string_view &name : kBoundFormats) {
        out.put(&name == kBoundFormats.begin() ? "[\"" : "\", \"");
        out.put(name);
    }
    out.put("\"]");
    return out.size();
}

// The layouts that have names.
[[clang::export_name("layouts")]] std::size_t snowid_layouts() {
    Writer out(out_text, sizeof out_text);
    JsonObject object(out);
    for (const Preset &preset : kPresets) object.add(preset.name, preset.text);
    object.end();
    return out.size();
}
}
