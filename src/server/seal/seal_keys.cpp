// SQL functions for the keys of sealed ids: making, using, dropping, revealing and listing them. No statement contains
// a key.
#include <sys/stat.h>

#include "core/alphabet/hex.hpp"
#include "pg/compat.hpp"
#include "pg/error.hpp"
#include "pg/type/arguments.hpp"
#include "server/durable/own_trigger.hpp"
#include "server/seal/keys.hpp"

extern "C" {
#include "catalog/pg_authid.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "port.h"
#include "storage/fd.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
}

using namespace snowid::core;
using namespace snowid::pg;
using namespace snowid::server;

namespace {

// So a GRANT of one of these functions does not give away the keys.
void require_owner() {
    require_openssl();
    if (has_privs_of_role(GetUserId(), ROLE_PG_DATABASE_OWNER)) return;
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied for the keys of sealed ids"),
                    errdetail("Only the database's owner and superusers can manage them."),
                    errhint("Call the function as one of them, or as a role that has the owner's privileges.")));
}

void begin_change(FunctionCallInfo fcinfo) {
    require_owner();
    require_writable(fcinfo);
    lock_seal_keys();
}

[[noreturn]] void raise_no_key(int number) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("this database has no key %d for sealed ids", number),
             errhint("The view snowid_seal_keys lists its keys.")));
}

// The keys without their bytes, for callers that need not see those.
SealKeys known_keys() {
    SealKeys keys = read_seal_keys();
    for (SealKeyRow &row : keys.rows) wipe(row.key);
    return keys;
}

[[noreturn]] void raise_file(const char *path, const char *detail) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("file \"%s\" does not hold a key for sealed ids", shown(path)), errdetail("%s", detail),
                    errhint("snowid_seal_key_reveal shows a key in the form that the file must have.")));
}

void require_file_reader() {
    if (has_privs_of_role(GetUserId(), ROLE_PG_READ_SERVER_FILES)) return;
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied to read a key from a file"),
                    errdetail("Only roles with the privileges of pg_read_server_files can read files."),
                    errhint("A superuser can run: GRANT pg_read_server_files TO %s;", snowid::pg::quoted_user())));
}

// Reading anything but a regular file could block.
void require_plain_file(const char *path) {
    struct stat found;
    if (stat(path, &found) != 0) {
        if (errno == ENAMETOOLONG) raise_file(path, "No file has a name of that length.");
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not open file \"%s\": %m", path)));
    }
    if (!S_ISREG(found.st_mode)) raise_file(path, "It is not a regular file.");
}

SealKey key_in_file(const char *path) {
    require_file_reader();
    require_plain_file(path);
    char content[2 * sizeof(SealKey) + 3];
    FILE *file = AllocateFile(path, PG_BINARY_R);
    if (file == nullptr) ereport(ERROR, (errcode_for_file_access(), errmsg("could not open file \"%s\": %m", path)));
    std::string_view digits(content, std::fread(content, 1, sizeof content, file));
    FreeFile(file);
    for (const char end : {'\n', '\r'})
        if (digits.ends_with(end)) digits.remove_suffix(1);
    SealKey key;
    const Status status = decode_hex(digits, key);
    wipe(content);
    if (status != Status::ok)
        raise_file(path, "It must hold 64 hexadecimal digits, and nothing else but the end of the line.");
    return key;
}

SealKey random_key() {
    SealKey key;
    if (!pg_strong_random(key.data(), key.size()))
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values")));
    return key;
}

void require_new_number(const SealKeys &keys, int number) {
    if (number < 0 || number >= SealKeys::kNumbers)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("a key for sealed ids cannot have the number %d", number),
                        errdetail("It must be from 0 to %d.", SealKeys::kNumbers - 1),
                        errhint("Leave out the number to get the next free one.")));
    if (keys.find(number) != nullptr)
        ereport(ERROR,
                (errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("this database already has a key %d for sealed ids", number),
                 errhint("Leave out the number to get the next free one.")));
}

// Takes a number above all others, if there is one, because old tokens contain the numbers of dropped keys.
int free_number(const SealKeys &keys) {
    int above = 0;
    for (int number = 0; number < SealKeys::kNumbers; ++number)
        if (keys.find(number) != nullptr) above = number + 1;
    if (above < SealKeys::kNumbers) return above;
    for (int number = 0; number < SealKeys::kNumbers; ++number)
        if (keys.find(number) == nullptr) return number;
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("this database has the maximum number of keys for sealed ids"),
                    errdetail("Their numbers are 0 to %d.", SealKeys::kNumbers - 1),
                    errhint("Drop one that no token needs any more: SELECT snowid_seal_key_drop(number);")));
}

const char *fingerprint_text(const SealKey &key) {
    char *digits = static_cast<char *>(palloc(2 * kSealFingerprintSize + 1));
    encode_hex(fingerprint_of(key), digits);
    digits[2 * kSealFingerprintSize] = '\0';
    return digits;
}

// The number under which this key is stored, or SealKeys::kNone.
int number_of(const SealKeys &keys, const SealKey &key) {
    for (int number = 0; number < SealKeys::kNumbers; ++number)
        if (const SealKeyRow *row = keys.find(number); row != nullptr && row->key == key) return number;
    return SealKeys::kNone;
}

[[noreturn]] void raise_same_key(int number, const char *fingerprint) {
    ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("this database already has this key for sealed ids"),
                    errdetail("It has the number %d, and the fingerprint %s.", number, fingerprint)));
}

void require_new_key(const SealKey &key) {
    SealKeys keys = read_seal_keys();
    const int same = number_of(keys, key);
    wipe(keys);
    if (same != SealKeys::kNone) raise_same_key(same, fingerprint_text(key));
}

// The names of the publications that include the keys, or nullptr if there is none.
const char *publications_of_keys(MemoryContext context) {
    SPI_connect();
    SPI_execute(
        "SELECT pg_catalog.string_agg(p.pubname::pg_catalog.text, ', '::pg_catalog.text)"
        " FROM pg_catalog.pg_publication_tables AS p"
        " WHERE p.schemaname OPERATOR(pg_catalog.=) '_snowid'::pg_catalog.name"
        " AND p.tablename OPERATOR(pg_catalog.=) 'seal_key'::pg_catalog.name",
        true, 1);
    const char *names = SPI_processed == 1 ? SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1) : nullptr;
    if (names != nullptr) names = MemoryContextStrdup(context, names);
    SPI_finish();
    return names;
}

void warn_of_publications() {
    const char *names = publications_of_keys(CurrentMemoryContext);
    if (names == nullptr) return;
    ereport(WARNING, (errmsg("the keys of sealed ids are in a table that is published: %s", names),
                      errdetail("A subscriber that copies the tables gets the keys."),
                      errhint("Publish your own tables by name, or put them into a schema and publish that.")));
}

}  // namespace

SNOWID_FUNCTION(snowid_seal_guard) {
    own_trigger(fcinfo, TriggerKind::statement, nullptr);
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("cannot remove the keys of sealed ids directly"),
             errhint("As the database's owner, run: SELECT snowid_seal_key_drop(number);")));
}

SNOWID_FUNCTION(snowid_seal_key_create) {
    begin_change(fcinfo);
    const SealKeys known = known_keys();
    const int number = PG_ARGISNULL(0) ? free_number(known) : PG_GETARG_INT32(0);
    require_new_number(known, number);
    SealKey key = PG_ARGISNULL(1) ? random_key() : key_in_file(TextDatumGetCString(PG_GETARG_DATUM(1)));
    require_new_key(key);
    add_seal_key(number, key);
    wipe(key);
    if (known.find(known.current) == nullptr) set_current_seal_key(number);
    warn_of_publications();
    PG_RETURN_INT32(number);
}

SNOWID_FUNCTION(snowid_seal_key_use) {
    begin_change(fcinfo);
    snowid::pg::require_argument(fcinfo, 0, "the number of a seal key");
    const int number = PG_GETARG_INT32(0);
    if (known_keys().find(number) == nullptr) raise_no_key(number);
    set_current_seal_key(number);
    warn_of_publications();
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_seal_key_drop) {
    begin_change(fcinfo);
    snowid::pg::require_argument(fcinfo, 0, "the number of a seal key");
    const int number = PG_GETARG_INT32(0);
    const SealKeys known = known_keys();
    if (known.find(number) == nullptr) raise_no_key(number);
    if (known.current == number)
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("cannot drop key %d, because it is the current key for sealed ids", number),
                 errhint("Use another one first: SELECT snowid_seal_key_create(), then snowid_seal_key_use(number).")));
    drop_seal_key(number);
    PG_RETURN_VOID();
}

SNOWID_FUNCTION(snowid_seal_key_reveal) {
    require_owner();
    SealKeys keys = read_seal_keys();
    const SealKeyRow *row = keys.find(PG_GETARG_INT32(0));
    char digits[2 * sizeof(SealKey)];
    if (row != nullptr) encode_hex(row->key, digits);
    const bool is_there = row != nullptr;
    wipe(keys);
    if (!is_there) raise_no_key(PG_GETARG_INT32(0));
    text *revealed = cstring_to_text_with_len(digits, sizeof digits);
    wipe(digits);
    PG_RETURN_TEXT_P(revealed);
}

SNOWID_FUNCTION(snowid_seal_keys) {
    const Rows rows(fcinfo);
    require_openssl();
    SealKeys keys = read_seal_keys();
    for (int number = 0; number < SealKeys::kNumbers; ++number) {
        const SealKeyRow *row = keys.find(number);
        if (row == nullptr) continue;
        rows.add({Int32GetDatum(number), BoolGetDatum(number == keys.current), TimestampTzGetDatum(row->created),
                  CStringGetTextDatum(fingerprint_text(row->key))});
    }
    wipe(keys);
    return Datum{0};
}

SNOWID_FUNCTION(snowid_has_seal_key) { PG_RETURN_BOOL(known_keys().has_any()); }
