#include "pg/type/sort_support.hpp"

namespace snowid::pg {
namespace {

// The same numbers as for PostgreSQL's uuid. They are the rows before the first decision, the number of distinct keys
// that settles the matter for good, and the rows that may share a key.
constexpr int kFirstJudged = 10'000;
constexpr double kPlenty = 100'000;
constexpr double kRowsPerKey = 2000;

}  // namespace

AbbreviatedKeys *start_abbreviation(SortSupport sort) {
    MemoryContext caller = MemoryContextSwitchTo(sort->ssup_cxt);
    auto *keys = static_cast<AbbreviatedKeys *>(palloc0(sizeof(AbbreviatedKeys)));
    keys->counting = true;
    initHyperLogLog(&keys->different, 10);
    MemoryContextSwitchTo(caller);
    return keys;
}

void keep_pivot(AbbreviatedKeys &keys, const void *id, std::size_t size, SortSupport sort) {
    void *copy = MemoryContextAlloc(sort->ssup_cxt, size);
    std::memcpy(copy, id, size);
    keys.pivot = PointerGetDatum(copy);
}

void count_abbreviated_key(AbbreviatedKeys &keys, Datum key) {
    ++keys.count;
    if (!keys.counting) return;
    const auto folded = static_cast<uint32>(key) ^ static_cast<uint32>(static_cast<std::uint64_t>(key) >> 32);
    addHyperLogLog(&keys.different, DatumGetUInt32(hash_uint32(folded)));
}

bool abort_abbreviation(int tuples, SortSupport sort) {
    auto &keys = *static_cast<AbbreviatedKeys *>(sort->ssup_extra);
    if (tuples < kFirstJudged || keys.count < kFirstJudged || !keys.counting) return false;
    const double different = estimateHyperLogLog(&keys.different);
    keys.counting = different <= kPlenty;
    return different < static_cast<double>(keys.count) / kRowsPerKey + 0.5;
}

}  // namespace snowid::pg
