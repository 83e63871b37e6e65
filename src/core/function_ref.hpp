// A reference to something that can be called, for the length of a call: what std::function is without owning it.
#pragma once

#include <type_traits>

namespace snowid::core {

template <typename Signature>
class FunctionRef;

template <typename Result, typename... Args>
class FunctionRef<Result(Args...)> {
public:
    template <typename Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
             std::is_invocable_r_v<
                 Result, Callable &,
                 Args...>) constexpr FunctionRef(Callable &&callable) noexcept  // NOLINT(google-explicit-constructor):
                                                                                // as std::function
        : callable_(const_cast<void *>(static_cast<const void *>(&callable))),
          call_([](void *of, Args... args) -> Result {
              return (*static_cast<std::remove_reference_t<Callable> *>(of))(args...);
          }) {}

    Result operator()(Args... args) const { return call_(callable_, args...); }

private:
    void *callable_;
    Result (*call_)(void *, Args...);
};

}  // namespace snowid::core
