// What is wrong with the text of a layout or of a worker, as a sentence for its author.
#pragma once

#include <string_view>

#include "core/layout/layout_text.hpp"
#include "core/text/writer.hpp"

namespace snowid::core {

using FaultText = FixedText<256>;

// `where` is error.where, made fit for a message.
void describe(const LayoutError &error, std::string_view where, FaultText &out) noexcept;
void describe(const WorkerError &error, std::string_view where, FaultText &out) noexcept;

}  // namespace snowid::core
