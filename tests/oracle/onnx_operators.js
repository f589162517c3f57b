// SPDX-License-Identifier: Apache-2.0
// Single operators of ONNX as files: those that came or changed behind operator set 17, and those of com.microsoft that
// onnxruntime's quantizer writes. protoc writes them, from the definition of the format that Debian's libonnx-dev has.
'use strict';

const {execFileSync} = require('child_process');
const fs = require('fs');
const path = require('path');

const FORMAT = '/usr/include/onnx';
const TYPES = {float: 1, uint8: 2, int8: 3, uint16: 4, int16: 5, int32: 6, int64: 7};
const FIELDS = {float: 'float_data', int64: 'int64_data'};

// An attribute from a number, {f: a float}, a text, or a list of integers.
function attribute(name, value) {
  if (Array.isArray(value)) return `attribute { name: "${name}" type: INTS ${value.map(v => `ints: ${v}`).join(' ')} }`;
  if (typeof value === 'string') return `attribute { name: "${name}" type: STRING s: "${value}" }`;
  if (typeof value === 'object') return `attribute { name: "${name}" type: FLOAT f: ${value.f} }`;
  return `attribute { name: "${name}" type: INT i: ${value} }`;
}

function value(kind, name, type, shape) {
  const dimensions = shape ? `shape { ${shape.map(d => `dim { dim_value: ${d} }`).join(' ')} }` : '';
  return `${kind} { name: "${name}" type { tensor_type { elem_type: ${TYPES[type]} ${dimensions} } } }`;
}

// `inputs`: {name: {type, shape} or, of a constant, with data}; `output`: [name, type].
function writeOnnx(file, {opset, nodes, inputs, output}) {
  const lines = ['ir_version: 10', `opset_import { version: ${opset} }`, 'opset_import { domain: "com.microsoft" version: 1 }',
                 'graph { name: "g"'];
  for (const {op, domain = '', from, to, ...attributes} of nodes)
    lines.push(`node { op_type: "${op}" domain: "${domain}" ${from.map(n => `input: "${n}"`).join(' ')} ${
        to.map(n => `output: "${n}"`).join(' ')} ${Object.entries(attributes).map(([n, v]) => attribute(n, v)).join(' ')} }`);
  for (const [name, {type, shape, data}] of Object.entries(inputs)) {
    if (!data) {
      lines.push(value('input', name, type, shape));
      continue;
    }
    const field = FIELDS[type] || 'int32_data';
    lines.push(`initializer { name: "${name}" ${shape.map(d => `dims: ${d}`).join(' ')} data_type: ${TYPES[type]} ${
        data.map(v => `${field}: ${v}`).join(' ')} }`);
  }
  lines.push(value('output', output[0], output[1]), '}');
  fs.writeFileSync(file, execFileSync('protoc', ['-I', FORMAT, '--encode=onnx.ModelProto', path.join(FORMAT, 'onnx.proto')],
                                      {input: lines.join('\n')}));
}

const real = shape => ({type: 'float', shape});
const longs = (...data) => ({type: 'int64', shape: [data.length], data});
const floats = (...data) => ({type: 'float', shape: [data.length], data});
const scale = data => ({type: 'float', shape: [], data: [data]});
const byte = (type, shape, data) => ({type, shape, data});
const zero = (type, data) => ({type, shape: [], data: [data]});

// One node on operands in order.
function one(opset, op, inputs, attributes = {}, type = 'float') {
  return {opset, nodes: [{op, from: Object.keys(inputs), to: ['y'], ...attributes}], inputs, output: ['y', type]};
}
const microsoft = (op, inputs, attributes, type) => one(17, op, inputs, {domain: 'com.microsoft', ...attributes}, type);


const wave = (count, step) => Array.from({length: count}, (_, i) => Math.round(Math.sin(i * step) * 100) / 100);
const bytes = (count, step, low) => Array.from({length: count}, (_, i) => Math.round(Math.sin(i * step) * 120) + low);
const x = () => real([1, 3, 7, 6]);
const numbers = () => byte('int32', [4, 5]);
const grid = () => real([1, 4, 5, 2]);

const newer = {
  gelu: one(20, 'Gelu', {x: x()}),
  gelu_tanh: one(20, 'Gelu', {x: x()}, {approximate: 'tanh'}),
  mish: one(18, 'Mish', {x: x()}),
  hard_swish: one(22, 'HardSwish', {x: x()}),
  elu: one(22, 'Elu', {x: x()}, {alpha: {f: 0.7}}),
  group_normalization: one(21, 'GroupNormalization', {x: real([2, 6, 4, 5]), s: floats(...wave(6, 1)), b: floats(...wave(6, 2))},
                           {num_groups: 3, epsilon: {f: 0.001}}),
  layer_normalization: one(17, 'LayerNormalization', {x: x(), s: floats(...wave(6, 1)), b: floats(...wave(6, 2))}, {axis: -1}),
  bitwise_and: one(18, 'BitwiseAnd', {a: numbers(), b: numbers()}, {}, 'int32'),
  bitwise_or: one(18, 'BitwiseOr', {a: numbers(), b: numbers()}, {}, 'int32'),
  bitwise_xor: one(18, 'BitwiseXor', {a: numbers(), b: numbers()}, {}, 'int32'),
  bitwise_not: one(18, 'BitwiseNot', {a: numbers()}, {}, 'int32'),
  center_crop_pad: one(18, 'CenterCropPad', {x: real([5, 8]), shape: longs(9, 3)}),
  col2im: one(18, 'Col2Im', {x: real([1, 12, 9]), image: longs(4, 5), block: longs(2, 3)}),
  resize_cubic: one(19, 'Resize', {x: x(), roi: floats(), scales: floats(), sizes: longs(1, 3, 11, 4)}, {mode: 'cubic'}),
  resize_antialias: one(19, 'Resize', {x: x(), roi: floats(), scales: floats(), sizes: longs(1, 3, 3, 4)}, {mode: 'linear', antialias: 1, exclude_outside: 1}),
  resize_antialias_cubic: one(19, 'Resize', {x: x(), roi: floats(), scales: floats(), sizes: longs(1, 3, 3, 4)}, {mode: 'cubic', antialias: 1, exclude_outside: 1}),
  resize_axes: one(19, 'Resize', {x: x(), roi: floats(), scales: floats(), sizes: longs(14, 13)},
                   {mode: 'linear', axes: [2, 3], keep_aspect_ratio_policy: 'not_larger'}),
  resize_symmetric: one(19, 'Resize', {x: x(), roi: floats(), scales: floats(1, 1, 1.7, 0.6)},
                        {mode: 'linear', coordinate_transformation_mode: 'half_pixel_symmetric'}),
  pad_axes: one(18, 'Pad', {x: x(), pads: longs(1, 2, 0, 1), value: scale(0.5), axes: longs(2, 3)}),
  pad_wrap: one(19, 'Pad', {x: x(), pads: longs(0, 0, 2, 1, 0, 0, 1, 3)}, {mode: 'wrap'}),
  split: {opset: 18, nodes: [{op: 'Split', from: ['x'], to: ['y', 'z', 'w'], axis: 2, num_outputs: 3}], inputs: {x: x()}, output: ['w', 'float']},
  reduce_max: one(18, 'ReduceMax', {x: x(), axes: longs(1, 3)}, {keepdims: 0}),
  reduce_l2: one(18, 'ReduceL2', {x: x(), axes: longs(2)}),
  reduce_log_sum_exp: one(18, 'ReduceLogSumExp', {x: x(), axes: longs(-1)}),
  grid_sample: one(20, 'GridSample', {x: x(), grid: grid()}, {mode: 'linear', padding_mode: 'border'}),
  grid_sample_cubic: one(20, 'GridSample', {x: x(), grid: grid()}, {mode: 'cubic', padding_mode: 'zeros', align_corners: 1}),
  grid_sample_nearest: one(20, 'GridSample', {x: x(), grid: grid()}, {mode: 'nearest', padding_mode: 'reflection'}),
  average_pool: one(19, 'AveragePool', {x: x()}, {kernel_shape: [2, 2], dilations: [2, 2], strides: [2, 1], pads: [1, 1, 1, 1], count_include_pad: 1}),
  average_pool_ceil: one(22, 'AveragePool', {x: x()}, {kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1], ceil_mode: 1}),
  max_pool: one(22, 'MaxPool', {x: x()}, {kernel_shape: [3, 2], strides: [2, 2], ceil_mode: 1, dilations: [1, 2]}),
  lp_pool: one(18, 'LpPool', {x: x()}, {kernel_shape: [2, 3], p: 2, strides: [2, 2]}),
  scatter_elements: one(18, 'ScatterElements', {x: real([4, 5]), i: byte('int64', [2, 2], [1, 3, 0, 3]), u: real([2, 2])}, {axis: 0, reduction: 'max'}),
  scatter_nd: one(18, 'ScatterND', {x: real([4, 5]), i: byte('int64', [3, 1], [2, 0, 2]), u: real([3, 5])}, {reduction: 'min'}),
  dft: one(20, 'DFT', {x: real([1, 12, 1]), n: {type: 'int64', shape: [], data: [12]}, axis: {type: 'int64', shape: [], data: [1]}}),
  quantize_int16: one(21, 'QuantizeLinear', {x: x(), s: scale(0.0001), z: zero('int16', 5)}, {}, 'int16'),
  dequantize_blocks: one(21, 'DequantizeLinear', {q: byte('int8', [4, 6]), s: {type: 'float', shape: [2, 6], data: wave(12, 1).map(v => v + 2)}},
                         {axis: 0, block_size: 2}),
  roi_align: one(16, 'RoiAlign', {x: x(), rois: {type: 'float', shape: [2, 4], data: [0, 0, 4, 5, 1, 1.5, 5, 3]}, b: longs(0, 0)},
                 {output_height: 3, output_width: 2, sampling_ratio: 2, coordinate_transformation_mode: 'half_pixel'}),
};

const q = (type = 'uint8', shape = [2, 8]) => byte(type, shape);
const pair = (type = 'uint8') => ({a: q(type), as: scale(0.02), az: zero(type, 7), b: q(type), bs: scale(0.03), bz: zero(type, 3)});
const result = (s, type = 'uint8', z = 9) => ({ys: scale(s), yz: zero(type, z)});
const pixels = (type = 'uint8') => ({x: q(type, [1, 4, 5, 6]), xs: scale(0.02), xz: zero(type, 7)});

const contributed = {
  qlinear_add: microsoft('QLinearAdd', {...pair(), ...result(0.04)}, {}, 'uint8'),
  qlinear_add_int8: microsoft('QLinearAdd', {...pair('int8'), ...result(0.04, 'int8')}, {}, 'int8'),
  qlinear_mul: microsoft('QLinearMul', {...pair(), ...result(0.05)}, {}, 'uint8'),
  qlinear_sigmoid: microsoft('QLinearSigmoid', {x: q(), xs: scale(0.04), xz: zero('uint8', 100), ...result(1 / 256, 'uint8', 0)}, {}, 'uint8'),
  qlinear_leaky_relu: microsoft('QLinearLeakyRelu', {x: q(), xs: scale(0.04), xz: zero('uint8', 100), ...result(0.03)}, {alpha: {f: 0.1}}, 'uint8'),
  qlinear_softmax: microsoft('QLinearSoftmax', {x: q(), xs: scale(0.04), xz: zero('uint8', 100), ...result(1 / 256, 'uint8', 0)}, {axis: 1, opset: 13}, 'uint8'),
  qlinear_average_pool: microsoft('QLinearAveragePool', {...pixels(), ...result(0.02)}, {kernel_shape: [2, 3], strides: [2, 1]}, 'uint8'),
  qlinear_global_average_pool: microsoft('QLinearGlobalAveragePool', {...pixels(), ...result(0.01)}, {channels_last: 0}, 'uint8'),
  qlinear_concat: microsoft('QLinearConcat', {ys: scale(0.03), yz: zero('uint8', 9), ...Object.fromEntries(
      Object.entries(pair()))}, {axis: 1}, 'uint8'),
  qgemm: microsoft('QGemm', {a: q('uint8', [3, 8]), as: scale(0.02), az: zero('uint8', 7), b: byte('int8', [5, 8], bytes(40, 1, 0)), bs: scale(0.01),
                             bz: zero('int8', 0), c: byte('int32', [5], bytes(5, 2, 0)), ...result(0.06)},
                   {transB: 1, alpha: {f: 1.0}}, 'uint8'),
  bias_gelu: microsoft('BiasGelu', {x: real([3, 8]), b: floats(...wave(8, 1))}),
  fast_gelu: microsoft('FastGelu', {x: real([3, 8])}),
  quick_gelu: microsoft('QuickGelu', {x: real([3, 8])}, {alpha: {f: 1.702}}),
  skip_layer_normalization: microsoft('SkipLayerNormalization', {x: real([1, 3, 8]), s: real([1, 3, 8]), g: floats(...wave(8, 1)), b: floats(...wave(8, 2))},
                                      {epsilon: {f: 0.001}}),
  fused_mat_mul: microsoft('FusedMatMul', {a: real([2, 5, 3]), b: real([2, 5, 4])}, {transA: 1, alpha: {f: 0.5}}),
  fused_conv: microsoft('FusedConv', {x: x(), w: {type: 'float', shape: [2, 3, 3, 3], data: wave(54, 1)}, b: floats(0.1, -0.2)}, {activation: 'Relu'}),
  mat_mul_integer_to_float: microsoft('MatMulIntegerToFloat', {a: q('uint8', [3, 8]), b: byte('int8', [8, 5], bytes(40, 1, 0)), as: scale(0.02), bs: scale(0.01),
                                                               az: zero('uint8', 7), bz: zero('int8', 0)}),
  dynamic_quantize_mat_mul: microsoft('DynamicQuantizeMatMul', {a: real([3, 8]), b: byte('int8', [8, 5], bytes(40, 1, 0)), bs: scale(0.01), bz: zero('int8', 0)}),
};

// Operators between a dequantization and a quantization to 16 bits, as onnxruntime's quantizer writes them: from operator set
// 21 on in ONNX's own spelling, else in that of com.microsoft.
const words = (count, step) => Array.from({length: count}, (_, i) => Math.round(Math.sin(i * step) * 32000));
function quantized(activation, weight, domain, nodes, inputs) {
  const opset = domain ? 17 : 21, z = activation === 'uint16' ? 30000 : 0, constants = {}, list = [];
  const scaled = (name, from, s, type, zeroPoint) => {
    constants[`${name}.s`] = scale(s);
    if (type) constants[`${name}.z`] = zero(type, zeroPoint);
    list.push({op: 'DequantizeLinear', domain, from: [from, `${name}.s`, ...(type ? [`${name}.z`] : [])], to: [name]});
  };
  const last = [scale(0.0043), zero(activation, z)];
  inputs({x: (name, s, dims) => { constants[`${name}.q`] = byte(activation, dims); scaled(name, `${name}.q`, s, activation, z); },
          w: (name, s, dims) => {
            const n = dims.reduce((a, b) => a * b, 1), wide = weight === 'int16';
            constants[`${name}.q`] = byte(weight, dims, wide ? words(n, 1) : bytes(n, 1, 0));
            scaled(name, `${name}.q`, wide ? s / 256 : s, weight, 0);
          },
          b: (name, s, n) => {
            constants[`${name}.q`] = byte('int32', [n], words(n, 2));
            scaled(name, `${name}.q`, weight === 'int16' ? s / 256 : s);
          }});
  [constants['y.s'], constants['y.z']] = last;
  list.push(...nodes, {op: 'QuantizeLinear', domain, from: ['r', 'y.s', 'y.z'], to: ['y']});
  return {opset, nodes: list, inputs: constants, output: ['y', activation]};
}

const sixteen = {};
for (const [name, activation, weight, domain] of [['int16', 'int16', 'int8', ''], ['int16_microsoft', 'int16', 'int8', 'com.microsoft'],
                                                  ['int16_int16', 'int16', 'int16', ''], ['uint16', 'uint16', 'int8', ''],
                                                  ['uint16_microsoft', 'uint16', 'int16', 'com.microsoft']]) {
  const make = (nodes, inputs) => quantized(activation, weight, domain, nodes, inputs);
  sixteen[`qdq_conv_${name}`] = make([{op: 'Conv', from: ['x', 'w', 'b'], to: ['c'], pads: [1, 1, 1, 1]}, {op: 'Relu', from: ['c'], to: ['r']}],
                                     q => { q.x('x', 0.00031, [1, 3, 6, 6]); q.w('w', 0.0071, [4, 3, 3, 3]); q.b('b', 0.00031 * 0.0071, 4); });
  sixteen[`qdq_gemm_${name}`] = make([{op: 'Gemm', from: ['x', 'w', 'b'], to: ['r'], transB: 1}],
                                     q => { q.x('x', 0.00031, [3, 40]); q.w('w', 0.0071, [5, 40]); q.b('b', 0.00031 * 0.0071, 5); });
  sixteen[`qdq_add_${name}`] = make([{op: 'Add', from: ['a', 'x'], to: ['r']}],
                                    q => { q.x('a', 0.0031, [2, 3, 5]); q.x('x', 0.0017, [2, 3, 5]); });
  sixteen[`qdq_mul_${name}`] = make([{op: 'Mul', from: ['a', 'x'], to: ['r']}],
                                    q => { q.x('a', 0.00031, [2, 3, 5]); q.x('x', 0.0017, [2, 3, 5]); });
  sixteen[`qdq_average_pool_${name}`] = make([{op: 'AveragePool', from: ['x'], to: ['r'], kernel_shape: [2, 3], strides: [2, 1]}],
                                             q => q.x('x', 0.0061, [1, 3, 6, 7]));
  sixteen[`qdq_max_pool_${name}`] = make([{op: 'MaxPool', from: ['x'], to: ['r'], kernel_shape: [2, 3], strides: [2, 1]}],
                                         q => q.x('x', 0.0043, [1, 3, 6, 7]));
}

// Where onnxruntime multiplies and adds in float32, ties fall to either side; and of 16 bits it has no other arithmetic: a sum
// of so many bits is off by a step here and there.
const TOLERANCES = {qlinear_add: 1, qlinear_average_pool: 1};
for (const name of Object.keys(sixteen)) TOLERANCES[name] = 1;

module.exports = {writeOnnx, operators: {...newer, ...contributed, ...sixteen}, TOLERANCES};
