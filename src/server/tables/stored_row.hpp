// The columns of a row as it lies on its page, read one after another. Nothing is trusted: a value that does not lie
// within the row is a fault, never a read beyond it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "pg/prelude.hpp"

extern "C" {
#include "access/htup.h"
}

namespace snowid::server {

class StoredRow {
public:
    explicit StoredRow(const HeapTupleData &tuple) noexcept;

    // The next column; none if it is NULL or cannot be read.
    std::optional<std::int64_t> bigint() noexcept { return fixed<std::int64_t>(); }
    std::optional<std::int16_t> smallint() noexcept { return fixed<std::int16_t>(); }
    std::optional<std::uint32_t> integer() noexcept { return fixed<std::uint32_t>(); }
    std::optional<bool> boolean() noexcept { return fixed<bool>(); }
    // At most that much of a text or a bytea. kElsewhere stands for a longer one that does not lie in the row itself.
    // The view is valid while the page is locked and the memory context is there.
    static constexpr std::string_view kElsewhere = "?";
    std::optional<std::string_view> text(std::size_t most);

    // Why a column could not be read, or nullptr.
    const char *fault() const noexcept { return fault_; }

private:
    template <typename Value>
    std::optional<Value> fixed() noexcept;
    bool has_next() noexcept;  // a column that is not NULL
    const char *take(std::size_t size) noexcept;

    HeapTupleHeader header_;
    int column_ = 0;
    std::size_t at_, end_;  // offsets from the header
    const char *fault_ = nullptr;
};

}  // namespace snowid::server
