// Keeps the extension snowid_convert for as long as a conversion is under way. A statement can drop an extension
// together with a schema, with an owner, or with another extension. So what counts is whether it is gone afterwards.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "nodes/nodes.h"
}

namespace snowid::server {

bool may_drop_extension(const Node *statement);

// The tables that are being converted, or nullptr.
const char *tables_under_way();

// Raises an error if there were any, and the extension is gone.
void require_still_there(const char *tables);

}  // namespace snowid::server
