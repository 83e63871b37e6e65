#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <pqxx/pqxx>
#include <string>

static void say(const char *what, const pqxx::result &rows) {
    std::cout << what;
    char separator = '\t';
    for (const auto &row : rows) {
        std::cout << separator << row[0].as<std::string>();
        separator = ' ';
    }
    std::cout << '\n';
}

int main() {
    const std::string kind = std::getenv("KIND"), scheme = std::getenv("SCHEME");
    const std::string since = "2025-06-15T03:00:00.250Z", until = "2025-06-15T06:00:00.250Z";
    pqxx::connection db{std::getenv("DATABASE_URL")};
    pqxx::work work{db};

    // recipe: insert
    const auto inserted =
        work.exec("INSERT INTO message (body) VALUES ($1) RETURNING id", pqxx::params{"from the client"});
    const auto text = inserted[0][0].as<std::string>();  // of any type; an id of 64 bits is a std::int64_t too
    // end
    if (scheme == "snowflake" && std::to_string(inserted[0][0].as<std::int64_t>()) != text) return 1;
    say("inserted", inserted);

    const auto read = work.exec("SELECT id FROM message WHERE body = 'r05'");
    say("read", read);
    const auto id = read[0][0].as<std::string>();

    // recipe: find
    const auto found = work.exec("SELECT body FROM message WHERE id = $1", pqxx::params{id});
    // end
    say("found", found);

    // recipe: time
    // libpqxx has no type for a date: it is a text in ISO 8601, with its zone.
    const auto between = work.exec("SELECT body FROM message WHERE id >= " + scheme + "_lower_bound($1) AND id < " +
                                       scheme + "_lower_bound($2) ORDER BY id",
                                   pqxx::params{since, until});
    // end
    say("lower_bound", between);

    const std::string time = kind == "bigint" ? "id::snowflake" : "id";
    say("timestamptz", work.exec("SELECT body FROM message WHERE " + time + " >= $1::timestamptz AND " + time +
                                     " < $2::timestamptz ORDER BY id",
                                 pqxx::params{since, until}));

    auto page = work.exec("SELECT id FROM message ORDER BY id DESC LIMIT 5");
    while (!page.empty()) {
        say("page", page);
        const auto last = page.back()[0].as<std::string>();
        // recipe: page
        page = work.exec("SELECT id FROM message WHERE id < $1 ORDER BY id DESC LIMIT 5", pqxx::params{last});
        // end
    }
    work.commit();
}
