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
    any_lease_is_enough,    // so does one with less than half of the lease left
    repeated_by_nonce,      // a request that comes twice gets its answer twice
    token_is_not_asked,     // whoever holds the number renews it
    quiet_as_asked,         // quiet time lasts for the caller's lease and for what it says that it holds
    quiet_without_end,      // each refused renewal extends it
    any_token_proves,       // so does a token that the directory never gave out
};

struct Row {
    std::int64_t until_ns;
    core::TenureToken token{};
    std::int64_t expires_ns = INT64_MIN;
    std::int64_t lease_ns = 0;
    core::TenureToken previous{};
    std::uint64_t nonce = 0;
};

class Directory {
public:
    static constexpr std::int64_t kLongestLeadNs = 600 * kSecond;

    Directory(Fault fault, std::size_t workers, std::int64_t used_until_ns)
        : fault_(fault), rows_(workers, Row{used_until_ns}) {}

    core::TenureAnswer take(const core::TenureRequest &request, std::int64_t now_ns, Random &random) {
        if (request.clock_ns - now_ns > 60 * kSecond) return kError;
        if (recorded_ != incarnation_) {
            begin_quiet(request, now_ns);
            return kNoRow;
        }
        if (quiet_until_ns_ > now_ns) return kError;
        Row *row = free_for_longest(request.clock_ns, now_ns);
        if (row == nullptr) return pull_back(now_ns) ? kNoRow : kError;
        const std::int64_t from = fenced(*row);
        row->until_ns = request.clock_ns + core::millis(request.lease_ms);
        return granted(*row, request, from, now_ns, random);
    }

    core::TenureAnswer renew(const core::TenureRequest &request, std::int64_t now_ns, Random &random) {
        if (recorded_ != incarnation_) begin_quiet(request, now_ns);
        Row &row = rows_[request.worker - 1];
        if (fault_ == Fault::repeated_by_nonce && row.previous == request.token && row.nonce == request.number)
            return answer(row, 0, now_ns);
        if (!goes_on(row, request, now_ns)) {
            const bool goes_on = quiet_until_ns_ > now_ns && fault_ != Fault::quiet_without_end;
            const bool is_proof = gave(request) || fault_ == Fault::any_token_proves;
            if (is_proof && row.until_ns < request.held_until_ns && floor_ns_ < request.held_until_ns && !goes_on)
                begin_quiet(request, now_ns);
            return kNoRow;
        }
        row.previous = row.token;
        row.nonce = request.number;
        row.until_ns = std::max(row.until_ns, request.clock_ns + core::millis(request.lease_ms));
        return granted(row, request, 0, now_ns, random);
    }

    void release(std::uint32_t worker, const core::TenureToken &token, std::int64_t used_ns, std::int64_t now_ns) {
        Row &row = rows_[worker - 1];
        if (row.token != token) return;
        row.until_ns = used_ns;
        row.expires_ns = now_ns;
    }

    void trust(std::int64_t now_ns) {
        recorded_ = incarnation_;
        quiet_until_ns_ = INT64_MIN;
        floor_ns_ = std::min(floor_ns_, now_ns);
    }

    void promote(int incarnation) { incarnation_ = incarnation; }
    std::int64_t lead_ns() const { return lead_ns_; }
    std::int64_t quiet_until_ns() const { return quiet_until_ns_; }
    bool knows_itself() const { return recorded_ == incarnation_; }
    std::uint32_t workers() const { return static_cast<std::uint32_t>(rows_.size()); }

private:
    static constexpr core::TenureAnswer kError{core::TenureAnswer::Kind::error, false, 0, {}, 0, 0, 0, {}};
    static constexpr core::TenureAnswer kNoRow{core::TenureAnswer::Kind::no_row, false, 0, {}, 0, 0, 0, {}};

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

    bool pull_back(std::int64_t now_ns) {
        bool found = false;
        for (Row &row : rows_) {
            if (row.expires_ns <= now_ns + row.lease_ns) continue;
            row.expires_ns = now_ns + row.lease_ns;
            found = true;
        }
        return found;
    }

    bool goes_on(const Row &row, const core::TenureRequest &request, std::int64_t now_ns) const {
        if (row.token != request.token && fault_ != Fault::token_is_not_asked) return false;
        if (row.until_ns >= floor_ns_ || fault_ == Fault::equal_token_is_enough) return true;
        return row.expires_ns >= now_ns + (fault_ == Fault::any_lease_is_enough ? 0 : row.lease_ns / 2);
    }

    void begin_quiet(const core::TenureRequest &by, std::int64_t now_ns) {
        std::int64_t lasts_ns = lead_ns_ + longest_lease_ns();
        if (fault_ == Fault::quiet_as_asked)
            lasts_ns = std::max({lasts_ns, lead_ns_ + core::millis(by.lease_ms),
                                 std::min(by.held_until_ns - now_ns, kLongestLeadNs) + longest_lease_ns()});
        recorded_ = incarnation_;
        if (fault_ == Fault::no_quiet_time) return;
        quiet_until_ns_ = std::max(quiet_until_ns_, now_ns + lasts_ns);
        floor_ns_ = std::max(floor_ns_, now_ns + lasts_ns);
    }

    std::int64_t longest_lease_ns() const {
        std::int64_t longest = 0;
        for (const Row &row : rows_) longest = std::max(longest, row.lease_ns);
        return longest;
    }

    core::TenureAnswer granted(Row &row, const core::TenureRequest &request, std::int64_t from_ns, std::int64_t now_ns,
                               Random &random) {
        row.token = token_of(random(), row_number(row), row.until_ns);
        row.lease_ns = core::millis(request.lease_ms);
        row.expires_ns = now_ns + row.lease_ns;
        const std::int64_t lead = std::min(row.until_ns - now_ns, kLongestLeadNs);
        if (lead_ns_ < lead) lead_ns_ = (lead / kSecond + 1) * kSecond;
        return answer(row, from_ns, now_ns);
    }

    // Only the directory can make one, and it can tell those that it has made.
    static core::TenureToken token_of(std::uint64_t drawn, std::uint32_t worker, std::int64_t until_ns) {
        constexpr std::uint64_t kSecret = 0x9E37'79B9'7F4A'7C15;
        const std::uint64_t proof = ((drawn ^ worker) * kSecret ^ static_cast<std::uint64_t>(until_ns)) * kSecret;
        const std::uint64_t halves[2] = {drawn, proof};
        core::TenureToken token;
        std::memcpy(token.bytes, halves, sizeof halves);
        return token;
    }
    static bool gave(const core::TenureRequest &request) {
        std::uint64_t drawn = 0;
        std::memcpy(&drawn, request.token.bytes, sizeof drawn);
        return request.token == token_of(drawn, request.worker, request.held_until_ns);
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
    int incarnation_ = 1;
    int recorded_ = 1;
    std::int64_t floor_ns_ = 0;
    std::int64_t quiet_until_ns_ = INT64_MIN;
    std::int64_t lead_ns_ = 10 * kSecond;
};

}  // namespace snowid::test::fleet
