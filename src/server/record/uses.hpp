// The defaults of columns and domains that name a generator. One that is in a text of its own, as in the body of a
// function, is not among them.
#pragma once

#include "pg/prelude.hpp"

namespace snowid::server {

// Raises an error that names the defaults which use the generator.
void require_unused(const char *generator);

// Makes them name the generator by its new name. Raises an error that names those which the user does not own.
void rename_uses(const char *before, const char *after);

}  // namespace snowid::server
