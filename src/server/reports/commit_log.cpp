// Lines of the server's log about what a transaction does, written when it has done it.
#include "pg/function.hpp"

extern "C" {
#include "access/xact.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
}

namespace {

// A message for the server's log, unless its subtransaction is rolled back.
struct Line {
    SubTransactionId made_in;
    const char *text;
};

constinit List *lines = NIL;  // of the present transaction, in its memory, the newest last

void end_logged_transaction(XactEvent event, void *) {
    if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT && event != XACT_EVENT_PREPARE) return;
    List *to_write = event == XACT_EVENT_COMMIT ? lines : NIL;
    lines = NIL;
    ListCell *cell;
    foreach (cell, to_write) {
        const auto *line = static_cast<const Line *>(lfirst(cell));
        ereport(LOG, (errmsg("%s", line->text), errhidestmt(true), errhidecontext(true)));
    }
}

// Subtransactions are numbered as they begin, so what was made since this one began has no lower number.
void end_logged_subtransaction(SubXactEvent event, SubTransactionId id, SubTransactionId, void *) {
    if (event != SUBXACT_EVENT_ABORT_SUB) return;
    while (lines != NIL && static_cast<const Line *>(llast(lines))->made_in >= id) lines = list_delete_last(lines);
}

void watch() {
    static constinit bool is_watching = false;
    if (is_watching) return;
    RegisterXactCallback(end_logged_transaction, nullptr);
    RegisterSubXactCallback(end_logged_subtransaction, nullptr);
    is_watching = true;
}

}  // namespace

// Writes nothing if the transaction, or the subtransaction it is called in, rolls back.
SNOWID_FUNCTION(snowid_partition_log) {
    watch();
    MemoryContext before = MemoryContextSwitchTo(TopTransactionContext);
    auto *kept = static_cast<Line *>(palloc(sizeof(Line)));
    *kept = Line{GetCurrentSubTransactionId(), text_to_cstring(PG_GETARG_TEXT_PP(0))};
    lines = lappend(lines, kept);
    MemoryContextSwitchTo(before);
    PG_RETURN_VOID();
}
