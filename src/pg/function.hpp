// SNOWID_FUNCTION(symbol) { ... } defines a function that SQL can call. Write the symbol out, so that a search finds
// both the C++ line and the SQL line. Only what all types have is written once for all: see types/wide_type.hpp.
#pragma once

#include "pg/prelude.hpp"

#define SNOWID_FUNCTION(symbol)                        \
    extern "C" {                                       \
    PGDLLEXPORT Datum symbol(FunctionCallInfo fcinfo); \
    PG_FUNCTION_INFO_V1(symbol);                       \
    }                                                  \
    Datum symbol([[maybe_unused]] FunctionCallInfo fcinfo)
