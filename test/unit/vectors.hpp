// Reads the published vectors: tab-separated, the first line names the columns. SNOWID_VECTORS names their directory.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace snowid::test {

using Row = std::map<std::string, std::string>;

inline std::vector<std::string> split(const std::string &line, char separator) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string word; std::getline(in, word, separator);) words.push_back(word);
    if (line.ends_with(separator)) words.emplace_back();
    return words;
}

// What a JSON string literal says, for columns named input_json_string: those that may hold a tab or nothing at all.
// Knows no \u: no vector has one.
inline std::string json_string(const std::string &literal) {
    EXPECT_TRUE(literal.size() >= 2 && literal.starts_with('"') && literal.ends_with('"')) << literal;
    std::string text;
    for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
        if (literal[i] != '\\') {
            text += literal[i];
            continue;
        }
        const char escaped = literal[++i];
        EXPECT_NE(escaped, 'u') << literal;
        text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
    }
    return text;
}

inline std::vector<Row> read_vectors(const std::string &file) {
    const char *directory = std::getenv("SNOWID_VECTORS");
    const std::string path = std::string(directory != nullptr ? directory : "test/vectors") + "/" + file;
    std::ifstream in(path);
    EXPECT_TRUE(in) << "cannot read " << path;
    std::vector<Row> rows;
    std::vector<std::string> columns;
    for (std::string line; std::getline(in, line);) {
        const std::vector<std::string> words = split(line, '\t');
        if (columns.empty()) {
            columns = words;
            continue;
        }
        EXPECT_EQ(words.size(), columns.size()) << path << ": " << line;
        Row row;
        for (std::size_t i = 0; i < words.size() && i < columns.size(); ++i) row[columns[i]] = words[i];
        rows.push_back(row);
    }
    EXPECT_FALSE(rows.empty()) << path << " holds no row";
    return rows;
}

}  // namespace snowid::test
