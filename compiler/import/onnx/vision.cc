// SPDX-License-Identifier: Apache-2.0
// What detectors and samplers of images use, and matrices as a whole.
#include "compiler/host/boxes.h"
#include "compiler/host/grid_sample.h"
#include "compiler/host/matrix.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

using graph::HostOperatorPtr;

HostOperatorPtr MakeGridSample(NodeView& n) {
  // Since operator set 20 the modes are called as those of Resize.
  static const std::map<std::string, host::Interpolation> modes = {{"nearest", host::Interpolation::kNearest},
                                                                   {"bilinear", host::Interpolation::kLinear},
                                                                   {"linear", host::Interpolation::kLinear},
                                                                   {"bicubic", host::Interpolation::kCubic},
                                                                   {"cubic", host::Interpolation::kCubic}};
  static const std::map<std::string, host::Outside> paddings = {{"zeros", host::Outside::kZeros},
                                                                {"border", host::Outside::kBorder},
                                                                {"reflection", host::Outside::kReflection}};
  const std::string mode = n.Text("mode", "linear"), padding = n.Text("padding_mode", "zeros");
  if (!modes.count(mode)) return n.Fail("mode " + mode);
  if (!paddings.count(padding)) return n.Fail("padding mode " + padding);
  return host::GridSample(modes.at(mode), paddings.at(padding), n.Int("align_corners", 0) != 0);
}

HostOperatorPtr MakeRoiAlign(NodeView& n) {
  const std::string mode = n.Text("mode", "avg"),
                    place = n.Text("coordinate_transformation_mode",
                                   n.opset() < 16 ? "output_half_pixel" : "half_pixel");
  if (mode != "avg" && mode != "max") return n.Fail("mode " + mode);
  if (place != "half_pixel" && place != "output_half_pixel")
    return n.Fail("coordinate transformation " + place);
  return host::RoiAlign({.height = n.Int("output_height", 1),
                         .width = n.Int("output_width", 1),
                         .samples = n.Int("sampling_ratio", 0),
                         .scale = static_cast<double>(n.Float("spatial_scale", 1)),
                         .half_pixel = place == "half_pixel",
                         .largest = mode == "max"});
}

}  // namespace

void AddVision(Factories& all) {
  all["NonMaxSuppression"] = [](NodeView& n) {
    return host::NonMaxSuppression(n.Int("center_point_box", 0) != 0);
  };
  all["GridSample"] = MakeGridSample;
  all["RoiAlign"] = MakeRoiAlign;
  all["Det"] = [](NodeView&) { return host::Determinant(); };
  all["Col2Im"] = [](NodeView& n) {
    return host::ImageOfColumns({n.Ints("dilations"), n.Ints("pads"), n.Ints("strides")});
  };
}

}  // namespace cosim::import::onnx
