// Sessions, which take ids and change generators at random.
#pragma once

#include "claims/generators.hpp"
#include "claims/start.hpp"

namespace snowid::test::claims {

constexpr Scheme scheme_of(std::size_t name) { return name < kNames / 2 ? Scheme::snowflake : Scheme::sno; }

class Client {
public:
    Client(Server &s, Database &db) : s_(s), b_{s, db} {
        for (const Scheme scheme : kSchemes) generators_.emplace_back(b_, scheme, 0);
        for (std::size_t i = 0; i < kNames; ++i) generators_.emplace_back(b_, scheme_of(i), static_cast<int>(i) + 1);
    }

    Task<> run() {
        while (!s_.shared->ready) co_await step();
        for (;;) {
            while (s_.mood.is_quiet) co_await step();
            co_await connect();
            for (std::uint64_t i = below(s_.random, 8); i > 0; --i) co_await step();
            if (s_.chance(s_.mood.transaction_share))
                co_await transaction();
            else
                co_await statement();
            if (b_.db.is_closing) leave_all();
        }
    }

private:
    Task<> connect() {
        if (is_connected_) co_return;
        while (!b_.db.exists || b_.db.is_closing) co_await step();
        ++b_.db.connected;
        is_connected_ = true;
    }

    void leave_all() {
        for (Generator &generator : generators_) generator.leave();
        --b_.db.connected;
        is_connected_ = false;
    }

    void end_of_transaction() {
        for (Generator &generator : generators_) {
            generator.forget_if_uncommitted();
            if (!generator.is_default() && !generator.is_ready()) generator.leave();
        }
    }

    Task<> statement() {
        Generator &generator = s_.chance(s_.mood.default_share) ? generators_[below(s_.random, 2)] : some_generator();
        co_await take(generator);
        end_of_transaction();
    }

    Generator &some_generator() {
        const Mood &mood = s_.mood;
        return generators_[2 +
                           (s_.chance(8) ? below(s_.random, kNames) : mood.first_name + below(s_.random, mood.names))];
    }

    Task<> take(Generator &generator) {
        try {
            for (std::uint64_t i = 1 + below(s_.random, 10); i > 0; --i) co_await generator.next();
        } catch (const Refused &) {
            ++s_.refused;
        }
    }

    Task<> transaction() {
        while (b_.db.locked) co_await step();
        b_.db.locked = true;
        Transaction transaction;
        begin_transaction(b_, transaction);
        bool is_good = true;
        Generator &usual = some_generator();
        for (std::uint64_t i = 1 + below(s_.random, 6); i > 0 && is_good; --i) {
            bool failed = false;
            try {
                co_await change(s_.chance(4) ? some_generator() : usual);
            } catch (const Refused &) {
                failed = true;
            }
            if (failed && transaction.xids.size() > 1)
                co_await rollback_to_savepoint(b_);
            else
                is_good = !failed;
            co_await step();
        }
        while (is_good && transaction.xids.size() > 1) release(b_);
        const bool commits = is_good && !s_.chance(3);
        co_await end_transaction(b_, commits);
        end_of_transaction();
        b_.db.locked = false;
        ++(commits ? s_.commits : s_.rollbacks);
    }

    Task<> change(Generator &generator) {
        if (s_.chance(s_.mood.change_share)) {
            co_await change_record(generator.name());
            if (s_.chance(4)) co_await take_in_parallel_worker(generator);
        } else if (s_.chance(s_.mood.savepoint_share)) {
            if (b_.transaction->xids.size() > 1 && s_.chance(2))
                co_await rollback_to_savepoint(b_);
            else
                savepoint(b_);
        } else if (s_.chance(2)) {
            co_await take(generator);
        } else {
            co_await take_in_parallel_worker(generator);
        }
    }

    Task<> change_record(int name) {
        Record before;
        if (!find_record(b_, name, before))
            co_await create_generator(b_, some_record(name), {{0}, 0, 0});
        else if (s_.chance(s_.mood.drop_share))
            drop_generator(b_, before);
        else
            co_await alter_generator(b_, before, s_.chance(4) ? with_other_overlap(before) : altered(before));
    }

    Task<> take_in_parallel_worker(const Generator &of) {
        Session session{s_, b_.db, b_.transaction, true};
        Generator generator(session, of.scheme(), of.name());
        co_await take(generator);
        generator.leave();
    }

    Record some_record(int name) {
        Record record;
        record.name = name;
        record.recorded = b_.db.layout;
        record.scheme = generators_[static_cast<std::size_t>(name) + 1].scheme();
        record.overlap = s_.chance(10);
        if (record.overlap && s_.chance(2)) return record;
        record.backfill = s_.chance(8) && record.scheme == Scheme::snowflake;
        return altered(record);
    }

    Record with_other_overlap(Record record) {
        if (s_.chance(3)) record = altered(record);
        record.overlap = !record.overlap;
        return record;
    }

    Record altered(Record record) {
        record.number =
            s_.chance(8) ? kNumbers[below(s_.random, std::size(kNumbers))] : s_.mood.numbers[below(s_.random, 3)];
        if (record.backfill) record.number = kBackfillNumber;
        record.layout = nullptr;
        if (record.scheme == Scheme::snowflake && record.recorded != &s_.slow_layout && s_.chance(8))
            record.layout = record.recorded == &s_.wide_layout ? &s_.usual_layout : &s_.wide_layout;
        core::SequenceRange half = all_sequences(record.scheme, s_.usual_layout);
        (s_.chance(2) ? half.min : half.max) = half.max / 2 + (s_.chance(2) ? 1 : 0);
        record.sequences.reset();
        if (s_.chance(6)) record.sequences = half;
        return record;
    }

    static constexpr std::uint32_t kBackfillNumber = 40;

    Server &s_;
    Session b_;
    std::vector<Generator> generators_;
    bool is_connected_ = false;
};

inline Task<> client(Server &s, Database &db) {
    Client self(s, db);
    co_await self.run();
}

}  // namespace snowid::test::claims
