#include "core/inspect/bounds.hpp"

#include "core/id/time_range.hpp"
#include "core/text/uuid_text.hpp"

namespace snowid::core {
namespace {

template <typename Id>
BoundFault ends_of(const IdRange<Id> &range, Bounds &out) noexcept {
    char text[kUuidTextSize];
    if (range.first > range.last) return BoundFault::no_ids;
    out.first.append({text, format(range.first, text)});
    out.last.append({text, format(range.last, text)});
    return BoundFault::none;
}

template <typename Id>
BoundFault wide(UnixMicros from, UnixMicros until, Bounds &out) noexcept {
    return ends_of(ids_when<Id>(Side::from, from) & ids_when<Id>(Side::before, until), out);
}

template <typename... Ids>
BoundFault wide(IdTypes<Ids...>, std::string_view format, UnixMicros from, UnixMicros until, Bounds &out) noexcept {
    BoundFault fault = BoundFault::unknown_format;
    (void)((format == Ids::kName && (fault = wide<Ids>(from, until, out), true)) || ...);
    return fault;
}

}  // namespace

BoundFault find_bounds(std::string_view format, const Layout &layout, UnixMicros from, UnixMicros until,
                       Bounds &out) noexcept {
    if (format == "snowflake")
        return ends_of(ids_when(layout, Side::from, from) & ids_when(layout, Side::before, until), out);
    return wide(TimedIds{}, format, from, until, out);
}

}  // namespace snowid::core
