// Lines of the server's log about what a transaction does, written when it has done it.
#pragma once

namespace snowid::server {

// Writes nothing if the transaction, or the subtransaction it is called in, rolls back.
void log_at_commit(const char *line);

}  // namespace snowid::server
