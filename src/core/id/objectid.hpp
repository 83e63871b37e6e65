// MongoDB's ObjectId: seconds, a random value of the process that made the id, and a counter. Shown in hex.
//
//     95                      64                  24               0
//     |  Unix time in s, 32    |   random, 40      |  counter, 24  |
#pragma once

#include "core/alphabet/hex.hpp"
#include "core/id/time_field.hpp"
#include "core/id/wide_id.hpp"

namespace snowid::core {

struct ObjectId {
    static constexpr std::string_view kName = "objectid";
    static constexpr const char *kForm = "It is written in the digits 0-9 and a-f.";
    using Time = SecondsField;
    static constexpr std::size_t kOriginAt = 4, kOriginSize = 5;  // bytes that say where it was made; see sort_key.hpp
    static constexpr std::size_t kTextSize = 24;
    static constexpr std::size_t kRandomSize = 5;
    static constexpr std::int64_t kMaxCounter = 0xFFFFFF;

    Bytes<12> bytes;

    constexpr UnixMicros time() const noexcept { return Time::read(bytes); }
    constexpr Bytes<kRandomSize> random() const noexcept { return cut<4, kRandomSize>(bytes); }
    constexpr std::int64_t counter() const noexcept { return static_cast<std::int64_t>(load_be<3>(bytes.data() + 9)); }
};

static_assert(WideId<ObjectId> && sizeof(ObjectId) == 12);

constexpr Status parse(std::string_view text, ObjectId &out) noexcept { return decode_hex(text, out.bytes); }

constexpr std::size_t format(const ObjectId &id, char *out) noexcept {
    encode_hex(id.bytes, out);
    return ObjectId::kTextSize;
}

// The id's time is the second that holds t.
constexpr Status compose(UnixMicros t, const Bytes<ObjectId::kRandomSize> &random, std::int64_t counter,
                         ObjectId &out) noexcept {
    std::uint64_t second = 0;
    if (ObjectId::Time::tick_of(t, second) != Status::ok) return Status::out_of_range;
    if (counter < 0 || counter > ObjectId::kMaxCounter) return Status::out_of_range;
    ObjectId::Time::write(second, out.bytes);
    paste<4>(random, out.bytes);
    store_be<3>(out.bytes.data() + 9, static_cast<std::uint64_t>(counter));
    return Status::ok;
}

}  // namespace snowid::core
