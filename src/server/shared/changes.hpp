// Generators cache what they work out from settings and records. This tells them when one of those has changed.
#pragma once

namespace snowid::server {

// Calls `forget` at every change from now on. A backend has one listener, its generators.
using Forget = void (*)() noexcept;
void on_change(Forget forget);

// A setting, or one of the extension's tables, has changed.
void note_change() noexcept;

}  // namespace snowid::server
