#include "server/number/tenure.hpp"

#include "core/text/uuid_text.hpp"
#include "directory/connection.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/time.hpp"
#include "server/number/server_number.hpp"
#include "server/shared/clock_guard.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"
#include "server/shared/worker.hpp"

extern "C" {
#include "miscadmin.h"
#include "postmaster/interrupt.h"
#include "postmaster/postmaster.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

PGDLLEXPORT void snowid_directory_main(Datum);
extern char **environ;
}

namespace snowid::server {
namespace {

using directory::Progress;

const directory::Calls *libpq = nullptr;

BackgroundWorker directory_worker() {
    BackgroundWorker worker{};
    describe_worker(worker, "snowid_directory_main", "snowid directory");
    worker.bgw_flags = BGWORKER_SHMEM_ACCESS;
    worker.bgw_start_time = BgWorkerStart_ConsistentState;
    worker.bgw_restart_time = 1;
    return worker;
}

// libpq would take settings from the environment, and those are not meant for it.
void forget_environment() {
    for (char **entry = environ; *entry != nullptr;) {
        char name[64] = {};
        sscanf(*entry, "%63[^=]", name);
        if (std::strncmp(name, "PG", 2) == 0 && unsetenv(name) == 0)
            entry = environ;
        else
            ++entry;
    }
}

// The time of the last id with the server's number, whichever generator made it. It is limited to how far ids may be
// ahead of the clock.
std::int64_t furthest_id_ns(std::int64_t now_ns) {
    std::int64_t last_ns = 0;
    const auto see = [&](const Slot &slot, const SlotInfo &info) {
        last_ns = std::max(last_ns, scheme_row(info.scheme).span(slot, info).last.value);
    };
    lock_slots(LW_SHARED);
    for (const Scheme scheme : kSchemes) see(shared->default_slot(scheme), server_info(scheme, server_number(scheme)));
    for_each_slot([&](const Slot &slot) {
        if (slot.info.follows_server) see(slot, slot.info);
    });
    unlock_slots();
    return std::min(last_ns, now_ns + settings.clock_drift_ns());
}

// Watches the clock but does not believe it, because nothing durable of this server is built on it here.
core::TenureClock read_clocks() {
    const std::int64_t now_ns = pg::wall_clock().value;
    return {pg::monotonic_ns(), now_ns, furthest_id_ns(now_ns), watch_clock().step == core::ClockStep::leap};
}

core::TenureConfig configuration() {
    const bool asks = settings.from_directory && settings.directory[0] != '\0';
    std::uint32_t largest = UINT32_MAX;
    for (const Scheme scheme : kSchemes) largest = std::min(largest, scheme_row(scheme).largest_number(shared->layout));
    return {asks ? settings.directory_lease_ns() : 0, largest, settings.clock_jump_ns()};
}

// A name for people to read. Nothing depends on it.
void name_of_server(char *name, std::size_t size) {
    char host[128] = {};
    gethostname(host, sizeof host - 1);
    const char *cluster = GetConfigOption("cluster_name", true, false);
    if (cluster != nullptr && cluster[0] != '\0')
        strlcpy(name, cluster, size);
    else
        snprintf(name, size, "%s:%d", host, PostPortNumber);
}

struct Reply {
    core::TenureAnswer answer;
    std::int32_t free_numbers;
};

template <typename Number>
bool parse_number(const char *text, Number &number) {
    if (text == nullptr) return false;
    const char *end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, number);
    return error == std::errc() && stop == end;
}

// Returns false if no directory would answer that.
bool parse_row(const directory::Answer &row, bool is_taken, Reply &reply) {
    core::TenureAnswer &a = reply.answer;
    a.kind = core::TenureAnswer::Kind::row;
    if (row.values[1] == nullptr) {
        a.kind = core::TenureAnswer::Kind::twice;
        return !is_taken;
    }
    const bool has_piece =
        !is_taken || (parse_number(row.values[0], a.worker) && parse_number(row.values[2], a.from_ns));
    return has_piece && core::parse_uuid(row.values[1], a.token.bytes) == core::Status::ok &&
           parse_number(row.values[3], a.until_ns) && parse_number(row.values[4], a.directory_ns) &&
           parse_number(row.values[5], a.range.first) && parse_number(row.values[6], a.range.last) &&
           parse_number(row.values[7], reply.free_numbers);
}

// Drives the keeper of the tenure, as core/fleet/tenure.hpp says, through at most one connection.
class DirectoryWorker {
public:
    DirectoryWorker() noexcept : keeper_(view_tenure().tenure) { configure(); }

    void configure() noexcept {
        keeper_.configure(configuration());
        if (std::strcmp(text_, settings.directory) != 0) {
            forget_connection();
            note_news();
        }
        strlcpy(text_, settings.directory, sizeof text_);
        if (settings.from_directory && settings.directory[0] == '\0')
            note_error(ERRCODE_INVALID_PARAMETER_VALUE, "snowid.directory is empty",
                       "snowid.worker_id is directory, so this server has no other number.",
                       "Set snowid.directory to a connection string, or snowid.worker_id to a number, and reload.");
        name_of_server(name_, sizeof name_);
    }

    bool is_wanted() const noexcept { return settings.from_directory; }

    // One round: does what can be done now, then waits for what comes next.
    void go_on() {
        const core::TenureClock clock = read_clocks();
        if (connection_ == nullptr && keeper_.is_due(clock)) connect(clock);
        if (connection_ != nullptr) talk();
        if (connection_ != nullptr && is_late()) drop_late();
        wait();
    }

    void forget_connection() {
        if (connection_ != nullptr) libpq->close(connection_);
        connection_ = nullptr;
    }

private:
    void connect(const core::TenureClock &clock) {
        char why[256] = "";
        connection_ = libpq->connect(settings.directory, why, sizeof why);
        connecting_until_ns_ = clock.elapsed_ns + core::TenureKeeper::kLongestAnswerNs;
        is_socket_ready_ = true;
        if (connection_ != nullptr) return;
        note_error(ERRCODE_INVALID_PARAMETER_VALUE, "snowid.directory is not a connection string", why,
                   "Correct snowid.directory, and reload.");
        keeper_.unanswered(clock);
    }

    void talk() {
        if (reading_.progress == Progress::busy && !is_socket_ready_) return;
        reading_ = libpq->poll(*connection_);
        if (reading_.progress == Progress::failed) return drop(libpq->answer(*connection_).message, read_clocks());
        if (reading_.progress == Progress::answered) take_answer();
        if (reading_.progress == Progress::busy) return;
        connecting_until_ns_ = core::TenureKeeper::kNever;
        const core::TenureClock clock = read_clocks();
        if (connection_ != nullptr && keeper_.is_due(clock) && !would_hang(clock)) ask(clock);
    }

    void ask(const core::TenureClock &clock) {
        request_ = keeper_.ask(clock);
        libpq->address(*connection_, address_, sizeof address_);
        note_directory_address(address_);
        const bool is_sent = request_.action == core::TenureAction::take ? send_take() : send_renewal();
        if (!is_sent) return drop(libpq->answer(*connection_).message, clock);
        reading_ = {Progress::busy, reading_.socket, true};
    }

    bool send_take() const {
        const char *layout = pg::layout_text(shared->layout);
        const char *values[] = {layout, psprintf(INT64_FORMAT, request_.clock_ns), psprintf("%d", request_.lease_ms),
                                psprintf("%u", request_.worker_max), name_};
        return libpq->send(*connection_,
                           "SELECT worker, token, from_ns, until_ns, now_ns, first, last, free "
                           "FROM snowid_directory.take(1, $1, $2, $3, $4, $5)",
                           std::size(values), values);
    }

    bool send_renewal() const {
        char token[core::kUuidTextSize + 1] = "";
        core::format_uuid(request_.token.bytes, token);
        const char *values[] = {psprintf("%u", request_.worker), token, psprintf(INT64_FORMAT, request_.clock_ns),
                                psprintf(INT64_FORMAT, request_.held_until_ns), psprintf("%d", request_.lease_ms)};
        return libpq->send(*connection_,
                           "SELECT NULL, token, NULL, until_ns, now_ns, first, last, free "
                           "FROM snowid_directory.renew(1, $1, $2, $3, $4, $5)",
                           std::size(values), values);
    }

    void take_answer() {
        const directory::Answer said = libpq->answer(*connection_);
        const core::TenureClock clock = read_clocks();
        Reply reply{};
        reply.answer.has_warning = said.has_warning;
        reply.answer.kind = core::TenureAnswer::Kind::error;
        if (said.is_error)
            note_said_error(said);
        else if (said.rows == 0)
            reply.answer.kind = core::TenureAnswer::Kind::no_row;
        else if (!parse_row(said, request_.action == core::TenureAction::take, reply)) {
            reply.answer.kind = core::TenureAnswer::Kind::error;
            note_error(ERRCODE_PROTOCOL_VIOLATION, "the directory's answer cannot be read", nullptr, nullptr);
        }
        if (said.has_warning)
            note_error(ERRCODE_WARNING, "the directory warned that its answer may not last", nullptr, nullptr);
        obey(keeper_.answered(request_.number, reply.answer, clock), reply, clock);
    }

    void note_said_error(const directory::Answer &said) const {
        const char *s = said.sqlstate;
        if (s != nullptr && std::strcmp(s, "55P03") == 0 && libpq->waits_for_standby(*connection_))
            return note_waiting();
        if (s == nullptr || std::strlen(s) != 5) return note_lost_connection(said.message);
        note_error(MAKE_SQLSTATE(s[0], s[1], s[2], s[3], s[4]), said.message, said.detail, said.hint);
    }

    void obey(const core::TenureVerdict &verdict, const Reply &reply, const core::TenureClock &clock) {
        const core::Tenure &tenure = keeper_.tenure();
        if (verdict.objection != core::TenureObjection::none)
            note_objection(verdict.objection, reply.answer.directory_ns - clock.now_ns);
        switch (verdict.effect) {
            case core::TenureEffect::install:
                install_tenure(tenure);
                // The number was free before, and this server has made no id with it.
                ereport(LOG, (errmsg("snowid: the directory has given this server the worker id %u, from %s on",
                                     tenure.worker, pg::shown_time({std::max(tenure.from_ns, clock.now_ns)}))));
                break;
            case core::TenureEffect::extend: extend_tenure(tenure); break;
            case core::TenureEffect::lose:
                lose_tenure(tenure);
                ereport(LOG, (errmsg("snowid: the worker id %u is lost, and is used until %s", tenure.worker,
                                     pg::shown_time({tenure.until_ns}))));
                break;
            case core::TenureEffect::close: close_tenure(request_.worker); return note_twice(request_.worker);
            case core::TenureEffect::none: return;
        }
        if (reply.answer.kind != core::TenureAnswer::Kind::row) return;
        note_directory_answer(clock.now_ns - reply.answer.directory_ns, reply.free_numbers);
        note_success();
    }

    // A call that hangs in the directory has a connection of its own there. Takes have no number that shows this, so
    // one is enough for a minute, unless nobody hangs there any more.
    bool would_hang(const core::TenureClock &clock) {
        libpq->address(*connection_, address_, sizeof address_);
        if (keeper_.state() != core::TenureKeeper::State::asking || clock.elapsed_ns >= hung_until_ns_ ||
            std::strcmp(address_, hung_) != 0 || !libpq->waits_for_standby(*connection_))
            return false;
        note_waiting();
        forget_connection();  // a new one tells whether that is still so
        keeper_.unanswered(clock);
        return true;
    }

    bool is_late() const noexcept {
        return pg::monotonic_ns() >= std::min(keeper_.deadline_ns(), connecting_until_ns_);
    }

    void drop_late() {
        const core::TenureClock clock = read_clocks();
        if (keeper_.deadline_ns() != core::TenureKeeper::kNever && request_.action == core::TenureAction::take) {
            hung_until_ns_ = clock.elapsed_ns + 60 * core::kNanosPerSecond;
            strlcpy(hung_, address_, sizeof hung_);
        }
        drop("it took longer than 5 s", clock);
    }

    void drop(const char *why, const core::TenureClock &clock) {
        note_lost_connection(why);
        forget_connection();
        keeper_.unanswered(clock);
    }

    void wait() {
        std::int64_t until_ns = keeper_.wake_ns();
        if (connection_ != nullptr) until_ns = std::min(until_ns, connecting_until_ns_);
        const std::int64_t left_ms = (until_ns - pg::monotonic_ns()) / core::kNanosPerMilli + 1;
        auto timeout = static_cast<long>(std::clamp<std::int64_t>(left_ms, 0, 60'000));
        const bool has_many = connection_ != nullptr && reading_.progress == Progress::busy && reading_.socket < 0;
        if (has_many) timeout = std::min(timeout, 20L);
        int events = WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH;
        pgsocket socket = PGINVALID_SOCKET;
        if (connection_ != nullptr && reading_.socket >= 0) {
            socket = reading_.socket;
            events |= WL_SOCKET_READABLE | (reading_.wants_to_write ? WL_SOCKET_WRITEABLE : 0);
        }
        const int happened = WaitLatchOrSocket(MyLatch, events, socket, timeout, pg::idle_wait_event());
        is_socket_ready_ = has_many || (happened & WL_SOCKET_MASK) != 0;
        ResetLatch(MyLatch);
    }

    core::TenureKeeper keeper_;
    directory::Connection *connection_ = nullptr;
    directory::Reading reading_{};
    bool is_socket_ready_ = false;
    core::TenureRequest request_{};
    std::int64_t connecting_until_ns_ = core::TenureKeeper::kNever;
    char address_[256] = "";
    char hung_[256] = "";  // where a take has not ended
    std::int64_t hung_until_ns_ = 0;
    char text_[4096] = "";  // the connection string
    char name_[256] = "";
};

void load_libpq() {
    using Get = const directory::Calls *(*)();
    void *found = load_external_function("snowid_libpq", "snowid_libpq", true, nullptr);
    libpq = reinterpret_cast<Get>(found)();
}

}  // namespace

void register_directory_worker() {
    if (IsBinaryUpgrade || !settings.from_directory) return;
    BackgroundWorker worker = directory_worker();
    RegisterBackgroundWorker(&worker);
}

void start_directory_worker() {
    if (!settings.from_directory || shared->tenure.worker.pid.load() != 0) return;
    BackgroundWorker worker = directory_worker();
    RegisterDynamicBackgroundWorker(&worker, nullptr);
}

}  // namespace snowid::server

using namespace snowid::server;

void snowid_directory_main(Datum) {
    pqsignal(SIGTERM, die);
    pqsignal(SIGHUP, SignalHandlerForConfigReload);
    BackgroundWorkerUnblockSignals();
    if (shared == nullptr) attach_shared();
    if (!shared->tenure.worker.take()) proc_exit(0);
    shared->tenure.worker.latch.store(MyLatch);
    forget_environment();
    load_libpq();
    close_generators_of_unknown_numbers();
    DirectoryWorker worker;
    MemoryContext turn = AllocSetContextCreate(TopMemoryContext, "snowid directory", ALLOCSET_DEFAULT_SIZES);
    MemoryContextSwitchTo(turn);
    while (worker.is_wanted()) {
        CHECK_FOR_INTERRUPTS();
        worker.go_on();
        MemoryContextReset(turn);
        if (!ConfigReloadPending) continue;
        ConfigReloadPending = 0;
        ProcessConfigFile(PGC_SIGHUP);
        worker.configure();
    }
    proc_exit(0);
}
