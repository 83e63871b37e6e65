// Where the planner is told what conditions imply. It calls the hook for each relation after it has pulled up
// subqueries and simplified expressions, and before it hands the conditions out to relations and joins.
#pragma once

namespace snowid::planner {

void install_implied_hooks();

}  // namespace snowid::planner
