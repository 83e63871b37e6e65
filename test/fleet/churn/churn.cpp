// Holders of worker ids that come and go, on a real directory: more of them than there are numbers. Clocks step,
// holders are paused, cut off and killed, and answers are lost. Each holder has the real keeper and makes ids on the
// real timeline. At the end all pieces and all ids are compared. A fault can be planted.
//
//     churn CONNECTION HOLDERS SECONDS SEED [no_from | lease_is_enough]
#include <libpq-fe.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/fleet/tenure.hpp"
#include "core/layout/layout_text.hpp"
#include "core/timeline/horizon.hpp"
#include "core/timeline/timeline.hpp"

namespace {

using namespace snowid::core;
using namespace std::chrono_literals;
using Answered = std::unique_ptr<PGresult, decltype(&PQclear)>;

constexpr const char *kLayout = "epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12";
constexpr std::int64_t kDriftNs = millis(2000), kJumpNs = millis(5000);
constexpr TenureConfig kConfig{millis(2000), 1023, INT64_MAX};

struct Plan {
    std::string connection;
    bool no_from, lease_is_enough;
    std::chrono::steady_clock::time_point end;
};

struct Piece {
    std::uint32_t worker;
    std::int64_t from_ns, until_ns;
    friend auto operator<=>(const Piece &, const Piece &) = default;
};

// What one holder was given, and what it made, from a start to the next.
struct Life {
    std::vector<Piece> pieces;
    std::vector<std::uint64_t> ids;
};

Layout layout() {
    Layout parsed;
    parse_layout(kLayout, parsed);
    return parsed;
}
const Layout kParsed = layout();
const Ticks kTicks(kParsed);

std::int64_t elapsed_ns() { return std::chrono::steady_clock::now().time_since_epoch() / 1ns; }
std::int64_t number(const PGresult *result, int column) {
    return std::strtoll(PQgetvalue(result, 0, column), nullptr, 10);
}

TenureToken token_of(const char *uuid) {
    TenureToken token{};
    std::size_t at = 0;
    for (const char *c = uuid; *c != 0 && at < 32; ++c) {
        if (*c == '-') continue;
        const int digit = *c <= '9' ? *c - '0' : *c - 'a' + 10;
        token.bytes[at / 2] = static_cast<std::uint8_t>(token.bytes[at / 2] << 4 | digit);
        ++at;
    }
    return token;
}
std::string text_of(const TenureToken &token) {
    std::string text;
    char two[3];
    for (const std::uint8_t byte : token.bytes) {
        std::snprintf(two, sizeof two, "%02x", byte);
        text += two;
    }
    return text;
}

class Holder {
public:
    Holder(const Plan &plan, std::uint64_t seed) : plan_(plan), random_(seed) {}
    Holder(const Holder &) = delete;
    Holder &operator=(const Holder &) = delete;
    ~Holder() { hang_up(); }

    void run() {
        start();
        while (std::chrono::steady_clock::now() < plan_.end) {
            if (keeper_.is_due(clock()) && elapsed_ns() >= cut_until_ns_) ask();
            make_ids();
            std::this_thread::sleep_for(1ms * (1 + below(10)));
            if (chance(400)) happen();
        }
    }

    std::vector<Life> lives;
    int errors = 0, losses = 0;

private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    bool chance(std::uint64_t one_of) { return below(one_of) == 0; }

    void start() {
        hang_up();
        lives.emplace_back();
        keeper_ = TenureKeeper(Tenure{});
        keeper_.configure(kConfig);
        timeline_ = std::make_unique<Timeline>();
        granted_ns_ = 0;
    }

    TenureClock clock() {
        if (offset_ns_ - believed_ns_ <= kJumpNs) believed_ns_ = offset_ns_;
        const std::int64_t now = std::chrono::system_clock::now().time_since_epoch() / 1ns + believed_ns_;
        const std::int64_t last = kTicks.start(kTicks.tick_of(timeline_->last())).value;
        return {elapsed_ns(), now, std::min(last, now + kDriftNs), believed_ns_ != offset_ns_};
    }

    void happen() {
        switch (below(6)) {
            case 0: start(); break;
            case 1: std::this_thread::sleep_for(1ms * below(4000)); break;
            case 2: cut_until_ns_ = elapsed_ns() + millis(static_cast<std::int64_t>(below(4000))); break;
            case 3: answer_is_lost_ = true; break;
            default: step_clock();
        }
    }
    void step_clock() {
        offset_ns_ = std::min(offset_ns_, millis(20'000)) + millis(static_cast<std::int64_t>(below(6000)) - 3000);
    }

    void hang_up() {
        PQfinish(connection_);
        connection_ = nullptr;
    }
    bool is_connected() {
        if (connection_ == nullptr) connection_ = PQconnectdb(plan_.connection.c_str());
        PQsetNoticeReceiver(
            connection_, [](void *warned, const PGresult *) { *static_cast<bool *>(warned) = true; }, &is_warned_);
        if (PQstatus(connection_) == CONNECTION_OK) return true;
        hang_up();
        return false;
    }

    void ask() {
        if (!is_connected()) {
            keeper_.unanswered(clock());
            return;
        }
        const TenureRequest request = keeper_.ask(clock());
        const std::int64_t asked_ns = elapsed_ns();
        send(request);
        if (chance(8)) step_clock();
        if (std::exchange(answer_is_lost_, false)) {
            PQflush(connection_);
            std::this_thread::sleep_for(1ms * below(20));
            hang_up();
            keeper_.unanswered(clock());
            return;
        }
        const TenureAnswer answer = receive(request.action == TenureAction::take);
        const Tenure before = keeper_.tenure();
        obey(keeper_.answered(request.number, answer, clock()).effect, before, asked_ns);
        if (PQstatus(connection_) != CONNECTION_OK) hang_up();
    }

    void send(const TenureRequest &r) {
        const std::string clock = std::to_string(r.clock_ns), lease = std::to_string(r.lease_ms);
        const std::string max = std::to_string(r.worker_max), worker = std::to_string(r.worker);
        const std::string held = std::to_string(r.held_until_ns), token = text_of(r.token);
        const char *take[] = {kLayout, clock.c_str(), lease.c_str(), max.c_str()};
        const char *renew[] = {worker.c_str(), token.c_str(), clock.c_str(), held.c_str(), lease.c_str()};
        const bool takes = r.action == TenureAction::take;
        PQsendQueryParams(connection_,
                          takes ? "SELECT * FROM snowid_directory.take(1, $1, $2, $3, $4, 'churn')"
                                : "SELECT * FROM snowid_directory.renew(1, $1, $2, $3, $4, $5)",
                          takes ? 4 : 5, nullptr, takes ? take : renew, nullptr, nullptr, 0);
    }

    TenureAnswer receive(bool is_take) {
        is_warned_ = false;
        TenureAnswer answer{TenureAnswer::Kind::error, false, 0, {}, 0, 0, 0, {}};
        while (const Answered result{PQgetResult(connection_), PQclear}) {
            if (PQresultStatus(result.get()) != PGRES_TUPLES_OK)
                ++errors;
            else if (PQntuples(result.get()) == 0)
                answer.kind = TenureAnswer::Kind::no_row;
            else
                answer = row_of(result.get(), is_take);
        }
        answer.has_warning = is_warned_;
        return answer;
    }
    static TenureAnswer row_of(const PGresult *row, bool is_take) {
        const int at = is_take ? 3 : 1;  // until_ns
        const WorkerRange range{static_cast<std::uint32_t>(number(row, at + 2)),
                                static_cast<std::uint32_t>(number(row, at + 3))};
        return {TenureAnswer::Kind::row,
                false,
                is_take ? static_cast<std::uint32_t>(number(row, 0)) : 0,
                token_of(PQgetvalue(row, 0, is_take ? 1 : 0)),
                is_take ? number(row, 2) : 0,
                number(row, at),
                number(row, at + 1),
                range};
    }

    void obey(TenureEffect effect, const Tenure &before, std::int64_t asked_ns) {
        const Tenure &tenure = keeper_.tenure();
        if (effect == TenureEffect::lose) ++losses;
        if (effect == TenureEffect::install) {
            lives.back().pieces.push_back({tenure.worker, tenure.from_ns, tenure.until_ns});
            timeline_->finish_tick(kTicks);
            if (!plan_.no_from) timeline_->advance_to(start_after(kTicks, {tenure.from_ns}));
        }
        if (effect == TenureEffect::extend)
            lives.back().pieces.push_back({tenure.worker, before.until_ns, tenure.until_ns});
        if (effect == TenureEffect::install || effect == TenureEffect::extend) granted_ns_ = asked_ns;
    }

    void make_ids() {
        const TenureClock now = clock();
        const Tenure &tenure = keeper_.tenure();
        if (tenure.worker == 0 || now.has_leapt) return;
        const bool is_alive = now.elapsed_ns < granted_ns_ + tenure.piece_ns;
        const std::int64_t until = plan_.lease_is_enough ? (is_alive ? INT64_MAX : 0) : tenure.until_ns;
        const std::int64_t tick = std::max(kTicks.at({now.now_ns}), kTicks.tick_of(timeline_->last() + 1));
        if (kTicks.start(tick).value > now.now_ns + kDriftNs) return;
        const std::uint64_t limit = until == INT64_MAX ? kTicks.end() : limit_of(kTicks, {until});
        const TickWindow window = kTicks.window(kTicks.start(tick), limit);
        for (std::uint64_t n = 1 + below(8); n > 0; --n)
            if (const std::uint64_t position = timeline_->take_now(window))
                lives.back().ids.push_back(position | kParsed.place_worker(tenure.worker));
    }

    const Plan &plan_;
    std::mt19937_64 random_;
    TenureKeeper keeper_{Tenure{}};
    std::unique_ptr<Timeline> timeline_;
    PGconn *connection_ = nullptr;
    std::int64_t offset_ns_ = 0, believed_ns_ = 0, cut_until_ns_ = 0, granted_ns_ = 0;
    bool answer_is_lost_ = false, is_warned_ = false;
};

std::size_t overlaps(const std::vector<std::unique_ptr<Holder>> &holders) {
    std::vector<Piece> all;
    for (const auto &holder : holders)
        for (const Life &life : holder->lives)
            std::copy_if(life.pieces.begin(), life.pieces.end(), std::back_inserter(all),
                         [](const Piece &piece) { return piece.from_ns < piece.until_ns; });
    std::sort(all.begin(), all.end());
    std::size_t found = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
        found += all[i].worker == all[i - 1].worker && all[i].from_ns < all[i - 1].until_ns;
    std::printf("%zu pieces, ", all.size());
    return found;
}

bool is_inside(const Life &life, std::uint64_t id) {
    const std::int64_t time = to_nanos(kParsed.time_of(id)).value;
    return std::any_of(life.pieces.begin(), life.pieces.end(), [&](const Piece &piece) {
        return piece.worker == kParsed.worker(id) && piece.from_ns <= time && time < piece.until_ns;
    });
}

bool report(const std::vector<std::unique_ptr<Holder>> &holders) {
    std::vector<std::uint64_t> ids;
    std::size_t strays = 0, lives = 0;
    int errors = 0, losses = 0;
    for (const auto &holder : holders) {
        errors += holder->errors;
        losses += holder->losses;
        lives += holder->lives.size();
        for (const Life &life : holder->lives) {
            ids.insert(ids.end(), life.ids.begin(), life.ids.end());
            for (const std::uint64_t id : life.ids) strays += !is_inside(life, id);
        }
    }
    const std::size_t overlap = overlaps(holders), all = ids.size();
    std::sort(ids.begin(), ids.end());
    const auto twice = static_cast<std::size_t>(ids.end() - std::unique(ids.begin(), ids.end()));
    std::printf("%zu ids of %zu holders in %zu lives; %d numbers lost, %d times refused\n", all, holders.size(), lives,
                losses, errors);
    std::printf("%zu pieces overlap, %zu ids outside of their piece, %zu ids twice\n", overlap, strays, twice);
    return overlap + strays + twice == 0 && all > 10'000;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    const std::string_view fault = argc > 5 ? argv[5] : "";
    const Plan plan{argv[1], fault == "no_from", fault == "lease_is_enough",
                    std::chrono::steady_clock::now() + 1s * std::atoi(argv[3])};
    std::mt19937_64 random(std::strtoull(argv[4], nullptr, 10));
    std::vector<std::unique_ptr<Holder>> holders;
    for (int i = std::atoi(argv[2]); i > 0; --i) holders.push_back(std::make_unique<Holder>(plan, random()));
    std::vector<std::thread> threads;
    for (const auto &holder : holders) threads.emplace_back([&holder] { holder->run(); });
    for (std::thread &thread : threads) thread.join();
    return report(holders) ? 0 : 1;
}
