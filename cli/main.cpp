// The program snowid: what an id is, for people without a server at hand.
#include <cstdio>
#include <cstring>

#include "arguments.hpp"
#include "commands.hpp"

namespace {

using namespace snowid::cli;

constexpr const char *kHelp =
    "snowid inspect [--layout L] [--json] [ID...]   what the ids are; from standard input if there are none\n"
    "snowid generate FORMAT [-n N] [--time T] [--metabyte M] [--partition P]   new ids: uuidv7, ulid, ksuid or sno\n"
    "snowid bound FORMAT TIME [--layout L]          the first id of a time or later\n"
    "snowid layout TEXT                             what the bits of a snowflake mean\n"
    "snowid layouts                                 the layouts that have names\n"
    "snowid version\n"
    "snowid help\n"
    "\n"
    "The status is 1 if nothing is known of an id, and 2 if something is wrong. snowid(1) tells more.\n";

int version(int, char **) {
    print("snowid " SNOWID_VERSION);
    return kDone;
}

int help(int, char **) {
    std::fputs(kHelp, stdout);
    return kDone;
}

constexpr struct {
    const char *name;
    int (*run)(int count, char **words);
} kCommands[] = {{"inspect", inspect},       {"generate", generate}, {"bound", bound},
                 {"layout", layout_command}, {"layouts", layouts},   {"version", version},
                 {"--version", version},     {"help", help},         {"--help", help}};

}  // namespace

int main(int count, char **words) {
    if (count < 2) {
        std::fputs(kHelp, stderr);
        return kWrong;
    }
    for (const auto &command : kCommands)
        if (std::strcmp(words[1], command.name) == 0) return finish(command.run(count - 2, words + 2));
    fail("there is no command \"%s\"; see snowid help.", Shown(words[1]).text());
}
