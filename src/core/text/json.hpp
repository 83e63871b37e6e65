// JSON objects, written member by member.
#pragma once

#include "core/text/writer.hpp"

namespace snowid::core {

// How many bytes the first character of a text in UTF-8 has, or 0 if it does not begin with a valid character.
constexpr std::size_t utf8_size(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0U; };
    const unsigned lead = byte(0), second = byte(1);
    if (text.empty()) return 0;
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    for (std::size_t i = 1; i < size; ++i)
        if (byte(i) >> 6 != 0b10) return 0;
    // Longer than necessary, half of a surrogate pair, or past the last character.
    const bool is_bad = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return is_bad ? 0 : size;
}

// A JSON string. Bytes that are not valid UTF-8 are shown by their values.
inline void put_json_string(Writer &out, std::string_view text) noexcept {
    out.put('"');
    while (!text.empty()) {
        const char c = text.front();
        const std::size_t size = utf8_size(text);
        if (c == '"' || c == '\\') {
            out.put('\\');
            out.put(c);
        } else if (size == 0) {
            out.put('\\');  // the backslash of the \x that follows
            out.put_printable({&c, 1});
        } else if (c == '\x7f' || static_cast<unsigned char>(c) < ' ') {
            out.put("\\u00");
            out.put_hex(Bytes<1>{static_cast<std::uint8_t>(c)});
        } else {
            out.put({text.data(), size});
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    out.put('"');
}

class JsonObject {
public:
    explicit JsonObject(Writer &out) noexcept : out_(out) { out_.put('{'); }

    void add(std::string_view name, std::string_view text) noexcept {
        begin(name);
        put_json_string(out_, text);
    }
    void add_number(std::string_view name, std::integral auto value) noexcept {
        begin(name);
        out_.put_number(value);
    }
    void add_bool(std::string_view name, bool value) noexcept {
        begin(name);
        out_.put(value ? "true" : "false");
    }
    template <std::size_t N>
    void add_bytes(std::string_view name, const Bytes<N> &bytes) noexcept {
        begin(name);
        out_.put('"');
        out_.put_hex(bytes);
        out_.put('"');
    }
    // A value that is JSON already.
    void add_json(std::string_view name, std::string_view json) noexcept {
        begin(name);
        out_.put(json);
    }
    void end() noexcept { out_.put('}'); }

private:
    void begin(std::string_view name) noexcept {
        if (!is_empty_) out_.put(", ");
        is_empty_ = false;
        put_json_string(out_, name);
        out_.put(": ");
    }

    Writer &out_;
    bool is_empty_ = true;
};

}  // namespace snowid::core
