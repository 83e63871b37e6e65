// The parts of an id other than its time, under the names that SQL's *_decode functions use.
#pragma once

#include "core/id/cuid.hpp"
#include "core/id/ksuid.hpp"
#include "core/id/objectid.hpp"
#include "core/id/rsxid.hpp"
#include "core/id/sandflake.hpp"
#include "core/id/sno.hpp"
#include "core/id/ulid.hpp"
#include "core/id/uuid7.hpp"
#include "core/layout/layout.hpp"
#include "core/text/json.hpp"

namespace snowid::core {

inline void put_parts(JsonObject &out, const Ulid &id) noexcept { out.add_bytes("entropy", id.entropy()); }

inline void put_parts(JsonObject &out, const Ksuid &id) noexcept { out.add_bytes("payload", id.payload()); }

inline void put_parts(JsonObject &out, const ObjectId &id) noexcept {
    out.add_bytes("random", id.random());
    out.add_number("counter", id.counter());
}

inline void put_parts(JsonObject &out, const Rsxid &id) noexcept {
    out.add_bytes("machine", id.machine());
    out.add_number("pid", id.pid());
    out.add_number("counter", id.counter());
}

inline void put_parts(JsonObject &out, const Sandflake &id) noexcept {
    out.add_bytes("worker", id.worker());
    out.add_number("sequence", id.sequence());
    out.add_bytes("random", id.random());
}

inline void put_parts(JsonObject &out, const Sno &id) noexcept {
    out.add_number("metabyte", id.metabyte());
    out.add_number("partition", id.partition());
    out.add_number("sequence", id.sequence());
    out.add_bool("tick_tock", id.tick_tock());
}

inline void put_parts(JsonObject &out, const Cuid &id) noexcept {
    out.add_number("counter", id.counter);
    out.add("fingerprint", id.fingerprint);
    out.add("random", id.random);
}

// Adds the version. Adds the variant too, unless the version is one of RFC 9562's. Shows rand_b in hex, because
// JavaScript would round it as a number.
inline void put_parts(JsonObject &out, const Uuid &id) noexcept {
    constexpr std::string_view kVariants[] = {"ncs", "rfc9562", "microsoft", "future"};
    if (!id.is_of_rfc()) out.add("variant", kVariants[static_cast<int>(id.variant())]);
    if (id.variant() == UuidVariant::rfc9562) out.add_number("version", id.version());
    if (!id.is_of_rfc()) return;
    if (id.version() == 1 || id.version() == 6) {
        out.add_number("clock_sequence", id.clock_sequence());
        out.add_bytes("node", id.node());
    } else if (id.version() == 7) {
        Bytes<8> rand_b{};
        store_be<8>(rand_b.data(), static_cast<std::uint64_t>(Uuid7{id.bytes}.rand_b()));
        out.add_number("rand_a", Uuid7{id.bytes}.rand_a());
        out.add_bytes("rand_b", rand_b);
    }
}

inline constexpr std::size_t kMaxFieldsText = 448;

// All fields, including the time's tick, in the order of the layout's text.
inline void put_fields(JsonObject &out, const Layout &layout, std::uint64_t id) noexcept {
    for (int i = 0; i < layout.field_count; ++i)
        out.add_number(layout.fields[i].name_view(), layout.fields[i].read(id));
}

}  // namespace snowid::core
