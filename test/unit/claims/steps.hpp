// Processes that take turns. A process runs from one step to the next, and then any other may run. Whatever is between
// two steps is atomic.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace snowid::test::claims {

// Where the running process will continue.
inline constinit std::coroutine_handle<> next_step;

struct Step {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> at) const noexcept { next_step = at; }
    void await_resume() const noexcept {}
};

inline Step step() { return {}; }

struct TaskPromise {
    struct Return {
        bool await_ready() const noexcept { return false; }
        template <typename Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> of) const noexcept {
            return of.promise().caller ? of.promise().caller : std::noop_coroutine();
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() const noexcept { return {}; }
    Return final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { error = std::current_exception(); }

    std::coroutine_handle<> caller;
    std::exception_ptr error;
};

template <typename T>
struct ValuePromise : TaskPromise {
    void return_value(T result) noexcept { value = std::move(result); }
    T value{};
};

template <>
struct ValuePromise<void> : TaskPromise {
    void return_void() const noexcept {}
};

// A function of several steps. It starts when it is awaited.
template <typename T = void>
class [[nodiscard]] Task {
public:
    struct promise_type : ValuePromise<T> {  // NOLINT(readability-identifier-naming): the language says so
        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    };

    Task(Task &&other) noexcept : at_(std::exchange(other.at_, {})) {}
    Task(const Task &) = delete;
    Task &operator=(const Task &) = delete;
    Task &operator=(Task &&) = delete;
    ~Task() {
        if (at_) at_.destroy();
    }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) const noexcept {
        at_.promise().caller = caller;
        return at_;
    }
    T await_resume() const {
        if (at_.promise().error) std::rethrow_exception(at_.promise().error);
        if constexpr (!std::is_void_v<T>) return at_.promise().value;
    }
    std::coroutine_handle<> handle() const noexcept { return at_; }

private:
    explicit Task(std::coroutine_handle<promise_type> at) noexcept : at_(at) {}

    std::coroutine_handle<promise_type> at_;
};

// When its object goes, the process is gone, at whatever step it was.
class Process {
public:
    explicit Process(Task<> task) noexcept : task_(std::move(task)), at_(task_.handle()) {}

    void go_on() {
        at_.resume();
        at_ = next_step;
    }

private:
    Task<> task_;
    std::coroutine_handle<> at_;
};

}  // namespace snowid::test::claims
