// The commands of the program. Each gets the words after its name, and returns the status to end with.
#pragma once

namespace snowid::cli {

int inspect(int count, char **words);
int generate(int count, char **words);
int bound(int count, char **words);
int layout_command(int count, char **words);
int layouts(int count, char **words);

}  // namespace snowid::cli
