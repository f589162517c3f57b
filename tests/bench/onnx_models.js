// SPDX-License-Identifier: Apache-2.0
// Float networks as ONNX files, with random weights, because what they compute matters to no clock: of the shapes of
// ResNet-18 and MobileNetV1 at 224x224, batch normalization folded already; a transformer's encoder; a U-Net.
'use strict';

// Protocol buffers: a field is its number and kind, then a number, or a length and so many bytes.
function varint(value) {
  const bytes = [];
  for (let v = BigInt(value); ; v >>= 7n) {
    if (v < 128n) return Buffer.from([...bytes, Number(v)]);
    bytes.push(Number(v & 127n) | 128);
  }
}
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
function bytes(field, value) {
  const data = Buffer.from(value);
  return Buffer.concat([varint(field << 3 | 2), varint(data.length), data]);
}
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

const FLOAT = 1, INT64 = 7;       // types of tensors
const INT = 2, STRING = 3, INTS = 7;  // of attributes

function attribute(name, value) {
  if (Array.isArray(value)) return message(5, bytes(1, name), ...value.map(v => number(8, v)), number(20, INTS));
  if (typeof value === 'string') return message(5, bytes(1, name), bytes(4, value), number(20, STRING));
  return message(5, bytes(1, name), number(3, value < 0 ? BigInt.asUintN(64, BigInt(value)) : value), number(20, INT));
}

function valueInfo(field, name, shape) {
  return message(field, bytes(1, name),
                 message(2, message(1, number(1, FLOAT), message(2, ...shape.map(d => message(1, number(1, d)))))));
}

// mulberry32, as a sum of four for something like a normal distribution of the given deviation.
function generator(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return deviation => (next() + next() + next() + next() - 2) * Math.sqrt(3) * deviation;
}

class Network {
  constructor(name, shape) {
    this.name = name;
    this.parts = [valueInfo(11, 'input', shape)];
    this.draw = generator(1);
    this.shape = shape;  // of the value last made
    this.last = 'input';
    this.count = 0;
  }

  constant(name, shape, deviation) {
    const count = shape.reduce((a, b) => a * b, 1);
    return this.initializer(name, shape, FLOAT, Float32Array.from({length: count}, () => this.draw(deviation)));
  }

  floats(name, shape, values) { return this.initializer(name, shape, FLOAT, Float32Array.from(values)); }

  integers(name, values) {
    return this.initializer(name, [values.length], INT64, BigInt64Array.from(values.map(BigInt)));
  }

  initializer(name, shape, type, data) {
    this.parts.push(message(5, ...shape.map(d => number(1, d)), number(2, type), bytes(8, name), bytes(9, Buffer.from(data.buffer))));
    return name;
  }

  node(op, inputs, attributes = {}) {
    const output = `${op.toLowerCase()}${++this.count}`;
    this.parts.push(message(1, ...inputs.map(i => bytes(1, i)), bytes(2, output), bytes(3, output), bytes(4, op),
                            ...Object.entries(attributes).map(([k, v]) => attribute(k, v))));
    return this.last = output;
  }

  // A convolution of `from` with bias, padded so that stride 1 keeps the extents.
  conv(from, shape, channels, kernel, stride, group = 1) {
    const pad = (kernel - 1) >> 1, inputs = shape[1] / group;
    const name = `conv${this.count + 1}`;
    const weight = this.constant(`${name}.weight`, [channels, inputs, kernel, kernel], Math.sqrt(2 / (inputs * kernel * kernel)));
    const bias = this.constant(`${name}.bias`, [channels], 0.01);
    const extent = d => Math.floor((d + 2 * pad - kernel) / stride) + 1;
    this.shape = [shape[0], channels, extent(shape[2]), extent(shape[3])];
    return this.node('Conv', [from, weight, bias], {
      group, kernel_shape: [kernel, kernel], pads: [pad, pad, pad, pad], strides: [stride, stride]});
  }

  relu() { return this.node('Relu', [this.last]); }

  // [..., columns] times constants, with bias.
  linear(from, rows, columns) {
    const name = `linear${this.count + 1}`;
    const product = this.node('MatMul', [from, this.constant(`${name}.weight`, [rows, columns], Math.sqrt(1 / rows))]);
    return this.node('Add', [product, this.constant(`${name}.bias`, [columns], 0.01)]);
  }

  layerNorm(from, width) {
    const name = `norm${this.count + 1}`, gains = Array.from({length: width}, () => 1 + this.draw(0.1));
    return this.node('LayerNormalization', [from, this.floats(`${name}.gain`, [width], gains),
                                            this.constant(`${name}.bias`, [width], 0.1)], {axis: -1});
  }

  // x * 0.5 * (1 + erf(x / sqrt(2))), node by node as exporters write it.
  gelu(x) {
    const one = (name, value) => this.floats(`gelu${this.count}.${name}`, [], [value]);
    const erf = this.node('Erf', [this.node('Div', [x, one('root', Math.SQRT2)])]);
    return this.node('Mul', [this.node('Mul', [x, this.node('Add', [erf, one('one', 1)])]), one('half', 0.5)]);
  }

  // Twice as high and wide.
  resize(from, mode) {
    const scales = this.floats(`resize${this.count + 1}.scales`, [4], [1, 1, 2, 2]);
    this.shape = [...this.shape.slice(0, 2), this.shape[2] * 2, this.shape[3] * 2];
    return this.node('Resize', [from, '', scales], {
      mode, coordinate_transformation_mode: mode === 'nearest' ? 'asymmetric' : 'half_pixel', nearest_mode: 'floor'});
  }

  // Twice as high and wide by a transposed convolution.
  convTransposed(from, channels, kernel) {
    const name = `up${this.count + 1}`, inputs = this.shape[1], pad = (kernel - 2) / 2;
    const weight = this.constant(`${name}.weight`, [inputs, channels, kernel, kernel], Math.sqrt(4 / (inputs * kernel * kernel)));
    const bias = this.constant(`${name}.bias`, [channels], 0.01);
    this.shape = [this.shape[0], channels, this.shape[2] * 2, this.shape[3] * 2];
    return this.node('ConvTranspose', [from, weight, bias], {
      kernel_shape: [kernel, kernel], pads: [pad, pad, pad, pad], strides: [2, 2]});
  }

  // `from` and `skip`, of so many channels.
  concatenate(from, skip, channels) {
    this.shape = [this.shape[0], this.shape[1] + channels, ...this.shape.slice(2)];
    return this.node('Concat', [from, skip], {axis: 1});
  }

  output() { this.parts.push(valueInfo(12, this.last, this.shape)); }

  classifier(classes) {
    const channels = this.shape[1];
    this.node('GlobalAveragePool', [this.last]);
    this.node('Flatten', [this.last]);
    const weight = this.constant('fc.weight', [classes, channels], Math.sqrt(1 / channels));
    this.node('Gemm', [this.last, weight, this.constant('fc.bias', [classes], 0.01)], {transB: 1});
    this.parts.push(valueInfo(12, this.last, [1, classes]));
  }

  file() {
    return Buffer.concat([number(1, 8), bytes(2, 'cosim-bench'), message(7, ...this.parts, bytes(2, this.name)),
                          message(8, number(2, 17))]);
  }
}

function resnet18() {
  const net = new Network('resnet18', [1, 3, 224, 224]);
  net.conv('input', net.shape, 64, 7, 2);
  net.relu();
  net.node('MaxPool', [net.last], {kernel_shape: [3, 3], pads: [1, 1, 1, 1], strides: [2, 2]});
  net.shape = [1, 64, 56, 56];
  for (const channels of [64, 128, 256, 512])
    for (let block = 0; block < 2; ++block) {
      const stride = channels > 64 && block === 0 ? 2 : 1;
      const from = net.last, shape = net.shape;
      net.conv(from, shape, channels, 3, stride);
      net.relu();
      const main = net.conv(net.last, net.shape, channels, 3, 1);
      const side = stride === 2 ? net.conv(from, shape, channels, 1, 2) : from;
      net.node('Add', [main, side]);
      net.relu();
    }
  net.classifier(1000);
  return net.file();
}

function mobilenetV1() {
  const net = new Network('mobilenet_v1', [1, 3, 224, 224]);
  const block = (channels, kernel, stride, group) => {
    net.conv(net.last, net.shape, channels, kernel, stride, group);
    net.relu();
  };
  block(32, 3, 2, 1);
  for (const [channels, stride] of [[64, 1], [128, 2], [128, 1], [256, 2], [256, 1], [512, 2], [512, 1], [512, 1], [512, 1],
                                    [512, 1], [512, 1], [1024, 2], [1024, 1]]) {
    block(net.shape[1], 3, stride, net.shape[1]);
    block(channels, 1, 1, 1);
  }
  net.classifier(1000);
  return net.file();
}

// Four layers of 256 features and 8 heads on 128 tokens, norm first.
function transformer() {
  const tokens = 128, width = 256, heads = 8;
  const net = new Network('transformer', [1, tokens, width]);
  const split = net.integers('split', [1, tokens, heads, width / heads]), joined = net.integers('joined', [1, tokens, width]);
  const root = net.floats('root', [], [Math.sqrt(width / heads)]);
  const project = (from, perm) =>
    net.node('Transpose', [net.node('Reshape', [net.linear(from, width, width), split])], {perm});
  let x = 'input';
  for (let layer = 0; layer < 4; ++layer) {
    const normal = net.layerNorm(x, width);
    const query = project(normal, [0, 2, 1, 3]), key = project(normal, [0, 2, 3, 1]), value = project(normal, [0, 2, 1, 3]);
    const scores = net.node('Div', [net.node('MatMul', [query, key]), root]);
    const mixed = net.node('MatMul', [net.node('Softmax', [scores], {axis: -1}), value]);
    const back = net.node('Reshape', [net.node('Transpose', [mixed], {perm: [0, 2, 1, 3]}), joined]);
    x = net.node('Add', [x, net.linear(back, width, width)]);
    const hidden = net.gelu(net.linear(net.layerNorm(x, width), width, 4 * width));
    x = net.node('Add', [x, net.linear(hidden, 4 * width, width)]);
  }
  net.layerNorm(x, width);
  net.output();
  return net.file();
}

// 128x128 pixels down to 16x16 of 128 channels and up again, by transposed convolutions and by resizing, with what the way
// down had at each extent; the result is resized to 256x256.
function unet() {
  const net = new Network('unet', [1, 3, 128, 128]);
  const pair = channels => {
    for (let i = 0; i < 2; ++i) {
      net.conv(net.last, net.shape, channels, 3, 1);
      net.relu();
    }
    return net.last;
  };
  const skips = [];
  for (const channels of [16, 32, 64]) {
    skips.push([pair(channels), channels]);
    net.node('MaxPool', [net.last], {kernel_shape: [2, 2], strides: [2, 2]});
    net.shape = [1, channels, net.shape[2] / 2, net.shape[3] / 2];
  }
  pair(128);
  const ups = [() => net.convTransposed(net.last, 64, 2), () => net.resize(net.last, 'nearest'), () => net.convTransposed(net.last, 16, 4)];
  for (const up of ups) {
    const [skip, channels] = skips.pop();
    net.concatenate(up(), skip, channels);
    pair(channels);
  }
  net.conv(net.last, net.shape, 4, 1, 1);
  net.resize(net.last, 'linear');
  net.node('Sigmoid', [net.last]);
  net.output();
  return net.file();
}

// What is measured: also as int8, or in float32 only.
module.exports = {
  resnet18: {make: resnet18, input: [1, 3, 224, 224], int8: true},
  mobilenet_v1: {make: mobilenetV1, input: [1, 3, 224, 224], int8: true},
  transformer: {make: transformer, input: [1, 128, 256], int8: false},
  unet: {make: unet, input: [1, 3, 128, 128], int8: false},
};
