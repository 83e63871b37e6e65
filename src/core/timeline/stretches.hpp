// The stretches of one session: runs of consecutive positions that it has taken together and uses one after another, so
// that busy sessions insert into different pages of an index.
//
//  - A session that makes few ids takes them one at a time. A busier one takes a stretch that lasts it some
//    milliseconds, and never more than it could lose: in every session, fewer positions are lost than used.
//  - A stretch is dropped kAgeNs after it was taken, by elapsed time, and once the clock is kAgeNs past its tick. The
//    caller looks once a millisecond, so no position is used after kLongestNs.
//  - Positions ascend within a transaction. A stretch of kTwoPasses or more that a transaction takes as its first one
//    is used in two passes: every second position, and from a later transaction on those between. A page of an index
//    that splits in the middle of a run stays half full; the second pass fills it.
//
// There are at most two: the one in use, and one that waits or is higher.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/time.hpp"
#include "core/timeline/timeline.hpp"

namespace snowid::core {

class Stretches {
public:
    static constexpr std::int64_t kLongestNs = millis(64), kAgeNs = millis(63);
    static constexpr std::uint64_t kBusy = 64, kFirstLength = 16, kTwoPasses = 256;
    static constexpr std::int64_t kNone = INT64_MAX;

    struct Moment {
        std::int64_t elapsed_ns;  // by a clock that nobody can set
        UnixNanos now;
    };

    // From when to when the positions of a stretch are dated.
    struct Span {
        UnixNanos begin;
        UnixNanos end;
    };

    // The longest stretch of a generator with so many positions in a tick.
    static constexpr std::uint64_t longest_of(std::uint64_t capacity) noexcept {
        return std::clamp<std::uint64_t>(capacity / 4, 1, capacity >= 16'384 ? 4096 : 1024);
    }
    void begin(std::uint64_t longest, std::uint64_t two_passes = kTwoPasses) noexcept {
        longest_ = longest;
        two_passes_ = two_passes;
    }

    // The next position, or 0.
    std::uint64_t take() noexcept {
        const std::uint64_t position = used_.next;
        if (position >= used_.past) [[unlikely]]
            return 0;
        used_.next = position + used_.step;
        return position;
    }

    // Whether there is another stretch to go on with in this transaction.
    bool go_on() noexcept {
        settle();
        if (used_.begin_second_pass()) used_.waits = true;
        if (!used_.may_be_used() && other_.may_be_used()) std::swap(used_, other_);
        mark_ = used_.next;
        return used_.may_be_used();
    }

    // Positions ascend from here on until the next call.
    void begin_transaction() noexcept {
        settle();
        has_taken_ = false;
        for (Stretch *s : {&used_, &other_}) {
            s->begin_second_pass();
            s->waits = false;
        }
        if (!other_.is_empty() && (used_.is_empty() || other_.next < used_.next)) std::swap(used_, other_);
        mark_ = used_.next;
    }

    // To be called once a millisecond while ids are made. Like all that follow, returns how many positions are lost.
    std::uint64_t look(const Moment &moment) noexcept {
        settle();
        moment_ = moment;
        const std::int64_t window = moment.elapsed_ns / kLongestNs;
        if (window != window_) {
            before_ = window == window_ + 1 ? made_ : 0;
            made_ = 0;
            window_ = window;
        }
        std::uint64_t lost = 0;
        for (Stretch *s : {&used_, &other_})
            if (!s->is_empty() && s->is_old(moment)) lost += lose(*s);
        has_aged_ |= lost != 0;
        mark_ = used_.next;
        return lost;
    }

    // Where two stretches wait for another transaction, the lower one gives its place to the next.
    std::uint64_t make_room() noexcept {
        if (used_.is_empty()) return 0;
        if (!other_.is_empty() && used_.first < other_.first) std::swap(used_, other_);
        const std::uint64_t lost = other_.is_empty() ? 0 : lose(other_);
        std::swap(used_, other_);
        mark_ = used_.next;
        return lost;
    }

    // How many positions to take together. 1: an id that is made alone. REQUIRES: after make_room().
    std::uint64_t wanted() const noexcept {
        if (made_ + before_ < kBusy) return 1;
        const std::int64_t since = moment_.elapsed_ns - taken_ns_;
        std::uint64_t length = kFirstLength;
        if (has_aged_)
            length = since_taken_;
        else if (length_ != 0 && since < kLongestNs)
            length = since < kLongestNs / 2 ? 2 * length_ : length_;
        return std::clamp<std::uint64_t>(std::min(length, balance_ + 1 - other_.left()), 1, longest_);
    }

    // REQUIRES: after wanted(), and the run is not empty.
    void add(const Run &run, const Span &dated) noexcept {
        const bool has_two = run.count >= two_passes_ && !has_taken_;
        used_ = {run.first, run.first, run.first + run.count, has_two ? 2U : 1U, has_two,
                 false,     dated,     moment_.elapsed_ns};
        mark_ = run.first;
        length_ = run.count;
        taken_ns_ = moment_.elapsed_ns;
        since_taken_ = 0;
        has_taken_ = true;
        has_aged_ = false;
    }

    void count_alone() noexcept { made(1); }

    std::uint64_t drop() noexcept {
        settle();
        const std::uint64_t lost = lose(used_) + lose(other_);
        mark_ = used_.next;
        return lost;
    }

    // Since when the oldest positions that may still be used are dated, or kNone.
    std::int64_t oldest_ns() const noexcept {
        const Stretch *oldest = &used_;
        if (used_.is_empty() || (!other_.is_empty() && other_.first < used_.first)) oldest = &other_;
        return oldest->is_empty() ? kNone : oldest->dated.begin.value;
    }

    bool is_empty() const noexcept { return used_.is_empty() && other_.is_empty(); }
    std::uint64_t left() const noexcept { return used_.left() + other_.left(); }

private:
    struct Stretch {
        std::uint64_t first = 0;
        std::uint64_t next = 0;
        std::uint64_t past = 0;
        std::uint64_t step = 1;
        bool has_second_pass = false;  // after the one that it is in
        bool waits = false;            // for another transaction
        Span dated{{0}, {0}};
        std::int64_t taken_ns = 0;

        bool is_used_up() const noexcept { return next >= past; }
        bool is_empty() const noexcept { return is_used_up() && !has_second_pass; }
        bool may_be_used() const noexcept { return !is_used_up() && !waits; }
        std::uint64_t left() const noexcept {
            return (is_used_up() ? 0 : (past - next + step - 1) / step) + (has_second_pass ? (past - first) / 2 : 0);
        }
        bool is_old(const Moment &m) const noexcept {
            return m.elapsed_ns - taken_ns >= kAgeNs || m.now.value - dated.end.value >= kAgeNs;
        }
        bool begin_second_pass() noexcept {
            if (!is_used_up() || !has_second_pass) return false;
            next = first + 1;
            has_second_pass = false;
            return true;
        }
    };

    void made(std::uint64_t ids) noexcept {
        made_ += ids;
        since_taken_ += ids;
        balance_ = std::min(balance_ + ids, 2 * longest_);
    }

    // Counts what take() has given out since mark_.
    void settle() noexcept {
        made((used_.next - mark_) / used_.step);
        mark_ = used_.next;
    }

    std::uint64_t lose(Stretch &stretch) noexcept {
        const std::uint64_t lost = stretch.left();
        stretch = {};
        balance_ -= std::min(balance_, lost);
        return lost;
    }

    Stretch used_, other_;
    std::uint64_t mark_ = 0;
    Moment moment_{0, {0}};  // of the last look
    std::uint64_t longest_ = 1;
    std::uint64_t two_passes_ = kTwoPasses;
    std::uint64_t length_ = 0;             // of the last stretch,
    std::int64_t taken_ns_ = 0;            // when it was taken,
    std::uint64_t since_taken_ = 0;        // and how many ids were made since
    std::uint64_t made_ = 0, before_ = 0;  // ids of this window of kLongestNs, and of the one before
    std::int64_t window_ = 0;
    std::uint64_t balance_ = 0;  // ids less lost positions, as far as they allow for longer stretches
    bool has_taken_ = false;     // this transaction
    bool has_aged_ = false;      // a stretch, since the last was taken
};

}  // namespace snowid::core
