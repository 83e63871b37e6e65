// Helpers for the tests of the wide ids: conversion from and to hex and text, random ids, and files of test vectors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <string>

#include "core/id/types.hpp"
#include "vectors.hpp"

namespace snowid::core {

inline void PrintTo(Status status, std::ostream *out) {
    static constexpr const char *kNames[] = {"ok", "bad_length", "bad_character", "out_of_range"};
    *out << kNames[static_cast<int>(status)];
}

}  // namespace snowid::core

namespace snowid::test {

template <typename... Ids>
testing::Types<Ids...> types_of(core::IdTypes<Ids...>);
using WideIds = decltype(types_of(core::WideIds{}));
using TimedIds = decltype(types_of(core::TimedIds{}));

constexpr core::UnixMicros ms(std::int64_t value) { return {value * core::kMicrosPerMilli}; }
constexpr core::UnixMicros seconds(std::int64_t value) { return {value * core::kMicrosPerSecond}; }

template <std::size_t N>
std::string hex(const core::Bytes<N> &bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

template <std::size_t N>
core::Bytes<N> bytes_of(const std::string &hex) {
    EXPECT_EQ(hex.size(), 2 * N) << hex;
    core::Bytes<N> bytes{};
    for (std::size_t i = 0; i < N && 2 * i + 1 < hex.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
    return bytes;
}

template <core::WideId Id>
Id id_of(const std::string &hex) {
    return {bytes_of<sizeof(Id)>(hex)};
}

template <core::WideId Id>
std::string text_of(const Id &id) {
    std::string text(Id::kTextSize + 1, '#');
    EXPECT_EQ(format(id, text.data()), Id::kTextSize);
    EXPECT_EQ(text.back(), '#') << "wrote past its end";
    text.pop_back();
    return text;
}

template <std::size_t N>
core::Bytes<N> random_bytes(std::mt19937_64 &random) {
    core::Bytes<N> bytes{};
    for (std::uint8_t &byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
}

// Checks a row with the columns hex and text in both directions.
template <core::WideId Id>
Id expect_round_trip(const Row &row) {
    const Id id = id_of<Id>(row.at("hex"));
    const std::string text = row.contains("text") ? row.at("text") : row.at("hex");
    Id parsed{};
    EXPECT_EQ(parse(text, parsed), core::Status::ok) << text;
    EXPECT_EQ(hex(parsed.bytes), row.at("hex"));
    EXPECT_EQ(text_of(id), text);
    return id;
}

// An input that is accepted but is not the canonical text.
template <core::WideId Id>
void expect_reads(const std::string &input, const std::string &canonical) {
    Id id{};
    EXPECT_EQ(parse(input, id), core::Status::ok) << input;
    EXPECT_EQ(text_of(id), canonical);
}

template <core::WideId Id>
void expect_refused(const std::string &input, core::Status status) {
    Id id{};
    id.bytes.fill(0xA5);
    const Id before = id;
    EXPECT_EQ(parse(input, id), status) << input;
    EXPECT_EQ(id, before) << "changed the id although it refused the text: " << input;
}

// Checks every row of a file of invalid texts against the reason in that row.
template <core::WideId Id>
void expect_all_refused(const std::string &file) {
    for (const Row &row : read_vectors(file)) {
        const std::string &reason = row.at("reason");
        const auto status = reason == "length"               ? core::Status::bad_length
                            : reason.starts_with("overflow") ? core::Status::out_of_range
                                                             : core::Status::bad_character;
        expect_refused<Id>(json_string(row.at("input_json_string")), status);
    }
}

}  // namespace snowid::test
