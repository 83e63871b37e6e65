// A generator whose ids stay below a durable horizon: the server's own or a named one, of any scheme. It follows its
// record, and its slot has the timeline that all sessions share.
#pragma once

#include "server/generator/generators.hpp"
#include "server/generator/given_times.hpp"
#include "server/generator/reserve.hpp"

extern "C" {
#include "utils/array.h"
}

namespace snowid::server {

class DurableGenerator : public SessionGenerator {
protected:
    using SessionGenerator::SessionGenerator;

    enum class For : std::uint8_t { ids, safe_horizon };  // anyone may ask for the safe horizon

    // Take a slot, after which nothing is reserved.
    void attach_default();
    GeneratorRecord attach_named(For purpose);

    // Raise an error unless the current user, who may be a different one from before, may have such an id.
    void require_ids_of_now() const;
    void require_ids_of_given_times() const;

    void extend(const WantedPosition &wanted, IfBusy if_busy);
    void extend_given(core::UnixNanos given, const WantedPosition &wanted);

    Reserve reserve_;
    GivenTimes given_;
    bool asks_first_ = false;  // each id first asks whether it may be made

private:
    bool attach(const GeneratorRecord &record, std::uint64_t changes);
    void require_usage() const;
    void keep_grants(const ArrayType *granted_to);

    ArrayType *granted_to_ = nullptr;  // as in the record
};

}  // namespace snowid::server
