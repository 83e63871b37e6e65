// Threads that all start at the same moment, so that they really compete.
#pragma once

#include <latch>
#include <thread>
#include <vector>

namespace snowid::test {

// Calls work(i) in thread i and joins all threads.
template <typename Work>
void in_threads(int count, const Work &work) {
    std::latch start(count);
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            work(i);
        });
    for (std::thread &thread : threads) thread.join();
}

}  // namespace snowid::test
