// A model of the whole fleet: a directory, servers and standbys, and a network between them. Messages are lost, late
// and doubled; servers crash, are paused, cut off, restored from a copy of their files or of their memory; clocks step
// both ways; the directory loses what it has committed; and a member invents renewals. The keeper and the timelines are
// the real ones, and the directory does what sql/directory does. The law stands in law.hpp. The model must find each
// way of breaking the protocol.
//
// Left out, because nothing keeps the law there: a directory that is two; and one that loses commits while its clock
// steps, while a machine's memory is copied, together with the longest lead that it has had, or although its owner
// says that it has not.
#include <gtest/gtest.h>

#include <deque>
#include <iostream>

#include "core/layout/layout_text.hpp"
#include "model/server.hpp"
#include "random.hpp"

namespace snowid::test::fleet {
namespace {

constexpr std::int64_t kStart = 1'800'000'000 * kSecond;
constexpr int kServers = 4;
constexpr int kSteps = 1500;

core::Layout layout_of(const char *text) {
    core::Layout layout;
    core::parse_layout(text, layout);
    return layout;
}
const core::Layout kLayouts[] = {layout_of("epoch=2024-01-01,tick=1s,time=31,worker=10,sequence=12"),
                                 layout_of("epoch=2024-01-01,tick=10ms,time=39,worker=10,sequence=12")};

class Simulation {
public:
    Simulation(Fault fault, Random &random)
        : f_{fault,
             random,
             kLayouts[random() % 2],
             {static_cast<std::int64_t>(random() % 2 == 0 ? 5 : 5 + random() % 60) * kSecond, 1023, INT64_MAX},
             kStart,
             {},
             {}},
          directory_(fault, 2 + random() % 6, kStart - static_cast<std::int64_t>(random() % 60) * kSecond) {
        loses_ = f_.chance(2);
        pace_ns_ = core::millis(5) << f_.below(6);
        trouble_ = 16 << f_.below(5);
        directory_trouble_ = 16 << f_.below(4);
        invents_ = f_.chance(4);
        for (int i = 0; i < kServers; ++i) {
            servers_.emplace_back(f_, i);
            servers_.back().is_standby = f_.chance(4);
            servers_.back().offset_ns = servers_.back().believed_ns = some(2 * kSecond);
        }
    }

    void run() {
        for (int i = 0; i < kSteps && !f_.law.is_broken(); ++i) {
            f_.now_ns += static_cast<std::int64_t>(f_.below(static_cast<std::uint64_t>(pace_ns_)));
            Server &server = some_server();
            if (!server.is_paused)
                for (std::uint64_t n = 1 + f_.below(6); n > 0; --n) server.go_on();
            if (!f_.requests.empty() && f_.chance(2)) serve();
            if (!answers_.empty() && f_.chance(2)) answer();
            if (f_.chance(trouble_)) happen_to(some_server());
            if (f_.chance(directory_trouble_)) happen_to_directory();
            if (invents_ && f_.chance(64)) invent();
        }
    }

    const Law &law() const { return f_.law; }
    int losses() const { return losses_; }

private:
    struct Answer {
        int server;
        std::uint64_t connection;
        Server::Mail mail;
    };

    std::int64_t some(std::int64_t most) {
        return static_cast<std::int64_t>(f_.below(2 * static_cast<std::uint64_t>(most))) - most;
    }
    Server &some_server() { return servers_[f_.below(kServers)]; }
    std::int64_t directory_clock() const { return f_.now_ns + directory_offset_ns_; }

    template <typename T>
    T take_some(std::vector<T> &from, bool stays) {
        const auto at = from.begin() + static_cast<std::ptrdiff_t>(f_.below(from.size()));
        T taken = *at;
        if (!stays) from.erase(at);
        return taken;
    }

    void serve() {
        const Fleet::Request r = take_some(f_.requests, f_.chance(40));
        if (f_.chance(15) || servers_[static_cast<std::size_t>(r.server)].is_cut) return;
        // A commit that is not replicated yet answers with a warning, and may be lost.
        const bool is_alone = loses_ && f_.chance(60);
        const Directory before = directory_;
        core::TenureAnswer given = r.request.action == core::TenureAction::take
                                       ? directory_.take(r.request, directory_clock(), f_.random)
                                       : directory_.renew(r.request, directory_clock(), f_.random);
        given.has_warning = is_alone;
        note_given(r.request, given);
        answers_.push_back({r.server, r.connection, {r.request.number, given}});
        if (is_alone && directory_.lead_ns() == before.lead_ns()) lose(before);
    }

    void note_given(const core::TenureRequest &request, const core::TenureAnswer &given) {
        if (given.kind != core::TenureAnswer::Kind::row) return;
        given_.push_back(given);
        if (given_.size() > 8) given_.pop_front();
        longest_lease_ns_ = std::max(longest_lease_ns_, core::millis(request.lease_ms));
        longest_lead_ns_ = std::max(longest_lead_ns_, given.until_ns - directory_clock() + kSecond);
    }

    // A member renews what it never had: that begins no quiet time. Or it repeats an answer of long ago, which can
    // prove a loss: then the directory may be quiet for as long as a piece that it has ever given out can still be
    // used, but it asks nobody how long that is.
    void invent() {
        constexpr std::int32_t kDay = 24 * 60 * 60 * 1000;
        core::TenureRequest request{core::TenureAction::renew, f_.random(), 0, {}, {}, {}, {}, {}};
        const bool repeats = !given_.empty() && f_.chance(2);
        if (repeats) {
            const core::TenureAnswer &old = given_[f_.below(given_.size())];
            request.worker = old.worker;
            request.token = old.token;
            request.held_until_ns = old.until_ns;
        } else {
            std::memset(request.token.bytes, 1 + static_cast<int>(f_.below(255)), sizeof request.token.bytes);
            request.worker = 1 + static_cast<std::uint32_t>(f_.below(directory_.workers()));
            request.held_until_ns = f_.chance(2) ? INT64_MAX : directory_clock() + some(600 * kSecond);
        }
        request.clock_ns = directory_clock() + some(kDay * core::kNanosPerMilli);
        request.lease_ms = f_.chance(2) ? kDay : 1 + static_cast<std::int32_t>(f_.below(kDay));
        const bool notices_a_loss = !directory_.knows_itself();
        const std::int64_t now = directory_clock(), before = directory_.quiet_until_ns();
        note_given(request, directory_.renew(request, now, f_.random));
        const std::int64_t after = directory_.quiet_until_ns();
        const bool is_as_before = !notices_a_loss && (before > now || !repeats);
        if (is_as_before ? after != before : after > std::max(before, now + longest_lead_ns_ + longest_lease_ns_))
            f_.law.stop_all();
    }

    void answer() {
        const Answer a = take_some(answers_, f_.chance(15));
        Server &server = servers_[static_cast<std::size_t>(a.server)];
        if (f_.chance(15) || server.is_cut || a.connection != server.connection) return;
        server.inbox.push_back(a.mail);
    }

    void happen_to(Server &server) {
        switch (f_.below(9)) {
            case 0: server.start(); break;
            case 1: server.restart_worker(); break;
            case 2: server.is_paused = !server.is_paused; break;
            case 3: server.is_cut = !server.is_cut; break;
            case 4: step_clock(server); break;
            case 5: server.is_standby = !server.is_standby; break;
            case 6: stop(server); break;
            case 7: copy_files(server); break;
            default:
                if (&server != &servers_[0] && !is_copied_ && !loses_) {
                    server.copy_memory_of(servers_[0]);
                    is_copied_ = f_.chance(2);
                }
        }
    }

    // By seconds, or by minutes; never so far ahead that the directory would not wait for it.
    void step_clock(Server &server) {
        const std::int64_t to = server.offset_ns + some(f_.chance(2) ? 3 * kSecond : 300 * kSecond);
        server.offset_ns = std::min(to, 500 * kSecond);
    }

    void stop(Server &server) {
        const core::Tenure &tenure = server.shared->tenure;
        if (f_.fault == Fault::released && tenure.worker != 0 && tenure.token != core::kNoToken)
            directory_.release(tenure.worker, tenure.token,
                               *std::max_element(server.data.horizon_ns, server.data.horizon_ns + kSlots),
                               directory_clock());
        server.start();
    }

    void copy_files(Server &server) {
        server.data = some_server().data;
        server.start();
    }

    void happen_to_directory() {
        switch (f_.below(loses_ ? 4 : 12)) {
            case 0:
                if (!loses_) directory_offset_ns_ = some(f_.chance(2) ? 30 * kSecond : 4000 * kSecond);
                break;
            case 1:
                if (!copies_.empty() && loses_ && copies_[0].lead_ns() == directory_.lead_ns())
                    lose(copies_[f_.below(copies_.size())]);
                break;
            case 2:
                directory_.promote(++incarnation_);  // a planned one
                if (!loses_ && f_.chance(2)) directory_.trust(directory_clock());
                break;
            default:
                while (!copies_.empty() && copies_[0].lead_ns() != directory_.lead_ns()) copies_.pop_front();
                copies_.push_back(directory_);
                if (copies_.size() > 4) copies_.pop_front();
        }
    }

    void lose(const Directory &left) {
        directory_ = left;
        directory_.promote(++incarnation_);
        directory_offset_ns_ =
            f_.chance(2)
                ? some(core::millis(1200))
                : core::millis(f_.chance(2) ? 1200 : -1200);  // any two differ by less than half of the shortest lease
        copies_.clear();
        ++losses_;
    }

    Fleet f_;
    Directory directory_;
    std::int64_t directory_offset_ns_ = 0;
    int incarnation_ = 1;
    std::int64_t longest_lead_ns_ = 10 * kSecond, longest_lease_ns_ = 0;
    bool loses_, invents_;
    bool is_copied_ = false;
    int losses_ = 0;
    std::int64_t pace_ns_;
    std::uint64_t trouble_, directory_trouble_;
    std::deque<Server> servers_;
    std::deque<Directory> copies_;
    std::deque<core::TenureAnswer> given_;  // the last answers
    std::vector<Answer> answers_;
};

struct Sum {
    std::int64_t ids = 0, pieces = 0, losses = 0;
};

// Whether the law was broken.
bool breaks(Fault fault, Random::result_type seed, Sum &sum) {
    Random random(seed);
    Simulation simulation(fault, random);
    simulation.run();
    const Law &law = simulation.law();
    sum.ids += law.ids;
    sum.pieces += law.pieces;
    sum.losses += simulation.losses();
    if (law.is_broken())
        std::cout << "seed " << seed << ": " << law.overlaps << " pieces overlap, " << law.strays
                  << " ids outside of their piece, " << law.duplicates << " duplicates, " << law.disorders
                  << " out of order, " << law.objections << " objections, " << law.stops << " long stops, of "
                  << law.ids << " ids\n";
    return law.is_broken();
}

TEST(FleetModel, GivesEachPieceOnce) {
    const char *given = std::getenv("SNOWID_RUNS");
    const int runs = given == nullptr ? 5000 : std::atoi(given);
    Random seeds = seeded_random();
    Sum sum;
    for (int i = 0; i < runs; ++i) ASSERT_FALSE(breaks(Fault::none, seeds(), sum));
    std::cout << sum.ids << " ids in " << sum.pieces << " pieces, " << sum.losses << " losses of the directory\n";
    EXPECT_GT(sum.ids, 100 * runs);
    EXPECT_GT(sum.pieces, 5 * runs);
    EXPECT_GT(sum.losses, runs / 4);
}

// What is lost: another one took the number of a holder that was late, as soon as it had expired. The new clock is
// behind, so it has not expired again. In random runs this is too rare.
core::TenureAnswer renewed_by_one_who_was_late(Fault fault, std::int64_t behind_ns) {
    Random random(1);
    Directory directory(fault, 1, kStart - kSecond);
    const core::TenureAnswer late =
        directory.take({core::TenureAction::take, 1, 9, 0, {}, kStart, 0, 5000}, kStart, random);
    Directory left = directory;
    const std::int64_t end = kStart + 5 * kSecond;
    const core::TenureAnswer other = directory.take({core::TenureAction::take, 1, 9, 0, {}, end, 0, 5000}, end, random);
    EXPECT_EQ(other.from_ns, late.until_ns);
    left.promote(2);
    return left.renew({core::TenureAction::renew, 2, 0, 1, late.token, end, late.until_ns, 10000}, end - behind_ns,
                      random);
}

TEST(FleetModel, HalfOfALeaseIsForClocksThatDiffer) {
    EXPECT_EQ(renewed_by_one_who_was_late(Fault::none, 2 * kSecond).kind, core::TenureAnswer::Kind::no_row);
    EXPECT_EQ(renewed_by_one_who_was_late(Fault::any_lease_is_enough, 2 * kSecond).kind, core::TenureAnswer::Kind::row);
    EXPECT_EQ(renewed_by_one_who_was_late(Fault::none, 3 * kSecond).kind, core::TenureAnswer::Kind::row);
}

struct Planted {
    const char *name;
    Fault fault;
};

class PlantedFault : public testing::TestWithParam<Planted> {};

// The seeds are always the same, so that the fault is found in the same run wherever the test runs.
TEST_P(PlantedFault, IsFound) {
    Sum sum;
    for (Random::result_type seed = 1; seed <= 40000; ++seed) {
        if (!breaks(GetParam().fault, seed, sum)) continue;
        std::cout << "the planted fault " << GetParam().name << " is found\n";
        return;
    }
    FAIL() << "not found";
}

constexpr Planted kPlanted[] = {
    {"tick_goes_on", Fault::tick_goes_on},
    {"bits_after_position", Fault::bits_after_position},
    {"from_before_version", Fault::from_before_version},
    {"released", Fault::released},
    {"until_by_directory", Fault::until_by_directory},
    {"no_from", Fault::no_from},
    {"no_quiet_time", Fault::no_quiet_time},
    {"no_floor", Fault::no_floor},
    {"equal_token_is_enough", Fault::equal_token_is_enough},
    {"repeated_by_nonce", Fault::repeated_by_nonce},
    {"token_is_not_asked", Fault::token_is_not_asked},
    {"quiet_as_asked", Fault::quiet_as_asked},
    {"quiet_without_end", Fault::quiet_without_end},
    {"any_token_proves", Fault::any_token_proves},
};
INSTANTIATE_TEST_SUITE_P(FleetModel, PlantedFault, testing::ValuesIn(kPlanted),
                         [](const auto &fault) { return std::string(fault.param.name); });

}  // namespace
}  // namespace snowid::test::fleet
