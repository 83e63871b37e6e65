// snowid generate FORMAT [-n N] [--time T] [--metabyte M] [--partition P]
#include <sys/random.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "arguments.hpp"
#include "commands.hpp"
#include "core/clock/uuid7_ticks.hpp"
#include "core/id/ksuid.hpp"
#include "core/id/sno.hpp"
#include "core/id/ulid.hpp"
#include "core/id/uuid7.hpp"
#include "core/sno/timeline.hpp"
#include "core/text/time_text.hpp"
#include "core/text/uuid_text.hpp"

namespace snowid::cli {
namespace {

using namespace snowid::core;

constexpr std::uint64_t kMostIds = 1'000'000'000;

template <std::size_t N>
Bytes<N> random_bytes() {
    Bytes<N> bytes;
    if (getentropy(bytes.data(), bytes.size()) != 0) fail("the system provides no random bytes.");
    return bytes;
}

template <typename Id>
void print_id(const Id &id) {
    char text[kUuidTextSize];
    print({text, format(id, text)});
}

[[noreturn]] void fail_at(UnixMicros t, const char *format) {
    fail("no %s can have the time %s.", format, time_text(t).text);
}

Uuid7 random_of(UnixMicros t, Uuid7 id) {
    const auto random = random_bytes<10>();
    const auto a = static_cast<std::int64_t>(load_be<2>(random.data()) & 0xFFF);
    const auto b = static_cast<std::int64_t>(load_be<8>(random.data() + 2) >> 2);
    if (compose(t, a, b, id) != Status::ok) fail_at(t, "uuidv7");
    return id;
}

Ulid random_of(UnixMicros t, Ulid id) {
    if (compose(t, random_bytes<Ulid::kEntropySize>(), id) != Status::ok) fail_at(t, "ulid");
    return id;
}

Ksuid random_of(UnixMicros t, Ksuid id) {
    if (compose(t, random_bytes<Ksuid::kPayloadSize>(), id) != Status::ok) fail_at(t, "ksuid");
    return id;
}

// Ids of now ascend. Ids of a given time all have that time.
template <typename Id>
void generate_random(const Arguments &arguments, std::uint64_t count) {
    const UnixMicros given = arguments.time == nullptr ? UnixMicros{} : time(arguments.time);
    std::int64_t last = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        Id id{};
        if (arguments.time != nullptr) {
            print_id(random_of(given, id));
            continue;
        }
        last = std::max(Uuid7Ticks::at(clock()), last + 1);
        if (from_position(static_cast<std::uint64_t>(last), random_bytes<Id::kRandomSize>(), id) != Status::ok)
            fail("the clock shows a time that no id can have.");
        print_id(id);
    }
}

// One caller of a timeline that no other process shares, as in the reference implementation.
class SnoSource {
public:
    SnoPosition next() {
        for (;;) {
            const SnoDecision d = timeline_.take({}, kPolicy, timeline_.look(), clock(), SnoUnits::kEnd);
            if (d.verdict == SnoVerdict::make) return d.position;
            if (d.verdict == SnoVerdict::out_of_time) fail("the clock shows a time that no sno can have.");
            if (d.verdict == SnoVerdict::toggle) {
                const SnoToggle toggle = timeline_.begin_toggle(kPolicy, clock);
                if (toggle.verdict == SnoVerdict::toggle) return timeline_.finish_toggle({}, toggle);
            }
            sleep();
        }
    }
    SnoPosition next_of(UnixMicros t) {
        std::uint64_t unit = 0;
        if (Sno::Time::tick_of(t, unit) != Status::ok) fail_at(t, "sno");
        const SnoDecision d = timeline_.take_dated({}, static_cast<std::int64_t>(unit), SnoUnits::kEnd);
        if (d.verdict == SnoVerdict::make) return d.position;
        fail("4 ms have 65536 snos of a partition, and those of this time are used up.");
    }

private:
    static constexpr SnoPolicy kPolicy{0, 0};

    static void sleep() {
        const std::timespec millisecond{0, kNanosPerMilli};
        nanosleep(&millisecond, nullptr);
    }

    SnoTimeline timeline_;
};

std::int64_t partition_of(const Arguments &arguments) {
    if (arguments.partition != nullptr)
        return static_cast<std::int64_t>(number(arguments.partition, "the partition", Sno::kMaxPartition));
    const auto partition = static_cast<std::int64_t>(load_be<2>(random_bytes<2>().data()));
    std::fprintf(stderr, "snowid: the partition is %lld, at random; --partition sets it.\n",
                 static_cast<long long>(partition));
    return partition;
}

void generate_sno(const Arguments &arguments, std::uint64_t count) {
    static SnoSource source;
    const auto metabyte =
        arguments.metabyte == nullptr
            ? std::int64_t{0}
            : static_cast<std::int64_t>(number(arguments.metabyte, "the metabyte", Sno::kMaxMetabyte));
    const std::int64_t partition = partition_of(arguments);
    const UnixMicros given = arguments.time == nullptr ? UnixMicros{} : time(arguments.time);
    for (std::uint64_t i = 0; i < count; ++i)
        print_id(from_position(arguments.time == nullptr ? source.next() : source.next_of(given), metabyte, partition));
}

}  // namespace

int generate(int count, char **words) {
    const Arguments arguments = read_arguments(count, words, " -n --time --metabyte --partition ");
    const std::string_view format = arguments.text(0, "the format");
    if (arguments.texts_count > 1) fail("generate takes one format, not \"%s\" too.", Shown(arguments.texts[1]).text());
    if (format != "sno" && (arguments.metabyte != nullptr || arguments.partition != nullptr))
        fail("only a sno has a metabyte and a partition.");
    const std::uint64_t ids = arguments.count == nullptr ? 1 : number(arguments.count, "-n", kMostIds);
    if (format == "uuidv7")
        generate_random<Uuid7>(arguments, ids);
    else if (format == "ulid")
        generate_random<Ulid>(arguments, ids);
    else if (format == "ksuid")
        generate_random<Ksuid>(arguments, ids);
    else if (format == "sno")
        generate_sno(arguments, ids);
    else if (format == "snowflake")
        fail(
            "snowflakes are not made here: without a server nothing keeps two programs from making the same.\n"
            "A database does it: SELECT snowflake_next().");
    else
        fail("\"%s\" is not a format that is made here. There are uuidv7, ulid, ksuid and sno.", Shown(format).text());
    return kDone;
}

}  // namespace snowid::cli
