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

}  // namespace

BoundFault find_bounds(std::string_view format, const Layout &layout, UnixMicros from, UnixMicros until,
                       Bounds &out) noexcept {
    if (format == "snowflake")
        return ends_of(ids_when(layout, Side::from, from) & ids_when(layout, Side::before, until), out);
    if (format == "uuidv7") return wide<Uuid7>(from, until, out);
    if (format == "ulid") return wide<Ulid>(from, until, out);
    if (format == "ksuid") return wide<Ksuid>(from, until, out);
    if (format == "objectid") return wide<ObjectId>(from, until, out);
    if (format == "rsxid") return wide<Rsxid>(from, until, out);
    if (format == "sandflake") return wide<Sandflake>(from, until, out);
    if (format == "sno") return wide<Sno>(from, until, out);
    return BoundFault::unknown_format;
}

}  // namespace snowid::core
