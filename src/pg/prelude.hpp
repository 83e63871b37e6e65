// The only file that includes postgres.h. PostgreSQL's macros break the standard headers, so all standard headers that
// we use come first, and are included here alone. The prelude is compiled once, and every unit of a room begins with
// it. Other PostgreSQL headers are included where they are needed, inside extern "C".
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <climits>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#ifndef PGDLLEXPORT  // PostgreSQL 15 would define it empty, and we build with hidden visibility
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

extern "C" {
#include "postgres.h"

#include "fmgr.h"
}

#if SIZEOF_VOID_P < 8
#error "snowid needs a PostgreSQL for 64 bits"
#endif

// Min, Max and Abs stay, because inline functions in later headers need them.
#undef _

// SNOWID_FUNCTION(symbol) { ... } defines a function that SQL can call. Write the symbol out, so that a search finds
// both the C++ line and the SQL line. Only what all types have is written once for all: see types/wide_type.hpp.
#define SNOWID_FUNCTION(symbol)                        \
    extern "C" {                                       \
    PGDLLEXPORT Datum symbol(FunctionCallInfo fcinfo); \
    PG_FUNCTION_INFO_V1(symbol);                       \
    }                                                  \
    Datum symbol([[maybe_unused]] FunctionCallInfo fcinfo)
