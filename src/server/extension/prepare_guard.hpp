// A prepared transaction can stay for ever, even across a restart. A start reads the extension's tables, pg_class,
// pg_extension and the row of the database. If a prepared transaction kept one of them locked, no database of the
// server could make ids.
#pragma once

namespace snowid::server {

// From now on, this process refuses to prepare such a transaction.
void install_prepare_guard();

}  // namespace snowid::server
