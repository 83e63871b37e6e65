// The library snowid_libpq: asynchronous libpq for the directory's worker. It knows neither snowid nor the backend that
// loads it, so it raises no PostgreSQL error and leaves memory to libpq.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "directory/connection.hpp"
#include "pg/compat.hpp"

extern "C" {
#include "fmgr.h"
#include "libpq-fe.h"

SNOWID_MODULE_MAGIC("snowid_libpq", SNOWID_VERSION);
}

namespace snowid::directory {

class Connection {
public:
    explicit Connection(PGconn *connection) noexcept : connection_(connection) {
        PQsetNoticeReceiver(connection, take_notice, this);
    }
    ~Connection() {
        PQclear(result_);
        PQfinish(connection_);
    }
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    Reading poll() noexcept {
        const Progress progress = go_on();
        return {progress, PQsocket(connection_), wants_to_write_};
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

    void address(char *text, std::size_t size) const noexcept {
        snprintf(text, size, "%s:%s", PQhost(connection_), PQport(connection_));
    }

private:
    enum class State : std::uint8_t { started, connecting, preparing, idle, waiting };

    static void take_notice(void *self, const PGresult *notice) {
        const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
        if (severity == nullptr || std::strcmp(severity, "WARNING") == 0)
            static_cast<Connection *>(self)->has_warning_ = true;
    }

    // After PQconnectStart, PQconnectPoll must not be called before the socket can be written to.
    Progress go_on() noexcept {
        if (state_ == State::connecting) return go_on_connecting();
        if (state_ != State::started) return go_on_reading();
        state_ = State::connecting;
        return PQstatus(connection_) == CONNECTION_BAD ? Progress::failed : Progress::busy;
    }

    Progress go_on_connecting() noexcept {
        const PostgresPollingStatusType status = PQconnectPoll(connection_);
        wants_to_write_ = status == PGRES_POLLING_WRITING;
        if (status == PGRES_POLLING_FAILED) return Progress::failed;
        if (status != PGRES_POLLING_OK) return Progress::busy;
        constexpr const char *kPrepare =
            "SELECT set_config('default_transaction_isolation', 'read committed', false), "
            "set_config('statement_timeout', '10s', false)";
        if (PQsetnonblocking(connection_, 1) != 0 || !send(kPrepare, 0, nullptr)) return Progress::failed;
        state_ = State::preparing;
        return go_on_reading();
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

    PGconn *connection_;
    PGresult *result_ = nullptr;
    State state_ = State::started;
    bool has_warning_ = false;
    bool wants_to_write_ = true;
};

namespace {

constexpr int kMostOptions = 100;

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

bool is_secret(const PQconninfoOption &option) {
    return std::strcmp(option.keyword, "password") == 0 || std::strcmp(option.keyword, "sslpassword") == 0;
}

bool is_list_of_hosts(const PQconninfoOption &option) {
    return std::strcmp(option.keyword, "host") == 0 || std::strcmp(option.keyword, "hostaddr") == 0 ||
           std::strcmp(option.keyword, "port") == 0;
}

// Turns a,b,c into b,c,a. Hosts and ports are turned alike, so that each host keeps its port.
void turn_list(char *list, int by) {
    char *const end = list + std::strlen(list);
    for (const char *comma = std::strchr(list, ','); by > 0 && comma != nullptr; --by, comma = std::strchr(list, ',')) {
        const std::ptrdiff_t length = comma + 1 - list;
        std::rotate(list, list + length, end);  // b,ca,
        std::rotate(end - length, end - 1, end);
    }
}

void set_defaults(Parameters &to) {
    to.add("application_name", "snowid");
    to.add("client_encoding", "UTF8");
    to.add("connect_timeout", "5");
    to.add("tcp_user_timeout", "5000");
    to.add("keepalives_idle", "10");
    to.add("keepalives_interval", "2");
    to.add("keepalives_count", "3");
}

// Later values win, so the text overrides the defaults.
const char *take_options(PQconninfoOption *options, int turn, Parameters &to) {
    set_defaults(to);
    for (PQconninfoOption *option = options; option->keyword != nullptr; ++option) {
        if (option->val == nullptr) continue;
        if (is_secret(*option)) return "it has a password; name a file with passfile=, or use certificates";
        if (is_list_of_hosts(*option)) turn_list(option->val, turn);
        to.add(option->keyword, option->val);
    }
    to.names[to.count] = to.values[to.count] = nullptr;
    return nullptr;
}

Connection *connect(const char *text, int turn, char *why, std::size_t size) {
    char *error = nullptr;
    PQconninfoOption *options = PQconninfoParse(text, &error);
    if (options == nullptr) {
        snprintf(why, size, "%s", error == nullptr ? "out of memory" : error);
        PQfreemem(error);
        return nullptr;
    }
    Parameters parameters;
    const char *refused = take_options(options, turn, parameters);
    PGconn *made = refused == nullptr ? PQconnectStartParams(parameters.names, parameters.values, 0) : nullptr;
    PQconninfoFree(options);
    if (made == nullptr) {
        snprintf(why, size, "%s", refused == nullptr ? "out of memory" : refused);
        return nullptr;
    }
    void *memory = std::malloc(sizeof(Connection));
    return memory == nullptr ? nullptr : new (memory) Connection(made);
}

Reading poll(Connection &connection) { return connection.poll(); }
bool send(Connection &connection, const char *query, int count, const char *const *values) {
    return connection.send(query, count, values);
}
Answer answer(const Connection &connection) { return connection.answer(); }
void address(const Connection &connection, char *text, std::size_t size) { connection.address(text, size); }
void close(Connection *connection) {
    connection->~Connection();
    std::free(connection);
}

constexpr Calls kCalls{connect, poll, send, answer, address, close};

}  // namespace
}  // namespace snowid::directory

extern "C" __attribute__((visibility("default"))) const snowid::directory::Calls *snowid_libpq() {
    return &snowid::directory::kCalls;
}
