// What the directory's worker needs from libpq. libpq is linked into a separate library, snowid_libpq, so no other
// backend loads it. All calls return at once, and the worker waits for the socket. Only DNS can make `connect` wait.
#pragma once

#include <cstddef>
#include <cstdint>

namespace snowid::directory {

class Connection;

enum class Progress : std::uint8_t {
    failed,  // close it
    busy,    // wait until the socket is ready, then poll again, and not before
    ready,   // a question may be sent
    answered,
};

struct Reading {
    Progress progress;
    int socket;  // -1: there are several, so poll again soon
    bool wants_to_write;
};

// The texts live until the connection's next call.
struct Answer {
    static constexpr int kMostColumns = 8;

    bool has_warning;
    bool is_error;
    int rows;
    const char *values[kMostColumns];  // of the first row; nullptr: NULL
    const char *sqlstate;              // of an error; nullptr: the connection failed
    const char *message;
    const char *detail;  // this and the hint are nullptr if there is none
    const char *hint;
};

struct Calls {
    // All hosts of a list are tried at once, and each again after a second, so that a host that does not answer does
    // not keep the worker from the others. If the text is not a connection string or has a password, returns nullptr
    // and sets `why`.
    Connection *(*connect)(const char *text, char *why, std::size_t size);
    Reading (*poll)(Connection &connection);
    bool (*send)(Connection &connection, const char *query, int count, const char *const *values);
    Answer (*answer)(const Connection &connection);
    // Whether an earlier call of the same role waits there until a synchronous standby has its commit.
    bool (*waits_for_standby)(const Connection &connection);
    void (*address)(const Connection &connection, char *text, std::size_t size);  // host and port
    void (*close)(Connection *connection);
};

}  // namespace snowid::directory
