// The library snowid_libpq: asynchronous libpq for the directory's worker. It knows neither snowid nor the backend that
// loads it, so it raises no PostgreSQL error and leaves memory to libpq.
#include <poll.h>

#include "directory/connection.hpp"
#include "pg/compat.hpp"

extern "C" {
#include "fmgr.h"
#include "libpq-fe.h"

SNOWID_MODULE_MAGIC("snowid_libpq", SNOWID_VERSION);
}

namespace snowid::directory {

namespace {

constexpr int kMostOptions = 100;
constexpr int kMostHosts = 16;
constexpr std::int64_t kPauseMs = 1000;

std::int64_t now_ms() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

struct Parameters {
    const char *names[kMostOptions];
    const char *values[kMostOptions];
    int count = 0;

    void add(const char *name, const char *value) noexcept {
        if (count == kMostOptions - 1) return;
        names[count] = name;
        values[count++] = value;
    }
};

void set_defaults(Parameters &to) {
    to.add("application_name", "snowid");
    to.add("target_session_attrs", "read-write");
    to.add("client_encoding", "UTF8");
    to.add("connect_timeout", "5");
    to.add("tcp_user_timeout", "5000");
    to.add("keepalives_idle", "10");
    to.add("keepalives_interval", "2");
    to.add("keepalives_count", "3");
}

// Empty if it has none.
const char *value_of(const PQconninfoOption *options, const char *keyword) {
    while (options->keyword != nullptr && std::strcmp(options->keyword, keyword) != 0) ++options;
    return options->keyword == nullptr || options->val == nullptr ? "" : options->val;
}

int length_of_list(const PQconninfoOption *options, const char *keyword) {
    const char *list = value_of(options, keyword);
    return *list == '\0' ? 0 : 1 + static_cast<int>(std::count(list, list + std::strlen(list), ','));
}

int count_hosts(const PQconninfoOption *options) {
    return std::max({1, length_of_list(options, "host"), length_of_list(options, "hostaddr")});
}

// One of a,b,c. A list of one is for all hosts.
struct Element {
    char text[1024] = "";

    Element(const char *list, int turn) noexcept {
        const bool is_list = std::strchr(list, ',') != nullptr;
        for (const char *comma = nullptr; is_list && turn > 0 && list != nullptr; --turn, list = comma + 1) {
            comma = std::strchr(list, ',');
            if (comma == nullptr) return;
        }
        const std::size_t length = std::min(std::strcspn(list, ","), sizeof text - 1);
        std::memcpy(text, list, length);
    }
};

// Later values win, so the text overrides the defaults.
PGconn *start(const PQconninfoOption *options, int turn) {
    Parameters parameters;
    set_defaults(parameters);
    const char *host = value_of(options, "host"), *address = value_of(options, "hostaddr"),
               *port = value_of(options, "port");
    for (const PQconninfoOption *option = options; option->keyword != nullptr; ++option)
        if (option->val != nullptr && option->val != host && option->val != address && option->val != port)
            parameters.add(option->keyword, option->val);
    const Element one_host(host, turn), one_address(address, turn), one_port(port, turn);
    parameters.add("host", one_host.text);
    parameters.add("hostaddr", one_address.text);
    parameters.add("port", one_port.text);
    parameters.names[parameters.count] = parameters.values[parameters.count] = nullptr;
    return PQconnectStartParams(parameters.names, parameters.values, 0);
}

// A try to connect to one host of the list.
class Attempt {
public:
    void begin(const PQconninfoOption *options, int turn) noexcept {
        PQfinish(connection_);
        connection_ = start(options, turn);
        wants_to_write_ = true;
        is_pending_ = PQstatus(connection_) != CONNECTION_BAD;
        began_ms_ = now_ms();
    }
    // PQconnectPoll must not be called before the socket is ready.
    bool go_on() noexcept {
        pollfd socket{PQsocket(connection_), static_cast<short>(wants_to_write_ ? POLLOUT : POLLIN), 0};
        if (!is_pending_ || ::poll(&socket, 1, 0) <= 0) return false;
        const PostgresPollingStatusType status = PQconnectPoll(connection_);
        wants_to_write_ = status == PGRES_POLLING_WRITING;
        is_pending_ = status != PGRES_POLLING_FAILED;
        return status == PGRES_POLLING_OK;
    }
    bool is_pending() const noexcept { return is_pending_; }
    bool is_due() const noexcept { return !is_pending_ && now_ms() - began_ms_ >= kPauseMs; }
    int socket() const noexcept { return PQsocket(connection_); }
    bool wants_to_write() const noexcept { return wants_to_write_; }
    PGconn *take() noexcept { return std::exchange(connection_, nullptr); }
    void end() noexcept { PQfinish(take()); }

private:
    PGconn *connection_ = nullptr;
    bool is_pending_ = false;
    bool wants_to_write_ = true;
    std::int64_t began_ms_ = 0;
};

}  // namespace

// Tries all hosts of the list side by side, and keeps the first connection that comes about.
class Connection {
public:
    explicit Connection(PQconninfoOption *options) noexcept : options_(options), hosts_(count_hosts(options)) {
        for (int i = 0; i < hosts_; ++i) attempts_[i].begin(options_, i);
    }
    ~Connection() {
        end_attempts();
        PQclear(result_);
        PQfinish(connection_);
        PQconninfoFree(options_);
    }
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    Reading poll() noexcept {
        const Progress progress = go_on();
        if (connection_ != nullptr) return {progress, PQsocket(connection_), wants_to_write_};
        if (hosts_ > 1) return {progress, -1, false};
        return {progress, attempts_[0].socket(), attempts_[0].wants_to_write()};
    }

    bool send(const char *query, int count, const char *const *values) noexcept {
        PQclear(result_);
        result_ = nullptr;
        has_warning_ = false;
        state_ = State::waiting;
        return PQsendQueryParams(connection_, query, count, nullptr, values, nullptr, nullptr, 0) == 1;
    }

    Answer answer() const noexcept {
        Answer answer{};
        answer.has_warning = has_warning_;
        answer.is_error = PQresultStatus(result_) != PGRES_TUPLES_OK && PQresultStatus(result_) != PGRES_COMMAND_OK;
        if (answer.is_error) return describe(answer);
        answer.rows = PQntuples(result_);
        for (int i = 0; answer.rows > 0 && i < std::min(PQnfields(result_), Answer::kMostColumns); ++i)
            answer.values[i] = PQgetisnull(result_, 0, i) != 0 ? nullptr : PQgetvalue(result_, 0, i);
        return answer;
    }

    bool waits_for_standby() const noexcept { return waits_for_standby_; }

    void address(char *text, std::size_t size) const noexcept {
        snprintf(text, size, "%s:%s", PQhost(connection_), PQport(connection_));
    }

private:
    enum class State : std::uint8_t { connecting, preparing, idle, waiting };

    static void take_notice(void *self, const PGresult *notice) {
        const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
        if (severity == nullptr || std::strcmp(severity, "WARNING") == 0)
            static_cast<Connection *>(self)->has_warning_ = true;
    }

    Progress go_on() noexcept { return state_ == State::connecting ? go_on_connecting() : go_on_reading(); }

    // The first host wins that is what the connection string asks for.
    Progress go_on_connecting() noexcept {
        Attempt *const end = attempts_ + hosts_;
        Attempt *const winner = std::find_if(attempts_, end, [](Attempt &attempt) { return attempt.go_on(); });
        if (winner != end) return prepare(winner->take());
        Attempt *const pending = std::find_if(attempts_, end, [](Attempt &attempt) { return attempt.is_pending(); });
        if (pending == end) {
            connection_ = attempts_[hosts_ - 1].take();  // for its message
            return Progress::failed;
        }
        for (int i = 0; i < hosts_; ++i)
            if (attempts_[i].is_due()) attempts_[i].begin(options_, i);
        return Progress::busy;
    }

    Progress prepare(PGconn *connected) noexcept {
        connection_ = connected;
        end_attempts();
        PQsetNoticeReceiver(connection_, take_notice, this);
        constexpr const char *kPrepare =
            "SELECT set_config('default_transaction_isolation', 'read committed', false), "
            "set_config('statement_timeout', '10s', false), EXISTS (SELECT FROM pg_catalog.pg_stat_activity "
            "WHERE usename = session_user AND wait_event = 'SyncRep')";
        if (PQsetnonblocking(connection_, 1) != 0 || !send(kPrepare, 0, nullptr)) return Progress::failed;
        state_ = State::preparing;
        return go_on_reading();
    }

    void end_attempts() noexcept {
        for (Attempt &attempt : attempts_) attempt.end();
    }

    Progress go_on_reading() noexcept {
        if (state_ == State::idle) return go_on_idling();
        const int left = PQflush(connection_);
        wants_to_write_ = left > 0;
        if (left < 0 || PQconsumeInput(connection_) == 0) return Progress::failed;
        while (PQisBusy(connection_) == 0) {
            PGresult *next = PQgetResult(connection_);
            if (next == nullptr) return finish();
            PQclear(result_);
            result_ = next;
            const ExecStatusType status = PQresultStatus(next);
            if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH)
                return Progress::failed;
        }
        return Progress::busy;
    }

    // Anything that arrives unasked is read and dropped.
    Progress go_on_idling() noexcept {
        if (PQconsumeInput(connection_) == 0) return Progress::failed;
        while (PGnotify *notice = PQnotifies(connection_)) PQfreemem(notice);
        return Progress::ready;
    }

    // An answer counts only once its transaction is over.
    Progress finish() noexcept {
        if (PQtransactionStatus(connection_) != PQTRANS_IDLE) return Progress::failed;
        const bool was_asked = state_ == State::waiting;
        if (!was_asked) waits_for_standby_ = PQntuples(result_) == 1 && PQgetvalue(result_, 0, 2)[0] == 't';
        state_ = State::idle;
        return was_asked ? Progress::answered : Progress::ready;
    }

    Answer describe(Answer answer) const noexcept {
        answer.sqlstate = PQresultErrorField(result_, PG_DIAG_SQLSTATE);
        answer.message = PQresultErrorField(result_, PG_DIAG_MESSAGE_PRIMARY);
        answer.detail = PQresultErrorField(result_, PG_DIAG_MESSAGE_DETAIL);
        answer.hint = PQresultErrorField(result_, PG_DIAG_MESSAGE_HINT);
        if (answer.message == nullptr) answer.message = PQerrorMessage(connection_);
        return answer;
    }

    PQconninfoOption *options_;
    int hosts_;
    Attempt attempts_[kMostHosts];
    PGconn *connection_ = nullptr;
    PGresult *result_ = nullptr;
    State state_ = State::connecting;
    bool waits_for_standby_ = false;
    bool has_warning_ = false;
    bool wants_to_write_ = true;
};

namespace {

bool is_secret(const PQconninfoOption &option) {
    return std::strcmp(option.keyword, "password") == 0 || std::strcmp(option.keyword, "sslpassword") == 0;
}

const char *refusal(const PQconninfoOption *options) {
    for (const PQconninfoOption *option = options; option->keyword != nullptr; ++option)
        if (option->val != nullptr && is_secret(*option))
            return "it has a password; name a file with passfile=, or use certificates";
    const int hosts = count_hosts(options), ports = length_of_list(options, "port");
    if (hosts > kMostHosts) return "it names more than 16 hosts";
    return ports > 1 && ports != hosts ? "it does not have as many ports as hosts" : nullptr;
}

Connection *connect(const char *text, char *why, std::size_t size) {
    char *error = nullptr;
    PQconninfoOption *options = PQconninfoParse(text, &error);
    if (options == nullptr) {
        snprintf(why, size, "%s", error == nullptr ? "out of memory" : error);
        PQfreemem(error);
        return nullptr;
    }
    const char *refused = refusal(options);
    void *memory = refused == nullptr ? std::malloc(sizeof(Connection)) : nullptr;
    if (memory != nullptr) return new (memory) Connection(options);
    PQconninfoFree(options);
    snprintf(why, size, "%s", refused == nullptr ? "out of memory" : refused);
    return nullptr;
}

Reading poll(Connection &connection) { return connection.poll(); }
bool send(Connection &connection, const char *query, int count, const char *const *values) {
    return connection.send(query, count, values);
}
Answer answer(const Connection &connection) { return connection.answer(); }
bool waits_for_standby(const Connection &connection) { return connection.waits_for_standby(); }
void address(const Connection &connection, char *text, std::size_t size) { connection.address(text, size); }
void close(Connection *connection) {
    connection->~Connection();
    std::free(connection);
}

constexpr Calls kCalls{connect, poll, send, answer, waits_for_standby, address, close};

}  // namespace
}  // namespace snowid::directory

extern "C" __attribute__((visibility("default"))) const snowid::directory::Calls *snowid_libpq() {
    return &snowid::directory::kCalls;
}
