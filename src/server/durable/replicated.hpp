// Changes of tables that arrive from another server by logical replication.
#pragma once

namespace snowid::server {

// Whether this process applies what another server sends. Such a process is a worker of a subscription, for changes or
// for the first copy of a table, or a session that has been given a replication origin. CREATE EXTENSION in such a
// session does not count.
bool is_replicated();

}  // namespace snowid::server
