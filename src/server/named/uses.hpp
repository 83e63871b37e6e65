// The defaults of columns and domains that name a generator. Names inside other texts, such as the body of a function,
// are not found.
#pragma once

#include "pg/prelude.hpp"

namespace snowid::server {

// Raises an error that names the defaults that use the generator.
void require_unused(const char *generator);

// Changes the defaults to the generator's new name. Raises an error that names those that the user does not own.
void rename_uses(const char *before, const char *after);

}  // namespace snowid::server
