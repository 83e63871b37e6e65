// The only place that includes postgres.h. PostgreSQL's macros do not go with the standard headers, so all of those
// that the core uses come first; further PostgreSQL headers follow where they are needed, inside extern "C".
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>

#ifndef PGDLLEXPORT  // empty on PostgreSQL 15, and we build with hidden visibility
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

extern "C" {
#include "postgres.h"

#include "fmgr.h"
}

// Min, Max and Abs stay: inline functions of headers that follow need them.
#undef _
