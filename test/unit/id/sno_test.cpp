#include "core/id/sno.hpp"

#include <gtest/gtest.h>

#include "ids.hpp"

namespace snowid::core {
namespace {

TEST(Sno, RoundTripsEveryVector) {
    for (const test::Row &row : test::read_vectors("sno.valid.tsv")) {
        const Sno id = test::expect_round_trip<Sno>(row);
        EXPECT_EQ(id.time(), to_micros({std::stoll(row.at("unix_ns"))}));
        EXPECT_EQ(id.tick_tock(), row.at("tick") == "1");
        EXPECT_EQ(id.metabyte(), std::stoll(row.at("meta")));
        EXPECT_EQ(id.partition(), std::stoll(row.at("partition")));
        EXPECT_EQ(id.sequence(), std::stoll(row.at("sequence")));
        const SnoParts parts{id.metabyte(), id.partition(), id.sequence(), id.tick_tock()};
        EXPECT_EQ(sno_of(std::stoull(row.at("ts_units_4ms")), parts), id);
        Sno composed{};
        EXPECT_EQ(compose(id.time(), parts, composed), Status::ok);
        EXPECT_EQ(composed, id);
    }
}

TEST(Sno, RefusesEveryInvalidVector) { test::expect_all_refused<Sno>("sno.invalid.tsv"); }

// The reference also accepts an empty text and garbage. We refuse both.
TEST(Sno, ReadsWhatTheReferenceReadsExceptEmptyTextAndGarbage) {
    for (const test::Row &row : test::read_vectors("sno_api.tsv")) {
        const std::string &api = row.at("api"), input = row.at("input");
        const bool is_text = api == "FromEncodedString" || api == "UnmarshalText" || row.at("input_kind") == "string";
        if (!is_text) continue;
        const std::string text = test::json_string(input);
        if (row.at("result") == "ok" && !text.empty())
            test::expect_reads<Sno>(text, test::text_of(test::id_of<Sno>(row.at("hex"))));
        else
            test::expect_refused<Sno>(text, Status::bad_length);
    }
}

TEST(Sno, ComposeRefusesPartsThatDoNotFit) {
    const UnixMicros t = Sno::Time::first();
    Sno id{};
    for (const SnoParts &parts :
         {SnoParts{-1, 0, 0, false}, SnoParts{256, 0, 0, false}, SnoParts{0, -1, 0, false},
          SnoParts{0, 65536, 0, false}, SnoParts{0, 0, -1, false}, SnoParts{0, 0, 65536, false}})
        EXPECT_EQ(compose(t, parts, id), Status::out_of_range);
    EXPECT_EQ(compose({t.value - 1}, {}, id), Status::out_of_range);
    EXPECT_EQ(compose({Sno::Time::last().value + 1}, {}, id), Status::out_of_range);
    EXPECT_EQ(compose({t.value + 3999}, {}, id), Status::ok);
    EXPECT_EQ(id.time(), t);
    EXPECT_EQ(compose(Sno::Time::last(), {255, 65535, 65535, true}, id), Status::ok);
    EXPECT_EQ(test::text_of(id), "xxxxxxxxxxxxxxxx");
}

}  // namespace
}  // namespace snowid::core
