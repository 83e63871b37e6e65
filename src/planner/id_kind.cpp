#include "planner/id_kind.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "parser/parse_coerce.h"
}

namespace snowid::planner {

const IdKind &kind_of(Oid id_type) {
    if (id_type == UUIDOID) return kUuids;
    return IsBinaryCoercible(id_type, INT8OID) ? kSnowflakeIds : kWideIds;
}

}  // namespace snowid::planner
