#include "pg/layout.hpp"

#include "core/layout/layout_text.hpp"
#include "pg/clock.hpp"
#include "pg/error.hpp"

namespace snowid::pg {
namespace {

[[noreturn]] void raise_layout_error(std::string_view text, const core::LayoutError &error) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid snowflake layout \"%s\"", shown(text)),
                    errdetail("%s", describe(error)), errhint("%s", layout_hint())));
}

core::Layout checked(std::string_view text, const core::LayoutError &error, const core::Layout &layout) {
    if (error.fault != core::LayoutFault::none) raise_layout_error(text, error);
    return layout;
}

}  // namespace

const char *layout_hint() {
    return psprintf("A layout reads \"%s\", or is a name that snowid_layouts lists.", core::kPresets[0].text.data());
}

core::Layout read_layout(std::string_view text) {
    core::Layout layout{};
    const core::LayoutError error = core::parse_layout(text, layout);
    return checked(text, error, layout);
}

core::Layout read_new_layout(std::string_view text) {
    core::Layout layout{};
    const core::LayoutError error = core::parse_new_layout(text, wall_clock_micros(), layout);
    return checked(text, error, layout);
}

}  // namespace snowid::pg
