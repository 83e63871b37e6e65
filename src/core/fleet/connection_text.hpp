// The text of a connection to a directory, as libpq reads it: key=value pairs or postgresql://...
#pragma once

#include <string_view>

namespace snowid::core {

namespace detail {

constexpr bool begins_with(std::string_view text, std::size_t at, std::string_view what) noexcept {
    if (at > text.size()) return false;
    text.remove_prefix(at);
    return text.starts_with(what);
}

// Whether this key is at `at`, is not the end of a longer key, and is followed by =.
constexpr bool is_key(std::string_view text, std::size_t at, std::string_view key) noexcept {
    if (!begins_with(text, at, key)) return false;
    if (at > 0 && std::string_view(" \t\n\r\f\v?&'").find(text[at - 1]) == std::string_view::npos) return false;
    const std::size_t next = text.find_first_not_of(" \t\n\r\f\v", at + key.size());
    return next != std::string_view::npos && text[next] == '=';
}

// postgresql://user:password@host/database
constexpr bool has_password_of_user(std::string_view text) noexcept {
    const std::size_t scheme = text.find("://");
    if (scheme == std::string_view::npos || !text.starts_with("postgres")) return false;
    text.remove_prefix(scheme + 3);
    const std::size_t end = text.find_first_of("@/?");
    return end != std::string_view::npos && text[end] == '@' && text.find(':') < end;
}

}  // namespace detail

// Misses a key that is spelled another way, such as %70assword in a URI. libpq's parser catches those.
constexpr bool has_password(std::string_view text) noexcept {
    if (detail::has_password_of_user(text)) return true;
    for (std::size_t at = 0; at < text.size(); ++at)
        for (const std::string_view key : {"password", "sslpassword"})
            if (detail::is_key(text, at, key)) return true;
    return false;
}

}  // namespace snowid::core
