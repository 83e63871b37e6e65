#include "server/shared/changes.hpp"

namespace snowid::server {
namespace {

constinit Forget listener = nullptr;

}  // namespace

void on_change(Forget forget) { listener = forget; }

void note_change() noexcept {
    if (listener != nullptr) listener();
}

}  // namespace snowid::server
