// Texts of random characters, all equally likely. A word of random bits is cut into numbers just wide enough for the
// alphabet. Numbers past its end are dropped, so there is no bias. No branch depends on a random bit either.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace snowid::core {

class RandomAlphabet {
public:
    static constexpr std::size_t kMost = 128;
    static constexpr std::size_t kRoom = 64;  // characters that put() may write past its end

    constexpr RandomAlphabet() noexcept = default;
    consteval explicit RandomAlphabet(const char *characters) noexcept { set(characters); }

    // Returns false unless there are 2 to 128 characters, all ASCII and all different.
    constexpr bool set(std::string_view characters) noexcept {
        bool is_there[kMost]{};
        if (characters.size() < 2 || characters.size() > kMost) return false;
        for (std::size_t i = 0; i < characters.size(); ++i) {
            const auto c = static_cast<std::uint8_t>(characters[i]);
            if (c >= kMost || is_there[c]) return false;
            is_there[c] = true;
            characters_[i] = characters[i];
        }
        count_ = static_cast<unsigned>(characters.size());
        bits_ = static_cast<unsigned>(std::bit_width(count_ - 1));
        return true;
    }

    // draw() returns 64 random bits. REQUIRES: room for size + kRoom characters at `out`.
    template <typename Draw>
    constexpr void put(std::size_t size, const Draw &draw, char *out) const noexcept(noexcept(draw())) {
        const unsigned mask = (1U << bits_) - 1, each = 64 / bits_;
        for (std::size_t done = 0; done < size;) {
            std::uint64_t word = draw();
            for (unsigned i = 0; i < each; ++i, word >>= bits_) {
                const unsigned n = static_cast<unsigned>(word) & mask;
                out[done] = characters_[n];
                done += n < count_;
            }
        }
    }

private:
    char characters_[kMost]{};
    unsigned count_ = 0;
    unsigned bits_ = 0;
};

// Nano ID: any alphabet, and a size within these bounds.
inline constexpr std::size_t kMinNanoId = 2, kMaxNanoId = 64;

// Cuid2: a letter, then letters and digits. The reference takes them from a hash; nobody can tell the difference.
inline constexpr std::size_t kMinCuid2 = 2, kMaxCuid2 = 32;
inline constexpr RandomAlphabet kCuid2First("abcdefghijklmnopqrstuvwxyz");
inline constexpr RandomAlphabet kCuid2Rest("0123456789abcdefghijklmnopqrstuvwxyz");

// REQUIRES: room for size + RandomAlphabet::kRoom characters at `out`.
template <typename Draw>
constexpr void put_cuid2(std::size_t size, const Draw &draw, char *out) noexcept(noexcept(draw())) {
    kCuid2First.put(1, draw, out);
    kCuid2Rest.put(size - 1, draw, out + 1);
}

}  // namespace snowid::core
