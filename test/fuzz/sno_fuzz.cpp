#include "codec_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    return snowid::test::fuzz_codec<snowid::core::Sno>(data, size);
}
