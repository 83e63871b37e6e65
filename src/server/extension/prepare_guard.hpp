// A prepared transaction can stay for ever, even across a restart, and so can its locks. A lock on pg_class,
// pg_extension, pg_shseclabel or the row of the database keeps a start waiting, and one on the extension's tables keeps
// the ids of its database waiting. So a transaction with such a lock is not prepared.
//
// But whoever creates, updates or drops the extension on several servers at once prepares that, so it must be possible.
// A start does not see tables that are not committed, and it reads tables that a prepared transaction has locked as
// they are: see start/other_database.hpp. What it would miss is how far ids have come that were made in the transaction
// that created the extension. So after such ids that one is not prepared.
#pragma once

namespace snowid::server {

// From now on, this process refuses to prepare such a transaction.
void install_prepare_guard();

}  // namespace snowid::server
