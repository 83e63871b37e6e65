#include "server/generator/session_generator.hpp"

#include "server/number/slots.hpp"

namespace snowid::server {

constinit bool any_has_forgotten = true;
constinit GeneratorList<&SessionGenerator::in_transaction> generators_of_transaction;

SessionGenerator::SessionGenerator(Scheme scheme, std::string_view name) noexcept : name_{scheme} {
    name_.size = name.copy(name_.text, sizeof name_.text - 1);
}

void SessionGenerator::leave() noexcept {
    forget();
    if (slot_ == nullptr) return;
    if (!is_default()) leave_slot(*slot_);
    slot_ = nullptr;
}

bool SessionGenerator::leave_if_unused() noexcept {
    if (is_default() || slot_ == nullptr || is_used_ || is_uncommitted_) return false;
    leave();
    return true;
}

void SessionGenerator::count_issued() noexcept {
    if (issued_ == 0) return;
    count(slot_->counters.issued, issued_);
    issued_ = 0;
    is_used_ = true;
}

// No generator is in the middle of using its slot. So those that have forgotten what they worked out leave it.
void SessionGenerator::leave_at_end(bool is_crowded) noexcept {
    count_issued();
    if (!ready_ || is_uncommitted_)
        leave();
    else if (is_crowded)
        leave_if_unused();
}

void SessionGenerator::end_transaction() noexcept {
    leave_tick();
    is_used_ = takes_part_ = is_spreading_ = false;
    hold_.forget();
}

}  // namespace snowid::server
