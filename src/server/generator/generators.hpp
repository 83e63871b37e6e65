// The generators that this session has used: finding them by name, and what happens to all of them.
#pragma once

#include "pg/type/arguments.hpp"
#include "server/generator/session_generator.hpp"

namespace snowid::server {

struct GeneratorRecord;

void watch_transactions();  // before this process's first generator at the latest

void count_all_issued() noexcept;
bool leave_unused() noexcept;  // returns whether any slot was left

// From now on, the generator takes part in what happens to all.
void list_generator(SessionGenerator &generator);

// Named generators are never freed, because statements point to them.
SessionGenerator *find_named(Scheme scheme, std::string_view name);
void *memory_for_named(Scheme scheme, std::string_view name, std::size_t size);  // error: no such generator
void add_named(SessionGenerator &made);

// The record of that name, and how many changes of slots there were before it was read. Where the same command has just
// made the memory, the record is the one that it found.
GeneratorRecord look_up_again(std::string_view name, std::uint64_t &changes);

template <typename Kind>
Kind &named_generator(std::string_view name) {
    if (SessionGenerator *known = find_named(Kind::kScheme, name)) return static_cast<Kind &>(*known);
    auto *made = new (memory_for_named(Kind::kScheme, name, sizeof(Kind))) Kind(name);
    add_named(*made);
    return *made;
}

// The name of a generator as an argument of an SQL function. A call that passes the same name every time finds the
// generator in its FmgrInfo. NULL is an error, because a default that returns NULL would be noticed only by its rows.
template <typename Kind>
Kind &generator_argument(FunctionCallInfo fcinfo, int n) {
    pg::require_argument(fcinfo, n, "the name of a generator");
    const std::string_view name = pg::text_argument(fcinfo, n);
    auto *known = static_cast<Kind *>(fcinfo->flinfo->fn_extra);
    if (known == nullptr || known->name() != name) [[unlikely]]
        fcinfo->flinfo->fn_extra = known = &named_generator<Kind>(name);
    return *known;
}

}  // namespace snowid::server
