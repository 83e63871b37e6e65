// What the server must know about snowflakes; see shared/scheme.hpp.
#include "pg/error.hpp"
#include "server/durable/horizon.hpp"
#include "server/durable/layout_record.hpp"
#include "server/named/generator_record.hpp"
#include "server/shared/settings.hpp"
#include "server/shared/shared.hpp"

namespace snowid::server {
namespace snowflakes {
namespace {

std::uint64_t worker_bits(std::uint32_t worker) { return settings.layout.place_worker(worker); }
std::uint32_t largest_worker(const core::Layout &layout) { return layout.max_worker(); }
std::uint32_t configured_worker() { return settings.worker; }
bool is_worker_set() { return settings.worker_is_set; }

// Code that knows only the recorded layout would misread a time in another place.
void check_time(const char *name, const core::Layout &layout) {
    const core::Layout &recorded = recorded_layout();
    const char *other = nullptr;
    if (layout.epoch != recorded.epoch)
        other = "another epoch";
    else if (layout.tick_us != recorded.tick_us)
        other = "another tick";
    else if (layout.time().shift != recorded.time().shift || layout.time().bits != recorded.time().bits)
        other = "the time in another place";
    if (other == nullptr) return;
    raise_bad_record(
        name,
        psprintf("Its layout %s has %s than the layout of this database, %s.", pg::layout_text(layout), other,
                 pg::layout_text(recorded)),
        "Only the bits below the time may be divided differently: ids of other layouts live in bigint columns.");
}

void check_worker(const GeneratorRecord &record, const core::Layout &layout) {
    if (record.worker && *record.worker > layout.max_worker())
        raise_bad_record(record.name,
                         psprintf("worker must be from 0 to %u, not %u.", layout.max_worker(), *record.worker),
                         nullptr);
    const bool is_of_server = layout == settings.layout && (record.overlap || recorded_layout() == settings.layout);
    if (!record.worker && !is_of_server)
        raise_bad_record(record.name,
                         psprintf("Its layout, or that of this database, is not the server's, %s, and so it cannot "
                                  "take the server's worker.",
                                  pg::layout_text(settings.layout)),
                         "Name its worker.");
}

void check(const GeneratorRecord &record) {
    if (record.partition)
        raise_bad_record(record.name, "A generator of snowflakes has a worker, and no partition.",
                         "Use worker instead.");
    const core::Layout layout = record.layout_in_force();
    check_time(record.name, layout);
    check_worker(record, layout);
    check_sequences(record, layout.sequence().max());
}

std::uint64_t last_sequence(const core::Layout &layout) { return layout.sequence().max(); }

core::Ticks ticks(const core::Layout &layout, core::SequenceRange sequences) { return {layout, sequences}; }

core::Claim claim(const SlotInfo &info) { return core::claim_of(info.layout, info.number, info.sequences); }

core::Ticks ticks_of(const SlotInfo &info) { return ticks(info.layout, info.sequences); }

void begin(Slot &slot, const SlotInfo &info, const core::UsedUp &used) {
    slot.timeline.rewind_to(core::start_after(ticks_of(info), used.horizon));
}

void finish_tick(Slot &slot) { slot.timeline.finish_tick(core::Ticks(slot.info.layout)); }

void skip_past(Slot &slot, const core::Ticks &of, const core::UsedUp &used) {
    advance_to(slot.highest_horizon_ns, used.horizon.value);
    slot.timeline.advance_to(core::start_after(of, used.horizon));
}

void rewind(Slot &slot, const SlotInfo &info, core::UnixNanos to) {
    slot.timeline.rewind_to(core::start_after(core::Ticks(info.layout), to));
}

core::UnixNanos first_unused_time(const Slot &slot, const SlotInfo &info) {
    const core::Ticks of(info.layout);
    const std::uint64_t last = slot.timeline.last();
    return last == 0 ? core::UnixNanos{0} : of.end_of(last);
}

SchemeSpan span(const Slot &slot, const SlotInfo &info) {
    const core::Ticks of(info.layout);
    const std::uint64_t last = slot.timeline.last();
    return {last == 0 ? core::UnixNanos{0} : of.start(of.tick_of(last)), info.layout.last_generated_time()};
}

core::UnixNanos first_time_after(const core::UsedUp &used) { return used.horizon; }
core::UsedUp used_by(const Slot &slot) { return {{slot.highest_horizon_ns.load()}, 0, 0}; }

std::int64_t margin_ns(const core::Ticks &of) { return core::horizon_margin_ns(of); }
std::uint64_t positions_in(const core::Ticks &of, std::int64_t ns) { return of.positions_in(ns); }

LastTaken last_taken(const Slot &slot, const core::Ticks &of) {
    const std::uint64_t last = slot.timeline.last();
    return {of.end_of(last), last};
}

Advance advance(Slot &slot, const core::Ticks &of, const HorizonNeed &need, HorizonRow &row) {
    if (row.horizon_ns > slot.highest_horizon_ns.load()) return {Advance::unseen};
    const bool enough = row.horizon_ns >= need.goal.enough.value;
    if (!enough) row.horizon_ns = need.goal.target.value;
    const core::UnixNanos end{row.horizon_ns};
    return {enough ? Advance::enough : Advance::advanced, end, core::limit_of(of, std::min(end, need.until))};
}

}  // namespace
}  // namespace snowflakes

constinit const SchemeRow kSnowflakeScheme{
    .name = "snowflake",
    .default_generator = 0,
    .number_name = "worker",
    .number = &GeneratorRecord::worker,
    .number_title = "worker id",
    .number_setting = "snowid.worker_id",
    .largest_number = snowflakes::largest_worker,
    .configured_number = snowflakes::configured_worker,
    .is_number_set = snowflakes::is_worker_set,
    .number_bits = snowflakes::worker_bits,
    .has_layout = true,
    .check = snowflakes::check,
    .last_sequence = snowflakes::last_sequence,
    .ticks = snowflakes::ticks,
    .claim = snowflakes::claim,
    .begin = snowflakes::begin,
    .finish_tick = snowflakes::finish_tick,
    .skip_past = snowflakes::skip_past,
    .rewind = snowflakes::rewind,
    .first_unused_time = snowflakes::first_unused_time,
    .span = snowflakes::span,
    .first_time_after = snowflakes::first_time_after,
    .used_by = snowflakes::used_by,
    .margin_ns = snowflakes::margin_ns,
    .positions_in = snowflakes::positions_in,
    .last_taken = snowflakes::last_taken,
    .advance = snowflakes::advance,
};

}  // namespace snowid::server
