// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/workers.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <stdexcept>

namespace cosim::explore {
namespace {

using ::testing::HasSubstr;

std::vector<int64_t> Items(int64_t count) {
  std::vector<int64_t> items(static_cast<size_t>(count));
  std::iota(items.begin(), items.end(), 1);
  return items;
}

TEST(Workers, EachItemIsAnsweredOnceByAProcessThatIsNotThisOne) {
  const std::string self = std::to_string(getpid());
  for (const int jobs : {1, 3, 8}) {
    std::map<int64_t, std::string> answers;
    RunInProcesses(
        Items(50), jobs,
        [](int64_t item) { return std::to_string(item * item) + " " + std::to_string(getpid()); },
        [&](const Answer& answer) {
          EXPECT_EQ(answer.death, "");
          EXPECT_TRUE(answers.emplace(answer.item, answer.text).second) << answer.item;
          return true;
        });
    ASSERT_EQ(answers.size(), 50u);
    for (const auto& [item, text] : answers) {
      EXPECT_EQ(text.substr(0, text.find(' ')), std::to_string(item * item));
      EXPECT_NE(text.substr(text.find(' ') + 1), self);
    }
  }
}

TEST(Workers, LongAnswersComeWhole) {
  size_t length = 0;
  RunInProcesses(
      {1}, 1, [](int64_t) { return std::string(3'000'000, 'x'); },
      [&](const Answer& answer) { return length = answer.text.size(), true; });
  EXPECT_EQ(length, 3'000'000u);
}

TEST(Workers, AnItemThatEndsItsProcessCostsNoOther) {
  std::map<int64_t, Answer> answers;
  RunInProcesses(
      Items(40), 2,
      [](int64_t item) {
        if (item == 7) std::fputs("seven is too much\n", stderr), std::fflush(stderr), std::abort();
        if (item == 20) _exit(3);
        if (item == 30) throw std::runtime_error("thirty throws");
        return std::string("good");
      },
      [&](const Answer& answer) { return answers.emplace(answer.item, answer).second; });
  ASSERT_EQ(answers.size(), 40u);
  EXPECT_THAT(answers[7].death, HasSubstr("signal 6"));
  EXPECT_THAT(answers[7].death, HasSubstr("seven is too much"));
  EXPECT_THAT(answers[20].death, HasSubstr("status 3"));
  EXPECT_THAT(answers[30].death, HasSubstr("thirty throws"));
  for (const auto& [item, answer] : answers)
    EXPECT_TRUE(answer.text == "good" || item == 7 || item == 20 || item == 30) << item;
}

TEST(Workers, ASignalThatEndsAJobIsNoItemsFault) {
  std::map<int64_t, Answer> answers;
  RunInProcesses(
      Items(4), 2,
      [](int64_t item) {
        for (const int ending : {SIGINT, SIGTERM, SIGHUP}) raise(ending);
        if (item == 3) raise(SIGKILL);
        return std::string("good");
      },
      [&](const Answer& answer) { return answers.emplace(answer.item, answer).second; });
  ASSERT_EQ(answers.size(), 4u);
  for (const auto& [item, answer] : answers) EXPECT_EQ(answer.text, item == 3 ? "" : "good") << item;
  EXPECT_THAT(answers[3].death, HasSubstr("signal 9"));
}

TEST(Workers, ProcessesOfOneBatchServeTheNextAndADeadOneIsReplaced) {
  int count = 0;  // of a process
  Workers workers(1, [&](const std::string& item) {
    if (item == "die") _exit(7);
    return item + " " + std::to_string(++count);
  });
  std::map<int64_t, std::string> answers;
  const auto take = [&](const Answer& answer) {
    return answers[answer.item] = answer.text + answer.death, true;
  };
  workers.Run({"a", "b"}, take);
  workers.Run({std::string(200'000, 'c')}, take);
  EXPECT_EQ(answers[0], std::string(200'000, 'c') + " 3");
  EXPECT_EQ(answers[1], "b 2");
  workers.Run({"die", "e"}, take);
  EXPECT_THAT(answers[0], HasSubstr("status 7"));
  EXPECT_EQ(answers[1], "e 1");
}

TEST(Workers, StopsWhenTheCallerSaysSoAndLeavesNoProcess) {
  int taken = 0;
  RunInProcesses(
      Items(1000), 3, [](int64_t) { return std::string(); }, [&](const Answer&) { return ++taken < 5; });
  EXPECT_EQ(taken, 5);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace cosim::explore
