// SNOWID_FUNCTION(symbol) { ... } defines a function that SQL can call. Always write the symbol out, so that a search
// finds both the C++ line and the SQL line.
#pragma once

#include "pg/prelude.hpp"

#define SNOWID_FUNCTION(symbol)                        \
    extern "C" {                                       \
    PGDLLEXPORT Datum symbol(FunctionCallInfo fcinfo); \
    PG_FUNCTION_INFO_V1(symbol);                       \
    }                                                  \
    Datum symbol([[maybe_unused]] FunctionCallInfo fcinfo)
