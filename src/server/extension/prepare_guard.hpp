// A prepared transaction can stay for ever, and over a restart. If it kept a lock on what a start reads, which is the
// extension's tables, pg_class, pg_extension and the database itself, no database of the server would make ids.
#pragma once

namespace snowid::server {

// From here on this process refuses to prepare such a transaction.
void install_prepare_guard();

}  // namespace snowid::server
