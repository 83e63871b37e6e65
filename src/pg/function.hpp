// SNOWID_FUNCTION(symbol) { ... } defines one function that SQL can call. The symbol is always written out, so that a
// search for it finds the C++ line and the SQL line.
#pragma once

#include "pg/prelude.hpp"

#define SNOWID_FUNCTION(symbol)                        \
    extern "C" {                                       \
    PGDLLEXPORT Datum symbol(FunctionCallInfo fcinfo); \
    PG_FUNCTION_INFO_V1(symbol);                       \
    }                                                  \
    Datum symbol([[maybe_unused]] FunctionCallInfo fcinfo)
