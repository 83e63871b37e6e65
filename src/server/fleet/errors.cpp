#include "server/fleet/errors.hpp"

#include "pg/shown.hpp"
#include "server/tenure/tenure.hpp"

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
    copy_text(error.message, message == nullptr || message[0] == '\0' ? "it does not say why" : message);
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

}  // namespace snowid::server
