#include "server/durable/replicated.hpp"

#include "pg/compat.hpp"

extern "C" {
#include "commands/extension.h"
#include "replication/logicalworker.h"
}

namespace snowid::server {

bool is_replicated() { return (IsLogicalWorker() || pg::has_replication_origin()) && !creating_extension; }

}  // namespace snowid::server
