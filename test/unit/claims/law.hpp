// The law: generators that must not overlap make no id twice; the ids of a generator ascend for a caller that asks for
// one after another; and no id is beyond the durable horizon of its generator, so a crash does not bring it back.
//
// It outlives databases: what one has made is not made again when it is gone, unless by a generator of another database
// that already had the same number. A restore brings ids back, and does not bring back those made after the dump. The
// row of a generator that comes with it covers what others have made of its ids.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace snowid::test::claims {

using IdSet = std::unordered_set<std::uint64_t>;

// The last ids that callers got; for snos, with each tick-tock bit.
using LastIds = std::array<std::uint64_t, 2>;

struct Made {
    std::uint64_t id;
    bool tick_tock;
    bool is_apart;      // its ids must differ from those of others in its database,
    bool meets_server;  // and from the server's
    bool ascends;       // its time was not given by a caller
    bool is_durable;    // the generator's row covers it
    LastIds after;      // the last ids that callers had when this one was asked for
    bool is_late;       // a restore brought other ids, or a layout was changed, after this one was asked for
    int begun;          // how many databases had been dropped when its generator had begun with its number
};

struct GeneratorIds {
    IdSet all;
    LastIds last{};
    IdSet brought;   // by restores into the database in use, up to the one that brought the generator
    int begun = -1;  // how many databases had been dropped when it began with its number; -1: it does not count

    void merge(GeneratorIds &other) {
        all.merge(other.all);
        for (const std::size_t bit : {0U, 1U}) last[bit] = std::max(last[bit], other.last[bit]);
    }
};

// The ids of one scheme in the tables of one database.
struct Ids {
    GeneratorIds own;           // the server's
    IdSet own_restored;         // the same, from a dump
    IdSet apart;                // of all named generators that must not overlap
    IdSet clocked;              // those whose times were not given
    IdSet of_former_extension;  // those of an extension that was dropped
    IdSet brought;              // by restores into the database in use; ids from before need not be above them
    std::map<std::int64_t, GeneratorIds> named;
    bool has_layout_of_server = true;  // otherwise its named generators may have the number of the server

    bool has_own(std::uint64_t id) const { return own.all.count(id) > 0; }
    bool has(const Made &made) const {
        if (!made.is_late && own_restored.count(made.id) > 0) return true;
        return apart.count(made.id) + of_former_extension.count(made.id) > 0;
    }
};

// Of one scheme.
class Law {
public:
    int duplicates = 0;
    int disorders = 0;
    int leaks = 0;
    std::size_t issued = 0;

    static constexpr std::size_t kHomes = 3;  // databases, and what belonged to those that were dropped
    Ids homes[kHomes];
    int drops = 0;                                // of databases
    std::unordered_map<std::uint64_t, int> gone;  // ids of named generators, and which drop they went with

    bool is_broken() const { return duplicates + disorders + leaks > 0; }

    LastIds last_own() const {
        LastIds last{};
        for (const Ids &ids : homes)
            for (const std::size_t bit : {0U, 1U}) last[bit] = std::max(last[bit], ids.own.last[bit]);
        return last;
    }

    void give_own(const Made &made, Ids &home) {
        bool is_new = true;
        for (const Ids &ids : homes)
            is_new = is_new && !ids.has_own(made.id) &&
                     (!ids.has_layout_of_server || (made.is_late && &ids != &home) ||
                      (!ids.has(made) && (made.is_late || ids.brought.count(made.id) == 0)));
        note(made, home.own);
        duplicates += !is_new;
    }

    void give_named(const Made &made, std::int64_t generator, Ids &home) {
        bool is_new = note(made, home.named[generator]);
        if (made.is_apart) {
            for (const Ids &ids : homes) is_new = is_new && !(made.meets_server && ids.has_own(made.id));
            is_new = is_new && !home.has(made);
            is_new = is_new && home.named[generator].brought.count(made.id) == 0;
            if (made.ascends && is_gone(made.id, made.begun)) is_new = false;
            home.apart.insert(made.id);
            if (made.ascends) home.clocked.insert(made.id);
        }
        duplicates += !is_new;
    }

    // A session that has not yet noticed that the extension was dropped may still hold an id.
    static void give_late(const Made &made, Ids &home) {
        if (made.is_apart && made.ascends) home.of_former_extension.insert(made.id);
    }

    void drop_database(Ids &home) {
        Ids &dropped = homes[kHomes - 1];
        ++drops;
        for (const std::uint64_t id : home.clocked) gone.try_emplace(id, drops);
        for (const std::uint64_t id : home.of_former_extension) gone.try_emplace(id, drops);
        dropped.own.merge(home.own);
        if (home.has_layout_of_server) dropped.apart.merge(home.clocked);
        if (home.has_layout_of_server) dropped.apart.merge(home.of_former_extension);
        home = {};
    }
    static void drop_extension(Ids &home) {
        home.of_former_extension.merge(home.clocked);
        home.clocked.clear();
        home.apart.clear();
        home.brought.clear();
        home.named.clear();
    }
    void restore(Ids &home, const Ids &dump) const {
        const bool has_layout_of_server = home.has_layout_of_server;
        home = dump;
        home.has_layout_of_server = has_layout_of_server;
        home.clocked.clear();
        home.of_former_extension.clear();
        home.own_restored.merge(home.own.all);
        home.own = {};
        for (auto &[generator, ids] : home.named) ids.begun = drops;
    }
    // A generator that comes with the dump is a different one from any that had its id here before. It continues above
    // everything brought so far. For later dumps it counts as one of the database's own.
    void restore_more(Ids &home, const Ids &dump, const std::set<std::int64_t> &added) const {
        for (const IdSet &ids : {dump.own.all, dump.own_restored, dump.apart, dump.brought})
            home.brought.insert(ids.begin(), ids.end());
        for (const std::int64_t generator : added) {
            const auto ids = dump.named.find(generator);
            home.named[generator] = ids == dump.named.end() ? GeneratorIds{} : ids->second;
            home.named[generator].brought = home.brought;
            home.named[generator].begun = drops;
        }
    }

    // Nothing is known of databases and extensions that are gone.
    void forget_dropped() {
        homes[kHomes - 1] = {};
        gone.clear();
        for (Ids &ids : homes) ids.of_former_extension.clear();
    }
    void forget() {
        for (Ids &ids : homes) ids = {};
        gone.clear();
    }

private:
    bool is_gone(std::uint64_t id, int begun) const {
        const auto found = gone.find(id);
        return found != gone.end() && found->second <= begun;
    }

    bool note(const Made &made, GeneratorIds &of) {
        ++issued;
        leaks += !made.is_durable;
        disorders += made.ascends && made.id <= made.after[made.tick_tock];
        of.last[made.tick_tock] = std::max(of.last[made.tick_tock], made.id);
        return of.all.insert(made.id).second;
    }
};

}  // namespace snowid::test::claims
