// In place of the page's function: what it prints of the other types.
static void print_uuid(const unsigned char *id) {
    for (int i = 0; i < 16; i++) printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
}

static void print_base32(const unsigned char *id, int size, const char *digits) {
    unsigned __int128 rest = 0;
    for (int i = 0; i < size; i++) rest = rest << 8 | id[i];
    for (int shift = (size * 8 - 1) / 5 * 5; shift >= 0; shift -= 5) putchar(digits[(int)(rest >> shift) & 31]);
}

static void print_id(const PGresult *result, int row) {
    const unsigned char *id = (const unsigned char *)PQgetvalue(result, row, 0);
    const char *kind = getenv("KIND");
    const int size = strcmp(kind, "sno") == 0 ? 10 : 16;
    if (PQgetlength(result, row, 0) != size) exit(2);
    putchar(' ');
    if (strcmp(kind, "uuid") == 0) print_uuid(id);
    else if (strcmp(kind, "ulid") == 0) print_base32(id, size, "0123456789ABCDEFGHJKMNPQRSTVWXYZ");
    else print_base32(id, size, "23456789abcdefghijklmnopqrstuvwx");
}
