#include "core/layout/layout_faults.hpp"

namespace snowid::core {
namespace {

// The text around the wrong part, or around the largest number allowed.
struct Sentence {
    std::string_view before;
    std::string_view after;
};

Sentence about(LayoutFault fault) noexcept {
    switch (fault) {
        case LayoutFault::none: break;
        case LayoutFault::unknown_preset: return {"There is no layout named \"", "\"."};
        case LayoutFault::not_a_pair: return {"\"", "\" is not of the form name=value."};
        case LayoutFault::bad_name:
            return {"\"", "\" is not a field's name: lower-case letters, digits and _, at most 15 of them."};
        case LayoutFault::repeated: return {"\"", "\" is there twice."};
        case LayoutFault::missing: return {"\"", "\" is missing."};
        case LayoutFault::too_many_fields: return {"It has more than 8 fields.", {}};
        case LayoutFault::bad_epoch:
            return {"\"", "\" is not a UTC date such as 2024-01-01 or 2010-11-04T01:42:54.657Z."};
        case LayoutFault::early_epoch: return {"The epoch ", " is before 1900."};
        case LayoutFault::future_epoch: return {"The epoch ", " is in the future by this server's clock."};
        case LayoutFault::bad_tick: return {"\"", "\" is not a tick: a count of us, ms or s, from 1us to 3600s."};
        case LayoutFault::bad_bits: return {"\"", "\" is not a number of bits from 1 to 63."};
        case LayoutFault::too_many_bits: return {"Its fields have more than 64 bits together.", {}};
        case LayoutFault::wide_sequence: return {"Its sequence has more than 31 bits.", {}};
        case LayoutFault::wide_worker: return {"Its worker's fields have more than 31 bits together.", {}};
        case LayoutFault::time_not_first:
            return {"\"time\" must be the first field, not \"", "\": ids sort by what is in their high bits."};
        case LayoutFault::ends_too_late: return {"Its time reaches past the year 294246.", {}};
    }
    return {};
}
static_assert(Field::kMaxName == 15 && Layout::kMaxFields == 8 && Layout::kMaxPartBits == 31);

Sentence about(WorkerFault fault) noexcept {
    switch (fault) {
        case WorkerFault::not_a_number: return {"\"", "\" is not a whole number."};
        case WorkerFault::unknown_field: return {"The layout has no field \"", "\" in its worker."};
        case WorkerFault::repeated: return {"\"", "\" is there twice."};
        case WorkerFault::missing: return {"\"", "\" is missing."};
        case WorkerFault::out_of_range: return {"\"", "\" must be from 0 to "};
        case WorkerFault::none: break;
    }
    return {};
}

void put_sentence(const Sentence &sentence, std::string_view where, FaultText &out) noexcept {
    out.append(sentence.before);
    if (sentence.after.empty()) return;
    out.append(where);
    out.append(sentence.after);
}

}  // namespace

void describe(const LayoutError &error, std::string_view where, FaultText &out) noexcept {
    put_sentence(about(error.fault), where, out);
}

void describe(const WorkerError &error, std::string_view where, FaultText &out) noexcept {
    put_sentence(about(error.fault), where, out);
    if (error.fault != WorkerFault::out_of_range) return;
    out.append([&](Writer &to) {
        to.put_number(error.max);
        to.put('.');
    });
}

}  // namespace snowid::core
