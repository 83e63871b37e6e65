// The cost of one text conversion. There are too many ids for the branch predictor to learn.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "core/id/ksuid.hpp"
#include "core/id/objectid.hpp"
#include "core/id/rsxid.hpp"
#include "core/id/sandflake.hpp"
#include "core/id/sno.hpp"
#include "core/id/snowflake.hpp"
#include "core/id/ulid.hpp"

namespace snowid::core {
namespace {

constexpr std::size_t kIds = 1024;

// Sixteen bytes in hex. No id here uses it; it compares with PostgreSQL's uuid.
struct Hex16 {
    static constexpr std::size_t kTextSize = 32;
    Bytes<16> bytes;
};

[[maybe_unused]] constexpr Status parse(std::string_view text, Hex16 &out) { return decode_hex(text, out.bytes); }
[[maybe_unused]] constexpr std::size_t format(const Hex16 &id, char *out) {
    encode_hex(id.bytes, out);
    return Hex16::kTextSize;
}

template <typename Id>
void fill(Id &id, std::mt19937_64 &random) {
    for (std::uint8_t &byte : id.bytes) byte = static_cast<std::uint8_t>(random());
}

// As many digits as present-day snowflakes have.
void fill(Snowflake &id, std::mt19937_64 &random) { id = Snowflake::of_bits(1ULL << 58 | random() >> 6); }

template <typename Id>
std::vector<Id> random_ids() {
    std::mt19937_64 random(1);
    std::vector<Id> ids(kIds);
    for (Id &id : ids) fill(id, random);
    return ids;
}

template <typename Id>
void format_text(benchmark::State &state) {
    const std::vector<Id> ids = random_ids<Id>();
    alignas(64) char text[Id::kTextSize];
    std::size_t i = 0;
    for (auto _ : state) {
        format(ids[i++ % kIds], text);
        benchmark::DoNotOptimize(text);
        benchmark::ClobberMemory();
    }
}

template <typename Id>
void parse_text(benchmark::State &state) {
    std::vector<char> texts(kIds * Id::kTextSize);
    std::size_t i = 0, size = Id::kTextSize;
    for (const Id &id : random_ids<Id>()) size = format(id, texts.data() + i++ * Id::kTextSize);
    Id id{};
    for (auto _ : state) {
        benchmark::DoNotOptimize(parse({texts.data() + i++ % kIds * Id::kTextSize, size}, id));
        benchmark::DoNotOptimize(id);
    }
}

template <typename Id>
void compare_ids(benchmark::State &state) {
    const std::vector<Id> ids = random_ids<Id>();
    std::size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(compare(ids[i % kIds].bytes, ids[(i + 1) % kIds].bytes) < 0);
        ++i;
    }
}

#define SNOWID_BENCH(Id)                 \
    BENCHMARK_TEMPLATE(format_text, Id); \
    BENCHMARK_TEMPLATE(parse_text, Id);  \
    BENCHMARK_TEMPLATE(compare_ids, Id)

SNOWID_BENCH(Ulid);
SNOWID_BENCH(Ksuid);
SNOWID_BENCH(ObjectId);
SNOWID_BENCH(Rsxid);
SNOWID_BENCH(Sandflake);
SNOWID_BENCH(Sno);
SNOWID_BENCH(Hex16);

BENCHMARK_TEMPLATE(format_text, Snowflake);  // no compare_ids: snowflakes compare as integers
BENCHMARK_TEMPLATE(parse_text, Snowflake);

}  // namespace
}  // namespace snowid::core
