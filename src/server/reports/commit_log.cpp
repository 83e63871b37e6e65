#include "server/reports/commit_log.hpp"

#include "pg/prelude.hpp"

extern "C" {
#include "access/xact.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"
}

namespace snowid::server {
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

void log_at_commit(const char *line) {
    watch();
    MemoryContext before = MemoryContextSwitchTo(TopTransactionContext);
    auto *kept = static_cast<Line *>(palloc(sizeof(Line)));
    *kept = Line{GetCurrentSubTransactionId(), pstrdup(line)};
    lines = lappend(lines, kept);
    MemoryContextSwitchTo(before);
}

}  // namespace snowid::server
