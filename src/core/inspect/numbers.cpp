#include "core/id/snowflake.hpp"
#include "core/inspect/readings.hpp"
#include "core/text/number.hpp"

namespace snowid::core {
namespace {

void set_number(Finding &of, std::uint64_t bits) noexcept {
    Findings::set_canonical<Snowflake::kTextSize>(of, [&](char *out) { return format(Snowflake::of_bits(bits), out); });
}

Finding &add_snowflake(std::string_view name, Confidence confidence, const Layout &layout, std::uint64_t bits,
                       Findings &out) noexcept {
    Finding &added = out.add(name, confidence, layout.time_of(bits));
    set_number(added, bits);
    Findings::set_fields(added, [&](JsonObject &fields) { put_fields(fields, layout, bits); });
    return added;
}

void add_reading(const Reading &reading, Confidence confidence, std::uint64_t number, Findings &out) noexcept {
    if (!reading.is_unix_time()) {
        add_snowflake(reading.format.view(), confidence, reading.layout, number, out);
        return;
    }
    Finding &added = out.add(reading.format.view(), confidence, reading.time_of(number));
    set_number(added, number);
    Findings::set_fields(added, [&](JsonObject &fields) { fields.add("unit", reading.unit_name); });
}

// A row without a time. There may be no layout that has the number as a bigint.
Finding &add_bare(std::string_view name, std::uint64_t number, Findings &out) noexcept {
    Finding &added = out.add(name, Confidence::likely);
    Findings::set_canonical<Snowflake::kTextSize>(added, [&](char *to) {
        return static_cast<std::size_t>(std::to_chars(to, to + Snowflake::kTextSize, number).ptr - to);
    });
    return added;
}

// The readings that fit, the best first. The own layout leads among equals, or if its worker is known.
class Ranked {
public:
    Ranked(const Readings &readings, std::uint64_t number, const InspectContext &context) noexcept {
        for (const Reading &reading : readings) {
            if (!reading.fits(number, context.now)) continue;
            const int cost = reading.cost(number, context.now) - of_today_bonus(reading.time_of(number), context.now);
            std::size_t at = count_++;
            for (; at > 0 && places_[at - 1].cost > cost; --at) places_[at] = places_[at - 1];
            places_[at] = {&reading, cost};
        }
        // The own layout may be there only because nobody has set another one.
        const int clear = count_ > 0 && places_[0].reading == readings.begin() ? 2 * kClear : kClear;
        while (equals_ < count_ && places_[equals_].cost < places_[0].cost + clear) ++equals_;
        const bool is_known = context.is_known_worker(number);
        for (std::size_t i = 0; i < (context.own_leads || is_known ? count_ : equals_); ++i)
            if (places_[i].reading == readings.begin()) lead(i, is_known || context.own_leads);
    }

    std::size_t count() const noexcept { return count_; }
    std::size_t equals() const noexcept { return equals_; }  // how many are as plausible as the first
    const Reading &operator[](std::size_t i) const noexcept { return *places_[i].reading; }

private:
    struct Place {
        const Reading *reading;
        int cost;
    };

    void lead(std::size_t at, bool is_alone) noexcept {
        std::rotate(places_, places_ + at, places_ + at + 1);
        if (is_alone) equals_ = 1;
    }

    Place places_[kMaxReadings]{};
    std::size_t count_ = 0;
    std::size_t equals_ = 0;
};

void find_decimal(const Inspected &in, std::uint64_t number, Findings &out) noexcept {
    const Readings readings(in.context);
    const Ranked ranked(readings, number, in.context);
    const bool has_zeros = in.text.size() > 1 && in.text[0] == '0';  // no program writes an id so
    if (ranked.count() == 0 || has_zeros) add_bare("number", number, out);
    if (ranked.equals() > 1 && !has_zeros) {
        Finding &one = add_bare("one of ", number, out);
        for (std::size_t i = 0; i < ranked.equals(); ++i) {
            if (i > 0) one.format.append(", ");
            one.format.append(ranked[i].format.view());
        }
    }
    for (std::size_t i = 0; i < ranked.count(); ++i) {
        const bool is_own = &ranked[i] == readings.begin();
        const bool is_likely = i == 0 && !has_zeros && (is_own || ranked[i].is_unix_time());
        add_reading(ranked[i], is_likely ? Confidence::likely : Confidence::possible, number, out);
    }
    if (readings.begin()->layout.contains(number) && !readings.begin()->fits(number, in.context.now))
        add_reading(*readings.begin(), Confidence::possible, number, out);
}

// Snowflakes of the present years have ten or eleven characters.
void find_in_base(const Inspected &in, NumberBase base, std::string_view name, Findings &out) noexcept {
    std::uint64_t bits = 0;
    if (in.is_number || in.text.size() < 10 || in.text.size() > 11) return;
    if (parse_number(base, in.text, bits) != Status::ok) return;
    const Readings readings(in.context);
    if (readings.begin()->fits(bits, in.context.now))
        add_snowflake(name, Confidence::possible, in.context.layout, bits, out);
}

}  // namespace

void find_numbers(const Inspected &in, Findings &out) noexcept {
    std::uint64_t number = 0;
    if (parse_decimal(in.text, number)) {
        if (in.text[0] != '-')
            find_decimal(in, number, out);
        else if (in.context.layout.contains(number))  // all 64 bits
            add_reading(*Readings(in.context).begin(), Confidence::possible, number, out);
    }
    find_in_base(in, NumberBase::base62, "snowflake in base62", out);
    find_in_base(in, NumberBase::base58, "snowflake in base58", out);
}

}  // namespace snowid::core
