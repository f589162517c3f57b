// SPDX-License-Identifier: Apache-2.0
// Float networks of the shapes of ResNet-18 and MobileNetV1 at 224x224 as ONNX files, with random weights: what they
// compute matters to no clock. Batch normalization is folded already.
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

const FLOAT = 1, INTS = 7, INT = 2;

function attribute(name, value) {
  return Array.isArray(value) ? message(5, bytes(1, name), ...value.map(v => number(8, v)), number(20, INTS))
                              : message(5, bytes(1, name), number(3, value), number(20, INT));
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
    const data = Float32Array.from({length: shape.reduce((a, b) => a * b, 1)}, () => this.draw(deviation));
    this.parts.push(message(5, ...shape.map(d => number(1, d)), number(2, FLOAT), bytes(8, name), bytes(9, Buffer.from(data.buffer))));
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
                          message(8, number(2, 13))]);
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

module.exports = {resnet18, mobilenet_v1: mobilenetV1};
