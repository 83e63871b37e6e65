#include "core/hkdf.hpp"

#include <gtest/gtest.h>

#include "openssl.hpp"
#include "vectors.hpp"

namespace snowid::core {
namespace {

std::vector<std::uint8_t> bytes_of(const std::string &hex) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

TEST(Hkdf, HasTheResultsOfTheRfc) {
    for (const test::Row &row : test::read_vectors("hkdf_sha256.rfc5869.tsv")) {
        std::vector<std::uint8_t> out(std::stoul(row.at("length")));
        hkdf_sha256(test::hmac_sha256, bytes_of(row.at("ikm_hex")), bytes_of(row.at("salt_hex")),
                    bytes_of(row.at("info_hex")), out);
        EXPECT_EQ(out, bytes_of(row.at("okm_hex"))) << row.at("case");
    }
}

}  // namespace
}  // namespace snowid::core
