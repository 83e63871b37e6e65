// The directory of the model: what sql/directory does, statement for statement. It is copied, so that it can lose what
// it has committed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "core/fleet/tenure.hpp"

namespace snowid::test::fleet {

using Random = std::mt19937_64;
inline constexpr std::int64_t kSecond = core::kNanosPerSecond;

// A way to break the protocol.
enum class Fault {
    none,
    tick_goes_on,           // an install leaves the tick unfinished
    bits_after_position,    // the worker's bits are read when the position has been confirmed
    from_before_version,    // a backend reads `from` before it knows the version that it goes by
    released,               // a clean stop gives back what was not used
    until_by_directory,     // a piece is over when the directory's clock says so
    no_from,                // a server looks at the end of its piece only
    no_quiet_time,          // a loss changes nothing
    no_floor,               // takes begin where the rows say after it
    equal_token_is_enough,  // every renewal with the row's token goes on
    no_tolerance,           // so does one whose number had a moment left
    pull_back_to_lease,     // a lease and the tolerance are left where the directory's clock went back, and not more
    loss_is_settled,        // what proves a loss proves nothing where the owner says that none happens
    lossless_everywhere,    // the owner's word counts after a restore, too
    lead_by_the_clock,      // leads that look old do not count
    restore_is_not_told,    // rows that are put back look like those that were there
    chain_is_not_asked,     // whoever is refused and has time that the row gave out shows that a number is out twice
    repeated_by_nonce,      // a request that comes twice gets its answer twice
    token_is_not_asked,     // whoever holds the number renews it
    quiet_as_asked,         // quiet time lasts for the caller's lease and for what it says that it holds
    quiet_without_end,      // each refused renewal extends it
    any_clock_renews,       // however far ahead it is
    any_token_proves,       // so does a token that the directory never gave out
};

struct Row {
    std::int64_t until_ns;
    std::int64_t from_ns = 0;
    std::int64_t ahead_ns = 0;
    core::TenureToken token{};
    std::int64_t expires_ns = INT64_MIN;
    std::int64_t lease_ns = 0;
    core::TenureToken previous{};
    std::uint64_t nonce = 0;
};

class Directory {
public:
    static constexpr std::int64_t kShortestLeadNs = 60 * kSecond, kLongestLeadNs = 600 * kSecond;
    static constexpr std::int64_t kToleranceNs = 5 * kSecond;

    Directory(Fault fault, std::size_t workers, std::int64_t used_until_ns)
        : fault_(fault), rows_(workers, Row{used_until_ns}) {}

    core::TenureAnswer take(const core::TenureRequest &request, std::int64_t now_ns, Random &random) {
        if (request.clock_ns - now_ns > 60 * kSecond) return kError;
        if (!knows_itself()) {
            notice_promotion(request, now_ns);
            return kNoRow;
        }
        if (std::max(quiet_until_ns_, settled_ns_) > now_ns) return kError;
        Row *row = free_for_longest(request.clock_ns, now_ns);
        if (row == nullptr) return pull_back(now_ns) ? kNoRow : kError;
        row->from_ns = fenced(*row);
        row->until_ns = request.clock_ns + core::millis(request.lease_ms);
        return granted(*row, request, row->from_ns, static_cast<std::uint32_t>(random() & kSeconds), now_ns, random);
    }

    core::TenureAnswer renew(const core::TenureRequest &request, std::int64_t now_ns, Random &random) {
        if (request.clock_ns - now_ns > kLongestLeadNs && fault_ != Fault::any_clock_renews) return kError;
        if (!knows_itself()) notice_promotion(request, now_ns);
        Row &row = rows_[request.worker - 1];
        if (fault_ == Fault::repeated_by_nonce && row.previous == request.token && row.nonce == request.number)
            return answer(row, 0, now_ns);
        if (!goes_on(row, request, now_ns)) return refused(row, request, now_ns);
        row.previous = row.token;
        row.nonce = request.number;
        row.until_ns = std::max(row.until_ns, request.clock_ns + core::millis(request.lease_ms));
        return granted(row, request, 0, chain_of(request.token), now_ns, random);
    }

    void release(std::uint32_t worker, const core::TenureToken &token, std::int64_t used_ns, std::int64_t now_ns) {
        Row &row = rows_[worker - 1];
        if (row.token != token) return;
        row.until_ns = used_ns;
        row.expires_ns = now_ns;
    }

    void close(std::uint32_t worker) { rows_[worker - 1].token = {}; }
    void lossless(bool is_so) { lossless_ = is_so; }

    void trust(std::int64_t now_ns) {
        recorded_ = here_;
        quiet_until_ns_ = settled_ns_ = INT64_MIN;
        floor_ns_ = std::min(floor_ns_, now_ns);
    }

    void promote(int timeline) { here_.timeline = timeline; }
    // What was there before is put back, in the same cluster.
    void put_back(const Directory &old) {
        const Incarnation here = here_;
        *this = old;
        here_ = here;
        ++here_.tables;
        if (fault_ == Fault::restore_is_not_told) recorded_ = here_;
    }
    // How far ahead the directory takes pieces to end, of which it has no record any more.
    std::int64_t lead_ns(std::int64_t now_ns) const {
        std::int64_t lead = kShortestLeadNs;
        for (const Row &row : rows_)
            if (fault_ != Fault::lead_by_the_clock || row.until_ns > now_ns)
                lead = std::max(lead, std::min(row.ahead_ns, kLongestLeadNs));
        return lead;
    }
    std::int64_t latest_end_ns() const {
        return std::max_element(rows_.begin(), rows_.end(),
                                [](const Row &a, const Row &b) { return a.until_ns < b.until_ns; })
            ->until_ns;
    }
    std::int64_t quiet_until_ns() const { return quiet_until_ns_; }
    bool knows_itself() const { return recorded_ == here_; }
    std::uint32_t workers() const { return static_cast<std::uint32_t>(rows_.size()); }

private:
    static constexpr core::TenureAnswer kError{core::TenureAnswer::Kind::error, false, 0, {}, 0, 0, 0, {}};
    static constexpr core::TenureAnswer kNoRow{core::TenureAnswer::Kind::no_row, false, 0, {}, 0, 0, 0, {}};
    static constexpr core::TenureAnswer kTwice{core::TenureAnswer::Kind::twice, false, 0, {}, 0, 0, 0, {}};

    struct Incarnation {
        int timeline = 1, tables = 1;
        bool operator==(const Incarnation &) const = default;
    };

    std::int64_t fenced(const Row &row) const {
        return fault_ == Fault::no_floor ? row.until_ns : std::max(row.until_ns, floor_ns_);
    }

    Row *free_for_longest(std::int64_t clock_ns, std::int64_t now_ns) {
        const std::int64_t judge = fault_ == Fault::until_by_directory ? now_ns : clock_ns;
        Row *best = nullptr;
        for (Row &row : rows_)
            if (row.expires_ns <= now_ns && fenced(row) <= judge && (!best || row.until_ns < best->until_ns))
                best = &row;
        return best;
    }

    // Of the longest lease: a row's own may be what is lost.
    std::int64_t tolerance_ns() const {
        return fault_ == Fault::no_tolerance ? 0 : std::min(kToleranceNs, longest_lease_ns() / 8);
    }
    std::int64_t longest_left_ns(const Row &row) const { return row.lease_ns / 4 * 5 + tolerance_ns(); }

    bool pull_back(std::int64_t now_ns) {
        bool found = false;
        for (Row &row : rows_) {
            const std::int64_t most =
                fault_ == Fault::pull_back_to_lease ? row.lease_ns + tolerance_ns() : longest_left_ns(row);
            if (row.expires_ns <= now_ns + most) continue;
            row.expires_ns = now_ns + most;
            found = true;
        }
        return found;
    }

    bool goes_on(const Row &row, const core::TenureRequest &request, std::int64_t now_ns) const {
        if (row.token != request.token && fault_ != Fault::token_is_not_asked) return false;
        if (row.until_ns >= floor_ns_ || fault_ == Fault::equal_token_is_enough) return true;
        return row.expires_ns > now_ns + tolerance_ns() && row.expires_ns <= now_ns + longest_left_ns(row);
    }

    // Only what the directory gave out proves anything.
    core::TenureAnswer refused(const Row &row, const core::TenureRequest &request, std::int64_t now_ns) {
        if (!gave(request) && fault_ != Fault::any_token_proves) return kNoRow;
        const bool is_known =
            (quiet_until_ns_ > now_ns || floor_ns_ >= request.held_until_ns) && fault_ != Fault::quiet_without_end;
        const bool is_out_twice = is_other_chain(row, request.token) && row.from_ns < request.held_until_ns &&
                                  from_ns(request) < row.until_ns;
        const bool is_lost = row.until_ns < request.held_until_ns;
        const bool is_settled = fault_ == Fault::loss_is_settled && lossless_;
        if ((is_out_twice || is_lost) && !is_known && !is_settled) begin_quiet(request, now_ns);
        return is_out_twice ? kTwice : kNoRow;
    }

    bool is_other_chain(const Row &row, const core::TenureToken &token) const {
        if (fault_ == Fault::chain_is_not_asked) return true;
        return row.token != core::kNoToken && chain_of(row.token) != chain_of(token);
    }

    // Where nothing is ever lost, all holders have renewed once when it has settled.
    void notice_promotion(const core::TenureRequest &by, std::int64_t now_ns) {
        const bool is_same_place = recorded_.tables == here_.tables || fault_ == Fault::lossless_everywhere;
        if (!lossless_ || !is_same_place) return begin_quiet(by, now_ns);
        recorded_ = here_;
        settled_ns_ = now_ns + longest_lease_ns() / 4 + 10 * kSecond;
    }

    void begin_quiet(const core::TenureRequest &by, std::int64_t now_ns) {
        const std::int64_t lead = lead_ns(now_ns);
        std::int64_t lasts_ns = lead + longest_lease_ns();
        if (fault_ == Fault::quiet_as_asked)
            lasts_ns = std::max({lasts_ns, lead + core::millis(by.lease_ms),
                                 std::min(by.held_until_ns - now_ns, kLongestLeadNs) + longest_lease_ns()});
        recorded_ = here_;
        if (fault_ == Fault::no_quiet_time) return;
        quiet_until_ns_ = std::max(quiet_until_ns_, now_ns + lasts_ns);
        floor_ns_ = std::max(floor_ns_, now_ns + lasts_ns);
    }

    std::int64_t longest_lease_ns() const {
        std::int64_t longest = 0;
        for (const Row &row : rows_) longest = std::max(longest, row.lease_ns);
        return longest;
    }

    core::TenureAnswer granted(Row &row, const core::TenureRequest &request, std::int64_t from_ns, std::uint32_t chain,
                               std::int64_t now_ns, Random &random) {
        const std::int64_t from = std::min(row.from_ns / kSecond + 1, row.until_ns / kSecond);
        const Said said{chain, static_cast<std::uint32_t>(random() & 0xFFFF),
                        static_cast<std::uint32_t>(from & kSeconds)};
        row.token = token_of(said, row_number(row), row.until_ns);
        row.lease_ns = core::millis(request.lease_ms);
        row.expires_ns = now_ns + row.lease_ns / 4 * 5;
        row.ahead_ns = request.clock_ns + row.lease_ns - now_ns;
        return answer(row, from_ns, now_ns);
    }

    // What a token says besides its proof: the chain, which a take draws and renewals keep; a number drawn for the
    // piece; and the second at which the chain's time begins, as far as 24 bits tell that.
    struct Said {
        std::uint32_t chain, drawn, from;
    };
    static constexpr std::uint32_t kSeconds = (1 << 24) - 1;

    // Only the directory can make a token, and it can tell those that it has made.
    static core::TenureToken token_of(const Said &said, std::uint32_t worker, std::int64_t until_ns) {
        constexpr std::uint64_t kSecret = 0x9E37'79B9'7F4A'7C15;
        const std::uint64_t half = std::uint64_t{said.chain} << 40 | std::uint64_t{said.drawn} << 24 | said.from;
        const std::uint64_t proof = ((half ^ worker) * kSecret ^ static_cast<std::uint64_t>(until_ns)) * kSecret;
        const std::uint64_t halves[2] = {half, proof};
        core::TenureToken token;
        std::memcpy(token.bytes.data(), halves, sizeof halves);
        return token;
    }
    static Said said_by(const core::TenureToken &token) {
        std::uint64_t half = 0;
        std::memcpy(&half, token.bytes.data(), sizeof half);
        return {static_cast<std::uint32_t>(half >> 40), static_cast<std::uint32_t>(half >> 24 & 0xFFFF),
                static_cast<std::uint32_t>(half & kSeconds)};
    }
    static std::uint32_t chain_of(const core::TenureToken &token) { return said_by(token).chain; }
    static bool gave(const core::TenureRequest &request) {
        return request.token == token_of(said_by(request.token), request.worker, request.held_until_ns);
    }
    // Not before the first time that the token is for.
    static std::int64_t from_ns(const core::TenureRequest &request) {
        const std::int64_t until = request.held_until_ns / kSecond;
        return (until - ((until - said_by(request.token).from) & kSeconds)) * kSecond;
    }
    std::uint32_t row_number(const Row &row) const { return static_cast<std::uint32_t>(&row - rows_.data()) + 1; }

    core::TenureAnswer answer(const Row &row, std::int64_t from_ns, std::int64_t now_ns) const {
        return {core::TenureAnswer::Kind::row,
                false,
                row_number(row),
                row.token,
                from_ns,
                row.until_ns,
                now_ns,
                {1, static_cast<std::uint32_t>(rows_.size())}};
    }

    Fault fault_;
    std::vector<Row> rows_;
    Incarnation here_, recorded_;
    bool lossless_ = false;
    std::int64_t floor_ns_ = 0;
    std::int64_t quiet_until_ns_ = INT64_MIN, settled_ns_ = INT64_MIN;
};

}  // namespace snowid::test::fleet
