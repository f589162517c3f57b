// SPDX-License-Identifier: Apache-2.0
// Writes the reference of the registers from the lists of isa/spec/registers.h.
#include <string_view>

#include "isa/pages/describe.h"
#include "isa/pages/markdown_page.h"
#include "isa/spec/registers.h"

namespace cosim::isa {
namespace {

constexpr std::string_view kIntroduction =
    R"(# The accelerator's registers

A block of 4 KiB behind AXI4-Lite (`s_axi`), 32-bit words at aligned addresses. Writes obey their byte strobes. What is
not listed reads as 0 and ignores writes, as registers that are read only do; every access is answered with OKAY. A value of 64 bits is two
words, the low one first; counters keep 40 bits and wrap. Reading the low word of a counter keeps its high word, and a counter's
high word reads as what was kept last: so a counter can be read while it counts. Other words that are
read in between change nothing; another counter's low word does.

The one source of this page is `isa/spec/registers.h`, which the RTL, the virtual platform and drivers share.
)";

constexpr std::string_view kUse = R"(
## A run

1. Compare Version's upper half and Fingerprint with what the program was made for.
2. Write Program and Length; Base, if the program's addresses do not begin where memory does; Watchdog, if its reset
   value does not suit. They cannot change while a run is busy.
3. Write Start and InterruptEnable to Control. The core is cleared, so nothing is left of a run before; cycle 0 is a few
   cycles after the write, later if memory still owes an answer to a run that failed.
4. Wait for the interrupt, or until Busy falls. Write Interrupt to Status, which lowers the line.
5. With Failed, Error says why, and neither memory nor counters mean anything. Else read the counters.

## The ledger

A row of counters a unit, in the order of the ISA. A row begins at Ledger + 8 x unit x stride; the stride is the
smallest power of two that is at least 5 plus the number of queues. In it: busy, wait_push, wait_token for each queue
of the ISA (0 where the unit does not pop from it), wait_port, wait_memory, idle. A row's sum is Cycles.
What each of them counts is the section "Ledger" of [the timing page](../rationale/microarchitecture.md).

## When something goes wrong

The run ends, Failed and Error say so, and the next start is clean: no error needs a reset, and none hangs.
On an error the core asks memory for nothing more. What it has asked for is still taken and given as AXI wants it,
then the run ends. If memory is silent for Watchdog cycles even then, the run ends without it, and the next start
waits, as long again, for what is still owed; if that does not come either, it fails with Timeout.
)";

}  // namespace

std::string DescribeRegisters() {
  MarkdownPage page;
  page.Line("{}", kIntroduction);
  page.Line("## Registers\n");
  page.Header({"offset", "register", "bits", "access", "meaning"});
#define COSIM_DESCRIBE_REGISTER(name, offset, bits, access, doc)           \
  page.Row({fmt::format("`{:#05x}`", offset), #name, std::to_string(bits), \
            registers::Access::access == registers::Access::kReadOnly ? "read" : "read, write", doc});
  COSIM_REGISTERS(COSIM_DESCRIBE_REGISTER)
#undef COSIM_DESCRIBE_REGISTER
  page.Line("\nVersion is {:#010x}, Watchdog {} after a reset, the others 0.\n", registers::kVersionValue,
            registers::kWatchdogReset);
  page.Line("## Bits\n");
  page.Header({"register", "bit", "name", "meaning"});
#define COSIM_DESCRIBE_BIT(reg, name, bit, doc) page.Row({#reg, std::to_string(bit), #name, doc});
  COSIM_REGISTER_BITS(COSIM_DESCRIBE_BIT)
#undef COSIM_DESCRIBE_BIT
  page.Line("\n## Error codes\n");
  page.Header({"code", "name", "meaning"});
#define COSIM_DESCRIBE_ERROR(name, code, doc) page.Row({std::to_string(code), #name, doc});
  COSIM_REGISTER_ERRORS(COSIM_DESCRIBE_ERROR)
#undef COSIM_DESCRIBE_ERROR
  std::string text = page.Take();
  text += kUse;
  return text;
}

}  // namespace cosim::isa
