// Changes of tables that logical replication brings from another server.
#pragma once

namespace snowid::server {

// Whether this process applies what another server sends: a worker of a subscription, for changes or for the first copy
// of a table, or a session that somebody has given a replication origin. CREATE EXTENSION in such a session is not
// meant.
bool is_replicated();

}  // namespace snowid::server
