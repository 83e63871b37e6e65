// The errors of a server that cannot make ids because of the way it was started.
#pragma once

namespace snowid::server {

[[noreturn]] void raise_not_preloaded();
[[noreturn]] void raise_not_preloaded_for_safe_horizon();
[[noreturn]] void raise_not_preloaded_for_expiry();
[[noreturn]] void raise_on_standby();

}  // namespace snowid::server
