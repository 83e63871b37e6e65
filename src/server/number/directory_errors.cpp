#include "server/number/tenure.hpp"

#include "pg/error.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

void copy_text(char (&to)[256], const char *from) {
    if (from == nullptr) from = "";
    auto size = static_cast<int>(std::strlen(from));
    if (pg_encoding_verifymbstr(PG_UTF8, from, size) != size) from = pg::shown_in_ascii(from, sizeof to);
    size = static_cast<int>(std::strlen(from));
    const int kept = pg_encoding_mbcliplen(PG_UTF8, from, size, sizeof to - 1);
    strlcpy(to, from, static_cast<std::size_t>(kept) + 1);
    for (char *end = to + kept; end > to && (end[-1] == '\n' || end[-1] == ' '); --end) end[-1] = '\0';
}

constinit DirectoryError told_last{};  // sqlstate 0: no error since the directory answered

}  // namespace

void note_error(int sqlstate, const char *message, const char *detail, const char *hint) {
    DirectoryError error{};
    error.sqlstate = sqlstate;
    copy_text(error.message, message);
    if (error.message[0] == '\0') copy_text(error.message, "it does not say why");
    copy_text(error.detail, detail);
    copy_text(error.hint, hint);
    error.at = GetCurrentTimestamp();
    note_directory_error(error);
    const bool is_known = told_last.sqlstate == sqlstate && std::strcmp(told_last.message, error.message) == 0;
    told_last = error;
    if (is_known) return;
    ereport(LOG, (errmsg("snowid: the directory gives this server no time: %s", error.message),
                  error.detail[0] == '\0' ? 0 : errdetail("%s", error.detail),
                  error.hint[0] == '\0' ? 0 : errhint("%s", error.hint)));
}

void note_success() {
    note_directory_error({});
    if (told_last.sqlstate != 0) ereport(LOG, (errmsg("snowid: the directory gives this server time again")));
    told_last = {};
}

void note_lost_connection(const char *why) {
    note_error(ERRCODE_CONNECTION_FAILURE, "the directory does not answer", why, nullptr);
}

void note_waiting() {
    note_error(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "the directory waits for its synchronous standby",
               "It cannot commit before a standby has what it gives out.",
               "Start the standby, or let one of several be enough: synchronous_standby_names = 'ANY 1 (a, b)'.");
}

void note_objection(core::TenureObjection objection, std::int64_t behind_ns) {
    const char *behind = pg::shown_duration(behind_ns);
    switch (objection) {
        case core::TenureObjection::clock_behind:
            return note_error(ERRCODE_SYSTEM_ERROR,
                              psprintf("this server's clock is %s behind its directory's", behind),
                              "That is more than snowid.clock_jump.", "Correct the clock that is wrong.");
        case core::TenureObjection::worker:
            return note_error(ERRCODE_PROTOCOL_VIOLATION,
                              "the directory gives out a worker id that this server cannot have", nullptr, nullptr);
        case core::TenureObjection::piece:
            return note_error(ERRCODE_PROTOCOL_VIOLATION, "the directory gives out time that was not asked for",
                              nullptr, nullptr);
        case core::TenureObjection::none: return;
    }
}

void note_twice(std::uint32_t worker) {
    note_error(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "another server has this server's worker id, too",
               "The directory has lost the record of what it gave out.",
               "See snowid_check() here and in the directory.");
    ereport(WARNING, (errmsg("snowid: another server has the worker id %u of this server, too", worker),
                      errdetail("The directory has lost the record of what it gave out. This server makes no more ids "
                                "with the number, but both may have made the same ones."),
                      errhint("Compare the ids of the fleet's servers with script/fleet-report.")));
}

}  // namespace snowid::server
