#include "core/inspect/column.hpp"

#include "core/inspect/inspect.hpp"

namespace snowid::core {
namespace {

constexpr std::int64_t kColumnClear = std::int64_t{4} * kBit;

void widen(bool is_first, UnixMicros t, UnixMicros &first, UnixMicros &last) noexcept {
    first = is_first ? t : std::min(first, t);
    last = is_first ? t : std::max(last, t);
}

}  // namespace

Column::Column(const InspectContext &context) noexcept : context_(context), readings_(context) {}

void Column::Tally::count_worker(std::uint64_t worker, int cost) noexcept {
    if (workers > kMostWorkers || std::find(known, known + workers, worker) != known + workers) return;
    if (workers < kMostWorkers) known[workers] = worker;
    ++workers;
    distinct += cost;
}

void Column::add_number(std::uint64_t number) noexcept {
    ++numbers_;
    own_workers_ += context_.is_known_worker(number);
    for (std::size_t i = 0; i < readings_.count; ++i) {
        const Reading &reading = readings_.all[i];
        if (!reading.fits(number, context_.now)) continue;
        Tally &tally = tallies_[i];
        const std::uint64_t tick = reading.tick_of(number);
        const int worker = reading.worker_cost(number), sequence = reading.sequence_cost(number);
        tally.first_tick = tally.ids == 0 ? tick : std::min(tally.first_tick, tick);
        tally.last_tick = tally.ids == 0 ? tick : std::max(tally.last_tick, tick);
        widen(tally.ids == 0, reading.time_of(number), tally.first, tally.last);
        tally.costs += worker + sequence;
        tally.sequences += sequence;
        if (!reading.is_unix_time()) tally.count_worker(reading.layout.worker(number), worker);
        ++tally.ids;
    }
}

// One finding of each text counts, the first that is no list.
void Column::add_text(const Finding &finding) noexcept {
    ColumnFinding *at = texts_;
    ColumnFinding *const end = texts_ + texts_count_;
    while (at != end && at->format.view() != finding.format.view()) ++at;
    if (at == end) {
        if (texts_count_ == std::size(texts_)) return;
        ++texts_count_;
        at->format.append(finding.format.view());
        at->confidence = finding.confidence;
    }
    at->confidence = std::max(at->confidence, finding.confidence);
    if (finding.time) {
        widen(!at->has_times, *finding.time, at->first, at->last);
        at->has_times = true;
    }
    ++at->ids;
}

void Column::add(std::string_view text) noexcept {
    char room[kMaxPasted];
    std::uint64_t number = 0;
    const std::string_view id = unwrap(text, room);
    if (!id.empty() && id[0] != '-' && id[0] != '0' && parse_decimal(id, number)) return add_number(number);
    Finding found[kMaxFindings];
    if (inspect(text, context_, found) > 0) add_text(found[0]);
}

// Where the times lie, how they spread, and the rest: the workers one by one, or first which there are.
std::int64_t Column::cost_of(std::size_t i) const noexcept {
    const Reading &reading = readings_.all[i];
    const Tally &tally = tallies_[i];
    const std::uint64_t span = tally.last_tick - tally.first_tick + 1;
    std::int64_t rest = tally.costs;
    if (!reading.is_unix_time()) {
        const std::int64_t even = tally.ids * (std::int64_t{reading.layout.sequence().bits} * kBit + kBit / 4);
        const std::int64_t sequences = std::min(tally.sequences, even);
        rest += sequences - tally.sequences;
        if (tally.workers <= kMostWorkers)
            rest = std::min(rest, sequences + tally.distinct + tally.ids * bits_of(tally.workers));
    }
    return bits_of(reading.life(context_.now) / span + 1) + tally.ids * bits_of(span) + rest +
           std::int64_t{reading.rarity} * kBit - recent_bonus(tally.last, context_.now);
}

// Those of more of the numbers come first, and of these the cheaper. The own layout comes first of all if it may be as
// good, or if the numbers are of workers that are known.
Column::Ranking Column::rank() const noexcept {
    Ranking all{};
    for (std::size_t i = 0; i < readings_.count; ++i) {
        if (tallies_[i].ids == 0) continue;
        const auto worse = [&](const Place &a) {
            const std::int64_t more = tallies_[i].ids - tallies_[a.reading].ids;
            return more > 0 || (more == 0 && a.cost > cost_of(i));
        };
        std::size_t at = all.count++;
        for (; at > 0 && worse(all.places[at - 1]); --at) all.places[at] = all.places[at - 1];
        all.places[at] = {i, cost_of(i)};
    }
    const Place best = all.places[0];
    const auto is_equal = [&](const Place &a) {
        return tallies_[a.reading].ids == tallies_[best.reading].ids && a.cost < best.cost + kColumnClear;
    };
    while (all.equals < all.count && is_equal(all.places[all.equals])) ++all.equals;

    const bool is_ours = own_workers_ == numbers_ || context_.own_leads;
    Place *const end = all.places + all.count;
    Place *const own = std::find_if(all.places, end, [](const Place &a) { return a.reading == 0; });
    if (own == end || tallies_[0].ids < numbers_ || (own >= all.places + all.equals && !is_ours)) return all;
    std::rotate(all.places, own, own + 1);
    if (is_ours) all.equals = 1;
    return all;
}

std::size_t Column::put_numbers(ColumnFinding *out) const noexcept {
    const Ranking all = rank();
    ColumnFinding *at = out;
    const auto put = [&](const Tally &tally, Confidence confidence) -> ColumnFinding & {
        *at = {{}, confidence, tally.ids, true, tally.first, tally.last};
        return *at++;
    };
    if (all.equals > 1) {
        ColumnFinding &one = put(tallies_[all.places[0].reading], Confidence::likely);
        one.has_times = false;
        one.format.append("one of ");
        for (std::size_t i = 0; i < all.equals; ++i) {
            one.format.append(readings_.all[all.places[i].reading].format.view());
            one.format.append(", ");
        }
        one.format.append("or another layout");
    }
    for (std::size_t i = 0; i < all.count; ++i)
        put(tallies_[all.places[i].reading], i == 0 && all.equals == 1 ? Confidence::likely : Confidence::possible)
            .format.append(readings_.all[all.places[i].reading].format.view());
    if (numbers_ > (all.count == 0 ? 0 : tallies_[all.places[0].reading].ids)) {
        ColumnFinding &numbers = put({}, Confidence::likely);
        numbers.ids = numbers_;
        numbers.has_times = false;
        numbers.format.append("number");
        std::rotate(out, at - 1, at);
    }
    return static_cast<std::size_t>(at - out);
}

// Formats of more of the texts come first. The readings of the numbers stay together.
std::size_t Column::findings(ColumnFinding *out) const noexcept {
    std::size_t count = numbers_ == 0 ? 0 : put_numbers(out), readings = count;
    for (const ColumnFinding *text = texts_; text != texts_ + texts_count_; ++text) {
        ColumnFinding *at = out + count++;
        for (; at > out + readings && (at - 1)->ids < text->ids; --at) *at = *(at - 1);
        *at = *text;
    }
    if (readings > 0 && count > readings && out[readings].ids > numbers_) {
        std::size_t more = readings;
        while (more < count && out[more].ids > numbers_) ++more;
        std::rotate(out, out + readings, out + more);
    }
    return count;
}

}  // namespace snowid::core
