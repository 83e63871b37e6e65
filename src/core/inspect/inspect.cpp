#include "core/inspect/inspect.hpp"

#include "core/id/sealed.hpp"
#include "core/text/time_text.hpp"
#include "core/text/typeid.hpp"
#include "core/text/uuid_text.hpp"

namespace snowid::core {
namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_hex_digit(char c) noexcept { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }
constexpr bool is_in_nanoid(char c) noexcept {
    return is_digit(c) || is_lower(c) || is_upper(c) || c == '_' || c == '-';
}

template <typename Is>
constexpr bool all_are(std::string_view text, const Is &is) noexcept {
    return std::all_of(text.begin(), text.end(), is);
}

constexpr bool is_of_one_case(std::string_view text) noexcept {
    return std::none_of(text.begin(), text.end(), is_lower) || std::none_of(text.begin(), text.end(), is_upper);
}

// A text of digits alone is more likely to be a number than an id that happens to have no letters.
Confidence in_letters(const Inspected &in, Confidence confidence) noexcept {
    return in.is_number ? Confidence::possible : confidence;
}

template <WideId Id>
void find_text(const Inspected &in, Confidence best, Findings &out) noexcept {
    Id id{};
    if (parse(in.text, id) == Status::ok) out.add_wide(Id::kName, in.by_time(in_letters(in, best), id.time()), id);
}

// The bytes of an id in hex.
template <WideId Id>
void find_bytes(const Inspected &in, std::string_view name, Findings &out,
                Confidence (*confidence)(const Inspected &, UnixMicros)) noexcept {
    Id id{};
    if (decode_hex(in.text, id.bytes) == Status::ok) out.add_wide(name, in_letters(in, confidence(in, id.time())), id);
}

void set_uuid(Finding &of, const Uuid &uuid) noexcept {
    Findings::set_canonical<kUuidTextSize>(of, [&](char *to) { return format_uuid(uuid.bytes, to); });
    Findings::set_fields(of, [&](JsonObject &fields) { put_parts(fields, uuid); });
}

std::string_view name_of(const Uuid &uuid) noexcept {
    constexpr std::string_view kVersions[] = {"uuid v1", "uuid v2", "uuid v3", "uuid v4",
                                              "uuid v5", "uuid v6", "uuid v7", "uuid v8"};
    if (uuid.is_all(0)) return "uuid nil";
    if (uuid.is_all(0xFF)) return "uuid max";
    return uuid.is_of_rfc() ? kVersions[uuid.version() - 1] : "uuid";
}

// Hyphens or braces are the redundancy. Without them the text is just 32 hex digits, like many other things.
void find_uuid(const Inspected &in, Findings &out) noexcept {
    Uuid uuid{};
    Sno inside{};
    if (parse_uuid(in.text, uuid.bytes) != Status::ok) return;
    const std::string_view name = name_of(uuid);
    const bool is_bare = in.text.size() == 32;
    if (parse({reinterpret_cast<const char *>(uuid.bytes.data()), uuid.bytes.size()}, inside) == Status::ok)
        out.add_wide("sno in a uuid", Confidence::certain, inside);
    Confidence confidence = name == "uuid" ? Confidence::possible : is_bare ? Confidence::likely : Confidence::certain;
    const std::optional<UnixMicros> time = uuid.time();
    if (is_bare && time) confidence = in.by_time(confidence, *time);
    if (!uuid.is_all(0)) confidence = in_letters(in, confidence);
    set_uuid(out.add(name, confidence, time), uuid);
}

// ULIDs and KSUIDs with a name before them. That is not a TypeID: those are of uuids, and nearly always of version 7.
template <WideId Id>
bool find_prefixed(const Inspected &in, Findings &out) noexcept {
    Id id{};
    const std::string_view text = after_prefix(in.text, Id::kTextSize);
    if (text.empty() || parse(text, id) != Status::ok || !in.is_plausible(id.time())) return false;
    out.add_wide(Id::kName, Confidence::likely, id);
    return true;
}

// Whether the text is likelier the ULID of another program with a name before it.
bool find_prefixed_ulid(const Inspected &in, Findings &out) noexcept {
    TypeId id{};
    if (parse(in.text, id) == Status::ok) {
        const Uuid uuid{id.uuid};
        if (id.prefix.empty() || (uuid.is_of_rfc() && uuid.version() == Uuid7::kVersion)) return false;
    }
    return find_prefixed<Ulid>(in, out);
}

void find_typeid(const Inspected &in, bool is_ulid, Findings &out) noexcept {
    TypeId id{};
    if (parse(in.text, id) != Status::ok) return;
    const Uuid uuid{id.uuid};
    const std::optional<UnixMicros> time = uuid.time();
    Confidence confidence = is_ulid ? Confidence::possible : Confidence::certain;
    if (id.prefix.empty())  // then only the version's bits are redundant
        confidence =
            time && uuid.version() == Uuid7::kVersion ? in.by_time(Confidence::likely, *time) : Confidence::possible;
    Finding &added = out.add("typeid", confidence, time);
    char text[kUuidTextSize];
    format_uuid(id.uuid, text);
    Findings::set_fields(added, [&](JsonObject &fields) {
        fields.add("prefix", id.prefix);
        fields.add("uuid", {text, sizeof text});
        put_parts(fields, uuid);
    });
}

// The id is not unsealed: nobody is shown what is inside.
void find_sealed(const Inspected &in, Findings &out) noexcept {
    Prefixed parts;
    Bits131 sealed{};
    if (!split_prefix(in.text, Bits131::kTextSize, parts) || decode_base62(parts.rest, sealed) != Status::ok) return;
    Finding &added = out.add("sealed id", Confidence::likely);
    Findings::set_fields(added, [&](JsonObject &fields) {
        fields.add("prefix", parts.prefix);
        fields.add_number("key", sealed.top);
    });
}

void find_cuid(const Inspected &in, Findings &out) noexcept {
    Cuid id{};
    if (parse(in.text, id) != Status::ok) return;
    Finding &added = out.add("cuid", in.by_time(Confidence::likely, id.time), id.time);
    Findings::set_fields(added, [&](JsonObject &fields) { put_parts(fields, id); });
}

// Only texts of the usual size: with any size, every word could be one.
void find_random_text(const Inspected &in, Findings &out) noexcept {
    constexpr std::size_t kUsualCuid2 = 24, kUsualNanoId = 21;
    const auto is_in_cuid2 = [](char c) { return is_digit(c) || is_lower(c); };
    std::string_view name;
    if (in.text.size() == kUsualCuid2 && is_lower(in.text[0]) && !in.is_hex && all_are(in.text, is_in_cuid2))
        name = "cuid2";
    if (in.text.size() == kUsualNanoId && !in.is_number && all_are(in.text, is_in_nanoid)) name = "nanoid";
    if (!name.empty()) out.add(name, Confidence::possible);
}

void find_wide_texts(const Inspected &in, Findings &out) noexcept {
    // Almost no ids of these two formats have only hex digits.
    const Confidence unless_hex = in.is_hex ? Confidence::possible : Confidence::certain;
    find_text<Rsxid>(in, unless_hex, out);
    find_text<Sno>(in, std::max(unless_hex, Confidence::likely), out);
    // Most texts of 27 letters and digits are in the range of KSUIDs, but hardly any KSUID has letters of only one
    // case.
    find_text<Ksuid>(in, is_of_one_case(in.text) ? Confidence::possible : Confidence::certain, out);
    find_text<Ulid>(in, Confidence::likely, out);
    find_text<Sandflake>(in, Confidence::likely, out);
}

void find_wide_bytes(const Inspected &in, Findings &out) noexcept {
    const auto by_time = [](const Inspected &of, UnixMicros t) { return of.by_time(Confidence::likely, t); };
    find_bytes<ObjectId>(in, "objectid", out, by_time);
    find_bytes<Ksuid>(in, "ksuid bytes", out, by_time);
    // Nothing else has twenty hex digits, so the time does not matter.
    find_bytes<Sno>(in, "sno bytes", out, [](const Inspected &, UnixMicros) { return Confidence::likely; });
    // These have as many digits as something that is more common.
    find_bytes<Rsxid>(in, "rsxid bytes", out, [](const Inspected &, UnixMicros) { return Confidence::possible; });
    find_bytes<Ulid>(in, "ulid bytes", out, [](const Inspected &, UnixMicros) { return Confidence::possible; });
}

// Hex digits that only an id of the future would have are of something else first.
void find_plain_bytes(const Inspected &in, Findings &out) noexcept {
    if (!in.is_hex || in.is_number || out.count() == 0 || !out.is_odd(out.begin()->time)) return;
    out.add_first("bytes", out.begin()->confidence);
}

}  // namespace

std::size_t inspect(std::string_view text, const InspectContext &context, Finding *out) noexcept {
    char room[kMaxPasted];
    const std::string_view id = unwrap(text, room);
    if (id.empty()) return 0;
    const Inspected in{id, context, all_are(id, is_digit), all_are(id, is_hex_digit)};
    Findings found(out, in);
    find_numbers(in, found);
    find_wide_texts(in, found);
    find_wide_bytes(in, found);
    find_uuid(in, found);
    find_typeid(in, find_prefixed_ulid(in, found), found);
    find_prefixed<Ksuid>(in, found);
    find_sealed(in, found);
    find_cuid(in, found);
    find_random_text(in, found);
    find_plain_bytes(in, found);
    return found.count();
}

void put_json(Writer &out, std::string_view text, const Finding *findings, std::size_t count) noexcept {
    JsonObject all(out);
    all.add("id", text);
    all.add_json("findings", "[");
    for (const Finding *finding = findings; finding != findings + count; ++finding) {
        if (finding != findings) out.put(", ");
        JsonObject object(out);
        object.add("format", finding->format.view());
        object.add("confidence", name_of(finding->confidence));
        if (finding->time)
            object.add("time", time_text(*finding->time).view());
        else
            object.add_json("time", "null");
        object.add("canonical", finding->canonical.view());
        object.add_json("fields", finding->fields.view());
        object.end();
    }
    out.put(']');
    all.end();
}

}  // namespace snowid::core
