#include "core/text/typeid.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"
#include "random.hpp"
#include "text/twin.hpp"

namespace snowid::core {
namespace {

std::string text_of(std::string_view prefix, const Bytes<16> &uuid) {
    std::string text(kMaxTypeIdSize + 1, '#');
    const std::size_t size = format(TypeId{prefix, uuid}, text.data());
    EXPECT_EQ(text.find('#', size), size) << "wrote past its end";
    return text.substr(0, size);
}

void expect_both_ways(test::Row row) {
    std::erase(row["uuid"], '-');
    TypeId id{};
    ASSERT_EQ(parse(row["typeid"], id), Status::ok) << row["typeid"];
    EXPECT_EQ(id.prefix, row["prefix"]);
    EXPECT_EQ(test::hex(id.uuid), row["uuid"]);
    EXPECT_EQ(text_of(row["prefix"], id.uuid), row["typeid"]);
}

TEST(TypeId, RoundTripsEveryVector) {
    for (const test::Row &row : test::read_vectors("typeid.spec.valid.tsv")) expect_both_ways(row);
    for (const test::Row &row : test::read_vectors("typeid.valid.tsv")) expect_both_ways(row);
}

TEST(TypeId, RefusesEveryInvalidVector) {
    for (const char *file : {"typeid.spec.invalid.tsv", "typeid.invalid.tsv"})
        for (const test::Row &row : test::read_vectors(file)) {
            TypeId id{"before", {}};
            const std::string text = test::json_string(row.at("input_json_string"));
            EXPECT_NE(parse(text, id), Status::ok) << text;
            EXPECT_EQ(id.prefix, "before");
        }
}

TEST(TypeId, TellsWhatIsWrong) {
    TypeId id{};
    EXPECT_EQ(parse("user_01h455vb4pex5vsknk084sn02", id), Status::bad_length);
    EXPECT_EQ(parse("User_01h455vb4pex5vsknk084sn02q", id), Status::bad_length);
    EXPECT_EQ(parse("user_01h455vb4pex5vsknk084sn02u", id), Status::bad_character);
    EXPECT_EQ(parse("user_8zzzzzzzzzzzzzzzzzzzzzzzzz", id), Status::out_of_range);
}

TEST(TypeId, AgreesWithItsTwin) {
    const test::Twin twin{"0123456789abcdefghjkmnpqrstvwxyz", 26};
    auto random = test::seeded_random();
    for (int i = 0; i < 20000; ++i) {
        const auto uuid = test::random_bytes<16>(random);
        std::string text = text_of("", uuid);
        EXPECT_EQ(text, twin.encode(uuid.data(), uuid.size()));
        text[random() % text.size()] = static_cast<char>(random());
        TypeId id{};
        Bytes<16> expected{};
        EXPECT_EQ(parse(text, id), twin.decode(text, expected.data(), expected.size())) << text;
        EXPECT_EQ(test::hex(id.uuid), test::hex(expected));
    }
}

}  // namespace
}  // namespace snowid::core
