#include "core/id/sealed.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ids.hpp"
#include "openssl.hpp"
#include "random.hpp"
#include "text/twin.hpp"

namespace snowid::core {
namespace {

using test::Cipher;

constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

SealKey derived(const SealKey &key, std::string_view prefix) {
    SealKey out;
    hkdf_sha256(test::hmac_sha256, key, {}, SealInfo(prefix).bytes(), out);
    return out;
}

// Keys by number, as in a database.
class Keys {
public:
    void add(unsigned number, const SealKey &key) { keys_[number] = key; }

    std::string seal(std::uint64_t id, std::string_view prefix, unsigned number) const {
        const Cipher cipher(EVP_aes_256_ecb(), derived(keys_.at(number), prefix), Cipher::Way::encipher);
        std::string text(kMaxSealedSize + 1, '#');
        const std::size_t size = core::seal(
            id, number, prefix, [&](SealBlock &block) { cipher.in_place(block); }, text.data());
        EXPECT_EQ(text.find('#', size), size) << "wrote past its end";
        return text.substr(0, size);
    }

    Unsealed unseal(std::string_view text, std::string_view prefix, Opened &out) const {
        const auto decipher = [&](unsigned number, SealBlock &block) {
            if (!keys_.contains(number)) return false;
            opener(number, prefix).in_place(block);
            return true;
        };
        return core::unseal(text, prefix, decipher, out);
    }

private:
    const Cipher &opener(unsigned number, std::string_view prefix) const {
        auto found = openers_.find({number, std::string(prefix)});
        if (found == openers_.end())
            found = openers_
                        .emplace(std::pair(number, std::string(prefix)),
                                 Cipher(EVP_aes_256_ecb(), derived(keys_.at(number), prefix), Cipher::Way::decipher))
                        .first;
        return found->second;
    }

    std::map<unsigned, SealKey> keys_;
    mutable std::map<std::pair<unsigned, std::string>, Cipher> openers_;
};

Keys keys_of_vectors() {
    Keys keys;
    for (const test::Row &row : test::read_vectors("sealed8.valid.tsv"))
        keys.add(static_cast<unsigned>(std::stoul(row.at("key_number"))), test::bytes_of<32>(row.at("root_key_hex")));
    return keys;
}

TEST(Sealed, RoundTripsEveryVector) {
    const Keys keys = keys_of_vectors();
    for (const test::Row &row : test::read_vectors("sealed8.valid.tsv")) {
        const auto id = static_cast<std::uint64_t>(std::stoll(row.at("id")));
        const auto number = static_cast<unsigned>(std::stoul(row.at("key_number")));
        EXPECT_EQ(test::hex(derived(test::bytes_of<32>(row.at("root_key_hex")), row.at("prefix"))),
                  row.at("derived_key_hex"));
        const auto wrapped = Cipher(EVP_aes_256_ecb(), test::bytes_of<32>(row.at("derived_key_hex")),
                                    Cipher::Way::encipher)(seal_block(id));
        SealBlock block{};
        std::copy_n(wrapped.begin(), 16, block.begin());
        EXPECT_EQ(test::hex(block), row.at("wrapped_hex"));
        EXPECT_EQ(keys.seal(id, row.at("prefix"), number), row.at("text"));
        Opened opened{};
        ASSERT_EQ(keys.unseal(row.at("text"), row.at("prefix"), opened), Unsealed::ok) << row.at("text");
        EXPECT_EQ(opened.id, id);
    }
}

TEST(Sealed, RefusesEveryInvalidVector) {
    const Keys keys = keys_of_vectors();
    for (const test::Row &row : test::read_vectors("sealed.invalid.tsv")) {
        const std::string &prefix = row.at("expected_prefix");
        Opened opened{};
        const Unsealed result = keys.unseal(test::json_string(row.at("input_json_string")), prefix, opened);
        EXPECT_NE(result, Unsealed::ok) << row.at("reason");
        EXPECT_EQ(is_prefix(prefix), row.at("sqlstate") == "22P02") << row.at("reason");
    }
}

TEST(Sealed, TellsWhatIsWrong) {
    const Keys keys = keys_of_vectors();
    const std::string text = keys.seal(42, "ord", 0);
    Opened opened{};
    EXPECT_EQ(keys.unseal(text, "cus", opened), Unsealed::other_prefix);
    EXPECT_EQ(opened.prefix, "ord");
    const std::string shorter = text.substr(1);
    EXPECT_EQ(keys.unseal(shorter, "ord", opened), Unsealed::other_prefix);
    EXPECT_EQ(opened.prefix, "rd");
    EXPECT_EQ(keys.unseal(text + '0', "ord", opened), Unsealed::malformed);
    EXPECT_EQ(keys.unseal(text.substr(4), "ord", opened), Unsealed::malformed);
    EXPECT_EQ(keys.unseal("cus" + text.substr(3), "cus", opened), Unsealed::forged) << "the prefix is part of the key";
    EXPECT_EQ(keys.unseal("ord_fjsfa9ToPDsVnDEdpcvbhk", "ord", opened), Unsealed::unknown_key);
    EXPECT_EQ(opened.number, 5U);
    EXPECT_EQ(keys.unseal("ord_zzzzzzzzzzzzzzzzzzzzzz", "ord", opened), Unsealed::forged);
}

// Each row has a key, a plain text and its wrapping. Those of the RFC have other sizes. They show that OpenSSL's KWP is
// that of the RFC, and the one with seven octets is also a single block.
TEST(Sealed, IsTheKeyWrapWithPaddingOfOpenssl) {
    for (const test::Row &row : test::read_vectors("aes_kwp.openssl.tsv")) {
        const auto key = test::bytes_of<32>(row.at("key_hex"));
        SealBlock block = seal_block(load_be<8>(test::bytes_of<8>(row.at("plain_hex")).data()));
        Cipher(EVP_aes_256_ecb(), key, Cipher::Way::encipher).in_place(block);
        EXPECT_EQ(test::hex(block), row.at("wrapped_hex"));
    }
    auto random = test::seeded_random();
    for (int i = 0; i < 2000; ++i) {
        const auto key = test::random_bytes<32>(random);
        const auto id = test::random_bytes<8>(random);
        SealBlock block = seal_block(load_be<8>(id.data()));
        Cipher(EVP_aes_256_ecb(), key, Cipher::Way::encipher).in_place(block);
        EXPECT_EQ(Cipher(EVP_aes_256_wrap_pad(), key, Cipher::Way::encipher)(id),
                  std::vector(block.begin(), block.end()));
    }
    const std::vector<test::Row> rfc = test::read_vectors("aes_kwp.rfc5649.tsv");
    const auto key = test::bytes_of<24>(rfc.at(0).at("key_hex"));
    const Cipher wrap(EVP_aes_192_wrap_pad(), key, Cipher::Way::encipher);
    const auto twenty = wrap(test::bytes_of<20>(rfc.at(0).at("plain_hex")));
    Bytes<32> twenty_wrapped = test::bytes_of<32>(rfc.at(0).at("wrapped_hex"));
    EXPECT_EQ(twenty, std::vector(twenty_wrapped.begin(), twenty_wrapped.end()));
    SealBlock seven = seal_block(load_be<7>(test::bytes_of<7>(rfc.at(1).at("plain_hex")).data()) << 8);
    seven[7] = 7;
    Cipher(EVP_aes_192_ecb(), key, Cipher::Way::encipher).in_place(seven);
    EXPECT_EQ(test::hex(seven), rfc.at(1).at("wrapped_hex"));
}

TEST(Sealed, RefusesEveryChangeOfADigit) {
    auto random = test::seeded_random();
    const Keys keys = keys_of_vectors();
    for (int round = 0; round < 3; ++round) {
        const std::string text = keys.seal(random(), "ord", 1);
        Opened opened{};
        int refused = 0;
        for (std::size_t at = 4; at < text.size(); ++at)
            for (const char digit : kDigits) {
                std::string other = text;
                other[at] = digit;
                refused += keys.unseal(other, "ord", opened) != Unsealed::ok;
            }
        EXPECT_EQ(refused, 22 * 61);
        for (std::size_t at = 5; at < text.size(); ++at) {
            std::string other = text;
            std::swap(other[at - 1], other[at]);
            EXPECT_EQ(keys.unseal(other, "ord", opened) == Unsealed::ok, other == text) << other;
        }
    }
}

TEST(Sealed, OpensNoTextAtRandom) {
    auto random = test::seeded_random();
    const Keys keys = keys_of_vectors();
    std::string text = "ord_" + std::string(Bits131::kTextSize, '0');
    Opened opened{};
    int opens = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const auto number = static_cast<unsigned>(std::uint64_t{0x0601000601000600} >> 8 * (i % 8) & 7);
        Bits131 forged{number, {}};
        store_be<8>(forged.bytes.data(), random());
        store_be<8>(forged.bytes.data() + 8, random());
        encode_base62(forged, text.data() + 4);
        opens += keys.unseal(text, "ord", opened) != Unsealed::forged;
    }
    EXPECT_EQ(opens, 0);
}

TEST(Sealed, HasOneTextForEachIdPrefixAndKey) {
    auto random = test::seeded_random();
    const Keys keys = keys_of_vectors();
    std::set<std::string> texts;
    for (std::uint64_t id = 0; id < 500; ++id)
        for (const char *prefix : {"ord", "cus"})
            for (const unsigned number : {0, 1, 6}) texts.insert(keys.seal(id, prefix, number).substr(4));
    EXPECT_EQ(texts.size(), 3000U);
    for (int i = 0; i < 200; ++i) {
        const std::uint64_t id = random() >> random() % 64;
        EXPECT_EQ(keys.seal(id, "ord", 6), keys.seal(id, "ord", 6));
    }
}

TEST(Sealed, ReadsNumbersUpTo131Bits) {
    Bits131 last{kMaxSealKey, {}}, read{};
    last.bytes.fill(0xFF);
    std::string text(Bits131::kTextSize, '#');
    encode_base62(last, text.data());
    EXPECT_EQ(decode_base62(text, read), Status::ok);
    EXPECT_EQ(read.top, 6U);
    EXPECT_EQ(test::hex(read.bytes), test::hex(last.bytes));
    ++text.back();  // 7 * 2^128: no digit carries, because the last one is not z
    EXPECT_NE(kDigits.find(text.back()), std::string_view::npos);
    EXPECT_EQ(decode_base62(text, read), Status::out_of_range);
    EXPECT_EQ(decode_base62(std::string(22, '0'), read), Status::ok);
    EXPECT_EQ(read.top, 0U);
}

TEST(Sealed, HasTheDigitsOfItsTwin) {
    const test::Twin twin{std::string(kDigits), Bits131::kTextSize};
    auto random = test::seeded_random();
    for (int i = 0; i < 50000; ++i) {
        Bits131 number{static_cast<unsigned>(random() % kSealKeys), test::random_bytes<16>(random)};
        if (i % 4 == 0) std::fill_n(number.bytes.begin(), random() % 17, std::uint8_t{0});
        Bytes<17> all{};
        all[0] = static_cast<std::uint8_t>(number.top);
        std::copy(number.bytes.begin(), number.bytes.end(), all.begin() + 1);
        std::string text(Bits131::kTextSize, '#');
        encode_base62(number, text.data());
        EXPECT_EQ(text, twin.encode(all.data(), all.size()));
        Bits131 read{};
        EXPECT_EQ(decode_base62(text, read), Status::ok);
        EXPECT_EQ(test::hex(read.bytes), test::hex(number.bytes));
        EXPECT_EQ(read.top, number.top);
        text[random() % text.size()] = static_cast<char>(random());
        Bytes<17> expected{};
        const Status status = twin.decode(text, expected.data(), expected.size());
        EXPECT_EQ(decode_base62(text, read),
                  status == Status::ok && expected[0] > kMaxSealKey ? Status::out_of_range : status);
    }
}

}  // namespace
}  // namespace snowid::core
