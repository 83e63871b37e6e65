#include "server/seal/keys.hpp"

#include "pg/error.hpp"

extern "C" {
#include "utils/inval.h"
}

namespace snowid::server {
namespace {

// The cipher of one key for one prefix, and its place in the cache.
struct Derived {
    pg::BlockCipher cipher;
    std::uint64_t used;  // when it was last used, as a count of uses; 0: the place is free
    int number;
    std::size_t size;
    char prefix[core::kMaxPrefix];

    bool is_of(int other, std::string_view text) const noexcept {
        return number == other && std::string_view(prefix, size) == text && used != 0;
    }
};

// What this session has read and derived, until a key may have changed. A new cipher takes the place of the one whose
// last use is longest ago.
struct Cache {
    bool watched;
    bool valid;
    std::uint64_t changes;
    SealKeys keys;
    std::uint64_t uses;
    Derived *latest;
    Derived derived[32];
};

constinit Cache cache{};

void forget_derived() noexcept {
    for (Derived &derived : cache.derived) {
        pg::clear(derived.cipher);
        derived.used = 0;
    }
    cache.latest = nullptr;
}

// While the keys are being read, their tables are not known yet, so any table may be one of them.
void forget(Datum, Oid table) {
    const bool is_ours = table == InvalidOid || table == cache.keys.tables[0] || table == cache.keys.tables[1];
    if (cache.valid && !is_ours) return;
    ++cache.changes;
    cache.valid = false;
    pg::wipe(cache.keys);
    forget_derived();
}

// If a message arrives while the keys are being read, they are good for this call only.
void load() {
    if (!cache.watched) CacheRegisterRelcacheCallback(forget, Datum{0});
    cache.watched = true;
    const std::uint64_t before = cache.changes;
    SealKeys keys = read_seal_keys();
    forget_derived();
    cache.keys = keys;
    cache.valid = cache.changes == before;
    pg::wipe(keys);
}

Derived &oldest() noexcept {
    return *std::min_element(std::begin(cache.derived), std::end(cache.derived),
                             [](const Derived &a, const Derived &b) { return a.used < b.used; });
}

Derived *derive(int number, std::string_view prefix) {
    require_seal_prefix(prefix);
    const SealKeyRow *row = cache.keys.find(number);
    if (row == nullptr) return nullptr;
    Derived &derived = oldest();
    derived.used = 0;
    if (&derived == cache.latest) cache.latest = nullptr;
    core::SealKey key;
    core::hkdf_sha256(pg::hmac_sha256, row->key, {}, core::SealInfo(prefix).bytes(), key);
    pg::set_key(derived.cipher, key);
    pg::wipe(key);
    derived.number = number;
    derived.size = prefix.copy(derived.prefix, sizeof derived.prefix);
    derived.used = cache.uses;
    return &derived;
}

Derived *find(int number, std::string_view prefix) noexcept {
    Derived *found = std::find_if(std::begin(cache.derived), std::end(cache.derived),
                                  [&](const Derived &derived) { return derived.is_of(number, prefix); });
    return found == std::end(cache.derived) ? nullptr : found;
}

}  // namespace

// Reads the messages first, so what others have committed counts from now on, even within a statement. They are read at
// no other time.
bool has_seal_keys() {
    AcceptInvalidationMessages();
    if (cache.valid) [[likely]]
        return true;
    pg::require_openssl();
    load();
    if (cache.keys.has_any()) return true;
    cache.valid = false;
    return false;
}

void require_seal_keys() {
    if (has_seal_keys()) [[likely]]
        return;
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("this database has no key for sealed ids"),
             errdetail("A dump contains no keys."),
             errhint("As the database's owner, run: SELECT snowid_seal_key_create(); or let it read the key from the "
                     "file that tokens were made with.")));
}

std::span<const Oid> seal_key_tables() { return cache.keys.tables; }

int current_seal_key() { return cache.keys.current; }

const pg::BlockCipher *seal_cipher(int number, std::string_view prefix) {
    ++cache.uses;
    if (cache.latest == nullptr || !cache.latest->is_of(number, prefix)) [[unlikely]] {
        Derived *found = find(number, prefix);
        if (found == nullptr) found = derive(number, prefix);
        if (found == nullptr) return nullptr;
        cache.latest = found;
    }
    cache.latest->used = cache.uses;
    return &cache.latest->cipher;
}

void require_seal_prefix(std::string_view prefix) {
    if (core::is_prefix(prefix)) return;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("\"%s\" cannot be the prefix of a sealed id", pg::shown(prefix)),
                    errdetail("A prefix has 1 to %d of the characters a to z and _, with a letter at each end.",
                              static_cast<int>(core::kMaxPrefix)),
                    errhint("A prefix names the kind of thing that has the id, such as ord or line_item.")));
}

}  // namespace snowid::server
