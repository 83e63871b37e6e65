#pragma once

#include <cstdint>

#include "core/time.hpp"
#include "pg/prelude.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "utils/timestamp.h"
}

namespace snowid::server {

inline Datum interval_of_ns(std::int64_t ns) {
    auto *interval = static_cast<Interval *>(palloc0(sizeof(Interval)));
    interval->time = ns / core::kNanosPerMicro;
    return IntervalPGetDatum(interval);
}

}  // namespace snowid::server
