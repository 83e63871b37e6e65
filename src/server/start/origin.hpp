// Which clock and which server the ids of the last incarnation had. The floors say so. Before they do, at a cluster's
// first start and after pg_upgrade, the rows of the server's own generators name the server.
#pragma once

#include "core/timeline/floor.hpp"
#include "server/durable/horizon_page.hpp"

namespace snowid::server {

// Go by the highest of those that say who advanced them. It is mostly the one advanced last. A row does not count once
// a floor has said it.
void note_origin(const core::Floor &floor, Scheme scheme);
void note_origin(const HorizonRow &row);

}  // namespace snowid::server
