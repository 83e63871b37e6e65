#include "core/inspect/bounds.hpp"

#include "core/id/ksuid.hpp"
#include "core/id/objectid.hpp"
#include "core/id/rsxid.hpp"
#include "core/id/sandflake.hpp"
#include "core/id/sno.hpp"
#include "core/id/time_range.hpp"
#include "core/id/ulid.hpp"
#include "core/id/uuid7.hpp"
#include "core/text/uuid_text.hpp"

namespace snowid::core {
namespace {

template <typename Id>
std::size_t put(const Id &id, char *out) noexcept {
    return format(id, out);
}

std::size_t put(const Uuid7 &id, char *out) noexcept {
    format_uuid(id.bytes, out);
    return kUuidTextSize;
}

template <typename Id>
BoundFault end_of(const IdRange<Id> &range, Side side, BoundText &out) noexcept {
    char text[kUuidTextSize];
    if (range.first > range.last) return BoundFault::out_of_range;
    out.append({text, put(is_below(side) ? range.last : range.first, text)});
    return BoundFault::none;
}

// No snowflake that is generated is negative.
BoundFault end_of_snowflakes(const Layout &layout, Side side, UnixMicros t, BoundText &out) noexcept {
    const IdRange<Snowflake> generated{{0}, {INT64_MAX}};
    return end_of(ids_when(layout, side, t) & generated, side, out);
}

BoundFault bound(std::string_view format, const Layout &layout, Side side, UnixMicros t, BoundText &out) noexcept {
    if (format == "snowflake") return end_of_snowflakes(layout, side, t, out);
    if (format == "uuidv7") return end_of(ids_when<Uuid7>(side, t), side, out);
    if (format == "ulid") return end_of(ids_when<Ulid>(side, t), side, out);
    if (format == "ksuid") return end_of(ids_when<Ksuid>(side, t), side, out);
    if (format == "objectid") return end_of(ids_when<ObjectId>(side, t), side, out);
    if (format == "rsxid") return end_of(ids_when<Rsxid>(side, t), side, out);
    if (format == "sandflake") return end_of(ids_when<Sandflake>(side, t), side, out);
    if (format == "sno") return end_of(ids_when<Sno>(side, t), side, out);
    return BoundFault::unknown_format;
}

}  // namespace

BoundFault lower_bound(std::string_view format, const Layout &layout, UnixMicros t, BoundText &out) noexcept {
    return bound(format, layout, Side::from, t, out);
}

BoundFault last_before(std::string_view format, const Layout &layout, UnixMicros t, BoundText &out) noexcept {
    return bound(format, layout, Side::before, t, out);
}

}  // namespace snowid::core
