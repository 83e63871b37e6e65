#include "server/tables/stored_row.hpp"

#include "pg/compat.hpp"

extern "C" {
#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/tupmacs.h"
}

namespace snowid::server {
namespace {

constexpr const char *kDamaged = "A value does not lie within the row.";

bool has_nulls(HeapTupleHeader header) { return (header->t_infomask & HEAP_HASNULL) != 0; }

std::size_t smallest_offset(HeapTupleHeader header) {
    return SizeofHeapTupleHeader + (has_nulls(header) ? BITMAPLEN(HeapTupleHeaderGetNatts(header)) : 0);
}

// Returns 0 if there is none. What follows the first byte may not belong to the row.
std::size_t size_of_text(const char *at, std::size_t left) {
    if (left == 0) return 0;
    if (VARATT_IS_1B_E(at))
        return left >= VARHDRSZ_EXTERNAL && VARATT_IS_EXTERNAL_ONDISK(at) ? VARSIZE_EXTERNAL(at) : 0;
    if (VARATT_IS_1B(at)) return VARSIZE_ANY(at);
    if (left < VARHDRSZ || reinterpret_cast<std::uintptr_t>(at) % alignof(std::uint32_t) != 0) return 0;
    const std::size_t size = VARSIZE_ANY(at), header = VARATT_IS_COMPRESSED(at) ? VARHDRSZ_COMPRESSED : VARHDRSZ;
    return size >= header ? size : 0;
}

}  // namespace

StoredRow::StoredRow(const HeapTupleData &tuple) noexcept
    : header_(tuple.t_data), at_(tuple.t_data->t_hoff), end_(tuple.t_len) {
    if (at_ < smallest_offset(header_) || at_ > end_) fault_ = kDamaged;
}

bool StoredRow::has_next() noexcept {
    if (fault_ != nullptr) return false;
    const int column = column_++;
    if (column < HeapTupleHeaderGetNatts(header_)) return !has_nulls(header_) || !att_isnull(column, header_->t_bits);
    fault_ = "It has too few columns.";
    return false;
}

const char *StoredRow::take(std::size_t size) noexcept {
    if (size == 0 || at_ > end_ || size > end_ - at_) {
        fault_ = kDamaged;
        return nullptr;
    }
    const char *value = reinterpret_cast<const char *>(header_) + at_;
    at_ += size;
    return value;
}

template <typename Value>
std::optional<Value> StoredRow::fixed() noexcept {
    if (!has_next()) return std::nullopt;
    at_ = TYPEALIGN(sizeof(Value), at_);
    const char *at = take(sizeof(Value));
    if (at == nullptr) return std::nullopt;
    Value value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template std::optional<std::int64_t> StoredRow::fixed();
template std::optional<std::int16_t> StoredRow::fixed();
template std::optional<std::uint32_t> StoredRow::fixed();
template std::optional<bool> StoredRow::fixed();

// No text begins with a zero byte, so that is padding.
std::optional<std::string_view> StoredRow::text(std::size_t most) {
    if (!has_next()) return std::nullopt;
    const char *begin = reinterpret_cast<const char *>(header_);
    if (at_ < end_ && begin[at_] == '\0') at_ = TYPEALIGN(sizeof(std::uint32_t), at_);
    const char *at = take(at_ < end_ ? size_of_text(begin + at_, end_ - at_) : 0);
    if (at == nullptr) return std::nullopt;
    auto *value = reinterpret_cast<varlena *>(const_cast<char *>(at));
    if (VARATT_IS_EXTERNAL(value)) {
        varatt_external place;
        VARATT_EXTERNAL_GET_POINTER(place, value);
        if (place.va_rawsize > static_cast<std::int64_t>(most + VARHDRSZ)) return kElsewhere;
        fault_ = "A value is not stored in the row itself.";
        return std::nullopt;
    }
    if (VARATT_IS_COMPRESSED(value)) value = detoast_attr_slice(value, 0, static_cast<int>(most));
    return std::string_view(VARDATA_ANY(value), std::min<std::size_t>(VARSIZE_ANY_EXHDR(value), most));
}

}  // namespace snowid::server
