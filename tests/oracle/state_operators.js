// SPDX-License-Identifier: Apache-2.0
// Single operators of TensorFlow Lite that keep a state, on float32, on float32 by int8 weights, and on int8.
'use strict';

const {numbers, size, tensor} = require('./model.js');

const real = (shape, seed) =>
    tensor('FLOAT32', shape, seed ? {data: numbers(size(shape), 1000, seed).map(v => v / 1500)} : {});
const byte = (shape, seed) => tensor('INT8', shape, {scale: 0.005 + 0.0001 * (seed % 7), data: numbers(size(shape), 127, seed)});
const state = (type, shape, scale, zero) => tensor(type, shape, {variable: true, scale, zero});

// `operands`: of one() or null, where one is absent; states stand among them. `intermediates`: what integer kernels read the
// scales of.
function recurrent(op, operands, output, options, intermediates = []) {
  const tensors = [...operands.filter(t => t), output, ...intermediates], at = t => tensors.indexOf(t);
  const operator = {op, inputs: operands.map(t => t ? at(t) : -1), outputs: [at(output)], options};
  if (intermediates.length) operator.intermediates = intermediates.map(at);
  return {tensors, operators: [operator], inputs: [0], outputs: [at(output)]};
}

// A matrix of floats, or of bytes.
const matrixOf = bytes => bytes ? byte : real;
const activation = {fused_activation_function: 'TANH'};

// `single`: LSTM, of one step.
function lstm(cells, outputs, {peephole, projection, norm, coupled, bytes, asymmetric, single, timeMajor}) {
  const each = (make, there = true) => [0, 1, 2, 3].map(i => there && !(coupled && i === 0) ? make(i) : null);
  const matrix = matrixOf(bytes), sequence = last => single ? [2, last] : timeMajor ? [6, 2, last] : [2, 6, last];
  const options = {...activation, cell_clip: 2, asymmetric_quantize_inputs: asymmetric};
  if (timeMajor) options.time_major = true;
  return recurrent(single ? 'LSTM' : 'UNIDIRECTIONAL_SEQUENCE_LSTM', [
    real(sequence(5)), ...each(i => matrix([cells, 5], 20 + i)), ...each(i => matrix([cells, outputs], 30 + i)),
    ...(peephole ? each(i => matrix([cells], 40 + i)).slice(0, 3) : [null, null, null]), ...each(i => real([cells], 50 + i)),
    projection ? matrix([outputs, cells], 60) : null, projection ? real([outputs], 61) : null,
    state('FLOAT32', [2, outputs]), state('FLOAT32', [2, cells]), ...each(i => real([cells], 70 + i), norm),
  ], real(sequence(outputs)), [single ? 'LSTMOptions' : 'UnidirectionalSequenceLSTMOptions', options]);
}

function rnn({bytes, asymmetric, single, timeMajor}) {
  const matrix = matrixOf(bytes), sequence = last => single ? [2, last] : timeMajor ? [6, 2, last] : [2, 6, last];
  const options = {...activation, asymmetric_quantize_inputs: asymmetric};
  if (timeMajor) options.time_major = true;
  return recurrent(single ? 'RNN' : 'UNIDIRECTIONAL_SEQUENCE_RNN',
                   [real(sequence(5)), matrix([7, 5], 80), matrix([7, 7], 81), real([7], 82), state('FLOAT32', [2, 7])],
                   real(sequence(7)), [single ? 'RNNOptions' : 'SequenceRNNOptions', options]);
}

function svdf({bytes, asymmetric}) {
  const matrix = matrixOf(bytes);
  return recurrent('SVDF', [real([2, 5]), matrix([8, 5], 83), matrix([8, 3], 84), real([4], 85), state('FLOAT32', [2, 24])],
                   real([2, 4]), ['SVDFOptions', {rank: 2, fused_activation_function: 'RELU', asymmetric_quantize_inputs: asymmetric}]);
}

// Integers have all gates, and neither peepholes, projection nor normalization.
function lstmOfBytes() {
  const each = make => [0, 1, 2, 3].map(make), none = [null, null, null];
  const hidden = {scale: 1 / 128};
  const gates = each(() => tensor('INT16', [1], {scale: 2 ** -12}));
  return recurrent('UNIDIRECTIONAL_SEQUENCE_LSTM', [
    tensor('INT8', [2, 6, 5], {scale: 0.02, zero: 5}), ...each(i => byte([7, 5], 20 + i)), ...each(i => byte([7, 7], 30 + i)),
    ...none, ...each(i => tensor('INT32', [7], {scale: 0.0001, data: numbers(7, 3000, 50 + i)})), null, null,
    state('INT8', [2, 7], hidden.scale, hidden.zero), state('INT16', [2, 7], 2 ** -11), null, null, null, null,
  ], tensor('INT8', [2, 6, 7], hidden), ['UnidirectionalSequenceLSTMOptions', activation],
                   [...gates, tensor('INT8', [1], hidden)]);
}

// One matrix for all gates; which of the results comes first.
function basicLstm(which) {
  const operands = [real([2, 5]), state('FLOAT32', [2, 7]), real([28, 12], 90), real([28], 91), state('FLOAT32', [2, 7])];
  const results = [real([2, 7]), real([2, 7]), real([2, 12]), real([2, 28])], tensors = [...operands, ...results];
  return {
    tensors, inputs: [0], outputs: results.map((_, i) => 5 + (i + which) % 4),
    operators: [{op: 'LSTM', inputs: [0, 1, 2, 3, 4], outputs: [5, 6, 7, 8], options: ['LSTMOptions', {...activation, kernel_type: 'BASIC'}]}],
  };
}

// Both directions. `auxiliary`: the backward layer reads an input of its own; with `weights` of it both layers read both.
function bidirectional(op, options, layers, states, {merged, auxiliary, weights, width, timeMajor, batch = 2}) {
  const wide = weights && op.endsWith('RNN') && !timeMajor ? 4 : 5;  // others read as many as of the first
  const sequence = last => timeMajor ? [6, batch, last] : [batch, 6, last], x = real(sequence(5)), other = auxiliary && real(sequence(wide));
  const results = merged ? [real(sequence(2 * width))] : [real(sequence(width)), real(sequence(width))];
  const operands = [x, ...layers, ...states, other || null,
                    ...Array.from({length: op.endsWith('RNN') ? 2 : 8}, (_, i) => weights ? real([width, wide], 500 + i) : null)];
  const tensors = [...operands.filter(t => t), ...results], at = t => tensors.indexOf(t);
  return {
    tensors, inputs: auxiliary ? [0, at(other)] : [0], outputs: results.map((_, i) => at(results[results.length - 1 - i])),
    operators: [{op, inputs: operands.map(t => t ? at(t) : -1), outputs: results.map(at),
                 options: [options, {...activation, merge_outputs: merged, time_major: Boolean(timeMajor)}]}],
  };
}

function bidirectionalLstm(options) {
  const matrix = matrixOf(options.bytes), width = 7;
  const layer = seed => {
    const each = make => [0, 1, 2, 3].map(make);
    return [...each(i => matrix([7, 5], seed + i)), ...each(i => matrix([7, 7], seed + 10 + i)), null, null, null,
            ...each(i => real([7], seed + 20 + i)), null, null];
  };
  const memory = () => state('FLOAT32', [options.batch || 2, 7]);
  return bidirectional('BIDIRECTIONAL_SEQUENCE_LSTM', 'BidirectionalSequenceLSTMOptions', [...layer(100), ...layer(200)],
                       [memory(), memory(), memory(), memory()],
                       {...options, width});
}

function bidirectionalRnn(options) {
  const matrix = matrixOf(options.bytes), layer = seed => [matrix([7, 5], seed), matrix([7, 7], seed + 1), real([7], seed + 2)];
  const memory = () => state('FLOAT32', [2, 7]);
  return bidirectional('BIDIRECTIONAL_SEQUENCE_RNN', 'BidirectionalSequenceRNNOptions',
                       [...layer(300), memory(), ...layer(400), memory()], [], {...options, width: 7});
}

const models = {
  float_bidirectional_lstm: bidirectionalLstm({}),
  float_bidirectional_lstm_merged: bidirectionalLstm({merged: true, timeMajor: true}),
  float_bidirectional_lstm_auxiliary: bidirectionalLstm({auxiliary: true}),
  float_bidirectional_lstm_weights: bidirectionalLstm({auxiliary: true, weights: true}),
  float_bidirectional_lstm_weights_merged: bidirectionalLstm({auxiliary: true, weights: true, merged: true, timeMajor: true}),
  float_bidirectional_rnn_weights: bidirectionalRnn({auxiliary: true, weights: true}),
  float_bidirectional_rnn_weights_merged: bidirectionalRnn({auxiliary: true, weights: true, merged: true, timeMajor: true}),
  float_basic_lstm: basicLstm(0),
  float_basic_lstm_cells: basicLstm(1),
  float_basic_lstm_operands: basicLstm(2),
  float_basic_lstm_products: basicLstm(3),
  hybrid_bidirectional_lstm_merged: bidirectionalLstm({bytes: true, auxiliary: true, merged: true, timeMajor: true}),
  hybrid_bidirectional_lstm: bidirectionalLstm({bytes: true}),
  float_bidirectional_lstm_one: bidirectionalLstm({merged: true, batch: 1}),
  float_bidirectional_rnn: bidirectionalRnn({}),
  float_bidirectional_rnn_merged: bidirectionalRnn({merged: true, timeMajor: true}),
  float_bidirectional_rnn_auxiliary: bidirectionalRnn({auxiliary: true, merged: true, timeMajor: true}),
  hybrid_bidirectional_rnn: bidirectionalRnn({bytes: true, merged: true}),
  float_lstm: lstm(7, 7, {}),
  float_lstm_peephole: lstm(7, 7, {peephole: true, coupled: true}),
  float_lstm_projection: lstm(7, 4, {projection: true, norm: true}),
  float_lstm_time_major: lstm(7, 7, {timeMajor: true}),
  float_lstm_step: lstm(7, 4, {single: true, peephole: true, projection: true}),
  float_rnn: rnn({}),
  float_rnn_time_major: rnn({timeMajor: true}),
  float_rnn_step: rnn({single: true}),
  float_svdf: svdf({}),
  hybrid_lstm: lstm(7, 7, {bytes: true}),
  hybrid_lstm_peephole: lstm(7, 7, {bytes: true, peephole: true, coupled: true}),
  hybrid_lstm_projection: lstm(7, 4, {bytes: true, projection: true, norm: true}),
  hybrid_lstm_asymmetric: lstm(7, 7, {bytes: true, asymmetric: true}),
  hybrid_lstm_step: lstm(7, 4, {bytes: true, single: true, peephole: true, projection: true}),
  hybrid_rnn: rnn({bytes: true}),
  hybrid_rnn_asymmetric: rnn({bytes: true, asymmetric: true}),
  hybrid_rnn_step: rnn({bytes: true, single: true}),
  hybrid_svdf: svdf({bytes: true}),
  hybrid_svdf_asymmetric: svdf({bytes: true, asymmetric: true}),
  int8_lstm: lstmOfBytes(),
  int8_svdf: recurrent('SVDF', [
    tensor('INT8', [2, 5], {scale: 0.02, zero: 5}), tensor('INT8', [8, 5], {scale: 0.01, data: numbers(40, 127, 86)}),
    tensor('INT16', [8, 3], {scale: 0.0001, data: numbers(24, 20000, 87)}),
    tensor('INT32', [4], {scale: 0.0001 * 0.0005, data: numbers(4, 1000, 88)}), state('INT16', [2, 24], 0.0005),
  ], tensor('INT8', [2, 4], {scale: 0.03, zero: -128}), ['SVDFOptions', {rank: 2, fused_activation_function: 'RELU'}]),
};

// Integers of TensorFlow Lite have gemmlowp's logistic and tanh there, tflite-micro's and cosim's are tables.
const TOLERANCES = {int8_lstm: 1};

module.exports = {};
for (const [name, model] of Object.entries(models))
  module.exports[name] = {model, tolerance: TOLERANCES[name] || (name.startsWith('int8') ? 0 : 1e-5)};
