#include "core/layout/layout_text.hpp"
#include "pg/node.hpp"
#include "planner/implied/implied.hpp"
#include "planner/time_filter.hpp"
#include "server/durable/layout_record.hpp"
#include "server/durable/tables.hpp"

extern "C" {
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
}

namespace snowid::planner {
namespace {

bool is_below(StrategyNumber op) { return op == BTLessStrategyNumber || op == BTLessEqualStrategyNumber; }

// The layout that the call names, or nullptr.
Node *layout_of(const Source &source) { return pg::nth(source.args, 1); }

// Whether the ids of this call have a layout that can be read, and which.
bool read_layout(PlannerInfo *root, const Source &source, core::Layout &layout) {
    if (const Node *named = layout_of(source)) {
        const auto text = constant_text(named);
        return text && core::parse_layout(*text, layout).fault == core::LayoutFault::none;
    }
    layout = server::recorded_layout();
    depend_on(root, server::extension_tables().layout);
    return true;
}

// The bounds of ids that a condition on their time implies.
struct Bounds {
    PlannerInfo *root;
    const LocalTime &time;
    bool has_negative_ids;

    TimeFilter filter(StrategyNumber op, Node *when) const {
        const Source &source = time.source;
        return {root, source.function, &kind_of(exprType(source.id)), static_cast<Node *>(copied(source.id)), when, op};
    }

    // The function with a layout has no public name.
    Node *bound(bool is_first, StrategyNumber op, Node *when) const {
        const Node *layout = layout_of(time.source);
        if (layout == nullptr) {
            const TimeFilter of = filter(op, when);
            if (!may_call(root, of.bound_function(is_first ? "first" : "last"))) return nullptr;
            return is_first ? of.first() : of.last();
        }
        List *args = list_make2(copied(when), copied(layout));
        if (op != InvalidStrategy) args = list_insert_nth(args, 1, name_of(op));
        return internal_call(root, is_first ? "snowflake_first_by_layout" : "snowflake_last_by_layout", args);
    }

    // The latest ids of a layout that uses the sign bit are negative.
    List *from(StrategyNumber op, Node *when) const {
        Node *first = bound(true, op, when);
        if (first == nullptr) return NIL;
        Expr *clause = make_comparison(copied(time.source.id), BTGreaterEqualStrategyNumber, first);
        if (!has_negative_ids) return list_make1(clause);
        Expr *is_negative = make_comparison(copied(time.source.id), BTLessStrategyNumber, bigint_of(0));
        return list_make1(make_orclause(list_make2(clause, is_negative)));
    }

    List *until(StrategyNumber op, Node *when) const {
        Node *last = bound(false, op, when);
        if (last == nullptr) return NIL;
        return list_make1(make_comparison(copied(time.source.id), BTLessEqualStrategyNumber, last));
    }

    // The earliest or the latest time that the value can stand for.
    Node *edge(bool is_earliest, Node *value) const {
        const bool is_timestamptz = exprType(value) == TIMESTAMPTZOID;
        std::int64_t margin = is_earliest ? time.before : time.after;
        // Where PostgreSQL compares one that has a zone with one that has none, the session's zone is added.
        if (time.type != TIMESTAMPTZOID && is_timestamptz) margin += kLargestOffset;
        if (is_timestamptz && margin == 0) return static_cast<Node *>(copied(value));
        auto *as_utc = reinterpret_cast<Const *>(makeBoolConst(time.type != TIMESTAMPTZOID, false));
        return internal_call(root, is_earliest ? "time_earliest" : "time_latest",
                             list_make3(copied(value), bigint_of(margin), as_utc));
    }

    List *compare(StrategyNumber op, Node *value) const {
        const bool is_exact = time.is_exact() && exprType(value) == TIMESTAMPTZOID;
        List *clauses = NIL;
        if (!is_below(op)) {
            Node *when = edge(true, value);
            const bool is_strict = is_exact && op == BTGreaterStrategyNumber;
            if (when != nullptr) clauses = from(is_strict ? op : BTGreaterEqualStrategyNumber, when);
        }
        if (is_below(op) || op == BTEqualStrategyNumber) {
            Node *when = edge(false, value);
            const bool is_strict = is_exact && op == BTLessStrategyNumber;
            if (when != nullptr)
                clauses = list_concat(clauses, until(is_strict ? op : BTLessEqualStrategyNumber, when));
        }
        return clauses;
    }
};

}  // namespace

List *implied_by_time(PlannerInfo *root, const LocalTime &time, StrategyNumber op, Node *other) {
    Bounds bounds{root, time, false};
    if (&kind_of(exprType(time.source.id)) == &kSnowflakeIds) {
        core::Layout layout;
        if (!read_layout(root, time.source, layout)) return NIL;
        bounds.has_negative_ids = layout.is_unsigned();
    }
    if (op != InvalidStrategy) return bounds.compare(op, other);
    if (!time.is_exact()) return NIL;
    // A range without ids that are not negative has no last one.
    List *from = bounds.from(op, other);
    return bounds.has_negative_ids ? from : list_concat(from, bounds.until(op, other));
}

}  // namespace snowid::planner
