// SPDX-License-Identifier: Apache-2.0
#include "tests/slurm/small_cluster.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/host_program.h"

namespace cosim::explore::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr const char* kDaemons[] = {"/usr/sbin/munged", "/usr/sbin/slurmctld", "/usr/sbin/slurmd"};
constexpr size_t kKeyBytes = 128;

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Ports that nobody listens at. Somebody else may take them before the daemons do: Start says so.
std::vector<int> FreePorts(int count) {
  std::vector<int> files, ports;
  for (int i = 0; i < count; ++i) {
    files.push_back(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    socklen_t size = sizeof address;
    const bool bound = bind(files.back(), reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       getsockname(files.back(), reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ports.push_back(bound ? ntohs(address.sin_port) : 0);
  }
  for (const int file : files) close(file);
  return ports;
}

pid_t Spawn(const std::vector<std::string>& arguments, const fs::path& log) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = -1;
  if (posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) != 0) child = -1;
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

void End(pid_t& child, int signal) {
  if (child <= 0) return;
  kill(child, signal);
  waitpid(child, nullptr, 0);
  child = -1;
}

int ParentOf(int process) {
  std::istringstream status(TextOf(fmt::format("/proc/{}/status", process)));
  for (std::string word; status >> word;)
    if (int parent = 0; word == "PPid:" && status >> parent) return parent;
  return 0;
}

/// Kills what runs on the node of this cluster, known by the configuration in its environment: first the
/// daemons of the steps, which are their parents, so that none tells the controller what became of them.
void KillSteps(const std::string& configuration) {
  std::vector<int> daemons, tasks;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string environment = TextOf(entry.path() / "environ");
    if (environment.find("SLURM_CONF=" + configuration) == std::string::npos ||
        environment.find("SLURM_JOB_ID=") == std::string::npos)
      continue;
    tasks.push_back(std::stoi(name));
    const int parent = ParentOf(tasks.back());
    if (TextOf(fmt::format("/proc/{}/comm", parent)).starts_with("slurmstepd")) daemons.push_back(parent);
  }
  for (const int process : daemons) kill(process, SIGKILL);
  for (const int process : tasks) kill(process, SIGKILL);
}

}  // namespace

std::string SmallCluster::Missing() {
  for (const char* daemon : kDaemons)
    if (access(daemon, X_OK) != 0)
      return fmt::format("there is no {}: apt-get install slurm-wlm munge", daemon);
  return "";
}

SmallCluster::SmallCluster(fs::path folder) : folder_(std::move(folder)) {}

SmallCluster::~SmallCluster() {
  End(node_, SIGTERM);
  KillSteps(Configuration());
  End(controller_, SIGTERM);
  End(munged_, SIGTERM);
}

void SmallCluster::WriteConfiguration() const {
  const auto ports = FreePorts(2);
  const std::string folder = folder_;
  std::ofstream(Configuration()) << fmt::format(
      "ClusterName=test\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort={}\nSlurmdPort={}\n"
      "AuthType=auth/munge\nCredType=cred/munge\nAuthInfo=socket={}/munge.socket,cred_expire=5\n"
      "SlurmUser={}\nSlurmdUser={}\n"
      "StateSaveLocation={}/state\nSlurmdSpoolDir={}/spool\n"
      "SlurmctldPidFile={}/controller.pid\nSlurmdPidFile={}/node.pid\n"
      "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\nMpiDefault=none\n"
      "SelectType=select/"
      "cons_tres\nSelectTypeParameters=CR_Core\nReturnToService=2\nSlurmdParameters=config_overrides\n"
      "SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0\n"
      "JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n"
      "NodeName=localhost CPUs=4 State=UNKNOWN\n"
      "PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP\n",
      ports[0], ports[1], folder, geteuid(), geteuid(), folder, folder, folder, folder);
}

std::string SmallCluster::Start() {
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  for (const char* name : {"state", "spool"}) fs::create_directories(folder_ / name);
  {
    std::random_device random;
    std::ofstream key(folder_ / "munge.key", std::ios::binary);
    for (size_t i = 0; i < kKeyBytes; ++i) key.put(static_cast<char>(random()));
  }
  fs::permissions(folder_ / "munge.key", fs::perms::owner_read | fs::perms::owner_write);
  WriteConfiguration();
  setenv("SLURM_CONF", Configuration().c_str(), 1);
  const std::string folder = folder_;
  munged_ = Spawn({kDaemons[0], "--foreground", "--key-file=" + folder + "/munge.key",
                   "--socket=" + folder + "/munge.socket", "--pid-file=" + folder + "/munge.pid",
                   "--log-file=" + folder + "/munge.log", "--seed-file=" + folder + "/munge.seed"},
                  folder_ / "munged.log");
  for (int tries = 0; tries < 100 && !fs::exists(folder_ / "munge.socket"); ++tries)
    std::this_thread::sleep_for(milliseconds{20});
  controller_ = Spawn({kDaemons[1], "-D", "-c"}, folder_ / "controller.log");
  node_ = Spawn({kDaemons[2], "-D", "-N", "localhost"}, folder_ / "node.log");
  return WaitFor("idle") ? "" : Logs();
}

void SmallCluster::KillNode() {
  End(node_, SIGKILL);
  KillSteps(Configuration());
}

std::string SmallCluster::StartNode() {
  fs::remove(folder_ / "node.log");
  node_ = Spawn({kDaemons[2], "-D", "-N", "localhost"}, folder_ / "node.log");
  for (int tries = 0; tries < 100 && TextOf(folder_ / "node.log").find("slurmd started") == std::string::npos;
       ++tries)
    std::this_thread::sleep_for(milliseconds{20});
  // A controller would find out by itself, after minutes.
  Ask("scontrol update NodeName=localhost State=DOWN Reason=killed");
  for (int tries = 0; tries < 100 && !Ask("squeue --noheader --states=RUNNING,COMPLETING").empty(); ++tries)
    std::this_thread::sleep_for(milliseconds{20});
  Ask("scontrol update NodeName=localhost State=RESUME");
  return WaitFor("idle") ? "" : Logs();
}

void SmallCluster::StartNow(const std::string& array) {
  // The node takes no job whose credential is of the second in which the one before was revoked.
  std::this_thread::sleep_for(std::chrono::seconds{2});
  Ask("scontrol update JobId=" + array + " StartTime=now");
}

std::string SmallCluster::Ask(const std::string& command) const {
  std::vector<std::string> words;
  std::istringstream stream(command);
  for (std::string word; stream >> word;) words.push_back(word);
  return runtime::ProgramOutput(words);
}

bool SmallCluster::WaitFor(const std::string& state) const {
  for (int tries = 0; tries < 200; ++tries) {
    if (Ask("sinfo --noheader --format=%T").starts_with(state)) return true;
    std::this_thread::sleep_for(milliseconds{50});
  }
  return false;
}

std::string SmallCluster::Logs() const {
  std::string text = Ask("sinfo");
  for (const char* log : {"munged.log", "controller.log", "node.log"}) text += TextOf(folder_ / log);
  return text;
}

}  // namespace cosim::explore::testing
