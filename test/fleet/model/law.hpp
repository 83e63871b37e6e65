// What the fleet must keep: no two pieces of one worker overlap; an id lies in a piece of the server that made it; no
// id is made twice; the ids of one server ascend; and no member keeps the others from numbers for longer than what the
// directory has given out explains, nor from one of them for longer than a lease may be. Pieces show a fault long
// before two ids are equal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace snowid::test::fleet {

struct Piece {
    std::int64_t from_ns;
    std::int64_t until_ns;
    std::vector<int> owners;  // starts of servers; more than one if the machine's memory was copied
};

class Law {
public:
    void give(std::uint32_t worker, std::int64_t from_ns, std::int64_t until_ns, int owner) {
        if (from_ns >= until_ns) return;
        for (const Piece &piece : pieces_[worker])
            if (piece.from_ns < until_ns && from_ns < piece.until_ns) ++overlaps;
        pieces_[worker].push_back({from_ns, until_ns, {owner}});
        ++pieces;
    }

    void copy_memory(int owner, int copy) {
        for (auto &[worker, of_worker] : pieces_)
            for (Piece &piece : of_worker)
                if (is_owner(piece, owner)) piece.owners.push_back(copy);
    }

    // Two generators of one server share its pieces. `after` is an id that was there before this one was begun, in the
    // same timeline of the same data.
    void make(std::uint64_t id, std::uint32_t worker, std::int64_t time_ns, int owner, int generator,
              std::uint64_t after) {
        ++ids;
        const auto found = std::find_if(pieces_[worker].begin(), pieces_[worker].end(), [&](const Piece &piece) {
            return piece.from_ns <= time_ns && time_ns < piece.until_ns && is_owner(piece, owner);
        });
        if (found == pieces_[worker].end())
            ++strays;
        else if (!made_.emplace(std::pair(id, generator), owner).second &&
                 (found->owners.size() == 1 || made_[{id, generator}] == owner))
            ++duplicates;
        if (id <= after) ++disorders;
    }

    void object() { ++objections; }
    void stop_all() { ++stops; }
    void burn() { ++burns; }
    void alarm() { ++alarms; }
    bool is_broken() const {
        return overlaps + strays + duplicates + disorders + objections + stops + burns + alarms > 0;
    }

    std::int64_t pieces = 0, ids = 0;
    int overlaps = 0, strays = 0, duplicates = 0, disorders = 0;
    int objections = 0;  // of a keeper to what the directory gave
    int stops = 0;       // of the directory, for too long
    int burns = 0;       // of a number, which nobody can take for too long
    int alarms = 0;      // that a number is out twice; where that is so, pieces overlap before

private:
    static bool is_owner(const Piece &piece, int owner) {
        return std::find(piece.owners.begin(), piece.owners.end(), owner) != piece.owners.end();
    }

    std::map<std::uint32_t, std::vector<Piece>> pieces_;
    std::map<std::pair<std::uint64_t, int>, int> made_;
};

}  // namespace snowid::test::fleet
