// SPDX-License-Identifier: Apache-2.0
// Single operators of TensorFlow Lite that choose by value or place, on each of their types; functions of integers that are
// tables; matrices; boxes; spectra.
'use strict';

const {numbers, one, several, tensor} = require('./model.js');

const list = (shape, data) => tensor('INT32', shape, {data});
// Makers of tensors by type: make(shape, data).
const MAKERS = {
  int8: (shape, data) => tensor('INT8', shape, {scale: 0.02, zero: 5, data}),
  uint8: (shape, data) => tensor('UINT8', shape, {scale: 0.02, zero: 120, data}),
  int16: (shape, data) => tensor('INT16', shape, {scale: 0.02, data}),
  int32: (shape, data) => tensor('INT32', shape, {data}),
  float: (shape, data) => tensor('FLOAT32', shape, {data}),
};

function choices(make) {
  const x = () => make([3, 5, 8]);
  const top = which => several('TOPK_V2', [x(), list([], [3])], [make([3, 5, 3]), tensor('INT32', [3, 5, 3])], undefined, which);
  const hot = (shape, axis) => one('ONE_HOT', [tensor('INT32', [3, 4])], [list([], [2]), make([], [7]), make([], [1])], make(shape),
                                   ['OneHotOptions', {axis}]);
  const reversed = (steps, sequences, lengths) =>
      one('REVERSE_SEQUENCE', [x()], [list([lengths.length], lengths)], x(),
          ['ReverseSequenceOptions', {seq_dim: steps, batch_dim: sequences}]);
  return {
    topk: top(0),
    topk_places: top(1),
    one_hot: hot([3, 4, 2], -1),
    one_hot_first: hot([2, 3, 4], 0),
    reverse_sequence: reversed(1, 0, [2, 5, 1]),
    reverse_sequence_back: reversed(0, 2, [1, 2, 3, 1, 2, 3, 3, 2]),
    sparse_to_dense: several('SPARSE_TO_DENSE', [list([3, 2], [0, 1, 2, 2, 4, 0]), list([2], [5, 3]), make([3]), make([], [7])],
                             [make([5, 3])]),
    sparse_to_dense_line: several('SPARSE_TO_DENSE', [list([2], [1, 4]), list([1], [6]), make([2]), make([])], [make([6])]),
    update_slice: several('DYNAMIC_UPDATE_SLICE', [x(), make([2, 1, 4]), list([3], [1, -3, 6])], [x()]),
    scatter_nd: several('SCATTER_ND', [list([4, 1], [4, 0, 2, 6]), make([4, 3]), list([2], [7, 3])], [make([7, 3])]),
  };
}

// Tables of integers: of what is not negative, the logarithm of what is positive.
function tables() {
  const bytes = (scale, zero) => tensor('INT8', [1, 400], {scale, zero}), words = scale => tensor('INT16', [1, 400], {scale});
  return {
    int8_log: one('LOG', [bytes(0.02, -128)], [], bytes(0.05, 10)),
    int8_sqrt: one('SQRT', [bytes(0.02, -128)], [], bytes(0.01, -128)),
    int16_exp: one('EXP', [words(0.0001)], [], words(0.001)),
    int16_log: one('LOG', [words(0.0001)], [], words(0.0003)),
    int16_rsqrt: one('RSQRT', [words(0.0001)], [], words(0.003)),
    int16_sqrt: one('SQRT', [words(0.0001)], [], words(0.0001)),
  };
}

function products() {
  const matrix = shape => tensor('INT8', shape, {scale: 0.01, data: numbers(84, 127, 6)}), real = shape => tensor('FLOAT32', shape);
  const product = (shape, options) => one('BATCH_MATMUL', [real([2, 5, 12])], [matrix(shape)], real([2, 5, 7]),
                                          ['BatchMatMulOptions', options]);
  return {
    hybrid_batch_matmul: product([12, 7], {}),
    hybrid_batch_matmul_turned: product([7, 12], {adj_y: true}),
    hybrid_batch_matmul_asymmetric: product([12, 7], {asymmetric_quantize_inputs: true}),
    float_local_response: one('LOCAL_RESPONSE_NORMALIZATION', [real([1, 4, 5, 9])], [], real([1, 4, 5, 9]),
                              ['LocalResponseNormalizationOptions', {radius: 2, bias: 0.9, alpha: 0.3, beta: 0.75}]),
  };
}

// Boxes that overlap, of which the chosen ones, their scores, or how many there are come out.
function boxes() {
  const real = (shape, data) => tensor('FLOAT32', shape, {data}), number = v => real([], [v]), whole = shape => tensor('INT32', shape);
  const suppressed = (which, soft, overlap, score) => several(
      soft === undefined ? 'NON_MAX_SUPPRESSION_V4' : 'NON_MAX_SUPPRESSION_V5',
      [real([60, 4]), real([60]), list([], [20]), number(overlap), number(score), ...(soft === undefined ? [] : [number(soft)])],
      [whole([20]), ...(soft === undefined ? [] : [real([20])]), whole([])], undefined, which);
  return {
    float_suppression: suppressed(0, undefined, 0.3, -1),
    float_suppression_count: suppressed(1, undefined, 0.1, 0.5),
    float_soft_suppression: suppressed(0, 0.5, 0.6, 0.2),
    float_soft_suppression_scores: suppressed(1, 0.5, 0.6, 0.2),
    float_soft_suppression_count: suppressed(2, 0.2, 0.4, 1),
    float_hard_suppression_v5: suppressed(1, 0, 0.5, 0),
  };
}

// One side of the spectrum of [2, 5, 11] in `lengths`, then what `op` makes of it.
function spectrum(op, lengths) {
  const result = [2, lengths[0], lengths[1] / 2 + 1];
  return {
    tensors: [tensor('FLOAT32', [2, 5, 11]), list([2], lengths), tensor('COMPLEX64', result), tensor('FLOAT32', result)],
    operators: [{op: 'RFFT2D', inputs: [0, 1], outputs: [2]}, {op, inputs: [2], outputs: [3]}],
    inputs: [0], outputs: [3],
  };
}

// As a front end of sound has it: each row for itself, a dimension of 1 for the columns.
function rows() {
  const complex = shape => tensor('COMPLEX64', shape);
  return {
    tensors: [tensor('FLOAT32', [3, 16]), list([], [1]), tensor('FLOAT32', [3, 1, 16]), list([2], [1, 16]), complex([3, 1, 9]),
              complex([3, 9]), tensor('FLOAT32', [3, 9])],
    operators: [{op: 'EXPAND_DIMS', inputs: [0, 1], outputs: [2]}, {op: 'RFFT2D', inputs: [2, 3], outputs: [4]},
                {op: 'SQUEEZE', inputs: [4], outputs: [5], options: ['SqueezeOptions', {squeeze_dims: [1]}]},
                {op: 'COMPLEX_ABS', inputs: [5], outputs: [6]}],
    inputs: [0], outputs: [6],
  };
}

function functions() {
  const real = shape => tensor('FLOAT32', shape);
  return {
    float_sign: one('SIGN', [real([1, 4, 6, 8])], [], real([1, 4, 6, 8])),
    float_atan2: one('ATAN2', [real([1, 4, 6, 8]), real([1, 4, 6, 8])], [], real([1, 4, 6, 8])),
    float_spectrum_real: spectrum('REAL', [4, 8]),
    float_spectrum_imag: spectrum('IMAG', [8, 16]),
    float_spectrum_abs: spectrum('COMPLEX_ABS', [8, 16]),
    float_spectrum_rows: rows(),
    int16_batch_matmul: one('BATCH_MATMUL', [MAKERS.int16([2, 5, 12]), MAKERS.int16([2, 7, 12])], [],
                            tensor('INT16', [2, 5, 7], {scale: 400}), ['BatchMatMulOptions', {adj_y: true}]),
  };
}

// What depends on scales: those of operands of a concatenation, powers of two; and weights that the network computes.
function scales() {
  const make = (type, shape, scale, zero = 0) => tensor(type, shape, {scale, zero});
  const shifted = (op, options, first) => one(op, [make('INT16', [4, 50], 2 ** (first ? -12 : -9)), make('INT16', [4, 50], 2 ** (first ? -9 : -11))],
                                              [], make('INT16', [4, 50], 2 ** -9), [options, {pot_scale_int16: true}]);
  const dense = (x, w, y) => one('FULLY_CONNECTED', [x, w], [], y, ['FullyConnectedOptions', {}]);
  const real = shape => tensor('FLOAT32', shape);
  return {
    int16_concatenation_scaled: one('CONCATENATION', [make('INT16', [3, 40], 0.02), make('INT16', [2, 40], 0.013)], [],
                                    make('INT16', [5, 40], 0.02), ['ConcatenationOptions', {axis: 0}]),
    int16_add_powers: shifted('ADD', 'AddOptions', true),
    int16_add_powers_second: shifted('ADD', 'AddOptions', false),
    int16_sub_powers: shifted('SUB', 'SubOptions', true),
    int16_sub_powers_second: shifted('SUB', 'SubOptions', false),
    int16_squared_difference: one('SQUARED_DIFFERENCE', [make('INT16', [4, 50], 0.002), make('INT16', [50], 0.003)], [], make('INT16', [4, 50], 0.5)),
    int8_dense_of_values: dense(make('INT8', [3, 40], 0.02, 5), make('INT8', [7, 40], 0.03, -4), make('INT8', [3, 7], 0.4, 9)),
    uint8_dense_of_values: dense(make('UINT8', [3, 40], 0.02, 130), make('UINT8', [7, 40], 0.03, 120), make('UINT8', [3, 7], 0.4, 140)),
    float_dense_of_values: dense(real([3, 40]), real([7, 40]), real([3, 7])),
  };
}

// Rows that belong together, one after the other or in any order; some of them to none.
function segments() {
  const models = {};
  for (const [type, make] of [['float', shape => tensor('FLOAT32', shape)], ['int32', shape => tensor('INT32', shape)]]) {
    const sorted = list([7], [0, 0, 1, 2, 2, 2, 3]), any = list([7], [3, 0, 1, 3, -1, 5, 0]);
    models[`${type}_segment_sum`] = one('SEGMENT_SUM', [make([7, 4])], [sorted], make([4, 4]));
    for (const what of ['MAX', 'MIN', 'PROD', 'SUM'])
      models[`${type}_unsorted_segment_${what.toLowerCase()}`] =
          one(`UNSORTED_SEGMENT_${what}`, [make([7, 2, 3])], [any, list([], [6])], make([6, 2, 3]));
  }
  return models;
}

function bits() {
  const plain = type => shape => tensor(type, shape), models = {};
  for (const [name, make] of [['int8', plain('INT8')], ['uint8', plain('UINT8')], ['int16', plain('INT16')], ['int32', plain('INT32')]]) {
    models[`${name}_bitwise_xor`] = one('BITWISE_XOR', [make([3, 5, 8]), make([8])], [], make([3, 5, 8]));
    models[`${name}_right_shift`] = one('RIGHT_SHIFT', [make([3, 5, 8]), make([5, 8])], [], make([3, 5, 8]));
  }
  return models;
}

// A sum of 32 bits goes through ruy, which rounds once.
const TOLERANCES = {int8_dense_of_values: 1};

module.exports = {};
const add = (name, model) => {
  const real = name.startsWith('float') || name.startsWith('hybrid');
  module.exports[name] = {model, tolerance: TOLERANCES[name] || (real ? 1e-5 : 0)};
};
for (const [type, make] of Object.entries(MAKERS))
  for (const [name, model] of Object.entries(choices(make))) add(`${type}_${name}`, model);
for (const [name, model] of Object.entries({...tables(), ...products(), ...boxes(), ...functions(), ...scales(), ...segments(), ...bits()})) add(name, model);
