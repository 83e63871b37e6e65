// A generator as one backend sees it: generator/durable_generator.cpp and reserve.cpp.
#pragma once

#include "claims/tables.hpp"

namespace snowid::test::claims {

struct Limit {
    std::uint64_t soft = 0;
    std::uint64_t hard = 0;

    void raise(std::uint64_t to, std::uint64_t position) {
        hard = std::max(hard, to);
        soft = hard > position ? position + (hard - position) / 2 : hard;
    }
};

class DurableGenerator {
public:
    DurableGenerator(Session &session, Scheme scheme, int name)
        : b_(session), s_(session.s), scheme_(scheme), name_(name) {}

    Scheme scheme() const { return scheme_; }
    int name() const { return name_; }
    bool is_default() const { return name_ == 0; }
    bool is_ready() const { return ready_; }
    void forget() { ready_ = false; }
    void forget_if_uncommitted() {
        if (is_uncommitted_) forget();
    }
    void leave() {
        forget();
        if (slot_ != nullptr && !is_default()) --slot_->users;
        slot_ = nullptr;
    }

protected:
    bool has_changed() const { return slot_->version != version_; }

    // Called after a position was taken.
    bool is_confirmed() const { return s_.fault == Fault::no_confirmation || !has_changed(); }

    Task<> attach_default() {
        if (scheme_ == Scheme::snowflake && b_.db.layout != s_.layout) throw Refused{};
        if (s_.in_fleet && !s_.shared->tenure.is_in_force) throw Refused{};
        horizon_ = default_horizon(s_, scheme_);
        slot_ = horizon_.slot;
        co_await lock_slots(s_);
        version_ = slot_->version;
        unlock_slots(s_);
        require_committed_records();
        number_ = &s_.number(scheme_).bits;
        info_ = server_info(s_, scheme_, 0);
    }

    Task<> attach_named() {
        for (;;) {
            leave();
            const std::uint64_t changes = s_.shared->slot_changes;
            co_await step();
            const Record record = require_record(b_, name_);
            if (record.scheme != scheme_) throw Refused{};
            check_record(s_, record);
            is_overlap_ = record.overlap;
            require_committed(record);
            info_ = info_of(s_, record);
            co_await step();
            const bool attached = co_await attach(record, changes);
            if (!attached) continue;
            own_number_ = info_.number;
            number_ = record.number ? &own_number_ : &s_.number(scheme_).bits;
            co_return;
        }
    }

    Task<> extend(std::uint64_t position, std::uint64_t seen) {
        const UnixNanos now = s_.now();
        co_await step();
        co_await extend_from(now, position, seen);
    }

    Task<> extend_from(UnixNanos now, std::uint64_t position, std::uint64_t seen) {
        limit_.soft = limit_.hard;
        hear_of_changes();
        const UnixNanos horizon = co_await advance_horizon(b_, horizon_, seen, goal_of(horizon_, now, position));
        co_await step();
        if (horizon.value == 0 || !ready_) co_return;
        if (is_uncommitted_ && s_.fault != Fault::created_is_not_covered) co_await cover_by_server(horizon);
        co_await step();
        limit_.raise(limit_of(horizon_, horizon), position);
    }

    // A session notices what others have committed when it opens a table.
    void hear_of_changes() {
        if (heard_ != b_.db.invalidations) forget();
        heard_ = b_.db.invalidations;
    }

    // Waits until the clock shows a later time, or has been set back.
    Task<> wait() const {
        for (std::uint64_t i = below(s_.random, 20); i > 0; --i) co_await step();
    }

    UnixNanos given_time() const {
        const UnixNanos given{s_.now().value - static_cast<std::int64_t>(below(s_.random, 10)) * millis(1)};
        if (given.value < slot_->given_ns) throw Refused{};
        slot_->given_ns = given.value;
        return given;
    }

    // Called before a position is taken.
    LastIds last_ids() {
        changes_ = changes();
        if (is_default()) return s_.law(scheme_).last_own();
        const GeneratorIds &ids = s_.ids(b_.db, scheme_).named[horizon_.generator];
        begun_ = ids.begun;
        return ids.last;
    }

    void give(std::uint64_t id, UnixNanos time, bool tick_tock, const LastIds &after) {
        const bool durable = is_durable(b_, scheme_, horizon_.generator, info_.backfill,
                                        is_default() || has_ticks_of_server(s_, info_), time, tick_tock);
        const std::int64_t tick_ns = scheme_ == Scheme::sno
                                         ? core::SnoUnits::start(1).value - core::SnoUnits::start(0).value
                                         : horizon_.ticks.tick_ns();
        advance_to(s_.latest_ns, time.value + tick_ns);
        const bool is_late = changes_ != changes();
        const Made made{
            id,      tick_tock, is_default() || !is_overlap_, info_.is_apart, !info_.backfill, durable, after,
            is_late, begun_};
        Ids &home = s_.ids(b_.db, scheme_);
        if (is_default())
            s_.law(scheme_).give_own(made, home);
        else if (table_ != b_.db.table)
            Law::give_late(made, home);
        else
            s_.law(scheme_).give_named(made, horizon_.generator, home);
    }

    Session &b_;
    Server &s_;
    Slot *slot_ = nullptr;
    std::uint64_t version_ = 0;
    bool ready_ = false;
    bool is_uncommitted_ = false;
    bool is_overlap_ = false;
    Limit limit_;
    GeneratorHorizon horizon_;
    SlotInfo info_;
    const std::uint32_t *number_ = nullptr;

private:
    Task<bool> attach(const Record &record, std::uint64_t changes) {
        UsedUp used{};
        if (!read_horizon(b_, record.id, used)) throw Refused{};
        table_ = b_.db.table;
        co_await step();
        const SlotStart start{used, used.horizon.value == 0 ? INT64_MIN : used.horizon.value - kDriftNs,
                              is_first(b_, record.id)};
        const UsedSlot slot = co_await use_slot(s_, key_of(b_.db, record), info_, changes, start);
        slot_ = slot.slot;
        version_ = slot.version;
        co_await step();
        if (slot_ == nullptr || s_.shared->slot_changes != slot.changes) co_return false;
        horizon_ = {record.id, scheme_, slot_, core::Ticks(*info_.layout, info_.sequences), 0};
        is_uncommitted_ = b_.is_mine(record.xmin);
        co_return true;
    }

    int changes() const { return s_.restores + s_.restores_in_use + s_.layout_changes; }

    void require_committed(const Record &record) const {
        if (b_.claims_end_at_commit(key_of(b_.db, record))) throw Refused{};
        if (b_.is_mine(record.xmin) && record.backfill) throw Refused{};
        if (b_.is_mine(record.xmin) && record.scheme == Scheme::snowflake &&
            !layout_in_force(record).same_time_as(*s_.layout))
            throw Refused{};
        require_committed_records();
    }

    void require_committed_records() const {
        if (!b_.is_worker) return;
        b_.each_record([&](const Record &record) {
            if (b_.is_mine(record.xmin)) throw Refused{};
        });
    }

    Task<> cover_by_server(UnixNanos horizon) {
        GeneratorHorizon of_server = default_horizon(s_, scheme_);
        note_advanced(*of_server.slot, horizon);
        co_await step();
        raise_floor(s_, of_server.generator, UsedUp::all_before(horizon));
        co_await cover_horizon(b_, of_server, UsedUp::all_before(horizon));
    }

    const Scheme scheme_;
    const int name_;
    int heard_ = 0;
    int changes_ = 0;
    int begun_ = -1;
    int table_ = 0;
    std::uint32_t own_number_ = 0;
};

}  // namespace snowid::test::claims
