// The differences between PostgreSQL 15 and 19. No other file asks which version it is.
#pragma once

#include "pg/prelude.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/tableam.h"
#include "catalog/pg_proc.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "replication/origin.h"
#include "storage/bufmgr.h"
#include "storage/lock.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/datetime.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/wait_event.h"
#if PG_VERSION_NUM >= 160000
#include "rewrite/rewriteManip.h"
#endif
#if PG_VERSION_NUM >= 190000
#include "optimizer/pathnode.h"
#include "utils/lsyscache.h"
#else
#include "commands/dbcommands.h"
#endif
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "utils/skipsupport.h"
#endif
}

// pg_get_loaded_modules() shows the name and the version from 18 on.
#if PG_VERSION_NUM >= 180000
#define SNOWID_MODULE_MAGIC(module, module_version) PG_MODULE_MAGIC_EXT(.name = module, .version = module_version)
#else
#define SNOWID_MODULE_MAGIC(module, module_version) PG_MODULE_MAGIC
#endif

namespace snowid::pg {

// Reports an input error softly if the context asks for that. The caller must return at once.
#if PG_VERSION_NUM >= 160000
#define SNOWID_INPUT_ERROR(context, ...) errsave(context, __VA_ARGS__)
#else
#define SNOWID_INPUT_ERROR(context, ...) ereport(ERROR, __VA_ARGS__)
#endif

// The "extra" of a setting's check hook. PostgreSQL frees it. Returns nullptr if there is no memory.
inline void *allocate_setting_extra(std::size_t size) {
#if PG_VERSION_NUM >= 160000
    return guc_malloc(LOG, size);
#else
    return std::malloc(size);
#endif
}

// Whether this transaction has rewritten the table into a new file. False for a table that it created.
inline bool is_rewritten_here(Relation table) {
#if PG_VERSION_NUM >= 160000
    const SubTransactionId rewritten = table->rd_firstRelfilelocatorSubid;
#else
    const SubTransactionId rewritten = table->rd_firstRelfilenodeSubid;
#endif
    return rewritten != InvalidSubTransactionId && table->rd_createSubid == InvalidSubTransactionId;
}

// The event that pg_stat_activity shows while a backend waits. 15 and 16 have one event for all extensions.
inline uint32 wait_event(const char *name) {
#if PG_VERSION_NUM >= 170000
    return WaitEventExtensionNew(name);
#else
    (void)name;
    return PG_WAIT_EXTENSION;
#endif
}

// Memory that all backends share. The first backend that asks for it creates it. Returns nullptr before 17.
using InitMemory = void (*)(void *);
inline void *named_shared_memory([[maybe_unused]] const char *name, [[maybe_unused]] std::size_t size,
                                 [[maybe_unused]] InitMemory init) {
    [[maybe_unused]] bool found = false;
#if PG_VERSION_NUM >= 190000
    const auto init_by = [](void *memory, void *by) { (*static_cast<InitMemory *>(by))(memory); };
    return GetNamedDSMSegment(name, size, init_by, &found, &init);
#elif PG_VERSION_NUM >= 170000
    return GetNamedDSMSegment(name, size, init, &found);
#else
    return nullptr;
#endif
}

inline constexpr bool kHasNamedSharedMemory = PG_VERSION_NUM >= 170000;

// From 19 on, every backend knows the name of a tranche. Before 19, each backend registers it.
inline int new_lock_tranche([[maybe_unused]] const char *name) {
#if PG_VERSION_NUM >= 190000
    return LWLockNewTrancheId(name);
#else
    return LWLockNewTrancheId();
#endif
}
inline void name_lock_tranche([[maybe_unused]] int tranche, [[maybe_unused]] const char *name) {
#if PG_VERSION_NUM < 190000
    LWLockRegisterTranche(tranche, name);
#endif
}

inline uint32 idle_wait_event() {
    static constinit uint32 event = 0;
    if (event == 0) event = wait_event("SnowidIdle");
    return event;
}

// DecodeDateTime without the details of an error.
// NOLINTNEXTLINE(readability-function-size): the parameters are those of PostgreSQL's function
inline int decode_date_time(char **field, int *ftype, int nf, int *dtype, struct pg_tm *tm, fsec_t *fsec, int *tz) {
#if PG_VERSION_NUM >= 160000
    DateTimeErrorExtra extra;
    return DecodeDateTime(field, ftype, nf, dtype, tm, fsec, tz, &extra);
#else
    return DecodeDateTime(field, ftype, nf, dtype, tm, fsec, tz);
#endif
}

inline Node *flatten_join_aliases(PlannerInfo *root, Node *node) {
#if PG_VERSION_NUM >= 160000
    return flatten_join_alias_vars(root, root->parse, node);
#else
    return flatten_join_alias_vars(root->parse, node);
#endif
}

// Before 16, a walker is declared without parameters.
using Walker = bool (*)(Node *, void *);
inline bool walk_expression(Node *node, Walker walker, void *context) {
#if PG_VERSION_NUM >= 160000
    return expression_tree_walker(node, walker, context);
#else
    return expression_tree_walker(node, std::bit_cast<bool (*)()>(walker), context);
#endif
}

// Calls `see` for each relation of a query once the planner knows its columns and indexes. 19 has another hook for
// that.
using SeeRelation = void (*)(PlannerInfo *root, const RelOptInfo *relation);
inline constinit SeeRelation see_planned_relation = nullptr;
#if PG_VERSION_NUM >= 190000
inline constinit build_simple_rel_hook_type previous_relation_hook = nullptr;
inline void install_relation_hook(SeeRelation see) {
    see_planned_relation = see;
    previous_relation_hook = build_simple_rel_hook;
    build_simple_rel_hook = [](PlannerInfo *root, RelOptInfo *relation, RangeTblEntry *entry) {
        if (previous_relation_hook != nullptr) previous_relation_hook(root, relation, entry);
        see_planned_relation(root, relation);
    };
}
#else
inline constinit get_relation_info_hook_type previous_relation_hook = nullptr;
inline void install_relation_hook(SeeRelation see) {
    see_planned_relation = see;
    previous_relation_hook = get_relation_info_hook;
    get_relation_info_hook = [](PlannerInfo *root, Oid table, bool is_parent, RelOptInfo *relation) {
        if (previous_relation_hook != nullptr) previous_relation_hook(root, table, is_parent, relation);
        see_planned_relation(root, relation);
    };
}
#endif

// From 16 on, a column knows the outer joins that can make it NULL on its way.
inline Relids with_nulling_of([[maybe_unused]] Relids nulling, [[maybe_unused]] const PlaceHolderVar *holder) {
#if PG_VERSION_NUM >= 160000
    return bms_union(nulling, holder->phnullingrels);
#else
    return nullptr;
#endif
}
inline Node *nulled_by(Node *column, [[maybe_unused]] Relids nulling) {
#if PG_VERSION_NUM >= 160000
    if (!bms_is_empty(nulling)) return add_nulling_relids(column, nullptr, nulling);
#endif
    return column;
}

inline bool may_execute(Oid function) {
#if PG_VERSION_NUM >= 160000
    return object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#else
    return pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#endif
}

// Whether this session has a replication origin, which means that its changes come from another server.
inline bool has_replication_origin() {
#if PG_VERSION_NUM >= 190000
    return replorigin_xact_state.origin != InvalidReplOriginId;
#else
    return replorigin_session_origin != InvalidRepOriginId;
#endif
}

// Numbers the transactions of this session.
inline LocalTransactionId local_transaction() {
#if PG_VERSION_NUM >= 170000
    return MyProc->vxid.lxid;
#else
    return MyProc->lxid;
#endif
}

// What a btree needs for a skip scan: the ends of the type's order, and the neighbours of a value. PostgreSQL asks for
// it from 18 on.
using SkipStep = Datum (*)(Relation, Datum, bool *);
inline void set_skip_support([[maybe_unused]] void *support, [[maybe_unused]] Datum first, [[maybe_unused]] Datum last,
                             [[maybe_unused]] SkipStep decrement, [[maybe_unused]] SkipStep increment) {
#if PG_VERSION_NUM >= 180000
    *static_cast<SkipSupport>(support) = {
        .low_elem = first, .high_elem = last, .decrement = decrement, .increment = increment};
#else
    elog(ERROR, "this version of PostgreSQL has no skip support");
#endif
}

}  // namespace snowid::pg
