// What a text may be the id of. The canonical text of every answer is found as the same id of the same time.
#include "codec_fuzz.hpp"
#include "core/id/types.hpp"
#include "core/inspect/inspect.hpp"
#include "core/layout/layout_text.hpp"

namespace {

using namespace snowid::core;
using snowid::test::demand;
using snowid::test::near_text;

struct Answer {
    Finding found[kMaxFindings];
    std::size_t count;
};

Answer answer_to(std::string_view text, const InspectContext &context) {
    Answer answer{};
    answer.count = inspect(text, context, answer.found);
    return answer;
}

// The format of a canonical text: "ulid" for the bytes of a ULID, "sno" for a sno in a uuid. A list of layouts is the
// same list.
std::string_view format_of(const Finding &finding) {
    const std::string_view name = finding.format.view();
    if (name.starts_with("uuid") || name.starts_with("one of ") || name == "sealed id") return name;
    return name.substr(0, name.find(' '));
}

void expect_same(const Finding &finding, const InspectContext &context) {
    const Answer again = answer_to(finding.canonical.view(), context);
    const std::string_view format = format_of(finding);
    for (std::size_t i = 0; i < again.count; ++i) {
        const Finding &other = again.found[i];
        if (other.format.view() != format) continue;
        demand(other.time == finding.time, "the canonical text has the same time");
        demand(other.fields.view() == finding.fields.view(), "and the same fields");
        demand(other.canonical.view() == finding.canonical.view(), "there is one canonical text");
        return;
    }
    // without its zeros, a number may be of a layout
    if (format == "number" && again.count > 0) return;
    demand(false, "the canonical text is an id of the format");
}

void fuzz_inspect(std::string_view text, const InspectContext &context) {
    static char json[kMaxInspectedJson];
    const Answer answer = answer_to(text, context);
    for (std::size_t i = 0; i < answer.count; ++i) {
        const Finding &finding = answer.found[i];
        demand(i == 0 || answer.found[i - 1].confidence <= finding.confidence, "the surest come first");
        demand(finding.fields.view().ends_with("}") && !finding.canonical.view().empty(), "every text has had room");
        expect_same(finding, context);
    }
    Writer out(json, sizeof json);
    put_json(out, text.size() > kMaxInspected ? std::string_view() : text, answer.found, answer.count);
    demand(out.view().ends_with("]}"), "all of it has room");
    for (std::string_view rest = out.view(); !rest.empty(); rest.remove_prefix(utf8_size(rest)))
        demand(utf8_size(rest) > 0 && static_cast<unsigned char>(rest[0]) >= ' ', "JSON is a text");
}

template <typename... Ids>
void fuzz_near(IdTypes<Ids...>, const std::uint8_t *data, std::size_t size, const InspectContext &context) {
    (fuzz_inspect(near_text<Ids>(data, size), context), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < 9) return 0;
    const Preset &preset = kPresets[data[0] % std::size(kPresets)];
    InspectContext context{{}, {static_cast<std::int64_t>(load_be<8>(data + 1)) >> 12}};
    demand(parse_layout(preset.name, context.layout).fault == LayoutFault::none, "a preset is a layout");
    data += 9;
    size -= 9;
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    fuzz_inspect(text, context);
    fuzz_near(WideIds{}, data, size, context);
    fuzz_inspect("ord_" + near_text<Ksuid>(data, size), context);
    fuzz_inspect("c" + near_text<Rsxid>(data, size), context);
    std::string digits = near_text<ObjectId>(data, size);
    for (char &c : digits)
        if (c >= 'a') c = static_cast<char>('0' + c % 10);
    fuzz_inspect(digits, context);
    return 0;
}
