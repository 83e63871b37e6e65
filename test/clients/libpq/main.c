// Ids in binary: eight bytes of a bigint or a snowflake, sixteen of a uuid or a ulid, ten of a sno, in network order.
#include <endian.h>
#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PGconn *db;

static PGresult *done(PGresult *result) {
    if (PQresultStatus(result) == PGRES_TUPLES_OK) return result;
    fputs(PQresultErrorMessage(result), stderr);
    exit(1);
}

// recipe: parameters
// A parameter without a type (oid 0) takes the one of its place; in binary that must be the one whose bytes are sent.
static PGresult *query(const char *sql, int count, const char *const *values, const int *lengths) {
    const int binary[2] = {1, 1};
    return done(PQexecParams(db, sql, count, NULL, values, lengths, binary, 1));
}

// A timestamptz is microseconds since 2000-01-01 UTC.
static int64_t timestamptz(int64_t unix_microseconds) {
    return (int64_t)htobe64((uint64_t)(unix_microseconds - INT64_C(946684800000000)));
}
// end

static void print_bigint(const char *value) {
    // recipe: read
    uint64_t id;
    memcpy(&id, value, sizeof id);
    printf("%" PRId64, (int64_t)be64toh(id));
    // end
}

static void print_uuid(const unsigned char *id) {
    for (int i = 0; i < 16; i++) printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
}

static void print_base32(const unsigned char *id, int size, const char *digits) {
    unsigned __int128 rest = 0;
    for (int i = 0; i < size; i++) rest = rest << 8 | id[i];
    for (int shift = (size * 8 - 1) / 5 * 5; shift >= 0; shift -= 5) putchar(digits[(int)(rest >> shift) & 31]);
}

static void print_id(const PGresult *result, int row) {
    const char *value = PQgetvalue(result, row, 0), *kind = getenv("KIND");
    int size = strcmp(getenv("SCHEME"), "snowflake") == 0 ? 8 : strcmp(kind, "sno") == 0 ? 10 : 16;
    if (PQgetlength(result, row, 0) != size) exit(2);
    if (size == 8) print_bigint(value);
    else if (strcmp(kind, "uuid") == 0) print_uuid((const unsigned char *)value);
    else if (strcmp(kind, "ulid") == 0) print_base32((const unsigned char *)value, size, "0123456789ABCDEFGHJKMNPQRSTVWXYZ");
    else print_base32((const unsigned char *)value, size, "23456789abcdefghijklmnopqrstuvwx");
}

static void say(const char *what, const PGresult *result) {
    printf("%s", what);
    for (int row = 0; row < PQntuples(result); row++) {
        putchar(row == 0 ? '\t' : ' ');
        if (PQftype(result, 0) == 25) printf("%s", PQgetvalue(result, row, 0));
        else print_id(result, row);
    }
    putchar('\n');
}

static void find(void) {
    PGresult *read = query("SELECT id FROM message WHERE body = 'r05'", 0, NULL, NULL);
    say("read", read);
    char *id = PQgetvalue(read, 0, 0);
    int length = PQgetlength(read, 0, 0);
    // recipe: find
    PGresult *found = query("SELECT body FROM message WHERE id = $1", 1, (const char *[]){id}, (int[]){length});
    // end
    say("found", found);
}

static void time_range(const char *what, const char *format, const char *name) {
    char sql[300];
    int64_t since = timestamptz(INT64_C(1749956400250000)), until = timestamptz(INT64_C(1749967200250000));
    snprintf(sql, sizeof sql, format, name, name);
    say(what, query(sql, 2, (const char *[]){(char *)&since, (char *)&until}, (int[]){8, 8}));
}

static void pages(void) {
    PGresult *page = query("SELECT id FROM message ORDER BY id DESC LIMIT 5", 0, NULL, NULL);
    while (PQntuples(page) > 0) {
        say("page", page);
        char *last = PQgetvalue(page, PQntuples(page) - 1, 0);
        int length = PQgetlength(page, 0, 0);
        // recipe: page
        page = query("SELECT id FROM message WHERE id < $1 ORDER BY id DESC LIMIT 5", 1, (const char *[]){last}, (int[]){length});
        // end
    }
}

int main(void) {
    const char *kind = getenv("KIND"), *scheme = getenv("SCHEME");
    db = PQconnectdb(getenv("DATABASE_URL"));
    if (PQstatus(db) != CONNECTION_OK) return 1;
    say("inserted", query("INSERT INTO message (body) VALUES ('from the client') RETURNING id", 0, NULL, NULL));
    find();
    time_range("lower_bound", "SELECT body FROM message WHERE id >= %s_lower_bound($1) AND id < %s_lower_bound($2) ORDER BY id", scheme);
    time_range("timestamptz", "SELECT body FROM message WHERE %s >= $1::timestamptz AND %s < $2::timestamptz ORDER BY id",
               strcmp(kind, "bigint") == 0 ? "id::snowflake" : "id");
    pages();
    PQfinish(db);
}
