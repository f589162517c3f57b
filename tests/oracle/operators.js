// SPDX-License-Identifier: Apache-2.0
// Single operators of TensorFlow Lite on integers, as files that model.js writes: what the models of the data
// folder do not have.
'use strict';

const choices = require('./choice_operators.js');
const {numbers, one, size, tensor} = require('./model.js');
const states = require('./state_operators.js');

// Its operands stand in another order: the shape of the output, weights, input, bias.
function transposed(x, w, b, output, options) {
  const model = one('TRANSPOSE_CONV', [x], [tensor('INT32', [4], {data: output.shape}), w, ...b], output,
                    ['TransposeConvOptions', options]);
  model.operators[0].inputs = [1, 2, 0, ...b.map(() => 3)];
  return model;
}

function resized(op, x, output, options) {
  return one(op, [x], [tensor('INT32', [2], {data: output.shape.slice(1, 3)})], output,
             [op === 'RESIZE_BILINEAR' ? 'ResizeBilinearOptions' : 'ResizeNearestNeighborOptions', options]);
}

function weights(type, shape, axis, seed) {
  const channels = shape[axis];
  const scale = Array.from({length: channels}, (_, i) => 0.002 * (1 + i % 5));
  return tensor('INT8', shape, {scale, axis, data: numbers(size(shape), 127, seed)});
}

function bias(type, channels, range, seed) {
  return tensor(type, [channels], {scale: 0.00001, data: numbers(channels, range, seed)});
}

// Operators that int8 and int16 share. q(shape, scale): a tensor of that type.
function common(type, q, sums) {
  const x = () => q([1, 7, 6, 4], 0.02);
  const window = {padding: 'SAME', stride_w: 1, stride_h: 2};
  const range = type === 'INT8' ? 3000 : 500000;
  const unit = (logistic) => type === 'INT16' ? tensor(type, [1, 400], {scale: 1 / 32768}) :
      tensor(type, [1, 400], logistic ? {scale: 1 / 256, zero: -128} : {scale: 1 / 128});
  return {
    conv: one('CONV_2D', [x()], [weights(type, [8, 3, 3, 4], 0, 1), bias(sums, 8, range, 2)], q([1, 4, 6, 8], 0.05),
              ['Conv2DOptions', {...window, fused_activation_function: 'RELU'}]),
    conv_dilated: one('CONV_2D', [x()], [weights(type, [8, 2, 3, 4], 0, 3), bias(sums, 8, range, 4)],
                      q([1, 5, 2, 8], 0.03),
                      ['Conv2DOptions', {padding: 'VALID', stride_w: 1, stride_h: 1, dilation_w_factor: 2,
                                         dilation_h_factor: 2, fused_activation_function: 'RELU6'}]),
    depthwise: one('DEPTHWISE_CONV_2D', [x()], [weights(type, [1, 3, 3, 8], 3, 5),
                                                bias(type === 'INT16' ? 'INT64' : sums, 8, range, 6)],
                   q([1, 4, 6, 8], 0.02), ['DepthwiseConv2DOptions', {...window, depth_multiplier: 2}]),
    dense: one('FULLY_CONNECTED', [q([2, 50], 0.02)],
               [tensor('INT8', [11, 50], {scale: 0.004, data: numbers(550, 127, 7)}), bias(sums, 11, range, 8)],
               q([2, 11], 0.07), ['FullyConnectedOptions', {}]),
    transpose_conv: transposed(x(), weights(type, [5, 3, 3, 4], 0, 11), [bias(sums, 5, range, 12)], q([1, 14, 12, 5], 0.05),
                               {padding: 'SAME', stride_w: 2, stride_h: 2}),
    transpose_conv_valid: transposed(x(), weights(type, [3, 4, 2, 4], 0, 13), [], q([1, 22, 13, 3], 0.05),
                                     {padding: 'VALID', stride_w: 2, stride_h: 3}),
    resize_nearest: resized('RESIZE_NEAREST_NEIGHBOR', x(), q([1, 14, 12, 4], 0.02), {}),
    resize_nearest_half: resized('RESIZE_NEAREST_NEIGHBOR', x(), q([1, 11, 4, 4], 0.02), {half_pixel_centers: true}),
    resize_bilinear: resized('RESIZE_BILINEAR', x(), q([1, 13, 9, 4], 0.02), {}),
    resize_bilinear_corners: resized('RESIZE_BILINEAR', x(), q([1, 13, 9, 4], 0.02), {align_corners: true}),
    resize_bilinear_half: resized('RESIZE_BILINEAR', x(), q([1, 13, 9, 4], 0.02), {half_pixel_centers: true}),
    add: one('ADD', [x(), q([1, 7, 6, 4], 0.013)], [], q([1, 7, 6, 4], 0.025), ['AddOptions', {pot_scale_int16: false}]),
    sub: one('SUB', [x(), q([1, 7, 6, 4], 0.013)], [], q([1, 7, 6, 4], 0.025), ['SubOptions', {pot_scale_int16: false}]),
    mul: one('MUL', [x(), q([1, 7, 6, 4], 0.013)], [], q([1, 7, 6, 4], type === 'INT8' ? 0.02 : 2), ['MulOptions', {}]),
    average_pool: one('AVERAGE_POOL_2D', [x()], [], q([1, 3, 3, 4], 0.02),
                      ['Pool2DOptions', {padding: 'VALID', stride_w: 2, stride_h: 2, filter_width: 2, filter_height: 3}]),
    average_pool_same: one('AVERAGE_POOL_2D', [x()], [], q([1, 4, 3, 4], 0.02),
                           ['Pool2DOptions', {padding: 'SAME', stride_w: 2, stride_h: 2, filter_width: 3,
                                              filter_height: 3}]),
    max_pool: one('MAX_POOL_2D', [x()], [], q([1, 4, 3, 4], 0.02),
                  ['Pool2DOptions', {padding: 'SAME', stride_w: 2, stride_h: 2, filter_width: 3, filter_height: 3,
                                     fused_activation_function: 'RELU'}]),
    mean_4: one('MEAN', [q([1, 2, 2, 200], 0.02)], [tensor('INT32', [2], {data: [1, 2]})], q([1, 200], 0.02),
                ['ReducerOptions', {keep_dims: false}]),
    mean_49: one('MEAN', [q([1, 7, 7, 100], 0.02)], [tensor('INT32', [2], {data: [1, 2]})], q([1, 1, 1, 100], 0.011),
                 ['ReducerOptions', {keep_dims: true}]),
    softmax: one('SOFTMAX', [q([4, 100], type === 'INT8' ? 0.1 : 0.0003)], [],
                 type === 'INT8' ? tensor(type, [4, 100], {scale: 1 / 256, zero: -128}) :
                                   tensor(type, [4, 100], {scale: 1 / 32768}),
                 ['SoftmaxOptions', {beta: 1}]),
    logistic: one('LOGISTIC', [q([1, 400], type === 'INT8' ? 0.06 : 0.0003)], [], unit(true)),
    tanh: one('TANH', [q([1, 400], type === 'INT8' ? 0.03 : 0.0002)], [], unit(false)),
    relu: one('RELU', [x()], [], q([1, 7, 6, 4], 0.02)),
    relu6: one('RELU6', [x()], [], q([1, 7, 6, 4], 0.025)),
    concatenation: one('CONCATENATION', [x(), x()], [], q([1, 7, 6, 8], 0.02), ['ConcatenationOptions', {axis: 3}]),
    pad: one('PAD', [x()], [tensor('INT32', [4, 2], {data: [0, 0, 1, 2, 3, 0, 0, 0]})], q([1, 10, 9, 4], 0.02)),
    reshape: one('RESHAPE', [x()], [tensor('INT32', [2], {data: [6, 28]})], q([6, 28], 0.02),
                 ['ReshapeOptions', {new_shape: [6, 28]}]),
    requantize: one('QUANTIZE', [x()], [], q([1, 7, 6, 4], 0.033)),
    to_other: one('QUANTIZE', [x()], [],
                  type === 'INT8' ? tensor('INT16', [1, 7, 6, 4], {scale: 0.0007}) :
                                    tensor('INT8', [1, 7, 6, 4], {scale: 4, zero: 5})),
    quantize: one('QUANTIZE', [tensor('FLOAT32', [1, 500])], [], q([1, 500], type === 'INT8' ? 0.01 : 0.00004)),
    dequantize: one('DEQUANTIZE', [q([1, 500], 0.02)], [], tensor('FLOAT32', [1, 500])),
  };
}

const list = (shape, data) => tensor('INT32', shape, {data});

// Operators that move, combine and reduce, of bytes. q(shape, scale) as above.
function more(q) {
  const x = () => q([1, 4, 6, 8], 0.02), y = q([1, 4, 6, 8], 0.03);
  const pixels = list([2], [2, 2]), none = list([2, 2], [0, 0, 0, 0]);
  return {
    transpose: one('TRANSPOSE', [x()], [list([4], [0, 2, 3, 1])], q([1, 6, 8, 4], 0.02)),
    strided_slice: one('STRIDED_SLICE', [x()], [list([4], [0, -1, 1, 0]), list([4], [1, -9, 6, 8]), list([4], [1, -2, 2, 3])],
                       q([1, 2, 3, 3], 0.02), ['StridedSliceOptions', {begin_mask: 8}]),
    slice: one('SLICE', [x()], [list([4], [0, 1, 2, 3]), list([4], [1, -1, 2, 4])], q([1, 3, 2, 4], 0.02)),
    reverse: one('REVERSE_V2', [x()], [list([1], [2])], q([1, 4, 6, 8], 0.02)),
    pack: one('PACK', [x(), x()], [], q([1, 4, 2, 6, 8], 0.02), ['PackOptions', {values_count: 2, axis: 2}]),
    tile: one('TILE', [x()], [list([4], [1, 2, 1, 3])], q([1, 8, 6, 24], 0.02)),
    gather: one('GATHER', [x()], [list([3], [5, 0, 2])], q([1, 4, 3, 8], 0.02), ['GatherOptions', {axis: 2}]),
    mirror_pad: one('MIRROR_PAD', [x()], [list([4, 2], [0, 0, 1, 2, 2, 1, 0, 0])], q([1, 7, 9, 8], 0.02),
                    ['MirrorPadOptions', {mode: 'SYMMETRIC'}]),
    depth_to_space: one('DEPTH_TO_SPACE', [x()], [], q([1, 8, 12, 2], 0.02), ['DepthToSpaceOptions', {block_size: 2}]),
    space_to_depth: one('SPACE_TO_DEPTH', [x()], [], q([1, 2, 3, 32], 0.02), ['SpaceToDepthOptions', {block_size: 2}]),
    space_to_batch: one('SPACE_TO_BATCH_ND', [x()], [pixels, list([2, 2], [1, 1, 0, 2])], q([4, 3, 4, 8], 0.02)),
    batch_to_space: one('BATCH_TO_SPACE_ND', [q([4, 3, 4, 8], 0.02)], [pixels, none], q([1, 6, 8, 8], 0.02)),
    leaky_relu: one('LEAKY_RELU', [x()], [], y, ['LeakyReluOptions', {alpha: 0.15}]),
    hard_swish: one('HARD_SWISH', [q([1, 4, 6, 8], 0.05)], [], y),
    elu: one('ELU', [x()], [], q([1, 4, 6, 8], 0.025)),
    prelu: one('PRELU', [x(), q([1, 1, 8], 0.011)], [], y),
    maximum: one('MAXIMUM', [x(), q([8], 0.02)], [], q([1, 4, 6, 8], 0.02)),
    minimum: one('MINIMUM', [x(), x()], [], q([1, 4, 6, 8], 0.02)),
    squared_difference: one('SQUARED_DIFFERENCE', [x(), q([1, 4, 6, 8], 0.03)], [], q([1, 4, 6, 8], 0.1)),
    sum: one('SUM', [x()], [list([2], [1, 2])], q([1, 8], 0.3), ['ReducerOptions', {}]),
    mean_rows: one('MEAN', [x()], [list([1], [3])], q([1, 4, 6], 0.01), ['ReducerOptions', {}]),
    reduce_max: one('REDUCE_MAX', [x()], [list([1], [2])], q([1, 4, 8], 0.02), ['ReducerOptions', {}]),
    reduce_min: one('REDUCE_MIN', [x()], [list([1], [-1])], q([1, 4, 6, 1], 0.02), ['ReducerOptions', {keep_dims: true}]),
    l2_normalization: one('L2_NORMALIZATION', [x()], [], tensor('INT8', [1, 4, 6, 8], {scale: 1 / 128, zero: 0}), ['L2NormOptions', {}]),
    batch_matmul: one('BATCH_MATMUL', [q([2, 5, 12], 0.02), q([2, 7, 12], 0.03)], [], q([2, 5, 7], 0.15),
                      ['BatchMatMulOptions', {adj_y: true}]),
  };
}

// Float activations and int8 weights.
function hybrid() {
  const real = shape => tensor('FLOAT32', shape);
  const scales = Array.from({length: 8}, (_, i) => 0.002 * (1 + i % 5));
  const bias = tensor('FLOAT32', [8], {data: scales});
  const conv = ['Conv2DOptions', {padding: 'SAME', stride_w: 1, stride_h: 1}];
  return {
    conv: one('CONV_2D', [real([1, 6, 6, 4])], [tensor('INT8', [8, 3, 3, 4], {scale: scales, data: numbers(288, 127, 1)}), bias],
              real([1, 6, 6, 8]), conv),
    dense: one('FULLY_CONNECTED', [real([3, 40])], [tensor('INT8', [8, 40], {scale: 0.01, data: numbers(320, 127, 2)}), bias],
               real([3, 8]), ['FullyConnectedOptions', {}]),
  };
}

// The largest differences that have an explanation: where XNNPACK rounds once in float32; where its fractions between pixels
// have 11 bits instead of 10; where those of uint8 are multiplied with each other first; where ruy multiplies a sum of 32
// bits and rounds once; where the division by a scale is a multiplication by its inverse; where MEAN comes from before 2023,
// when the reference computed it, and SUM, in float32; where floats are added in another order.
const TOLERANCES = {
  int8_conv_xnnpack: 1, int8_dense: 1, int8_add: 1, int8_sub: 1, int8_mul: 1, int8_mean_4: 1, int8_mean_49: 1,
  int8_requantize: 1, int8_resize_bilinear: 2, int8_resize_bilinear_corners: 2, int8_resize_bilinear_half: 2, int16_conv_int32: 1, int16_dense_int32: 1, int16_quantize: 1, int16_mean_4: 1, int16_mean_49: 1,
  uint8_transpose_conv: 1, uint8_resize_bilinear: 1,
  int8_leaky_relu: 1, int8_sum: 1, int8_mean_rows: 1, int8_batch_matmul: 1, hybrid_conv: 2e-6, hybrid_dense: 2e-6,
};

const int8 = common('INT8', (shape, scale) => tensor('INT8', shape, {scale, zero: 5}), 'INT32');
delete int8.to_other;  // tfjs-tflite has no int8 to int16
// XNNPACK takes a convolution whose bias has the scale of the products.
int8.conv_xnnpack = common('INT8', (shape, scale) => tensor('INT8', shape, {scale, zero: 5}), 'INT32').conv;
{
  const [x, w, b] = int8.conv_xnnpack.tensors;
  b.scale = w.scale.map(s => Math.fround(Math.fround(s) * Math.fround(x.scale)));
}
const wide = (shape, scale) => tensor('INT16', shape, {scale});
const int16 = common('INT16', wide, 'INT64'), narrow = common('INT16', wide, 'INT32');
int16.conv_int32 = narrow.conv;
int16.dense_int32 = narrow.dense;

// Float32.
const real = (shape, seed) =>
    tensor('FLOAT32', shape, seed ? {data: numbers(size(shape), 1000, seed).map(v => v / 1500)} : {});
const float = {
  transpose_conv: transposed(real([1, 7, 6, 4]), real([5, 3, 3, 4], 11), [], real([1, 14, 12, 5]),
                             {padding: 'SAME', stride_w: 2, stride_h: 2}),
  resize_bilinear: resized('RESIZE_BILINEAR', real([1, 7, 6, 4]), real([1, 13, 9, 4]), {half_pixel_centers: true}),
};
const bytes = (shape, scale) => tensor('UINT8', shape, {scale, zero: 120});
const uint8 = {
  transpose_conv: transposed(bytes([1, 7, 6, 4], 0.02), tensor('UINT8', [5, 3, 3, 4], {scale: 0.004, zero: 119, data:
                             numbers(180, 127, 90).map(v => v + 128)}), [tensor('INT32', [5], {scale: 0.00008, data: numbers(5, 900, 91)})],
                             bytes([1, 14, 12, 5], 0.05), {padding: 'SAME', stride_w: 2, stride_h: 2}),
  resize_bilinear: resized('RESIZE_BILINEAR', bytes([1, 7, 6, 4], 0.02), bytes([1, 13, 9, 4], 0.02), {}),
};

Object.assign(int8, more((shape, scale) => tensor('INT8', shape, {scale, zero: 5})));

module.exports = {...choices, ...states};
for (const [type, models] of Object.entries({int8, int16, uint8, float, hybrid: hybrid()}))
  for (const [name, model] of Object.entries(models))
    module.exports[`${type}_${name}`] = {model, tolerance: TOLERANCES[`${type}_${name}`] || (type === 'float' ? 0.00001 : 0)};
