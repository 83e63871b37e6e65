// A server of the model: shared memory, the worker that asks the directory by the real keeper, and backends that take
// positions of real timelines. What is between two steps is atomic.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "claims/steps.hpp"
#include "core/fleet/tenure.hpp"
#include "core/timeline/horizon.hpp"
#include "core/timeline/timeline.hpp"
#include "model/directory.hpp"
#include "model/law.hpp"

namespace snowid::test::fleet {

using claims::Process;
using claims::step;
using claims::Task;

inline constexpr std::size_t kSlots = 2;
inline constexpr std::int64_t kDriftNs = 2 * kSecond;
inline constexpr std::int64_t kJumpNs = 120 * kSecond;

struct Slot {
    core::Timeline timeline;
    std::uint64_t version = 0;
};

struct Shared {
    std::int64_t until_ns = 0;
    std::int64_t from_ns = 0;
    std::uint32_t worker = 0;
    core::Tenure tenure{};  // where the next worker finds it
    Slot slots[kSlots];
};

// Lost by nothing.
struct Data {
    std::int64_t horizon_ns[kSlots] = {};
    std::uint64_t last_id[kSlots] = {};  // for the law, as is
    int generator[kSlots] = {};          // which generator of the fleet has the slot
};

// What all servers have in common.
struct Fleet {
    struct Request {
        int server;
        std::uint64_t connection;
        core::TenureRequest request;
    };

    Fault fault;
    Random &random;
    core::Layout layout;
    core::TenureConfig config;
    std::int64_t now_ns;  // the true time
    Law law;
    std::vector<Request> requests;
    int starts = 0, generators = 0;

    std::uint64_t below(std::uint64_t n) { return random() % n; }
    bool chance(std::uint64_t one_of) { return below(one_of) == 0; }
};

class Server {
public:
    struct Mail {
        std::uint64_t number;
        core::TenureAnswer answer;
    };

    Server(Fleet &fleet, int index) : f_(fleet), index_(index) {
        const std::uint64_t half = fleet.layout.sequence().max() / 2;
        ticks[0] = core::Ticks(fleet.layout, {0, half});
        ticks[1] = core::Ticks(fleet.layout, {half + 1, fleet.layout.sequence().max()});
        start();
    }

    void start() {
        processes_.clear();
        shared = std::make_unique<Shared>();
        owner = ++f_.starts;
        is_installing_ = false;
        for (std::size_t i = 0; i < kSlots; ++i)
            shared->slots[i].timeline.advance_to(core::start_after(ticks[i], {data.horizon_ns[i]}));
        start_processes();
    }

    // Another worker, or all processes of a machine that was copied.
    void start_processes() {
        processes_.clear();
        hang_up();
        inbox.clear();
        keeper = core::TenureKeeper(shared->tenure);
        keeper.configure(f_.config);
        processes_.emplace_back(work());
        for (std::size_t i = 0; i < 3; ++i) processes_.emplace_back(make_ids(i % kSlots));
    }

    void restart_worker() {
        if (is_installing_) return;
        hang_up();
        inbox.clear();
        keeper = core::TenureKeeper(shared->tenure);
        keeper.configure(f_.config);
    }

    // A machine's memory is copied while no process of it is at work.
    void copy_memory_of(const Server &other) {
        if (other.is_installing_) return;
        data = other.data;
        offset_ns = other.offset_ns;
        believed_ns = other.believed_ns;
        shared = std::make_unique<Shared>();
        copy(*other.shared, *shared);
        owner = ++f_.starts;
        f_.law.copy_memory(other.owner, owner);
        start_processes();
        keeper = other.keeper;
    }

    // One process goes on for a while, as if the others had no processor.
    void go_on() {
        Process &process = processes_[f_.below(processes_.size())];
        for (std::uint64_t n = 1 + (f_.chance(3) ? f_.below(16) : 0); n > 0; --n) process.go_on();
    }

    // A slot that begins where the data say, which know nothing of the tenure; some for a generator that is new.
    void begin_slot(std::size_t i) {
        if (f_.chance(2)) {
            data.horizon_ns[i] = 0;
            data.last_id[i] = 0;
            data.generator[i] = ++f_.generators;
        }
        ++shared->slots[i].version;
        shared->slots[i].timeline.rewind_to(core::start_after(ticks[i], {data.horizon_ns[i]}));
    }

    core::TenureClock clock() {
        if (offset_ns - believed_ns <= kJumpNs) believed_ns = offset_ns;
        const std::int64_t now = f_.now_ns + believed_ns;
        std::int64_t last = INT64_MIN;
        for (std::size_t i = 0; i < kSlots; ++i)
            last = std::max(last, ticks[i].start(ticks[i].tick_of(shared->slots[i].timeline.last())).value);
        return {f_.now_ns, now, std::min(last, now + kDriftNs), believed_ns != offset_ns};
    }

    std::unique_ptr<Shared> shared;
    Data data;
    core::TenureKeeper keeper{core::Tenure{}};
    std::uint64_t connection = 0;
    std::vector<Mail> inbox;
    std::int64_t offset_ns = 0, believed_ns = 0;
    bool is_standby = false, is_paused = false, is_cut = false;
    int owner = 0;
    core::Ticks ticks[kSlots];

private:
    // As a backend knows its generator.
    struct Known {
        bool is_ready = false;
        std::uint64_t version = 0;
        std::uint64_t low = 0;
        std::uint64_t limit = 0;
    };

    static void copy(const Shared &from, Shared &to) {
        to.until_ns = from.until_ns;
        to.from_ns = from.from_ns;
        to.worker = from.worker;
        to.tenure = from.tenure;
        for (std::size_t i = 0; i < kSlots; ++i) {
            to.slots[i].timeline.advance_to(from.slots[i].timeline.last());
            to.slots[i].version = from.slots[i].version;
        }
    }

    void hang_up() { ++connection; }

    Task<> work() {
        for (;;) {
            co_await step();
            const core::TenureClock now = clock();
            if (now.elapsed_ns >= keeper.deadline_ns()) {
                hang_up();
                keeper.unanswered(now);
            }
            if (keeper.is_due(now)) f_.requests.push_back({index_, connection, keeper.ask(now)});
            if (inbox.empty()) continue;
            const Mail mail = inbox.front();
            inbox.erase(inbox.begin());
            const core::TenureVerdict verdict = keeper.answered(mail.number, mail.answer, now);
            if (verdict.objection == core::TenureObjection::worker || verdict.objection == core::TenureObjection::piece)
                f_.law.object();
            if (verdict.effect == core::TenureEffect::close) f_.law.alarm();
            co_await obey(verdict.effect);
        }
    }

    Task<> obey(core::TenureEffect effect) {
        const core::Tenure &tenure = keeper.tenure();
        if (effect == core::TenureEffect::install) co_await install(tenure);
        if (effect == core::TenureEffect::extend) {
            f_.law.give(tenure.worker, shared->tenure.until_ns, tenure.until_ns, owner);
            shared->until_ns = std::max(shared->until_ns, tenure.until_ns);
        }
        if (effect == core::TenureEffect::close) shared->until_ns = 0;
        if (effect != core::TenureEffect::none) shared->tenure = tenure;
    }

    Task<> install(core::Tenure tenure) {
        is_installing_ = true;
        f_.law.give(tenure.worker, tenure.from_ns, tenure.until_ns, owner);
        shared->until_ns = 0;
        co_await step();
        for (std::size_t i = 0; i < kSlots; ++i) {
            ++shared->slots[i].version;
            co_await step();
            if (f_.fault != Fault::tick_goes_on) shared->slots[i].timeline.finish_tick(ticks[i]);
            co_await step();
        }
        for (std::size_t i = 0; i < kSlots; ++i) {
            if (f_.fault != Fault::no_from)
                shared->slots[i].timeline.advance_to(core::start_after(ticks[i], {tenure.from_ns}));
            co_await step();
        }
        if (f_.fault != Fault::no_from) shared->from_ns = tenure.from_ns;
        co_await step();
        shared->worker = tenure.worker;
        co_await step();
        shared->until_ns = tenure.until_ns;
        is_installing_ = false;
    }

    Task<> make_ids(std::size_t i) {
        Known known;
        for (;;) {
            co_await step();
            if (is_standby) continue;
            co_await make_id(i, known);
        }
    }

    Task<> make_id(std::size_t i, Known &known) {
        Slot &slot = shared->slots[i];
        if (!known.is_ready || known.version != slot.version) co_await learn(i, known);
        const std::uint64_t after = data.last_id[i];
        const core::TickWindow window = window_of(i, known);
        std::uint32_t worker = shared->worker;
        co_await step();
        const std::uint64_t position = slot.timeline.take_now(window);
        if (position == 0) {
            known.is_ready = false;
            co_return;
        }
        if (f_.chance(3)) co_await step();
        if (known.version != slot.version) co_return;
        if (f_.fault == Fault::bits_after_position) {
            co_await step();
            worker = shared->worker;
        }
        made(i, position, worker, after);
    }

    // The later of the clock's tick and the last position's, as far as the drift allows.
    core::TickWindow window_of(std::size_t i, const Known &known) {
        const core::TenureClock now = clock();
        if (now.has_leapt) return {};
        const std::uint64_t last = shared->slots[i].timeline.last();
        const std::int64_t tick = std::max(ticks[i].at({now.now_ns}), ticks[i].tick_of(ticks[i].at_or_after(last + 1)));
        if (ticks[i].start(tick).value > now.now_ns + kDriftNs) return {};
        return {std::max(ticks[i].first(tick), known.low),
                std::min(ticks[i].first(tick) + ticks[i].capacity(), known.limit), ticks[i].start(tick + 1)};
    }

    Task<> learn(std::size_t i, Known &known) {
        std::int64_t from = shared->from_ns;
        if (f_.fault == Fault::from_before_version) co_await step();
        while (is_installing_) co_await step();  // the lock of the slots
        if (f_.chance(16)) begin_slot(i);
        known.version = shared->slots[i].version;
        co_await step();
        const std::int64_t until = shared->until_ns;
        co_await step();
        if (f_.fault != Fault::from_before_version) from = shared->from_ns;
        data.horizon_ns[i] = std::max(data.horizon_ns[i], clock().now_ns + kDriftNs + kSecond);
        known.limit = core::limit_of(ticks[i], {std::min(data.horizon_ns[i], until)});
        known.low = core::start_after(ticks[i], {from}) + 1;
        known.is_ready = true;
    }

    void made(std::size_t i, std::uint64_t position, std::uint32_t worker, std::uint64_t after) {
        const core::Layout &layout = f_.layout;
        const std::uint64_t id = position | layout.place_worker(worker);
        f_.law.make(id, worker, ticks[i].start(ticks[i].tick_of(position)).value, owner, data.generator[i], after);
        data.last_id[i] = std::max(data.last_id[i], id);
    }

    Fleet &f_;
    int index_;
    bool is_installing_ = false;
    std::vector<Process> processes_;
};

}  // namespace snowid::test::fleet
