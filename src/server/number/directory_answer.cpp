#include "server/number/directory_answer.hpp"

#include <charconv>

#include "pg/prelude.hpp"

namespace snowid::server {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool parse_token(const char *text, core::TenureToken &token) {
    int digits = 0;
    for (; text != nullptr && *text != '\0'; ++text) {
        if (*text == '-') continue;
        const int digit = hex_digit(*text);
        if (digit < 0 || digits == 32) return false;
        std::uint8_t &byte = token.bytes[digits / 2];
        byte = static_cast<std::uint8_t>(byte << 4 | digit);
        ++digits;
    }
    return digits == 32;
}

template <typename Number>
bool parse_number(const char *text, Number &number) {
    if (text == nullptr) return false;
    const char *end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, number);
    return error == std::errc() && stop == end;
}

}  // namespace

bool parse_row(const directory::Answer &row, bool is_taken, Reply &reply) {
    core::TenureAnswer &a = reply.answer;
    a.kind = core::TenureAnswer::Kind::row;
    if (!is_taken && row.values[1] == nullptr) {
        a.kind = core::TenureAnswer::Kind::twice;
        return true;
    }
    const bool has_piece =
        !is_taken || (parse_number(row.values[0], a.worker) && parse_number(row.values[2], a.from_ns));
    return has_piece && parse_token(row.values[1], a.token) && parse_number(row.values[3], a.until_ns) &&
           parse_number(row.values[4], a.directory_ns) && parse_number(row.values[5], a.range.first) &&
           parse_number(row.values[6], a.range.last) && parse_number(row.values[7], reply.free_numbers);
}

const char *shown_token(const core::TenureToken &token) {
    static char text[33];
    char *end = text;
    for (const std::uint8_t byte : token.bytes) end += snprintf(end, 3, "%02x", byte);
    return text;
}

}  // namespace snowid::server
