// SPDX-License-Identifier: Apache-2.0
// Spectra, and what finds elements again.
#include "compiler/host/selection.h"
#include "compiler/host/signal.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

using graph::HostOperatorPtr;

HostOperatorPtr MakeNgrams(NodeView& n) {
  const std::string mode = n.Text("mode", "TF");
  if (n.Has("pool_strings")) return n.Fail("strings");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") return n.Fail("mode " + mode);
  host::NgramAttributes a{.least_length = n.Int("min_gram_length", 1),
                          .most_length = n.Int("max_gram_length", 1),
                          .most_skipped = n.Int("max_skip_count", 0),
                          .starts = n.Ints("ngram_counts"),
                          .list = n.Ints("pool_int64s"),
                          .columns = n.Ints("ngram_indexes"),
                          .weights = mode == "TF" ? std::vector<float>{} : n.Floats("weights"),
                          .counts = mode != "IDF"};
  const std::string fault = host::NgramFault(a);
  return fault.empty() ? host::CountNgrams(std::move(a)) : n.Fail(fault);
}

}  // namespace

void AddSignal(Factories& all) {
  all["DFT"] = [](NodeView& n) {
    return host::Dft({.axis = n.Int("axis", n.opset() < 20 ? 1 : -2),
                      .inverse = n.Int("inverse", 0) != 0,
                      .onesided = n.Int("onesided", 0) != 0});
  };
  all["STFT"] = [](NodeView& n) { return host::ShortTimeDft(n.Int("onesided", 1) != 0); };
  const std::pair<const char*, std::vector<double>> windows[] = {{"HannWindow", {0.5, 0.5, 0}},
                                                                 {"HammingWindow", {25.0 / 46, 21.0 / 46, 0}},
                                                                 {"BlackmanWindow", {0.42, 0.5, 0.08}}};
  for (const auto& [op, terms] : windows)
    all[op] = [terms = terms](NodeView& n) {
      return host::CosineWindow(terms, n.Int("periodic", 1) != 0,
                                ElementType(n, n.Int("output_datatype", 1)));
    };
  all["MelWeightMatrix"] = [](NodeView& n) {
    return host::MelWeights(ElementType(n, n.Int("output_datatype", 1)));
  };
  all["Unique"] = [](NodeView& n) {
    std::optional<int64_t> axis;
    if (n.Has("axis")) axis = n.Int("axis", 0);
    return host::Unique(axis, n.Int("sorted", 1) != 0);
  };
  all["TfIdfVectorizer"] = MakeNgrams;
}

}  // namespace cosim::import::onnx
