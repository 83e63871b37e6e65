// Reads the published test vectors: tab-separated files whose first line names the columns. SNOWID_VECTORS is their
// directory.
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

// A character of up to 16 bits.
inline std::string utf8(unsigned c) {
    const auto byte = [](unsigned bits) { return static_cast<char>(bits); };
    if (c < 0x80) return {byte(c)};
    if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
    return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
}

// Decodes a JSON string literal. Columns named input_json_string contain them, because their text may be empty or have
// a tab.
inline std::string json_string(const std::string &literal) {
    EXPECT_TRUE(literal.size() >= 2 && literal.starts_with('"') && literal.ends_with('"')) << literal;
    std::string text;
    for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
        if (literal[i] != '\\') {
            text += literal[i];
            continue;
        }
        const char escaped = literal[++i];
        if (escaped == 'u') {
            text += utf8(static_cast<unsigned>(std::stoul(literal.substr(i + 1, 4), nullptr, 16)));
            i += 4;
            continue;
        }
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
