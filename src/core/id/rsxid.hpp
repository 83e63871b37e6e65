// The id of rs/xid: seconds, machine and process, and a counter. Shown in base32hex.
//
//     95                      64              40         24               0
//     |  Unix time in s, 32    |  machine, 24  |  pid, 16 |  counter, 24  |
#pragma once

#include "core/alphabet/base32.hpp"
#include "core/id/time_field.hpp"
#include "core/id/wide_id.hpp"

namespace snowid::core {

struct Rsxid {
    static constexpr std::string_view kName = "rsxid";
    static constexpr const char *kForm = "It is written in the digits 0-9 and a-v, of which the last is 0 or g.";
    using Time = SecondsField;
    static constexpr std::size_t kOriginAt = 4, kOriginSize = 5;  // bytes that say where it was made; see sort_key.hpp
    static constexpr std::size_t kTextSize = Base32<12>::kTextSize;
    static constexpr std::size_t kMachineSize = 3;
    static constexpr std::int64_t kMaxPid = 0xFFFF;
    static constexpr std::int64_t kMaxCounter = 0xFFFFFF;

    Bytes<12> bytes;

    constexpr UnixMicros time() const noexcept { return Time::read(bytes); }
    constexpr Bytes<kMachineSize> machine() const noexcept { return cut<4, kMachineSize>(bytes); }
    constexpr std::int64_t pid() const noexcept { return static_cast<std::int64_t>(load_be<2>(bytes.data() + 7)); }
    constexpr std::int64_t counter() const noexcept { return static_cast<std::int64_t>(load_be<3>(bytes.data() + 9)); }
};

static_assert(WideId<Rsxid> && sizeof(Rsxid) == 12);

constexpr Status parse(std::string_view text, Rsxid &out) noexcept {
    return Base32<12>::decode(kBase32Hex, text, out.bytes);
}

constexpr std::size_t format(const Rsxid &id, char *out) noexcept {
    Base32<12>::encode(kBase32Hex, id.bytes, out);
    return Rsxid::kTextSize;
}

// The id's time is the second that holds t.
constexpr Status compose(UnixMicros t, const Bytes<Rsxid::kMachineSize> &machine, std::int64_t pid,
                         std::int64_t counter, Rsxid &out) noexcept {
    std::uint64_t second = 0;
    if (Rsxid::Time::tick_of(t, second) != Status::ok) return Status::out_of_range;
    if (pid < 0 || pid > Rsxid::kMaxPid || counter < 0 || counter > Rsxid::kMaxCounter) return Status::out_of_range;
    Rsxid::Time::write(second, out.bytes);
    paste<4>(machine, out.bytes);
    store_be<2>(out.bytes.data() + 7, static_cast<std::uint64_t>(pid));
    store_be<3>(out.bytes.data() + 9, static_cast<std::uint64_t>(counter));
    return Status::ok;
}

}  // namespace snowid::core
