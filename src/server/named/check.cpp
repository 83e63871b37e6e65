// The checks of a record, a name and a scheme that all schemes have in common. Each scheme adds its own.
#include "server/named/generator_record.hpp"

#include "pg/error.hpp"

namespace snowid::server {
namespace {

const char *scheme_names() {
    const char *names = "";
    for (const Scheme scheme : kSchemes)
        names = psprintf("%s%s%s", names, scheme == kSchemes.front() ? "" : " or ", scheme_row(scheme).name);
    return names;
}

}  // namespace

void raise_bad_record(const char *name, const char *what, const char *hint) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("generator \"%s\" cannot make ids", name),
                    errdetail("%s", what), hint == nullptr ? 0 : errhint("%s", hint)));
}

void check_sequences(const GeneratorRecord &record, std::uint64_t last) {
    const core::SequenceRange range = record.sequences();
    if (range.max > last)
        raise_bad_record(
            record.name,
            psprintf("sequence_max must be from 0 to " UINT64_FORMAT ", not " UINT64_FORMAT ".", last, range.max),
            nullptr);
    if (range.min > range.max)
        raise_bad_record(record.name,
                         psprintf("sequence_min " UINT64_FORMAT " is more than sequence_max " UINT64_FORMAT ".",
                                  range.min, range.max),
                         nullptr);
    if (range.count() < core::kSmallestPool && range.count() <= last)
        raise_bad_record(record.name,
                         psprintf("The sequence numbers from " UINT64_FORMAT " to " UINT64_FORMAT
                                  " are too few: it needs %d at least.",
                                  range.min, range.max, static_cast<int>(core::kSmallestPool)),
                         nullptr);
}

void check_record(const GeneratorRecord &record) { scheme_row(record.scheme).check(record); }

void take_name(std::string_view name, GeneratorRecord &record) {
    if (name.empty() || name.size() >= sizeof record.name)
        ereport(ERROR, (errcode(ERRCODE_INVALID_NAME), errmsg("invalid name of a generator"),
                        errdetail("It must have 1 to %d bytes, but it has %d.", NAMEDATALEN - 1,
                                  static_cast<int>(name.size()))));
    if (name == "default")
        ereport(ERROR,
                (errcode(ERRCODE_RESERVED_NAME), errmsg("\"default\" is the name of the server's own generator")));
    record.name[name.copy(record.name, name.size())] = '\0';
}

Scheme scheme_named(std::string_view name) {
    Scheme scheme{};
    if (find_scheme(name, scheme)) return scheme;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no scheme \"%s\"", pg::shown(name)),
                    errdetail("A generator makes ids of the scheme %s.", scheme_names())));
}

void require_scheme(const GeneratorRecord &record, Scheme scheme) {
    if (record.scheme == scheme) return;
    const char *name = scheme_row(record.scheme).name;
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                    errmsg("generator \"%s\" makes ids of the scheme %s", record.name, name),
                    errhint(record.backfill ? "Use %s_at." : "Use %s_next.", name)));
}

}  // namespace snowid::server
