// Whether ids can be made by what is recorded of a generator.
#include "pg/error.hpp"
#include "server/generator_record.hpp"
#include "server/layout_record.hpp"
#include "server/settings.hpp"

namespace snowid::server {
namespace {

constexpr std::uint64_t kSmallestPool = 4;

[[noreturn]] void raise_bad(const char *name, const char *what, const char *hint) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("generator \"%s\" cannot make ids", name),
                    errdetail("%s", what), hint == nullptr ? 0 : errhint("%s", hint)));
}

// Otherwise the time of its ids would be read wrongly by everything that knows the recorded layout only.
void check_time(const char *name, const core::Layout &layout) {
    const core::Layout &recorded = recorded_layout();
    const char *other = nullptr;
    if (layout.epoch != recorded.epoch)
        other = "another epoch";
    else if (layout.tick_us != recorded.tick_us)
        other = "another tick";
    else if (layout.time().shift != recorded.time().shift || layout.time().bits != recorded.time().bits)
        other = "the time in another place";
    if (other == nullptr) return;
    raise_bad(name,
              psprintf("Its layout %s has %s than the layout of this database, %s.", pg::layout_text(layout), other,
                       pg::layout_text(recorded)),
              "Only the bits below the time may be divided differently: ids of other layouts live in bigint columns.");
}

void check_worker(const GeneratorRecord &record, const core::Layout &layout) {
    if (record.worker && *record.worker > layout.max_worker())
        raise_bad(record.name, psprintf("worker must be from 0 to %u, not %u.", layout.max_worker(), *record.worker),
                  nullptr);
    if (!record.worker && !(layout == settings.layout))
        raise_bad(record.name,
                  psprintf("Its layout is not that of the server, %s, and so cannot take the server's worker.",
                           pg::layout_text(settings.layout)),
                  "Name its worker.");
}

void check_sequences(const GeneratorRecord &record, std::uint64_t last) {
    const core::SequenceRange range = record.sequences();
    if (range.max > last)
        raise_bad(record.name,
                  psprintf("sequence_max must be from 0 to " UINT64_FORMAT ", not " UINT64_FORMAT ".", last, range.max),
                  nullptr);
    if (range.min > range.max)
        raise_bad(record.name,
                  psprintf("sequence_min " UINT64_FORMAT " is more than sequence_max " UINT64_FORMAT ".", range.min,
                           range.max),
                  nullptr);
    if (range.count() < kSmallestPool && range.count() <= last)
        raise_bad(record.name,
                  psprintf("The sequence numbers from " UINT64_FORMAT " to " UINT64_FORMAT
                           " are too few: it needs " UINT64_FORMAT " at least.",
                           range.min, range.max, kSmallestPool),
                  nullptr);
}

void check_snowflake(const GeneratorRecord &record) {
    if (record.partition)
        raise_bad(record.name, "A generator of snowflakes has a worker, and no partition.", "Say worker instead.");
    const core::Layout layout = record.layout_in_force();
    check_time(record.name, layout);
    check_worker(record, layout);
    check_sequences(record, layout.sequence().max());
}

void check_sno(const GeneratorRecord &record) {
    if (record.layout || record.worker)
        raise_bad(record.name, "A generator of snos has a partition, and no layout and no worker.",
                  "Say partition instead.");
    if (record.partition.value_or(0) > UINT16_MAX)
        raise_bad(record.name, psprintf("partition must be from 0 to 65535, not %u.", *record.partition), nullptr);
    check_sequences(record, UINT16_MAX);
}

}  // namespace

void take_name(std::string_view name, GeneratorRecord &record) {
    if (name.empty() || name.size() >= sizeof record.name)
        ereport(ERROR, (errcode(ERRCODE_INVALID_NAME), errmsg("invalid name of a generator"),
                        errdetail("It must have from 1 to %d bytes, and it has %d.", NAMEDATALEN - 1,
                                  static_cast<int>(name.size()))));
    if (name == "default")
        ereport(ERROR,
                (errcode(ERRCODE_RESERVED_NAME), errmsg("\"default\" is the name of the server's own generator")));
    record.name[name.copy(record.name, name.size())] = '\0';
}

void require_scheme(const GeneratorRecord &record, Scheme scheme) {
    if (record.scheme == scheme) return;
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                    errmsg("generator \"%s\" makes ids of the scheme %s", record.name, scheme_name(record.scheme)),
                    errhint("Use %s_next.", scheme_name(record.scheme))));
}

void check_record(const GeneratorRecord &record) {
    if (record.scheme == Scheme::sno)
        check_sno(record);
    else
        check_snowflake(record);
}

}  // namespace snowid::server
