// What the directory's worker asks of libpq, which lives in a library of its own, snowid_libpq: no backend loads it.
// All calls return at once; the worker waits for the socket. Only DNS can make `connect` wait.
#pragma once

#include <cstddef>
#include <cstdint>

namespace snowid::directory {

class Connection;

enum class Progress : std::uint8_t {
    failed,  // close it
    busy,    // wait for the socket, and poll again when it is ready and not before
    ready,   // to be asked
    answered,
};

struct Reading {
    Progress progress;
    int socket;
    bool wants_to_write;
};

// Its texts live until the next call of the connection.
struct Answer {
    static constexpr int kMostColumns = 8;

    bool has_warning;
    bool is_error;
    int rows;
    const char *values[kMostColumns];  // of the first row; nullptr: NULL
    const char *sqlstate;              // of an error; nullptr: it is the connection's
    const char *message;
    const char *detail;  // nullptr: none, as is
    const char *hint;
};

struct Calls {
    // `turn` says which of several hosts is tried first: one that does not answer must not keep the others from being
    // asked. Returns nullptr, and why, if the text is no connection string or has a password.
    Connection *(*connect)(const char *text, int turn, char *why, std::size_t size);
    Reading (*poll)(Connection &connection);
    bool (*send)(Connection &connection, const char *query, int count, const char *const *values);
    Answer (*answer)(const Connection &connection);
    void (*address)(const Connection &connection, char *text, std::size_t size);  // host and port
    void (*close)(Connection *connection);
};

}  // namespace snowid::directory
