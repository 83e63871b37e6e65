// What statements must not do: change our settings in a session, or drop the extension snowid_convert while a
// conversion is under way.
#pragma once

namespace snowid::server {

void install_guards();

}  // namespace snowid::server
