// Keeps the extension snowid_convert for as long as a conversion is under way. A statement can drop an extension
// together with a schema, with an owner, or with another extension. So what counts is whether it is gone afterwards.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "nodes/nodes.h"
}

namespace snowid::server {

bool may_drop_extension(const Node *statement);

// Tables as a list, or nullptr: those that are being converted, and those that keep their old ids.
struct Conversions {
    const char *under_way;
    const char *with_old_ids;
};
Conversions conversions();

// If the extension is gone, raises an error for the first, or else a notice for the others.
void require_still_there(const Conversions &had);

}  // namespace snowid::server
