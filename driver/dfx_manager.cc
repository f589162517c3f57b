// SPDX-License-Identifier: Apache-2.0
#include "driver/dfx_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "driver/diagnostic_codes.h"
#include "driver/kernel_files.h"
#include "driver/process.h"

namespace cosim::driver {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = "lib/firmware/xilinx", kClient[] = "dfx-mgr-client", kLoaded[] = "loaded to slot ";
/// A design without partitions: one slot, loaded whole. Both spellings of the number of slots that there
/// were.
constexpr char kShell[] =
    "{\n  \"shell_type\": \"XRT_FLAT\",\n  \"num_slots\": \"1\",\n  \"num_pl_slots\": 1\n}\n";
constexpr std::chrono::seconds kClientTime{60};
constexpr int kNotStarted = 127;  // what a child exits with that could not become the program

/// What the client printed, in one line, and its exit status.
struct Answer {
  int status = -1;
  std::string text;
};

std::string OneLine(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text.erase(text.find_last_not_of(" \t\r") + 1);
  text.erase(0, text.find_first_not_of(" \t\r"));
  return text;
}

std::optional<Answer> Ask(const fs::path& client, std::vector<std::string> arguments, Diagnostics& diags) {
  arguments.insert(arguments.begin(), client.string());
  const auto not_started = [&] {
    diags.Error(codes::kNoManager, {}, fmt::format("{} cannot be started", client.string()));
    return std::nullopt;
  };
  const auto process = Process::Start(arguments);
  if (!process) return not_started();
  process->CloseInput();
  Answer answer;
  answer.text = process->ReadAll(kClientTime);
  answer.status = process->Wait(kClientTime);
  answer.text = OneLine(answer.text + " " + process->Errors());
  if (answer.status == kNotStarted && answer.text.empty()) return not_started();
  return answer;
}

std::string TextOf(const Answer& answer) {
  const std::string text =
      answer.text.empty() ? "it says nothing" : fmt::format("it says \"{}\"", answer.text);
  return answer.status == 0 ? text : fmt::format("{}, exit status {}", text, answer.status);
}

/// The client of older images exits with 0 whatever happens, and gives a negative slot when nothing is
/// loaded.
bool IsLoaded(const Answer& answer) {
  const size_t at = answer.text.find(kLoaded);
  if (answer.status != 0 || at == std::string::npos) return false;
  const size_t slot = at + std::string_view(kLoaded).size();
  return slot < answer.text.size() && std::isdigit(static_cast<unsigned char>(answer.text[slot])) != 0;
}

bool Lists(const std::string& text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ';
    const size_t end = at + name.size();
    if (begins && (end == text.size() || text[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

std::optional<fs::path> FindDfxClient(const fs::path& root) {
  for (const char* folder : {"usr/bin", "usr/local/bin"})
    if (const fs::path client = root / folder / kClient; fs::exists(client)) return client;
  return std::nullopt;
}

bool SuitsDfx(const std::optional<std::string>& overlay, Diagnostics& diags) {
  const auto has = [&](std::string_view text) { return overlay->find(text) != std::string::npos; };
  if (overlay && has("firmware-name") && has(kDfxFirmware)) return true;
  diags
      .Error(codes::kNotLoaded, {},
             overlay ? fmt::format("the overlay has no firmware-name = \"{}\"", kDfxFirmware)
                     : std::string("there is no overlay (.dtbo), and dfx-mgr loads logic by one"))
      .hint = "overlay/dfx.dtso of `cosim export` is for dfx-mgr, which loads what its overlay names";
  return false;
}

std::optional<std::string> WriteDfxPackage(const fs::path& root, std::span<const uint8_t> bin,
                                           const std::string& overlay, Diagnostics& diags) {
  const fs::path folder = root / kFolder / kDfxPackage;
  const std::string dtbo = std::string(kDfxPackage) + ".dtbo";
  const auto bytes = [](std::string_view text) {
    return std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  // Last what makes a package of a folder, when it is whole.
  if (CreateFile(folder / kDfxFirmware, bin, diags) && CreateFile(folder / dtbo, bytes(overlay), diags) &&
      CreateFile(folder / "shell.json", bytes(kShell), diags))
    return fmt::format("{}: {} of {} bytes, {} of {}, shell.json", folder.string(), kDfxFirmware, bin.size(),
                       dtbo, overlay.size());
  return std::nullopt;
}

std::optional<std::string> UnloadByDfx(const fs::path& client, Diagnostics& diags) {
  const auto answer = Ask(client, {"-remove"}, diags);
  if (!answer) return std::nullopt;
  return fmt::format("{} -remove: {}", kClient, TextOf(*answer));
}

std::optional<std::string> LoadByDfx(const fs::path& root, const fs::path& client, const Patience& patience,
                                     Diagnostics& diags) {
  Answer listed;
  const bool is_listed = patience.For([&] {
    Diagnostics ignored;
    listed = Ask(client, {"-listPackage"}, ignored).value_or(Answer{});
    return Lists(listed.text, kDfxPackage);
  });
  const fs::path folder = root / kFolder / kDfxPackage;
  const std::string state = fmt::format(
      "the package stays in {}, the logic of before is removed; `journalctl -u dfx-mgr` says more",
      folder.string());
  if (!is_listed) {
    diags
        .Error(codes::kNotLoaded, {},
               fmt::format("dfx-mgr does not list the package '{}': {}", kDfxPackage, TextOf(listed)))
        .hint = "dfx-mgrd has to run, and to watch that folder (/etc/dfx-mgrd/daemon.conf); " + state;
    return std::nullopt;
  }
  const auto answer = Ask(client, {"-load", kDfxPackage}, diags);
  if (!answer) return std::nullopt;
  const auto fpga = ReadText(root / "sys/class/fpga_manager/fpga0/state");
  if (IsLoaded(*answer) && fpga.value_or("operating") == "operating")
    return fmt::format("{} -load {}: {}{}", kClient, kDfxPackage, TextOf(*answer), fpga ? ", operating" : "");
  diags
      .Error(codes::kNotLoaded, {},
             IsLoaded(*answer)
                 ? fmt::format("the FPGA manager is in state '{}' after dfx-mgr has loaded '{}'", *fpga,
                               kDfxPackage)
                 : fmt::format("dfx-mgr does not load '{}': {}", kDfxPackage, TextOf(*answer)))
      .hint = state;
  return std::nullopt;
}

}  // namespace cosim::driver
