// What an id of a snowflake generator contains besides its position: the worker in force, where the layout has it.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/layout/layout.hpp"
#include "core/timeline/timeline.hpp"

namespace snowid::server {

struct Composition {
    std::uint64_t sequence_mask;
    int sequence_shift;
    std::uint64_t worker_bits;

    std::uint64_t id_at(std::uint64_t position) const noexcept {
        return (position & ~sequence_mask) | (position & sequence_mask) << sequence_shift | worker_bits;
    }

    // For a position that is an id already.
    static constexpr Composition none() noexcept { return {0, 0, 0}; }
};

// Consecutive ids, and the worker that was in force when their positions were taken.
struct SnowflakeRun {
    core::Run positions;
    Composition composition;

    std::uint64_t take() noexcept {
        --positions.count;
        return composition.id_at(positions.first++);
    }
};

// Holds where the worker in force is found, and what the layout says about an id's bits.
class Composer {
public:
    void follow(const core::Layout &layout, const std::atomic<std::uint64_t> &worker_bits) noexcept {
        layout_ = layout;
        sequence_mask_ = layout.sequence().max();
        sequence_shift_ = layout.sequence().shift;
        worker_bits_ = &worker_bits;
    }
    void keep(const core::Layout &layout, std::uint32_t worker) noexcept {
        own_worker_bits_.store(layout.place_worker(worker), std::memory_order_relaxed);
        follow(layout, own_worker_bits_);
    }

    const core::Layout &layout() const noexcept { return layout_; }

    // Loaded before a position is taken, and valid if the slot has not changed after that.
    Composition now() const noexcept {
        return {sequence_mask_, sequence_shift_, worker_bits_->load(std::memory_order_acquire)};
    }

private:
    std::uint64_t sequence_mask_ = 0;
    int sequence_shift_ = 0;
    const std::atomic<std::uint64_t> *worker_bits_ = nullptr;
    core::Layout layout_{};
    std::atomic<std::uint64_t> own_worker_bits_{0};
};

}  // namespace snowid::server
