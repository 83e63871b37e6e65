// A reference to a callable, valid for the length of a call. Like std::function, but it owns nothing.
#pragma once

#include <type_traits>

namespace snowid::core {

template <typename Signature>
class FunctionRef;

template <typename Result, typename... Args>
class FunctionRef<Result(Args...)> {
public:
    template <typename Callable>
    requires std::is_invocable_r_v<Result, const Callable &, Args...>
    constexpr FunctionRef(const Callable &callable) noexcept  // NOLINT(google-explicit-constructor): as std::function
        : callable_(&callable),
          call_([](const void *of, Args... args) -> Result { return (*static_cast<const Callable *>(of))(args...); }) {}

    Result operator()(Args... args) const { return call_(callable_, args...); }

private:
    const void *callable_;
    Result (*call_)(const void *, Args...);
};

}  // namespace snowid::core
