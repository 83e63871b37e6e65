#include "planner/implied/implied.hpp"

#include "pg/compat.hpp"
#include "pg/node.hpp"
#include "server/durable/tables.hpp"
#include "server/shared/settings.hpp"

extern "C" {
#include "nodes/pathnodes.h"
#include "optimizer/appendinfo.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/selfuncs.h"
}

namespace snowid::planner {
namespace {

constinit get_relation_stats_hook_type previous_stats_hook = nullptr;

// PostgreSQL compares all conditions on an index with each other, and again for each partition. A query with hundreds
// of them must not take seconds to plan because of us, so of one relation only the first ones imply others.
struct Seen {
    PlannerInfo *root;
    const RelOptInfo *relation;
    int left = 32;

    List *implied_by(Node *condition) {
        if (left == 0) return NIL;
        List *implied = planner::implied_by(root, relation, condition);
        left -= implied != NIL ? 1 : 0;
        return implied;
    }
};

// The conditions, each after those that it implies. An implied one stands first so that it is also estimated first.
List *with_implied(Seen &seen, List *conditions) {
    List *all = conditions;
    for (int i = 0; i < list_length(all); ++i) {
        const ListCell *cell;
        List *implied = seen.implied_by(pg::nth(all, i));
        if (implied != NIL && all == conditions) all = list_copy(conditions);
        foreach (cell, implied) all = list_insert_nth(all, i++, lfirst(cell));
    }
    return all;
}

Node *with_implied(Seen &seen, Node *conditions) {
    List *list = pg::as<List>(conditions);
    return list == nullptr ? conditions : reinterpret_cast<Node *>(with_implied(seen, list));
}

// A full join takes no other conditions than those that it can merge or hash.
void imply_in_from(Seen &seen, Node *from) {
    if (auto *list = pg::as<FromExpr>(from)) {
        list->quals = with_implied(seen, list->quals);
        const ListCell *cell;
        foreach (cell, list->fromlist) imply_in_from(seen, static_cast<Node *>(lfirst(cell)));
    } else if (auto *join = pg::as<JoinExpr>(from)) {
        if (join->jointype != JOIN_FULL) join->quals = with_implied(seen, join->quals);
        imply_in_from(seen, join->larg);
        imply_in_from(seen, join->rarg);
    }
}

// Row-level security: the conditions of each level imply others of the same level.
void imply_in_policies(Seen &seen, const RangeTblEntry *entry) {
    ListCell *cell;
    foreach (cell, entry->securityQuals) lfirst(cell) = with_implied(seen, static_cast<Node *>(lfirst(cell)));
}

// A branch of UNION ALL gets the conditions of the whole only after this, so what they imply is left where the planner
// looks for a branch's own.
void imply_in_branch(Seen &seen, RangeTblEntry *entry) {
    PlannerInfo *root = seen.root;
    AppendRelInfo *translation = root->append_rel_array[seen.relation->relid];
    if (planner_rt_fetch(translation->parent_relid, root)->rtekind == RTE_RELATION) return;
    List *implied = NIL;
    const ListCell *cell;
    foreach (cell, root->simple_rel_array[translation->parent_relid]->baserestrictinfo) {
        auto *condition = reinterpret_cast<Node *>(lfirst_node(RestrictInfo, cell)->clause);
        if (!is_comparison(condition)) continue;
        implied = list_concat(implied, seen.implied_by(adjust_appendrel_attrs(root, condition, 1, &translation)));
    }
    if (implied == NIL) return;
    entry->securityQuals = lappend(list_copy(entry->securityQuals), implied);
    root->qual_security_level =
        std::max(root->qual_security_level, static_cast<Index>(list_length(entry->securityQuals)));
}

// CREATE INDEX and CLUSTER plan without a query.
void see_relation(PlannerInfo *root, const RelOptInfo *relation) {
    if (!server::may_have_extension() || !server::settings.infer || root->parse->jointree == nullptr) return;
    RangeTblEntry *entry = planner_rt_fetch(relation->relid, root);
    if (entry->rtekind != RTE_RELATION) return;
    Seen seen{root, relation};
    if (relation->reloptkind == RELOPT_BASEREL) {
        imply_in_from(seen, reinterpret_cast<Node *>(root->parse->jointree));
        imply_in_policies(seen, entry);
    } else if (relation->reloptkind == RELOPT_OTHER_MEMBER_REL && root->append_rel_array != nullptr &&
               root->append_rel_array[relation->relid] != nullptr) {
        imply_in_branch(seen, entry);
    }
}

// Two conditions that say the same would be multiplied as if each kept a share of its own. The implied one is being
// estimated now, and its source, which comes later, keeps all that is left. One that has an index of its own stays
// as it is, or that index would look useless.
void settle_estimates(const RelOptInfo *relation) {
    const ListCell *cell;
    foreach (cell, relation->baserestrictinfo) {
        auto *condition = lfirst_node(RestrictInfo, cell);
        auto *clause = reinterpret_cast<Node *>(condition->clause);
        if (condition->norm_selec >= 0 || !has_implied(clause) || is_covered(relation, clause)) continue;
        condition->norm_selec = condition->outer_selec = 1;
    }
}

// The caller may have set nothing of `data`: the estimate of a BRIN index leaves it as the stack was. The relation is
// mostly the one of the last call, or the next one.
const RelOptInfo *relation_of(const PlannerInfo *root, const RangeTblEntry *entry) {
    static constinit int last = 1;
    const int size = root->simple_rel_array_size;
    for (int i = 0; i < size; ++i) {
        const int at = (last + i) % size;
        if (root->simple_rte_array[at] == entry) return root->simple_rel_array[last = at];
    }
    return nullptr;
}

bool see_statistics(PlannerInfo *root, RangeTblEntry *entry, AttrNumber column, VariableStatData *data) {
    if (server::may_have_extension() && server::settings.infer)
        if (const RelOptInfo *relation = relation_of(root, entry)) settle_estimates(relation);
    return previous_stats_hook != nullptr && previous_stats_hook(root, entry, column, data);
}

}  // namespace

void install_implied_hooks() {
    pg::install_relation_hook(see_relation);
    previous_stats_hook = get_relation_stats_hook;
    get_relation_stats_hook = see_statistics;
}

}  // namespace snowid::planner
