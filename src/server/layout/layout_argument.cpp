#include "server/layout/layout_argument.hpp"

#include <cstring>
#include <string_view>

#include "core/layout/layout_text.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/layout_record.hpp"

namespace snowid::server {
namespace {

// Kept in the call's FmgrInfo.
struct ParsedLayout {
    core::Layout layout;
    int size;
    char text[core::kMaxLayoutText];
};

}  // namespace

const core::Layout &layout_argument(FunctionCallInfo fcinfo, int n) {
    if (PG_NARGS() <= n) return recorded_layout();
    const std::string_view wanted = pg::text_argument(fcinfo, n);
    auto *parsed = static_cast<ParsedLayout *>(fcinfo->flinfo->fn_extra);
    if (parsed != nullptr && wanted == std::string_view(parsed->text, static_cast<std::size_t>(parsed->size)))
        return parsed->layout;

    if (parsed == nullptr)
        parsed = static_cast<ParsedLayout *>(fcinfo->flinfo->fn_extra =
                                                 MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(ParsedLayout)));
    parsed->size = -1;
    parsed->layout = pg::read_layout(wanted);
    if (wanted.size() <= sizeof parsed->text) parsed->size = static_cast<int>(wanted.copy(parsed->text, wanted.size()));
    return parsed->layout;
}

}  // namespace snowid::server
