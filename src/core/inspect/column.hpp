// What many texts are together. A number alone fits several layouts, but for a column the right one has plausible
// times, for all of them, and few workers.
#pragma once

#include "core/inspect/inspect.hpp"
#include "core/inspect/readings.hpp"

namespace snowid::core {

struct ColumnFinding {
    FixedText<kMaxFormat> format;
    Confidence confidence;
    std::int64_t ids;  // how many of the texts it fits
    bool has_times;
    UnixMicros first;
    UnixMicros last;
};

inline constexpr std::size_t kMaxColumnFindings = 64;

class Column {
public:
    explicit Column(const InspectContext &context) noexcept;

    void add(std::string_view text) noexcept;
    // The best first. REQUIRES: room for kMaxColumnFindings at `out`.
    std::size_t findings(ColumnFinding *out) const noexcept;

private:
    static constexpr std::size_t kMostWorkers = 64;

    // What is known of the numbers in one reading.
    struct Tally {
        std::int64_t ids;
        std::uint64_t first_tick;
        std::uint64_t last_tick;
        std::int64_t costs;      // of what is below the time
        std::int64_t sequences;  // of that, the sequences
        std::int64_t distinct;   // of the workers, each once
        std::size_t workers;     // how many there are; more than kMostWorkers is too many
        std::uint64_t known[kMostWorkers];
        UnixMicros first;
        UnixMicros last;

        void count_worker(std::uint64_t worker, int cost) noexcept;
    };

    struct Place {
        std::size_t reading;
        std::int64_t cost;
    };
    struct Ranking {
        Place places[kMaxReadings];
        std::size_t count;
        std::size_t equals;  // how many of the first are as good as the first
    };

    void add_number(std::uint64_t number) noexcept;
    void add_text(const Finding &finding) noexcept;
    std::int64_t cost_of(std::size_t reading) const noexcept;
    Ranking rank() const noexcept;
    std::size_t put_numbers(ColumnFinding *out) const noexcept;

    InspectContext context_;
    Readings readings_;
    Tally tallies_[kMaxReadings]{};
    std::int64_t numbers_ = 0;
    std::int64_t own_workers_ = 0;  // numbers whose worker is known
    ColumnFinding texts_[kMaxColumnFindings / 2]{};
    std::size_t texts_count_ = 0;
};

}  // namespace snowid::core
