// What the server must know about snos; see shared/scheme.hpp.
#include "core/id/sno.hpp"
#include "server/durable/horizon.hpp"
#include "server/named/generator_record.hpp"
#include "server/shared/settings.hpp"

namespace snowid::server {
namespace snos {
namespace {

std::uint64_t partition_bits(std::uint32_t partition) { return partition; }
std::uint32_t largest_partition(const core::Layout &) { return core::Sno::kMaxPartition; }
std::uint32_t configured_partition() { return static_cast<std::uint32_t>(settings.sno_partition); }
bool is_partition_set() { return settings.sno_partition_is_set; }

void check(const GeneratorRecord &record) {
    if (record.layout || record.worker)
        raise_bad_record(record.name, "A generator of snos has a partition, and no layout and no worker.",
                         "Use partition instead.");
    if (record.partition.value_or(0) > UINT16_MAX)
        raise_bad_record(record.name, psprintf("partition must be from 0 to 65535, not %u.", *record.partition),
                         nullptr);
    check_sequences(record, UINT16_MAX);
}

std::uint64_t last_sequence(const core::Layout &) { return core::SnoBounds::kLargest; }

// Snos count in fixed units, which need no state.
core::Ticks ticks(const core::Layout &, core::SequenceRange) { return {}; }

core::Claim claim(const SlotInfo &info) {
    constexpr int kSequenceBits = 16;
    return {std::uint64_t{info.number} << kSequenceBits, 0, kSequenceBits, info.sequences};
}

void begin(Slot &slot, const SlotInfo &, const core::UsedUp &used) { slot.snos.resume(used); }

void finish_tick(Slot &slot) { slot.snos.resume(slot.snos.stop()); }

// The new version makes sure that no backend's limit outlives a change of the timeline.
void skip_past(Slot &slot, const core::Ticks &, const core::UsedUp &used) {
    const core::UsedUp known = slot.snos.used_up(), all = core::merged(known, used);
    if (all != known) {
        slot.version.fetch_add(1);
        slot.snos.resume(core::merged(slot.snos.stop(), used));
    }
    advance_to(slot.highest_horizon_ns, all.horizon.value);
}

void rewind(Slot &slot, const SlotInfo &, core::UnixNanos to) {
    const core::UsedUp before = slot.snos.stop(), end = core::UsedUp::all_before(to);
    slot.snos.resume({std::min(before.horizon, end.horizon), std::min(before.safe, end.safe), before.toggles});
}

// With either bit.
core::UnixNanos first_time_after(const core::UsedUp &used) {
    return std::max(used.horizon, core::SnoUnits::start(used.safe + 1));
}

core::UnixNanos first_unused_time(const Slot &slot, const SlotInfo &) { return first_time_after(slot.snos.used_up()); }

SchemeSpan span(const Slot &slot, const SlotInfo &) {
    const core::UsedUp used = slot.snos.used_up();
    return {core::SnoUnits::start(core::SnoUnits::at(used.horizon) - 1), core::Sno::Time::last()};
}

core::UsedUp used_by(const Slot &slot) {
    const core::UsedUp used = slot.snos.used_up();
    return {std::max(used.horizon, {slot.highest_horizon_ns.load()}), used.safe, used.toggles};
}

std::int64_t margin_ns(const core::Ticks &) { return core::kSnoMarginNs; }
std::uint64_t positions_in(const core::Ticks &, std::int64_t ns) {
    return static_cast<std::uint64_t>(ns / core::SnoUnits::kUnitNs + 1);
}

LastTaken last_taken(const Slot &slot, const core::Ticks &) {
    const std::uint64_t seen = slot.snos.look();
    return {core::SnoUnits::start(core::SnoTimeline::unit_of(seen) + 1), seen};
}

bool is_unseen(const Slot &slot, const HorizonRow &row) {
    const core::UsedUp used = row.used_up();
    if (row.generator == kSnoScheme.default_generator && row.server == 0)
        return first_time_after(used) > first_time_after(used_by(slot));
    const std::uint64_t toggles = slot.snos.toggles();
    return used.toggles > toggles || (used.toggles == toggles && row.horizon_ns > slot.highest_horizon_ns.load());
}

Advance advance(Slot &slot, const core::Ticks &, const HorizonNeed &need, HorizonRow &row) {
    if (is_unseen(slot, row)) return {Advance::unseen};
    core::UsedUp used{};
    const core::UsedUp before = row.used_up();
    if (!slot.snos.advanced(need.seen, need.goal.target, used)) return {Advance::late};
    const bool same_bit = before.toggles == used.toggles;
    const bool enough = same_bit && before.safe >= used.safe && before.horizon >= need.goal.enough;
    if (!enough) row.set(core::merged(before, used));  // the row may cover more than the timeline's own ids
    const core::UnixNanos horizon{row.horizon_ns};
    return {enough ? Advance::enough : Advance::advanced, first_time_after(row.used_up()),
            static_cast<std::uint64_t>(core::SnoUnits::limit_of(std::min(horizon, need.until)))};
}

}  // namespace
}  // namespace snos

constinit const SchemeRow kSnoScheme{
    .name = "sno",
    .default_generator = -1,
    .number_name = "partition",
    .number = &GeneratorRecord::partition,
    .number_title = "partition of snos",
    .number_setting = "snowid.sno_partition",
    .largest_number = snos::largest_partition,
    .configured_number = snos::configured_partition,
    .is_number_set = snos::is_partition_set,
    .number_bits = snos::partition_bits,
    .has_layout = false,
    .check = snos::check,
    .last_sequence = snos::last_sequence,
    .ticks = snos::ticks,
    .claim = snos::claim,
    .begin = snos::begin,
    .finish_tick = snos::finish_tick,
    .skip_past = snos::skip_past,
    .rewind = snos::rewind,
    .first_unused_time = snos::first_unused_time,
    .span = snos::span,
    .first_time_after = snos::first_time_after,
    .used_by = snos::used_by,
    .margin_ns = snos::margin_ns,
    .positions_in = snos::positions_in,
    .last_taken = snos::last_taken,
    .advance = snos::advance,
};

}  // namespace snowid::server
