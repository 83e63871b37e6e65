// Generators cache what they work out from settings and records. This tells them when one of those has changed.
#pragma once

namespace snowid::server {

// Called at every change. A backend has one listener, its generators.
using Forget = void (*)() noexcept;
inline constinit Forget on_change = nullptr;

// A setting, or one of the extension's tables, has changed.
inline void note_change() noexcept {
    if (on_change != nullptr) on_change();
}

}  // namespace snowid::server
