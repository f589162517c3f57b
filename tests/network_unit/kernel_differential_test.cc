// SPDX-License-Identifier: Apache-2.0
// Kernels as the functional device computes them against plain loops over the same blocked arrays: random
// windows, epilogues, tiles, threads and configurations, on both ISAs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "compiler/accel/instruction_writer.h"
#include "compiler/network/lower_group.h"
#include "compiler/network/pack.h"
#include "compiler/network/program_builder.h"
#include "compiler/schedules/accel/pool.h"
#include "compiler/schedules/accel/rank_tiles.h"
#include "isa/verify/verify.h"
#include "sim/functional/functional_device.h"
#include "tests/network_unit/testing.h"
#include "tests/sanitized.h"

namespace cosim::network {
namespace {

using Bytes = std::vector<uint8_t>;

int64_t RoundShift(int64_t x, int64_t s) { return s == 0 ? x : (x + (int64_t{1} << (s - 1))) >> s; }
int64_t Wrap32(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }
int8_t Int8(uint8_t byte) { return static_cast<int8_t>(byte); }

struct Problem {
  isa::Spec spec;
  Array array;
  enum class Kind { kConvolution, kMaxPool, kSumPool, kMap } kind = Kind::kConvolution;
  const kernels::KernelTemplate& Template() const;
  Window w;
  /// The operations behind the sums, some of them absent.
  bool requantize = false, residual_is_a = false;
  int32_t shift = 0;  // where there are no records
  int32_t output_zero_point = 0;
  std::optional<graph::Clip> first, last;
  std::optional<graph::QAdd> add;
  Bytes data, weights, residual;  // blocked, as in DRAM
  ChannelParameters parameters;   // one a channel
  int64_t InputBlocks() const { return kind == Kind::kConvolution ? w.ci : w.co; }
};

using Kind = Problem::Kind;

const kernels::KernelTemplate& Problem::Template() const {
  if (kind == Kind::kConvolution) return kernels::Contraction();
  if (kind == Kind::kMaxPool) return kernels::MaxPooling();
  return kind == Kind::kSumPool ? kernels::SumPooling() : kernels::Map();
}

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t operator()(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % (high - low + 1));
  }
  Bytes Fill(int64_t count) {
    Bytes bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(engine_());
    return bytes;
  }

 private:
  std::mt19937 engine_;
};

isa::Spec RandomSpec(Random& random, const std::string& isa) {
  const auto set = [](const std::string& key, int64_t value) {
    return isa::Override{"parameters." + key, std::to_string(value)};
  };
  const int64_t block = int64_t{4} << random(0, isa == "vta" ? 2 : 3), batch = random(0, 3) == 0 ? 2 : 1;
  std::vector<isa::Override> overrides = {set("block_in", block),
                                          set("block_out", block),
                                          set("batch", batch),
                                          set("inp_bytes", (batch * block) << random(5, 7)),
                                          set("wgt_bytes", (block * block) << random(2, 6)),
                                          set("acc_bytes", (4 * batch * block) << random(5, 7)),
                                          set("uop_bytes", int64_t{256} << random(0, 3)),
                                          set("tokens", random(1, 4))};
  for (auto& override : overrides)  // the smallest legal sizes
    if (override.path.ends_with("_bytes") && std::stoll(override.value) < 1024) override.value = "1024";
  if (isa == "cosim") {
    overrides.push_back(set("par_depth", int64_t{4} << random(0, 2)));
    overrides.push_back(set("acc_banks", int64_t{1} << random(0, 2)));
    overrides.push_back(set("dim_bits", random(6, 10)));
    overrides.push_back(set("iter_bits", random(4, 8)));
  }
  overrides.push_back({"memory.port_bits", std::to_string(32 << random(0, 3))});
  return Load(isa, overrides);
}

void PickWindow(Problem& p, Random& random) {
  Window& w = p.w;
  w.n = random(1, 2);
  w.co = random(1, 3);
  w.ci = p.kind == Kind::kConvolution ? random(1, 3) : 1;
  if (p.kind == Kind::kMap) {
    w.h = w.oh = random(1, 7);
    w.w = w.ow = random(1, 7);
    return;
  }
  do {
    w.kh = random(1, 3), w.kw = random(1, 3);
    w.sh = random(1, 2), w.sw = random(1, 2);
    if (p.kind == Kind::kConvolution)
      w.dh = random(1, 2), w.dw = random(1, 2), w.parts = random(0, 3) ? 1 : 2;
    w.h = random(1, 8), w.w = random(1, 8);
    const bool may_pad = p.kind != Kind::kSumPool;
    w.top = may_pad ? random(0, w.kh - 1) : 0, w.bottom = may_pad ? random(0, w.kh - 1) : 0;
    w.left = may_pad ? random(0, w.kw - 1) : 0, w.right = may_pad ? random(0, w.kw - 1) : 0;
    w.oh = (w.h + w.top + w.bottom - w.dh * (w.kh - 1) - 1) / w.sh + 1;
    w.ow = (w.w + w.left + w.right - w.dw * (w.kw - 1) - 1) / w.sw + 1;
  } while (w.h + w.top + w.bottom < w.RowsFor(1) || w.w + w.left + w.right < w.ColsFor(1));
}

// Windows over the sums, of which each has some.
kernels::PoolAxis PickPoolAxis(int64_t sums, Random& random) {
  kernels::PoolAxis axis;
  do {
    axis.taps = random(1, 4), axis.step = random(1, 3);
    axis.before = random(0, axis.taps - 1);
    const int64_t behind = random(0, axis.taps - 1);
    axis.out = sums + axis.before + behind < axis.taps
                   ? 0
                   : (sums + axis.before + behind - axis.taps) / axis.step + 1;
  } while (axis.out < 1 || (axis.out - 1) * axis.step - axis.before >= sums);
  return axis;
}

// A convolution becomes one whose results are pooled.
void Pool(Problem& p, Random& random) {
  p.add.reset();
  p.last.reset();
  Window& w = p.w;
  w.h += random(0, 5), w.w += random(0, 9);
  w.oh = (w.h + w.top + w.bottom - w.dh * (w.kh - 1) - 1) / w.sh + 1;
  w.ow = (w.w + w.left + w.right - w.dw * (w.kw - 1) - 1) / w.sw + 1;
  p.data = random.Fill(w.n * w.ci * w.h * w.w * p.array.batch * p.array.block_in);
  p.w.pool = {PickPoolAxis(p.w.oh, random), PickPoolAxis(p.w.ow, random)};
}

/// What a run of problems is about.
enum class Of { kAll, kPooledConvolutions, kGlobalPools, kSpread };

// One window, of all pixels, and mostly more blocks of channels than an ALU op takes steps.
void PickGlobalWindow(Problem& p, Random& random) {
  constexpr int64_t kMostBytes = 1 << 15;
  p.w.h = p.w.kh = random(2, 8);
  p.w.w = p.w.kw = random(1, 8);
  p.w.co = std::min(random(1, 48), kMostBytes / (p.w.h * p.w.w * p.array.batch * p.array.block_out));
}

// Results apart, with other channels or the same between them.
void SpreadOut(Window& w, Random& random) {
  w.n = 1;
  w.spread = {random(1, 2), random(1, 3), random(0, 1) == 0};
  if (w.spread->phases) w.co = random(1, 2) * w.spread->rows * w.spread->cols;
}

Problem RandomProblem(Random& random, const std::string& isa, Of of = Of::kAll) {
  Problem p{RandomSpec(random, isa)};
  std::string why;
  p.array = kernels::FindArray(p.spec, why);
  const bool vta = isa == "vta";
  const Kind kinds[] = {Kind::kConvolution, Kind::kConvolution, Kind::kMaxPool, Kind::kSumPool, Kind::kMap};
  p.kind = vta ? Kind::kConvolution : kinds[random(0, 4)];
  if (of == Of::kGlobalPools) p.kind = kinds[random(2, 3)];
  of == Of::kGlobalPools ? PickGlobalWindow(p, random) : PickWindow(p, random);
  if (of == Of::kSpread) SpreadOut(p.w, random);
  if (p.kind == Kind::kMaxPool) p.w.pad_value = -128;
  if (p.kind == Kind::kConvolution && !vta) p.w.pad_value = random(-5, 5);
  p.requantize = p.kind == Kind::kConvolution || p.kind == Kind::kSumPool;
  if (p.kind == Kind::kMap || (p.kind == Kind::kConvolution && !vta && random(0, 1))) {
    const auto operand = [&]() -> graph::QAdd::Operand {
      const auto zero_point = static_cast<int32_t>(random(-9, 9));
      const auto multiplier = static_cast<int32_t>(random(1, 1 << 20));
      return {zero_point, multiplier, static_cast<int32_t>(random(0, 21))};
    };
    p.add = graph::QAdd{operand(), operand(), static_cast<int32_t>(random(-9, 9))};
    p.residual_is_a = p.kind != Kind::kMap && random(0, 1);
  }
  p.output_zero_point = p.requantize && random(0, 1) ? static_cast<int32_t>(random(-20, 20)) : 0;
  p.shift = vta ? static_cast<int32_t>(random(0, 12)) : 0;
  const auto clip = [&] {
    return graph::Clip{static_cast<int32_t>(random(-128, 0)), static_cast<int32_t>(random(1, 127))};
  };
  if (p.requantize && random(0, 1)) p.first = clip();
  if (!p.requantize || p.add ? random(0, 1) : false) p.last = clip();

  const Array& a = p.array;
  p.data = random.Fill(p.w.n * p.InputBlocks() * p.w.h * p.w.w * a.batch * a.block_in);
  p.weights = random.Fill(p.w.co * p.w.ci * p.w.parts * p.w.kh * p.w.kw * a.block_out * a.block_in);
  p.residual = random.Fill(p.w.n * p.w.co * p.w.oh * p.w.ow * a.batch * a.block_out);
  for (int64_t c = 0; c < p.w.co * a.block_out; ++c) {
    p.parameters.bias.push_back(static_cast<int32_t>(random(-20000, 20000)));
    p.parameters.multiplier.push_back(static_cast<int32_t>(random(int64_t{1} << 30, (int64_t{1} << 31) - 1)));
    p.parameters.shift.push_back(static_cast<int32_t>(random(30, 42)));
  }
  return p;
}

int64_t Anchored(const Problem& p, int64_t n, int64_t co, int64_t y, int64_t x, int64_t b, int64_t o) {
  const Window& w = p.w;
  const Array& a = p.array;
  const auto data = [&](int64_t c, int64_t iy, int64_t ix, int64_t lane) -> int64_t {
    if (iy < 0 || iy >= w.h || ix < 0 || ix >= w.w) return w.pad_value;
    return Int8(
        p.data[((((n * p.InputBlocks() + c) * w.h + iy) * w.w + ix) * a.batch + b) * a.block_in + lane]);
  };
  if (p.kind == Kind::kMap) return data(co, y, x, o);
  int64_t sum = 0, most = -128;
  for (int64_t ky = 0; ky < w.kh; ++ky)
    for (int64_t kx = 0; kx < w.kw; ++kx) {
      const int64_t iy = y * w.sh + ky * w.dh - w.top, ix = x * w.sw + kx * w.dw - w.left;
      if (p.kind != Kind::kConvolution) {
        sum += data(co, iy, ix, o);
        most = std::max(most, data(co, iy, ix, o));
        continue;
      }
      const auto weight = [&](int64_t ci, int64_t part, int64_t k) {
        const int64_t tap = (((co * w.ci + ci) * w.parts + part) * w.kh + ky) * w.kw + kx;
        return Int8(p.weights[(tap * a.block_out + o) * a.block_in + k]);
      };
      for (int64_t ci = 0; ci < w.ci; ++ci)
        for (int64_t part = 0; part < w.parts; ++part)
          for (int64_t k = 0; k < a.block_in; ++k) sum += data(ci, iy, ix, k) * weight(ci, part, k);
    }
  return p.kind == Kind::kMaxPool ? most : sum;
}

int64_t Term(int64_t value, const graph::QAdd::Operand& operand) {
  return Wrap32(RoundShift((value - operand.zero_point) * operand.multiplier, operand.shift));
}

int64_t Clipped(const std::optional<graph::Clip>& clip, int64_t value) {
  value = std::clamp<int64_t>(value, -128, 127);
  return clip ? std::clamp<int64_t>(value, clip->lo, clip->hi) : value;
}

int8_t Expected(const Problem& p, int64_t n, int64_t co, int64_t y, int64_t x, int64_t b, int64_t o) {
  int64_t value = Anchored(p, n, co, y, x, b, o);
  const int64_t c = co * p.array.block_out + o;
  if (p.requantize) {
    value = Wrap32(value + p.parameters.bias[c]);
    if (p.array.HasParameters()) {
      value = RoundShift(value * p.parameters.multiplier[c], p.parameters.shift[c]);
      value = std::clamp<int64_t>(value, INT32_MIN, INT32_MAX);
    } else {
      value >>= p.shift;  // the bias brings the rounding
    }
    value = Clipped(p.first, value + p.output_zero_point);
  }
  if (p.add) {
    const int64_t at = (((n * p.w.co + co) * p.w.oh + y) * p.w.ow + x) * p.array.batch + b;
    const int64_t other = int64_t{Int8(p.residual[at * p.array.block_out + o])};
    const int64_t first = p.residual_is_a ? other : value, second = p.residual_is_a ? value : other;
    value = Wrap32(Term(first, p.add->a) + Term(second, p.add->b) + p.add->output_zero_point);
  }
  return static_cast<int8_t>(Clipped(p.last, value));
}

/// The operations of a problem as nodes of a graph, in order.
struct Steps {
  explicit Steps(const Problem& p) {
    epilogue.type = tir::DataType::Int(p.requantize ? 32 : 8);
    if (p.requantize) {
      graph::Requantize requantize;
      if (p.array.HasParameters()) {  // numbers of each channel, which the records hold
        requantize.multiplier = p.parameters.multiplier;
        requantize.shift = p.parameters.shift;
      } else {
        requantize.shift = {p.shift};
      }
      requantize.zero_point = p.output_zero_point;
      Add(requantize, 1, 0);
    }
    if (p.first) Add(*p.first, 1, 0);
    if (p.add) Add(*p.add, 2, p.residual_is_a ? 1 : 0);
    if (p.last) Add(*p.last, 1, 0);
  }

  void Add(graph::Op op, size_t operands, int from) {
    nodes.push_back(std::make_unique<graph::Node>());
    nodes.back()->op = std::move(op);
    nodes.back()->inputs.resize(operands);
    nodes.back()->type.dtype = graph::DType::kInt8;
    epilogue.steps.push_back({nodes.back().get(), from});
  }

  std::vector<std::unique_ptr<graph::Node>> nodes;
  Epilogue epilogue;
};

// The largest result of a window, or the only one.
int8_t Largest(const Problem& p, int64_t n, int64_t co, int64_t y, int64_t x, int64_t b, int64_t o) {
  if (!p.w.pool) return Expected(p, n, co, y, x, b, o);
  const auto& [rows, cols] = *p.w.pool;
  int8_t most = -128;
  for (int64_t ky = 0; ky < rows.taps; ++ky)
    for (int64_t kx = 0; kx < cols.taps; ++kx) {
      const int64_t sy = y * rows.step + ky - rows.before, sx = x * cols.step + kx - cols.before;
      if (sy >= 0 && sy < p.w.oh && sx >= 0 && sx < p.w.ow)
        most = std::max(most, Expected(p, n, co, sy, sx, b, o));
    }
  return most;
}

Bytes Expected(const Problem& p) {
  const kernels::Spread spread = p.w.spread.value_or(kernels::Spread{});
  const auto [rows, cols, phases] = spread;
  Bytes out;
  for (int64_t n = 0; n < p.w.n; ++n)
    for (int64_t block = 0; block < p.w.PlaceBlocks(); ++block)
      for (int64_t y = 0; y < p.w.OutRows() * rows; ++y)
        for (int64_t x = 0; x < p.w.OutCols() * cols; ++x)
          for (int64_t b = 0; b < p.array.batch; ++b)
            for (int64_t o = 0; o < p.array.block_out; ++o) {
              const int64_t place = phases ? y % rows * cols + x % cols : 0;
              const int64_t co = place * p.w.PlaceBlocks() + block;
              out.push_back(static_cast<uint8_t>(Largest(p, n, co, y / rows, x / cols, b, o)));
            }
  return out;
}

Bytes PackedFor(Role role, const Problem& p) {
  if (role == Role::kParameters)
    return PackParameters(p.spec, p.array, p.parameters, static_cast<int64_t>(p.parameters.bias.size()));
  if (role == Role::kBias) return PackBias(p.spec, p.array, p.parameters.bias);
  return p.weights;
}

// Runs the kernel with one tile; nothing if the tile is refused.
std::optional<Bytes> RunTile(const Problem& p, const Epilogue& epilogue, const Tile& tile, uint32_t seed,
                             size_t result_size, std::string& why) {
  kernels::KernelTe te = BuildKernel(p.spec, p.array, "kernel", {&p.Template(), p.w, epilogue}, tile);
  AcceleratorGroup group;
  auto refusal = accel::Tensorize(te.function, p.spec, group.kernel);
  accel::StorageCursor cursor;
  cursor.next.resize(p.spec.memories.size());
  for (size_t m = 0; m < cursor.next.size(); ++m) cursor.next[m] = (seed * 37) % p.spec.memories[m].depth;
  if (!refusal) accel::InterleaveVirtualThreads(group.kernel);
  if (!refusal) refusal = accel::AssignStorage(group.kernel, p.spec, cursor);
  if (!refusal) refusal = accel::CheckInstructions(group.kernel, p.spec);
  if (refusal) {
    why = refusal.reason;
    return std::nullopt;
  }
  PlacedKernel placed{&group.kernel, {}, 0};
  std::vector<isa::Segment> constants;
  const uint64_t data = 0, residual = 1 << 16, output = 2 << 16, values_end = 3 << 16;
  uint64_t free_from = values_end;
  for (Role role : te.roles) {
    if (role == Role::kInput) placed.addresses.push_back(data);
    if (role == Role::kResidual) placed.addresses.push_back(residual);
    if (role == Role::kOutput) placed.addresses.push_back(output);
    if (role != Role::kWeights && role != Role::kParameters && role != Role::kBias) continue;
    placed.addresses.push_back(free_from);
    constants.push_back({isa::Segment::Kind::kConstants, "constants", free_from, PackedFor(role, p)});
    free_from = (free_from + constants.back().bytes.size() + 4095) / 4096 * 4096;
  }
  std::string error;
  const auto step = BuildProgram(p.spec, {placed}, std::move(constants), values_end, free_from, error);
  EXPECT_TRUE(step) << error;
  if (!step) return Bytes{};
  const auto verdict = isa::Verify(p.spec, step->program);
  EXPECT_TRUE(verdict.ok()) << verdict.Render();
  if (!verdict.ok()) return Bytes{};

  sim::FunctionalDevice device(p.spec);
  runtime::LoadSegments(device, step->program);
  device.Write(data, p.data);
  device.Write(residual, p.residual);
  device.PoisonOnChip(seed);
  const auto counters = device.Execute(step->program, {});
  EXPECT_TRUE(counters.completed) << counters.error;
  Bytes result(result_size);
  device.Read(output, result);
  return result;
}

// Counts of what ran.
struct Ran {
  int tiles = 0;
  int in_parts = 0;  // with a part of the window's weights on chip at a time
  int sliding = 0;   // that keep the sums of the tile before
  int in_place = 0;  // whose maxima replace sums
};

Ran RunRandomProblems(const std::string& isa, uint32_t first_seed, int count, Of of = Of::kAll) {
  Ran ran;
  for (uint32_t seed = first_seed; seed < first_seed + count; ++seed) {
    Random random(seed);
    Problem p = RandomProblem(random, isa, of);
    if (of == Of::kPooledConvolutions && p.kind != Kind::kConvolution) continue;
    if (of == Of::kPooledConvolutions) Pool(p, random);
    const Steps steps(p);
    std::string why;
    const auto tiles =
        RankTiles(p.spec, p.array, p.Template(), p.w, steps.epilogue, static_cast<int>(random(1, 4)), why);
    if (tiles.empty()) {
      EXPECT_THAT(why, testing::HasSubstr("the smallest tile needs")) << "seed " << seed;
      continue;
    }
    const Bytes expected = Expected(p);
    const auto slides = std::ranges::find(tiles, Tile::ThreadAxis::kX,
                                          [](const auto& cost) { return cost.tile.thread_axis; });
    for (int round = 0; round < 3; ++round) {
      const bool any = round > 0 || slides == tiles.end();
      Tile tile = any ? tiles[random(0, std::ssize(tiles) - 1)].tile : slides->tile;
      tile.rows_first = tile.thread_axis != Tile::ThreadAxis::kX && (seed + round) % 2 == 0;
      SCOPED_TRACE(fmt::format("seed {}, tile {}", seed, ToString(tile)));
      const auto result = RunTile(p, steps.epilogue, tile, seed, expected.size(), why);
      if (!result) {
        EXPECT_THAT(why, testing::AnyOf(testing::HasSubstr(", which has "), testing::HasSubstr("padding"),
                                        testing::HasSubstr("would need"),
                                        testing::EndsWith("'vta' sets 'acc' to a constant")));
        continue;
      }
      ++ran.tiles;
      ran.in_parts += tile.ky > 0 || tile.kx > 0;
      ran.sliding += tile.thread_axis == Tile::ThreadAxis::kX;
      ran.in_place += p.w.pool && StartOf(p.w.pool->rows, p.w.oh).in_place;
      EXPECT_EQ(*result, expected);
      if (*result != expected) return ran;
    }
  }
  return ran;
}

void ExpectMostRan(const Ran& ran, int count) {
  EXPECT_GT(ran.tiles, count) << "most problems have to run";
  EXPECT_GT(ran.in_parts, count / 20) << "some weights have to be too many";
}

TEST(KernelDifferential, KernelsOfCosimComputeWhatPlainLoopsDo) {
  ExpectMostRan(RunRandomProblems("cosim", 1, Cases(150)), Cases(150));
}
TEST(KernelDifferential, ConvolutionsOfVtaComputeWhatPlainLoopsDo) {
  ExpectMostRan(RunRandomProblems("vta", 2000, Cases(100)), Cases(100));
}
TEST(KernelDifferential, PooledConvolutionsComputeWhatPlainLoopsDo) {
  for (const auto& [isa, seed] : {std::pair{"cosim", 5000}, {"vta", 7000}}) {
    const Ran ran = RunRandomProblems(isa, seed, Cases(100), Of::kPooledConvolutions);
    EXPECT_GT(ran.tiles, Cases(80)) << isa;
    if (!kSanitized) {  // of a third there may be none
      EXPECT_GT(ran.sliding, 2) << isa;
    }
    EXPECT_GT(ran.in_place, Cases(20)) << isa;
  }
}

TEST(KernelDifferential, ResultsStandApartAsPlainLoopsHaveThem) {
  for (const auto& [isa, seed] : {std::pair{"cosim", 11000}, {"vta", 13000}})
    EXPECT_GT(RunRandomProblems(isa, seed, Cases(100), Of::kSpread).tiles, Cases(100)) << isa;
}

TEST(KernelDifferential, GlobalPoolsComputeWhatPlainLoopsDo) {
  const Ran ran = RunRandomProblems("cosim", 9000, 60, Of::kGlobalPools);
  EXPECT_GT(ran.tiles, 60);
  EXPECT_GT(ran.in_parts, 40) << "rows of the window by turns";
}

}  // namespace
}  // namespace cosim::network
