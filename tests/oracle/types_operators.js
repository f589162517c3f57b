// SPDX-License-Identifier: Apache-2.0
// Single operators of TensorFlow Lite on each of their types, where operators.js has one: movement, comparisons, choices,
// functions of floats, arithmetic and reductions of integers.
'use strict';

const {tensor, one, several, numbers, size} = require('./model.js');

const list = (shape, data) => tensor('INT32', shape, {data});
const truth = shape => tensor('BOOL', shape);

// Makers of tensors by type: make(shape, scale, data).
const MAKERS = {
  int8: (shape, scale, data) => tensor('INT8', shape, {scale, zero: 5, data}),
  uint8: (shape, scale, data) => tensor('UINT8', shape, {scale, zero: 120, data}),
  int16: (shape, scale, data) => tensor('INT16', shape, {scale, data}),
  int32: (shape, scale, data) => tensor('INT32', shape, {data}),
  float: (shape, scale, data) => tensor('FLOAT32', shape, {data}),
};

// Operators that move elements.
function movement(make) {
  const x = () => make([1, 4, 6, 8], 0.02), like = shape => make(shape, 0.02);
  const halves = [like([1, 4, 3, 8]), like([1, 4, 3, 8])], parts = [like([1, 4, 6, 3]), like([1, 4, 6, 5])];
  const slices = Array.from({length: 4}, () => like([1, 6, 8]));
  return {
    split: several('SPLIT', [list([], [2]), x()], halves, ['SplitOptions', {num_splits: 2}], 1),
    split_v: several('SPLIT_V', [x(), list([2], [3, 5]), list([], [3])], parts, ['SplitVOptions', {num_splits: 2}], 1),
    unpack: several('UNPACK', [x()], slices, ['UnpackOptions', {num: 4, axis: 1}], 2),
    expand_dims: one('EXPAND_DIMS', [x()], [list([], [2])], like([1, 4, 1, 6, 8])),
    squeeze: one('SQUEEZE', [x()], [], like([4, 6, 8]), ['SqueezeOptions', {squeeze_dims: [0]}]),
    gather_nd: one('GATHER_ND', [x()], [list([3, 2], [0, 3, 0, 0, 0, 2])], like([3, 6, 8])),
    broadcast_to: one('BROADCAST_TO', [like([4, 1, 8])], [list([4], [2, 4, 6, 8])], like([2, 4, 6, 8])),
    embedding_lookup: several('EMBEDDING_LOOKUP', [list([3], [3, 0, 2]), like([4, 6])], [like([3, 6])]),
    transpose: one('TRANSPOSE', [x()], [list([4], [0, 2, 3, 1])], like([1, 6, 8, 4])),
    strided_slice: one('STRIDED_SLICE', [x()], [list([4], [0, -1, 1, 0]), list([4], [1, -9, 6, 8]), list([4], [1, -2, 2, 3])],
                       like([1, 2, 3, 3]), ['StridedSliceOptions', {begin_mask: 8}]),
    strided_slice_shrunk: one('STRIDED_SLICE', [x()], [list([3], [0, 2, -3]), list([3], [0, 3, 9]), list([3], [1, 1, 1])],
                              like([1, 3, 8]), ['StridedSliceOptions', {end_mask: 1, shrink_axis_mask: 2}]),
    slice: one('SLICE', [x()], [list([4], [0, 1, 2, 3]), list([4], [1, -1, 2, 4])], like([1, 3, 2, 4])),
    reverse: one('REVERSE_V2', [x()], [list([1], [2])], like([1, 4, 6, 8])),
    pack: one('PACK', [x(), x()], [], like([1, 4, 2, 6, 8]), ['PackOptions', {values_count: 2, axis: 2}]),
    tile: one('TILE', [x()], [list([4], [1, 2, 1, 3])], like([1, 8, 6, 24])),
    gather: one('GATHER', [x()], [list([3], [5, 0, 2])], like([1, 4, 3, 8]), ['GatherOptions', {axis: 2}]),
    gather_batch: one('GATHER', [like([2, 4, 3])], [list([2, 2], [3, 0, 1, 1])], like([2, 2, 3]),
                      ['GatherOptions', {axis: 1, batch_dims: 1}]),
    mirror_pad: one('MIRROR_PAD', [x()], [list([4, 2], [0, 0, 1, 2, 2, 1, 0, 0])], like([1, 7, 9, 8]),
                    ['MirrorPadOptions', {mode: 'REFLECT'}]),
    pad: one('PAD', [x()], [list([4, 2], [0, 0, 1, 2, 3, 0, 0, 0])], like([1, 7, 9, 8])),
    padv2: one('PADV2', [x()], [list([4, 2], [0, 0, 1, 2, 3, 0, 0, 0]), make([1], 0.02, [7])], like([1, 7, 9, 8])),
    depth_to_space: one('DEPTH_TO_SPACE', [x()], [], like([1, 8, 12, 2]), ['DepthToSpaceOptions', {block_size: 2}]),
    space_to_depth: one('SPACE_TO_DEPTH', [x()], [], like([1, 2, 3, 32]), ['SpaceToDepthOptions', {block_size: 2}]),
    space_to_batch: one('SPACE_TO_BATCH_ND', [x()], [list([2], [2, 2]), list([2, 2], [1, 1, 0, 2])], like([4, 3, 4, 8])),
    batch_to_space: one('BATCH_TO_SPACE_ND', [like([4, 3, 4, 8])], [list([2], [2, 2]), list([2, 2], [1, 0, 0, 2])], like([1, 5, 6, 8])),
    concatenation: one('CONCATENATION', [x(), like([1, 4, 6, 3])], [], like([1, 4, 6, 11]), ['ConcatenationOptions', {axis: 3}]),
    select: several('SELECT', [tensor('BOOL', [1, 4, 6, 8], {data: numbers(192, 1, 3).map(v => v > 0)}), x(), x()], [like([1, 4, 6, 8])]),
    select_v2: several('SELECT_V2', [tensor('BOOL', [6, 1], {data: [1, 0, 0, 1, 1, 0]}), x(), like([8])], [like([1, 4, 6, 8])]),
    zeros_like: one('ZEROS_LIKE', [x()], [], like([1, 4, 6, 8])),
  };
}

// Comparisons and choices; results are numbers where the runtime hands out no booleans.
function comparisons(make) {
  const models = {};
  for (const op of ['EQUAL', 'NOT_EQUAL', 'GREATER', 'GREATER_EQUAL', 'LESS', 'LESS_EQUAL'])
    models[op.toLowerCase()] = one(op, [make([1, 4, 6, 8], 0.02), make([6, 8], 0.03)], [], truth([1, 4, 6, 8]));
  return models;
}

function extremes(make) {
  const x = () => make([1, 4, 6, 8], 0.02);
  return {
    arg_max: one('ARG_MAX', [x()], [list([], [3])], tensor('INT32', [1, 4, 6]), ['ArgMaxOptions', {output_type: 'INT32'}]),
    arg_min: one('ARG_MIN', [x()], [list([], [1])], tensor('INT32', [1, 6, 8]), ['ArgMinOptions', {output_type: 'INT32'}]),
    maximum: one('MAXIMUM', [x(), make([8], 0.02)], [], make([1, 4, 6, 8], 0.02)),
    minimum: one('MINIMUM', [x(), x()], [], make([1, 4, 6, 8], 0.02)),
    reduce_max: one('REDUCE_MAX', [x()], [list([1], [2])], make([1, 4, 8], 0.02), ['ReducerOptions', {}]),
    reduce_min: one('REDUCE_MIN', [x()], [list([1], [-1])], make([1, 4, 6, 1], 0.02), ['ReducerOptions', {keep_dims: true}]),
  };
}

// Quantized arithmetic beyond operators.js.
function arithmetic(make, most) {
  const x = (scale = 0.02) => make([1, 4, 6, 8], scale);
  return {
    add: one('ADD', [x(), x(0.013)], [], x(0.025), ['AddOptions', {pot_scale_int16: false}]),
    add_broadcast: one('ADD', [x(), make([6, 1], 0.013)], [], x(0.025), ['AddOptions', {pot_scale_int16: false, fused_activation_function: 'RELU6'}]),
    sub: one('SUB', [x(), x(0.013)], [], x(0.025), ['SubOptions', {pot_scale_int16: false}]),
    mul: one('MUL', [x(), x(0.013)], [], x(most), ['MulOptions', {}]),
    leaky_relu: one('LEAKY_RELU', [x()], [], x(0.03), ['LeakyReluOptions', {alpha: 0.15}]),
    mean_rows: one('MEAN', [x()], [list([1], [3])], make([1, 4, 6], 0.01), ['ReducerOptions', {}]),
    mean_pixels: one('MEAN', [x()], [list([2], [1, 2])], make([1, 8], 0.01), ['ReducerOptions', {}]),
    sum: one('SUM', [x()], [list([2], [1, 2])], make([1, 8], 0.3), ['ReducerOptions', {}]),
    reduce_prod: one('REDUCE_PROD', [make([5, 3, 8], most)], [list([1], [1])], make([5, 8], most ** 3 * 4000), ['ReducerOptions', {}]),
    reduce_prod_kept: one('REDUCE_PROD', [make([2, 2, 8], most)], [list([2], [0, 1])], make([1, 1, 8], most ** 4 * 50000),
                          ['ReducerOptions', {keep_dims: true}]),
    to_int32: one('QUANTIZE', [x()], [], tensor('INT32', [1, 4, 6, 8], {scale: 0.00007})),
    relu: one('RELU', [x()], [], x(0.025)),
    relu_n1_to_1: one('RELU_N1_TO_1', [x()], [], x(0.025)),
    relu6: one('RELU6', [x()], [], x(0.03)),
    average_pool: one('AVERAGE_POOL_2D', [x()], [], make([1, 2, 3, 8], 0.02),
                      ['Pool2DOptions', {padding: 'SAME', stride_w: 2, stride_h: 2, filter_width: 3, filter_height: 3}]),
    max_pool: one('MAX_POOL_2D', [x()], [], make([1, 2, 3, 8], 0.02),
                  ['Pool2DOptions', {padding: 'SAME', stride_w: 2, stride_h: 2, filter_width: 3, filter_height: 3}]),
    resize_nearest: one('RESIZE_NEAREST_NEIGHBOR', [x()], [list([2], [7, 9])], make([1, 7, 9, 8], 0.02),
                        ['ResizeNearestNeighborOptions', {}]),
    abs: one('ABS', [x()], [], x(0.03)),
    requantize: one('QUANTIZE', [x()], [], x(0.033)),
    quantize: one('QUANTIZE', [tensor('FLOAT32', [1, 500])], [], make([1, 500], most / 4)),
    dequantize: one('DEQUANTIZE', [make([1, 500], 0.02)], [], tensor('FLOAT32', [1, 500])),
  };
}

// Bytes alone.
function bytes(make, type, low) {
  const x = (scale = 0.02) => make([1, 4, 6, 8], scale);
  return {
    hard_swish: one('HARD_SWISH', [x(0.05)], [], x(0.03)),
    elu: one('ELU', [x()], [], x(0.025)),
    exp: one('EXP', [x()], [], x(0.06)),
    gelu: one('GELU', [x()], [], x(0.025), ['GeluOptions', {}]),
    prelu: one('PRELU', [x(), make([1, 1, 8], 0.011)], [], x(0.03)),
    div: one('DIV', [x(), make([1, 4, 6, 8], 0.03, numbers(192, 60, 5).map(v => Math.abs(v) + (low + 188)))], [], x(0.02), ['DivOptions', {}]),
    softmax: one('SOFTMAX', [make([4, 100], 0.1)], [], tensor(type, [4, 100], {scale: 1 / 256, zero: low}), ['SoftmaxOptions', {beta: 1}]),
    logistic: one('LOGISTIC', [make([1, 400], 0.06)], [], tensor(type, [1, 400], {scale: 1 / 256, zero: low})),
    tanh: one('TANH', [make([1, 400], 0.03)], [], tensor(type, [1, 400], {scale: 1 / 128, zero: low + 128})),
    rsqrt: one('RSQRT', [tensor(type, [1, 400], {scale: 0.02, zero: low})], [], tensor(type, [1, 400], {scale: 0.03, zero: low})),
    log_softmax: one('LOG_SOFTMAX', [make([4, 100], 0.1)], [], tensor(type, [4, 100], {scale: 16 / 256, zero: low + 255})),
    l2_normalization: one('L2_NORMALIZATION', [x()], [], tensor(type, [1, 4, 6, 8], {scale: 1 / 128, zero: low + 128}), ['L2NormOptions', {}]),
  };
}

// Floats.
function floats() {
  const x = (shape = [1, 4, 6, 8]) => tensor('FLOAT32', shape);
  const models = {};
  for (const op of ['ABS', 'CEIL', 'COS', 'ELU', 'EXP', 'FLOOR', 'HARD_SWISH', 'LOGISTIC', 'LOG_SOFTMAX', 'NEG', 'RELU', 'RELU6',
                    'RELU_N1_TO_1', 'ROUND', 'SIN', 'SQUARE', 'TANH'])
    models[op.toLowerCase()] = one(op, [x()], [], x());
  // Of what is not negative.
  for (const op of ['LOG', 'RSQRT', 'SQRT']) {
    models[op.toLowerCase()] = {
      tensors: [x(), x(), x()], inputs: [0], outputs: [2],
      operators: [{op: 'EXP', inputs: [0], outputs: [1]},
                  {op, inputs: [1], outputs: [2]}],
    };
  }
  return {
    ...models,
    leaky_relu: one('LEAKY_RELU', [x()], [], x(), ['LeakyReluOptions', {alpha: 0.15}]),
    gelu: one('GELU', [x()], [], x(), ['GeluOptions', {}]),
    gelu_tanh: one('GELU', [x()], [], x(), ['GeluOptions', {approximate: true}]),
    add: one('ADD', [x(), x([6, 1])], [], x(), ['AddOptions', {fused_activation_function: 'RELU'}]),
    sub: one('SUB', [x([8]), x()], [], x(), ['SubOptions', {}]),
    mul: one('MUL', [x(), x()], [], x(), ['MulOptions', {fused_activation_function: 'RELU_N1_TO_1'}]),
    div: one('DIV', [x(), x()], [], x(), ['DivOptions', {fused_activation_function: 'RELU6'}]),
    floor_div: one('FLOOR_DIV', [x(), x()], [], x()),
    floor_mod: one('FLOOR_MOD', [x(), x()], [], x()),
    pow: {
      tensors: [x(), x(), x(), x()], inputs: [0, 1], outputs: [3],
      operators: [{op: 'EXP', inputs: [0], outputs: [2]},
                  {op: 'POW', inputs: [2, 1], outputs: [3]}],
    },
    prelu: one('PRELU', [x(), x([1, 1, 8])], [], x()),
    squared_difference: one('SQUARED_DIFFERENCE', [x(), x()], [], x()),
    add_n: one('ADD_N', [x(), x(), x()], [], x()),
    mean: one('MEAN', [x()], [list([2], [1, 2])], x([1, 8]), ['ReducerOptions', {}]),
    sum: one('SUM', [x()], [list([1], [-1])], x([1, 4, 6, 1]), ['ReducerOptions', {keep_dims: true}]),
    reduce_prod: one('REDUCE_PROD', [x()], [list([1], [2])], x([1, 4, 8]), ['ReducerOptions', {}]),
    cumsum: one('CUMSUM', [x()], [list([], [2])], x(), ['CumsumOptions', {exclusive: true, reverse: true}]),
    softmax: one('SOFTMAX', [x([4, 50])], [], x([4, 50]), ['SoftmaxOptions', {beta: 0.7}]),
    l2_normalization: one('L2_NORMALIZATION', [x()], [], x(), ['L2NormOptions', {}]),
    l2_pool: one('L2_POOL_2D', [x()], [], x([1, 2, 3, 8]),
                 ['Pool2DOptions', {padding: 'SAME', stride_w: 2, stride_h: 2, filter_width: 3, filter_height: 3}]),
    batch_matmul: one('BATCH_MATMUL', [x([2, 5, 12]), x([2, 12, 7])], [], x([2, 5, 7]), ['BatchMatMulOptions', {}]),
    resize_nearest: one('RESIZE_NEAREST_NEIGHBOR', [x()], [list([2], [7, 9])], x([1, 7, 9, 8]),
                        ['ResizeNearestNeighborOptions', {half_pixel_centers: true}]),
    cast: one('CAST', [x()], [], tensor('INT32', [1, 4, 6, 8])),
    logic: logic(),
    reduce_any: reduced('REDUCE_ANY'),
    reduce_all: reduced('REDUCE_ALL'),
    where: chosen(),
    lookup_shape: shapes(),
  };
}

// (a < b and not b < c) or a < c.
function logic() {
  const shape = [1, 4, 6, 8], x = () => tensor('FLOAT32', shape), b = () => truth(shape);
  const less = (i, o) => ({op: 'LESS', inputs: i, outputs: [o]});
  return {
    tensors: [x(), x(), x(), b(), b(), b(), b(), b(), b(), x()], inputs: [0, 1, 2], outputs: [9],
    operators: [less([0, 1], 3), less([1, 2], 4), {op: 'LOGICAL_NOT', inputs: [4], outputs: [5]},
                {op: 'LOGICAL_AND', inputs: [3, 5], outputs: [6]}, less([0, 2], 7),
                {op: 'LOGICAL_OR', inputs: [6, 7], outputs: [8]},
                {op: 'CAST', inputs: [8], outputs: [9]}],
  };
}

function reduced(op) {
  const x = () => tensor('FLOAT32', [4, 6, 8]);
  return {
    tensors: [x(), x(), truth([4, 6, 8]), list([1], [1]), truth([4, 8]), tensor('INT32', [4, 8])], inputs: [0, 1], outputs: [5],
    operators: [{op: 'LESS', inputs: [0, 1], outputs: [2]},
                {op, inputs: [2, 3], outputs: [4], options: ['ReducerOptions', {}]},
                {op: 'CAST', inputs: [4], outputs: [5]}],
  };
}

// The larger of two, by a comparison of its own.
function chosen() {
  const x = () => tensor('FLOAT32', [1, 4, 6, 8]);
  return {
    tensors: [x(), x(), truth([1, 4, 6, 8]), x()], inputs: [0, 1], outputs: [3],
    operators: [{op: 'GREATER', inputs: [0, 1], outputs: [2]},
                {op: 'SELECT_V2', inputs: [2, 0, 1], outputs: [3]}],
  };
}

// A tensor filled by the shape of another, added to it.
function shapes() {
  const x = () => tensor('FLOAT32', [1, 4, 6, 8]);
  return {
    tensors: [x(), tensor('INT32', [4]), tensor('FLOAT32', [], {data: [1.5]}), x(), x()], inputs: [0], outputs: [4],
    operators: [{op: 'SHAPE', inputs: [0], outputs: [1], options: ['ShapeOptions', {out_type: 'INT32'}]},
                {op: 'FILL', inputs: [1, 2], outputs: [3]},
                {op: 'ADD', inputs: [0, 3], outputs: [4], options: ['AddOptions', {}]}],
  };
}

// Integers that stand for themselves.
function integers() {
  const x = () => tensor('INT32', [1, 4, 6, 8]), y = () => tensor('INT32', [1, 4, 6, 8], {data: numbers(192, 9, 4).map(v => v || 7)});
  return {
    add: one('ADD', [x(), x()], [], x(), ['AddOptions', {}]),
    sub: one('SUB', [x(), x()], [], x(), ['SubOptions', {}]),
    mul: one('MUL', [x(), x()], [], x(), ['MulOptions', {}]),
    div: one('DIV', [x()], [y()], x(), ['DivOptions', {}]),
    floor_div: one('FLOOR_DIV', [x()], [y()], x()),
    floor_mod: one('FLOOR_MOD', [x()], [y()], x()),
    pow: one('POW', [x()], [tensor('INT32', [8], {data: [0, 1, 2, 3, 7, 30, 31, 0]})], x()),
    abs: one('ABS', [x()], [], x()),
    neg: one('NEG', [x()], [], x()),
    squared_difference: one('SQUARED_DIFFERENCE', [x(), x()], [], x()),
    sum: one('SUM', [x()], [list([1], [2])], tensor('INT32', [1, 4, 8]), ['ReducerOptions', {}]),
    reduce_prod: one('REDUCE_PROD', [x()], [list([1], [2])], tensor('INT32', [1, 4, 8]), ['ReducerOptions', {}]),
    mean: one('MEAN', [x()], [list([1], [2])], tensor('INT32', [1, 4, 8]), ['ReducerOptions', {}]),
    cumsum: one('CUMSUM', [x()], [list([], [3])], x(), ['CumsumOptions', {}]),
    cast: one('CAST', [x()], [], tensor('FLOAT32', [1, 4, 6, 8])),
    cast_uint8: one('CAST', [x()], [], tensor('UINT8', [1, 4, 6, 8])),
    quantize: one('QUANTIZE', [tensor('INT32', [1, 4, 6, 8], {scale: 0.001})], [], tensor('INT8', [1, 4, 6, 8], {scale: 0.02, zero: 3})),
  };
}

// The largest differences that have an explanation, of those of operators.js: XNNPACK rounds once in float32, MEAN and SUM are
// of before 2023, when the reference computed them in float32; and LOG_SOFTMAX runs in the optimized kernel, in float32.
const TOLERANCES = {
  int8_mean_pixels: 1, uint8_mul: 1, uint8_leaky_relu: 1, uint8_mean_rows: 1, uint8_mean_pixels: 1, uint8_sum: 1,
  uint8_requantize: 1, int16_mean_rows: 1, int8_log_softmax: 1, uint8_log_softmax: 1,
};

module.exports = {};
const add = (type, models) => {
  for (const [name, model] of Object.entries(models)) {
    const key = `${type}_${name}`;
    module.exports[key] = {model, tolerance: TOLERANCES[key] || (type === 'float' ? 1e-5 : 0)};
  }
};
for (const [type, make] of Object.entries(MAKERS)) {
  add(type, movement(make));
  add(type, extremes(make));
  add(type, comparisons(make));
}
add('int8', arithmetic(MAKERS.int8, 0.02));
{
  const {reduce_prod, reduce_prod_kept, to_int32, ...others} = arithmetic(MAKERS.uint8, 0.02);  // no kernel has these
  add('uint8', others);
}
add('int16', arithmetic(MAKERS.int16, 2));
add('int8', bytes(MAKERS.int8, 'INT8', -128));
add('uint8', bytes(MAKERS.uint8, 'UINT8', 0));
add('float', floats());
add('int32', integers());
