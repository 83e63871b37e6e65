// A tenure is a worker id, and a piece of its time, that a directory has given to this server. The server makes ids
// with that worker in [from, until) and no others. The keeper decides what to ask the directory for, and what each
// answer changes.
//
// Messages may be lost, late or duplicated, but a tenure never holds time that the directory did not give. An answer
// counts only once, only as the answer to the last request, and only if nothing is wrong with it. If no answer comes,
// the keeper repeats the request with the token that the tenure has. If the directory had not carried out the first
// request, it carries out this one. If it had, it refuses, and the number is lost. Time that was given is used to its
// end, even if the number is lost.
//
// The server's worker drives it like this:
//
//     TenureKeeper keeper(shared tenure);         // continues with what an earlier worker left there
//     for (;;) {
//         obey(keeper.configure(settings));       // close
//         if (keeper.is_due(clock) && is_connected()) send(keeper.ask(clock));
//         if (an answer has come) obey(keeper.answered(its request's number, answer, clock));
//         if (elapsed >= keeper.deadline_ns() or the connection is lost) close it, keeper.unanswered(clock);
//         wait for the socket, or for the latch, or until keeper.wake_ns();
//     }
//
// `obey` first carries out the effect with keeper.tenure(), and stores the whole tenure where the next worker finds it.
// An answer is passed on only when its transaction is over and the connection is idle. A closed connection gives no
// more answers. Each keeper has its own connection, because each numbers its requests from the start.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bytes.hpp"
#include "core/time.hpp"

namespace snowid::core {

// A uuid that the directory gives out.
struct TenureToken {
    Bytes<16> bytes;
    friend constexpr bool operator==(const TenureToken &, const TenureToken &) noexcept = default;
};
inline constexpr TenureToken kNoToken{};

// The directory gives out the numbers in this range, both ends included. Nobody sets one of them by hand.
struct WorkerRange {
    std::uint32_t first;
    std::uint32_t last;

    constexpr bool holds(std::uint32_t worker) const noexcept { return first <= worker && worker <= last; }
    friend constexpr bool operator==(const WorkerRange &, const WorkerRange &) noexcept = default;
};

struct Tenure {
    std::uint32_t worker;  // 0: none
    TenureToken token;     // none if the number is lost
    std::int64_t from_ns;
    std::int64_t until_ns;
    std::int64_t piece_ns;  // how much time the last request asked for
    WorkerRange range;
};

struct TenureConfig {
    std::int64_t lease_ns;  // 0: this server does not get its number from a directory
    std::uint32_t worker_max;
    std::int64_t longest_behind_ns;  // if the clock is further behind the directory's clock, the server takes no number
    friend constexpr bool operator==(const TenureConfig &, const TenureConfig &) noexcept = default;
};

struct TenureClock {
    std::int64_t elapsed_ns;  // nobody can set it
    std::int64_t now_ns;      // the time that the server believes
    std::int64_t ahead_ns;    // the last id's time, or now_ns with the drift if that is less
    bool has_leapt;           // the clock shows a time that the server does not believe
};

enum class TenureAction : std::uint8_t { none, take, renew };

// The arguments of snowid_directory.take() and renew(). Each uses some of them, after the protocol, which is 1.
struct TenureRequest {
    TenureAction action;
    std::uint64_t number;
    std::uint32_t worker_max;
    std::uint32_t worker;
    TenureToken token;
    std::int64_t clock_ns;
    std::int64_t held_until_ns;
    std::int32_t lease_ms;

    constexpr std::int64_t asked_until_ns() const noexcept {
        return std::max(clock_ns + millis(lease_ms), held_until_ns);
    }
};

struct TenureAnswer {
    // twice: another server has the number for the same time.
    enum class Kind : std::uint8_t { row, no_row, twice, error };

    Kind kind;
    bool has_warning;  // what the answer says may not be durable
    // The rest comes from a row. A row from renew() has no worker and no from.
    std::uint32_t worker;
    TenureToken token;
    std::int64_t from_ns;
    std::int64_t until_ns;
    std::int64_t directory_ns;  // the directory's clock
    WorkerRange range;
};

// What to do with the tenure: use another number; extend it; use a lost number to its end; end it at once.
enum class TenureEffect : std::uint8_t { none, install, extend, lose, close };

// What is wrong with a row.
enum class TenureObjection : std::uint8_t { none, worker, piece, clock_behind };

struct TenureVerdict {
    TenureEffect effect;
    TenureObjection objection;
};

class TenureKeeper {
public:
    enum class State : std::uint8_t { none, asking, held, renewing };

    static constexpr std::int64_t kFirstPieceNs = 5 * kNanosPerSecond;
    static constexpr std::int64_t kShortestPauseNs = millis(500);
    static constexpr std::int64_t kLongestPauseNs = kNanosPerSecond;
    static constexpr std::int64_t kLongestAnswerNs = 5 * kNanosPerSecond;
    static constexpr std::int64_t kNever = INT64_MAX;

    constexpr explicit TenureKeeper(const Tenure &left) noexcept : tenure_(left) {}

    constexpr TenureEffect configure(const TenureConfig &config) noexcept {
        if (config == config_) return TenureEffect::none;
        config_ = config;
        if (config.lease_ns > 0) return TenureEffect::none;
        tenure_ = {};
        asked_ = {};
        pause_ns_ = pause_end_ns_ = 0;
        return TenureEffect::close;
    }

    constexpr const Tenure &tenure() const noexcept { return tenure_; }
    constexpr State state() const noexcept {
        if (config_.lease_ns == 0) return State::none;
        if (!has_number()) return State::asking;
        return is_waiting() ? State::renewing : State::held;
    }

    constexpr bool is_due(const TenureClock &clock) const noexcept {
        if (state() == State::none || is_waiting() || clock.elapsed_ns < pause_end_ns_) return false;
        return !has_number() || clock.elapsed_ns >= renew_at_ns_ || is_near_end(clock);
    }

    // REQUIRES: is_due(clock).
    constexpr TenureRequest ask(const TenureClock &clock) noexcept {
        asked_ = request(clock);
        asked_.number = ++last_number_;
        asked_at_ns_ = clock.elapsed_ns;
        return asked_;
    }

    constexpr std::int64_t deadline_ns() const noexcept {
        return is_waiting() ? asked_at_ns_ + kLongestAnswerNs : kNever;
    }
    // In elapsed time. A caller that reaches the end of the tenure wakes the worker earlier.
    constexpr std::int64_t wake_ns() const noexcept {
        if (state() == State::none || is_waiting()) return deadline_ns();
        return has_number() ? std::max(pause_end_ns_, renew_at_ns_) : pause_end_ns_;
    }

    constexpr TenureVerdict answered(std::uint64_t number, const TenureAnswer &answer,
                                     const TenureClock &clock) noexcept {
        if (!is_waiting() || number != asked_.number) return {};
        if (answer.kind == TenureAnswer::Kind::twice) return closed();
        if (answer.has_warning || answer.kind == TenureAnswer::Kind::error) return unanswered(clock);
        if (answer.kind == TenureAnswer::Kind::no_row) return refused(clock);
        const TenureObjection objection = objection_to(answer, clock);
        if (objection != TenureObjection::none) return {unanswered(clock).effect, objection};
        return granted(answer);
    }

    // No answer came, and the caller no longer waits for one. Also called if there was no connection to ask on.
    constexpr TenureVerdict unanswered(const TenureClock &clock) noexcept {
        asked_ = {};
        pause_ns_ = std::clamp(2 * pause_ns_, kShortestPauseNs, kLongestPauseNs);
        pause_end_ns_ = clock.elapsed_ns + pause_ns_;
        return {};
    }

private:
    constexpr bool has_number() const noexcept { return tenure_.token != kNoToken; }
    constexpr bool is_waiting() const noexcept { return asked_.action != TenureAction::none; }

    // Goes by the clock alone. The clock may have been set, or the machine may have been paused.
    constexpr bool is_near_end(const TenureClock &clock) const noexcept {
        return !clock.has_leapt && position_ns(clock) >= tenure_.until_ns - tenure_.piece_ns / 4 * 3;
    }
    static constexpr std::int64_t position_ns(const TenureClock &clock) noexcept {
        return std::max(clock.now_ns, clock.ahead_ns);
    }

    // The first piece is short, so that a server that comes and goes does not keep many numbers.
    constexpr std::int64_t piece_ns() const noexcept {
        return std::min(has_number() ? std::max(2 * tenure_.piece_ns, kFirstPieceNs) : kFirstPieceNs, config_.lease_ns);
    }

    constexpr TenureRequest request(const TenureClock &clock) const noexcept {
        const auto lease_ms = static_cast<std::int32_t>(piece_ns() / kNanosPerMilli);
        if (!has_number()) return {TenureAction::take, 0, config_.worker_max, 0, {}, clock.now_ns, 0, lease_ms};
        // A clock that has leapt neither drags the number along nor loses it. If the server's ids are ahead of its
        // clock, the server needs time from there on.
        const std::int64_t from = clock.has_leapt ? tenure_.until_ns - millis(lease_ms) : position_ns(clock);
        return {TenureAction::renew, 0, 0, tenure_.worker, tenure_.token, from, tenure_.until_ns, lease_ms};
    }

    constexpr TenureObjection objection_to(const TenureAnswer &answer, const TenureClock &clock) const noexcept {
        const bool is_taken = asked_.action == TenureAction::take;
        const std::uint32_t worker = is_taken ? answer.worker : asked_.worker;
        if (worker == 0 || answer.range.first == 0 || answer.range.last > config_.worker_max ||
            !answer.range.holds(worker) || (is_taken && worker > asked_.worker_max))
            return TenureObjection::worker;
        if (answer.token == kNoToken || answer.until_ns > asked_.asked_until_ns()) return TenureObjection::piece;
        if (!is_taken) return answer.until_ns < asked_.held_until_ns ? TenureObjection::piece : TenureObjection::none;
        if (answer.from_ns >= answer.until_ns || answer.from_ns > asked_.clock_ns) return TenureObjection::piece;
        return answer.directory_ns - clock.now_ns > config_.longest_behind_ns ? TenureObjection::clock_behind
                                                                              : TenureObjection::none;
    }

    constexpr TenureVerdict granted(const TenureAnswer &answer) noexcept {
        const bool is_taken = asked_.action == TenureAction::take;
        // No id has a time before 1970, and no code that computes with ids expects one.
        const std::int64_t from_ns = std::max<std::int64_t>(answer.from_ns, 0);
        if (is_taken) tenure_ = {answer.worker, {}, from_ns, 0, 0, {}};
        tenure_.token = answer.token;
        tenure_.until_ns = answer.until_ns;
        tenure_.piece_ns = millis(asked_.lease_ms);
        tenure_.range = answer.range;
        renew_at_ns_ = asked_at_ns_ + tenure_.piece_ns / 4;
        pause_ns_ = 0;
        pause_end_ns_ = std::min(renew_at_ns_, asked_at_ns_ + kShortestPauseNs);
        asked_ = {};
        return {is_taken ? TenureEffect::install : TenureEffect::extend, TenureObjection::none};
    }

    // A take that returned no row must be made again.
    constexpr TenureVerdict refused(const TenureClock &clock) noexcept {
        if (asked_.action == TenureAction::take) return unanswered(clock);
        asked_ = {};
        tenure_.token = kNoToken;
        pause_ns_ = pause_end_ns_ = 0;
        return {TenureEffect::lose, TenureObjection::none};
    }

    constexpr TenureVerdict closed() noexcept {
        tenure_ = {};
        asked_ = {};
        pause_ns_ = pause_end_ns_ = 0;
        return {TenureEffect::close, TenureObjection::none};
    }

    TenureConfig config_{};
    Tenure tenure_;
    TenureRequest asked_{};
    std::uint64_t last_number_ = 0;
    std::int64_t asked_at_ns_ = 0;
    std::int64_t renew_at_ns_ = 0;  // at once for a keeper that continues another keeper's tenure
    std::int64_t pause_ns_ = 0;
    std::int64_t pause_end_ns_ = 0;
};

}  // namespace snowid::core
