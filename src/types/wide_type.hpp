// The functions that all types of fixed bytes have. Their SQL is in sql/install/wide-type.sql.in and
// sql/install/time-filters.sql.in. A search finds neither line of snowid_ksuid_lt: it is snowid_WIDE_lt there and
// snowid_##WIDE##_lt here, and SNOWID_WIDE_TYPE(ksuid, Ksuid) in ksuid.cpp makes it. The files that use these macros
// also use the namespaces snowid::core and snowid::pg.
#pragma once

#include "pg/type/sort_support.hpp"
#include "pg/type/time_bounds.hpp"

#define SNOWID_WIDE_TYPE(WIDE, Id)                                                            \
    SNOWID_FUNCTION(snowid_##WIDE##_in) { return type_in<Id>(fcinfo); }                       \
    SNOWID_FUNCTION(snowid_##WIDE##_out) { return type_out<Id>(fcinfo); }                     \
    SNOWID_FUNCTION(snowid_##WIDE##_recv) { return type_recv<Id>(fcinfo); }                   \
    SNOWID_FUNCTION(snowid_##WIDE##_send) { return type_send<Id>(fcinfo); }                   \
    SNOWID_FUNCTION(snowid_##WIDE##_from_bytea) { return type_from_bytea<Id>(fcinfo); }       \
    SNOWID_FUNCTION(snowid_##WIDE##_lt) { return type_is<Id, std::less<>>(fcinfo); }          \
    SNOWID_FUNCTION(snowid_##WIDE##_le) { return type_is<Id, std::less_equal<>>(fcinfo); }    \
    SNOWID_FUNCTION(snowid_##WIDE##_eq) { return type_is<Id, std::equal_to<>>(fcinfo); }      \
    SNOWID_FUNCTION(snowid_##WIDE##_ne) { return type_is<Id, std::not_equal_to<>>(fcinfo); }  \
    SNOWID_FUNCTION(snowid_##WIDE##_ge) { return type_is<Id, std::greater_equal<>>(fcinfo); } \
    SNOWID_FUNCTION(snowid_##WIDE##_gt) { return type_is<Id, std::greater<>>(fcinfo); }       \
    SNOWID_FUNCTION(snowid_##WIDE##_cmp) { return type_cmp<Id>(fcinfo); }                     \
    SNOWID_FUNCTION(snowid_##WIDE##_smaller) { return type_smaller<Id>(fcinfo); }             \
    SNOWID_FUNCTION(snowid_##WIDE##_larger) { return type_larger<Id>(fcinfo); }               \
    SNOWID_FUNCTION(snowid_##WIDE##_hash) { return type_hash<Id>(fcinfo); }                   \
    SNOWID_FUNCTION(snowid_##WIDE##_hash_extended) { return type_hash_extended<Id>(fcinfo); } \
    SNOWID_FUNCTION(snowid_##WIDE##_sortsupport) { return type_sortsupport<Id>(fcinfo); }     \
    SNOWID_FUNCTION(snowid_##WIDE##_skipsupport) { return type_skipsupport<Id>(fcinfo); }     \
    SNOWID_FUNCTION(snowid_##WIDE##_distance) { return type_distance<Id>(fcinfo); }           \
    SNOWID_FUNCTION(snowid_##WIDE##_time) { return type_time<Id>(fcinfo); }                   \
    SNOWID_FUNCTION(snowid_##WIDE##_lower_bound) { return type_lower_bound<Id>(fcinfo); }

// Uuids and snowflakes have these, too.
#define SNOWID_TIME_FILTERS(SCHEME, Id)                                                              \
    SNOWID_FUNCTION(snowid_##SCHEME##_time_lt) { return type_time_is<Id, Side::before>(fcinfo); }    \
    SNOWID_FUNCTION(snowid_##SCHEME##_time_le) { return type_time_is<Id, Side::until>(fcinfo); }     \
    SNOWID_FUNCTION(snowid_##SCHEME##_time_ge) { return type_time_is<Id, Side::from>(fcinfo); }      \
    SNOWID_FUNCTION(snowid_##SCHEME##_time_gt) { return type_time_is<Id, Side::after>(fcinfo); }     \
    SNOWID_FUNCTION(snowid_time_lt_##SCHEME) { return type_time_is<Id, Side::after, 1>(fcinfo); }    \
    SNOWID_FUNCTION(snowid_time_le_##SCHEME) { return type_time_is<Id, Side::from, 1>(fcinfo); }     \
    SNOWID_FUNCTION(snowid_time_ge_##SCHEME) { return type_time_is<Id, Side::until, 1>(fcinfo); }    \
    SNOWID_FUNCTION(snowid_time_gt_##SCHEME) { return type_time_is<Id, Side::before, 1>(fcinfo); }   \
    SNOWID_FUNCTION(snowid_##SCHEME##_time_in) { return type_time_in<Id>(fcinfo); }                  \
    SNOWID_FUNCTION(snowid_time_contains_##SCHEME) { return type_time_in<Id, 1>(fcinfo); }           \
    SNOWID_FUNCTION(snowid_##SCHEME##_first) { return type_first<Id>(fcinfo); }                      \
    SNOWID_FUNCTION(snowid_##SCHEME##_last) { return type_last<Id>(fcinfo); }                        \
    SNOWID_FUNCTION(snowid_##SCHEME##_first_in) { return to_datum(ids_of_range<Id>(fcinfo).first); } \
    SNOWID_FUNCTION(snowid_##SCHEME##_last_in) { return to_datum(ids_of_range<Id>(fcinfo).last); }   \
    SNOWID_FUNCTION(snowid_##SCHEME##_first_now) { return type_first_now<Id>(fcinfo); }              \
    SNOWID_FUNCTION(snowid_##SCHEME##_last_now) { return type_last_now<Id>(fcinfo); }
