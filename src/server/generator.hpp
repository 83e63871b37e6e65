// A generator as one backend sees it, the server's default one or a named one: its slot in shared memory; what follows
// from settings and records, worked out once and kept until one of them changes; and how far its horizon in this
// database lets this backend go.
//
// The position is the slot's, the limit is the backend's own, learned from the horizon of its database. From the soft
// limit on, halfway, the backend tries to raise the horizon, and gives up at once where that means waiting; at the
// limit it waits for it.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/gen/timeline.hpp"
#include "core/layout/layout.hpp"
#include "pg/clock.hpp"
#include "server/horizon.hpp"
#include "server/shmem.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace snowid::server {

struct GeneratorRecord;

class Generator {
public:
    constexpr Generator() noexcept = default;
    explicit Generator(std::string_view name) noexcept;  // REQUIRES: shorter than NAMEDATALEN

    std::uint64_t next() {
        if (const core::UnixNanos now = pg::wall_clock(); !tick_.holds(now)) [[unlikely]]
            enter_tick(now);
        std::uint64_t position = slot_->timeline.take_now(tick_);
        if (position == 0 || has_changed()) [[unlikely]]
            position = take_slowly();
        ++issued_;
        return id_at(position);
    }

    // Up to `want` ids for a batch: positions for id_at(), at least one.
    core::Run next_run(std::uint64_t want);

    // An id of the given time, of a generator that is made for that.
    std::uint64_t next_at(TimestampTz time);

    // Composed with the worker that is in force now.
    std::uint64_t id_at(std::uint64_t position) const noexcept {
        return (position & ~sequence_mask_) | (position & sequence_mask_) << sequence_shift_ |
               worker_bits_->load(std::memory_order_relaxed);
    }

    // Before the next id everything is worked out anew.
    void forget() noexcept {
        ready_ = false;
        tick_ = {};
    }
    void leave() noexcept;  // gives up the slot as well
    bool is_ready() const noexcept { return ready_; }
    void count_issued() noexcept;  // tells the server's counter what this backend has issued since the last time

    bool is_named(std::string_view name) const noexcept { return name == std::string_view(name_, name_size_); }
    Generator *next_named = nullptr;  // in this backend's list

private:
    bool has_changed() const noexcept { return slot_->version.load(std::memory_order_acquire) != version_; }
    void prepare();
    void attach_default();
    void attach_named();
    bool attach(const GeneratorRecord &record, std::uint64_t changes);
    void adopt(const core::Layout &layout);
    void enter_tick(core::UnixNanos now);
    std::uint64_t take_slowly();
    bool take_by_policy(std::uint64_t &position);
    core::Run take_run(std::uint64_t want) noexcept;
    void wait_for(std::int64_t tick, std::int64_t ahead) const;
    void extend(std::uint64_t position, Patience patience);
    void extend_from(core::UnixNanos now, std::uint64_t position, Patience patience);
    core::ClockPolicy policy_at(core::UnixNanos now) const noexcept;
    core::UnixNanos given_time(TimestampTz time) const;
    [[noreturn]] void raise_clock_behind(const core::Decision &d) const;
    [[noreturn]] void raise_leap(std::int64_t by_ns) const;
    [[noreturn]] void raise_ended() const;

    core::TickWindow tick_;  // of the last id, up to the soft limit
    Slot *slot_ = nullptr;
    std::uint64_t version_ = 0;  // of the slot
    std::int64_t issued_ = 0;
    std::uint64_t sequence_mask_ = 0;
    int sequence_shift_ = 0;
    bool ready_ = false;
    bool backfill_ = false;
    const std::atomic<std::uint64_t> *worker_bits_ = nullptr;
    std::uint64_t soft_limit_ = 0;
    std::uint64_t limit_ = 0;
    core::ClockPolicy policy_{};
    std::int64_t start_lead_ns_ = 0;
    HorizonHolder horizon_{};
    core::Layout layout_{};
    std::atomic<std::uint64_t> own_worker_bits_{0};
    std::size_t name_size_ = 0;
    char name_[NAMEDATALEN] = {};
};

extern Generator generator;

void count_all_issued() noexcept;
void forget_named_generators() noexcept;
void settings_changed() noexcept;  // for every generator

// The named generator in this backend's list; an error where there is none by that name.
Generator &named_generator(std::string_view name);

}  // namespace snowid::server
