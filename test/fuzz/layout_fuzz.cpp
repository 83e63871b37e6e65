// The text of a layout and of a worker. Every accepted layout has one canonical text, which reads as the same layout.
#include "codec_fuzz.hpp"
#include "core/layout/layout_text.hpp"

namespace {

using snowid::core::Layout;
using snowid::test::demand;

// Most bytes stand for a word of the grammar; coverage would take long to find those words.
std::string near_layout(const std::uint8_t *data, std::size_t size) {
    static constexpr std::string_view kWords[] = {"epoch=",  "2024-01-01", "1970-01-01T00:00:00.000001Z",
                                                  "tick=",   "1ms",        "10us",
                                                  "1s",      "time=",      "41",
                                                  "worker=", "sequence=",  "datacenter=",
                                                  "12",      "5",          "31",
                                                  "63",      "default",    "baidu"};
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint8_t byte = data[i];
        if (byte < 0x20)
            text += ',';
        else if (byte < 0xC0)
            text += kWords[byte % std::size(kWords)];
        else
            text += static_cast<char>(byte - 0x90);
    }
    return text;
}

void fuzz_worker(std::string_view text, const Layout &layout) {
    std::uint32_t worker = 0;
    if (snowid::core::parse_worker(text, layout, worker).fault != snowid::core::LayoutFault::none) return;
    demand(worker <= layout.max_worker(), "a worker fits its layout");
    demand(layout.worker(layout.place_worker(worker)) == worker, "a worker can be read from its ids");
}

void fuzz_layout(std::string_view text) {
    Layout layout{}, again{};
    if (snowid::core::parse_layout(text, layout).fault != snowid::core::LayoutFault::none) return;
    std::string canonical(snowid::core::kMaxLayoutText, '#');
    const std::size_t size = snowid::core::format_layout(layout, canonical.data());
    demand(size <= snowid::core::kMaxLayoutText, "the canonical text fits");
    canonical.resize(size);
    demand(snowid::core::parse_layout(canonical, again).fault == snowid::core::LayoutFault::none,
           "the canonical text is a layout");
    demand(again == layout, "and the same one");
    demand(layout.bits() <= 64 && layout.last_generated_tick() >= 0, "a layout has at most 64 bits");
    fuzz_worker(text, layout);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char *>(data), size};
    Layout preset{};
    fuzz_layout(text);
    fuzz_layout(near_layout(data, size));
    for (const snowid::core::Preset &of : snowid::core::kPresets)
        if (snowid::core::parse_layout(of.name, preset).fault == snowid::core::LayoutFault::none)
            fuzz_worker(text, preset);
    return 0;
}
