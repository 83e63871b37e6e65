// What goes wrong with the directory, for the view and for the log. The log reports each outage once, not each attempt.
#pragma once

namespace snowid::server {

void note_error(int sqlstate, const char *message, const char *detail, const char *hint);
void note_lost_connection(const char *why);
void note_success();

}  // namespace snowid::server
