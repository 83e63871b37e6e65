#include "server/shared/settings.hpp"

#include "core/fleet/connection_text.hpp"
#include "core/id/sno.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace snowid::server {

constinit Settings settings{};

namespace {

constexpr const char *kLayout = "snowid.layout", *kWorker = "snowid.worker_id", *kPartition = "snowid.sno_partition",
                     *kDirectory = "snowid.directory";

constinit char *layout_setting = nullptr;
constinit char *worker_setting = nullptr;
constinit char *directory_setting = nullptr;

constinit bool is_defining = false;
constinit const char *refused = nullptr;  // the setting whose value was refused
char refused_value[128];

constinit bool layout_is_settled = false;

// A value refused on reload leaves the old one in force. At the start there is no old value: PostgreSQL would run with
// the default, which may be another server's worker id.
bool refuse(const char *name, const char *value, const char *detail, const char *hint) {
    if (process_shared_preload_libraries_in_progress)
        ereport(FATAL, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("invalid value for parameter \"%s\": \"%s\"", name, value), errdetail("%s", detail),
                        errhint("Correct it in the server's configuration, then start the server again.")));
    if (is_defining) refused = name;
    if (is_defining) strlcpy(refused_value, value, sizeof refused_value);
    GUC_check_errdetail("%s", detail);
    GUC_check_errhint("%s", hint);
    return false;
}

void accept(std::string_view name) {
    if (refused != nullptr && refused == name) refused = nullptr;
}

template <typename T>
bool keep(void **extra, const T &value) {
    *extra = pg::allocate_setting_extra(sizeof value);
    if (*extra == nullptr) return false;
    std::memcpy(*extra, &value, sizeof value);
    return true;
}

bool check_layout(char **text, void **extra, GucSource) {
    core::Layout layout;
    const core::LayoutError error = core::parse_layout(*text, layout);
    if (error.fault != core::LayoutFault::none) return refuse(kLayout, *text, pg::describe(error), pg::layout_hint());
    return keep(extra, layout);
}

void assign_layout(const char *, void *extra) {
    accept(kLayout);
    if (!layout_is_settled) std::memcpy(&settings.layout, extra, sizeof settings.layout);
    note_change();
}

// A number, and whether someone has chosen it.
struct ChosenNumber {
    std::uint32_t number;
    bool is_set;
    bool from_directory;
};

bool check_worker(char **text, void **extra, GucSource source) {
    ChosenNumber worker{0, source != PGC_S_DEFAULT, std::strcmp(*text, "directory") == 0};
    if (worker.from_directory) return keep(extra, worker);
    const core::LayoutError error = core::parse_worker(*text, settings.layout, worker.number);
    if (error.fault != core::LayoutFault::none)
        return refuse(kWorker, *text, pg::describe(error),
                      "Write a number, each of the layout's fields by name as in \"dc=2,node=4\", or directory.");
    return keep(extra, worker);
}

void number_changed() {
    if (on_number_setting != nullptr) on_number_setting();
    note_change();
}

void assign_worker(const char *, void *extra) {
    accept(kWorker);
    ChosenNumber worker{};
    std::memcpy(&worker, extra, sizeof worker);
    settings.worker = worker.number;
    settings.worker_is_set = worker.is_set;
    settings.from_directory = worker.from_directory;
    number_changed();
}

// A connection string is shown to superusers and appears in files and logs, which is no place for a password. The
// message must not contain the refused value.
bool check_directory(char **text, void **, GucSource) {
    if (!core::has_password(*text)) return true;
    constexpr const char *kHow = "Name a file with passfile=, or use certificates.";
    if (process_shared_preload_libraries_in_progress)
        ereport(FATAL, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("snowid.directory must not have a password"),
                        errhint("%s", kHow)));
    GUC_check_errmsg("snowid.directory must not have a password");
    GUC_check_errhint("%s", kHow);
    return false;
}

void assign_directory(const char *text, void *) {
    settings.directory = text;
    number_changed();
}

void assign_lease(int, void *) { number_changed(); }

// The setting has no range of its own, because PostgreSQL would start with the default if the value was outside it.
bool check_partition(int *partition, void **extra, GucSource source) {
    if (*partition >= 0 && *partition <= core::Sno::kMaxPartition) return keep(extra, source != PGC_S_DEFAULT);
    return refuse(kPartition, psprintf("%d", *partition), "It must be from 0 to 65535.",
                  "Write a number that no other server has.");
}

void assign_partition(int partition, void *extra) {
    accept(kPartition);
    settings.sno_partition = partition;
    std::memcpy(&settings.sno_partition_is_set, extra, sizeof settings.sno_partition_is_set);
    number_changed();
}

void assign_policy(int, void *) { note_change(); }

}  // namespace

void define_settings() {
    is_defining = true;
    // Without preload, a running backend loads the library, and it cannot define a PGC_POSTMASTER setting.
    const GucContext at_start = process_shared_preload_libraries_in_progress ? PGC_POSTMASTER : PGC_SIGHUP;

    DefineCustomStringVariable(kLayout, "Layout of the snowflakes that this server makes.",
                               "A name listed by snowid_layouts, or a text such as "
                               "epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12.",
                               &layout_setting, "default", at_start, 0, check_layout, assign_layout, nullptr);
    DefineCustomIntVariable("snowid.max_generators", "How many named generators of all databases can be in use.",
                            nullptr, &settings.max_generators, 1024, 0, 65'535, at_start, 0, nullptr, nullptr, nullptr);
    DefineCustomIntVariable(
        "snowid.max_generators_per_database", "How many named generators of one database can be in use.",
        "-1 leaves room for 16 of other databases, or for half of all if that is less.",
        &settings.max_generators_per_database, -1, -1, 65'535, PGC_SIGHUP, 0, nullptr, nullptr, nullptr);
    DefineCustomStringVariable(kDirectory, "Connection string of the directory that gives out worker ids.",
                               "It is used if snowid.worker_id is directory.", &directory_setting, "", PGC_SIGHUP,
                               GUC_SUPERUSER_ONLY, check_directory, assign_directory, nullptr);
    DefineCustomIntVariable("snowid.directory_lease",
                            "Longest time for which this server goes on without its directory.", nullptr,
                            &settings.directory_lease_ms, 60'000, 2000, 86'400'000, PGC_SIGHUP, GUC_UNIT_MS, nullptr,
                            assign_lease, nullptr);
    DefineCustomStringVariable(
        kWorker, "Number of this server, different on every server that makes the same kind of ids.",
        "A number; or the layout's fields by name, such as region=1,dc=2,node=4; or the word directory, "
        "if the directory of the fleet gives it out.",
        &worker_setting, "0", PGC_SIGHUP, 0, check_worker, assign_worker, nullptr);
    DefineCustomIntVariable(kPartition, "Partition of this server's snos, different on every server that makes snos.",
                            nullptr, &settings.sno_partition, 0, INT_MIN, INT_MAX, PGC_SIGHUP, 0, check_partition,
                            assign_partition, nullptr);
    DefineCustomIntVariable("snowid.clock_wait", "How long a caller waits for a clock that is behind the last id.",
                            "It always waits for at least one tick of the layout.", &settings.clock_wait_ms, 5, 0,
                            60'000, PGC_SIGHUP, GUC_UNIT_MS, nullptr, assign_policy, nullptr);
    DefineCustomIntVariable("snowid.clock_drift", "How far ids may be dated ahead of the clock.",
                            "Beyond that, ids are refused until the clock has caught up.", &settings.clock_drift_ms,
                            2000, 0, 3'600'000, PGC_SIGHUP, GUC_UNIT_MS, nullptr, assign_policy, nullptr);
    DefineCustomIntVariable("snowid.clock_jump", "How far the clock may leap forward and still be believed.",
                            "A superuser must accept a longer leap: SELECT snowid_clock_accept().",
                            &settings.clock_jump_ms, 600'000, 1000, INT_MAX, PGC_SIGHUP, GUC_UNIT_MS, nullptr, nullptr,
                            nullptr);
    DefineCustomIntVariable(
        "snowid.reserve", "How far ahead of the clock ids are reserved durably.",
        "After a crash, ids may be dated this far ahead. If it is more than snowid.clock_drift, the latter is used.",
        &settings.reserve_ms, 1000, 10, 60'000, PGC_SIGHUP, GUC_UNIT_MS, nullptr, assign_policy, nullptr);
    DefineCustomBoolVariable("snowid.infer", "Whether a filter on the time or the text of an id also finds the id.",
                             "It applies to queries that are planned from then on.", &settings.infer, true, PGC_USERSET,
                             0, nullptr, nullptr, nullptr);
    MarkGUCPrefixReserved("snowid");
    is_defining = false;
    if (process_shared_preload_libraries_in_progress) check_directory_settings(FATAL);
}

void check_directory_settings(int level) {
    if (!settings.from_directory) return;
    if (settings.directory[0] == '\0')
        ereport(level, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("snowid.worker_id is directory, but snowid.directory is empty"),
                        errhint("Set snowid.directory to a connection string, or snowid.worker_id to a number.")));
    if (settings.sno_partition_is_set)
        ereport(level, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("snowid.sno_partition must not be set if snowid.worker_id is directory"),
                        errdetail("The partition of snos is then the number that the directory gives out."),
                        errhint("Remove snowid.sno_partition from the configuration.")));
}

void require_settings() {
    if (refused == nullptr) return;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid value for parameter \"%s\"", refused),
                    errdetail("It is \"%s\" in this server's configuration.", refused_value),
                    errhint("Correct it and connect again.")));
}

void settle_layout(const core::Layout &layout) {
    settings.layout = layout;
    layout_is_settled = true;
}

}  // namespace snowid::server
