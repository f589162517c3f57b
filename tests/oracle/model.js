// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite files of a few operators, from JSON and the importer's schema by flatc.
'use strict';

const {execFileSync} = require('child_process');
const fs = require('fs');
const path = require('path');

const TYPES = {FLOAT32: Float32Array, INT32: Int32Array, INT64: BigInt64Array, UINT8: Uint8Array, INT8: Int8Array,
               INT16: Int16Array};

// A tensor: `scale` one number or one for each index of dimension `axis`, `data` of a constant; `variable`: it is kept from
// run to run.
function tensor(type, shape, {scale, zero = 0, axis = 0, data, variable = false} = {}) {
  return {type, shape, scale, zero, axis, data, variable};
}

// `operators`: [{op, inputs, outputs, options: [table, fields]}]; tensors by index. Writes `file` (*.tflite).
function writeModel(schema, file, tensors, operators, inputs, outputs) {
  const buffers = [{}];
  const write = t => {
    const result = {shape: t.shape, type: t.type, buffer: 0, name: `t${tensors.indexOf(t)}`};
    if (t.variable) result.is_variable = true;
    if (t.scale !== undefined) {
      const scales = [].concat(t.scale);
      result.quantization = {scale: scales, zero_point: scales.map(() => t.zero), quantized_dimension: t.axis};
    }
    if (t.data) {
      const bytes = TYPES[t.type].from(t.data, v => t.type === 'INT64' ? BigInt(v) : v);
      result.buffer = buffers.push({data: [...new Uint8Array(bytes.buffer)]}) - 1;
    }
    return result;
  };
  const model = {
    version: 3,
    operator_codes: operators.map(o => ({deprecated_builtin_code: o.code, builtin_code: o.op, version: 1})),
    subgraphs: [{
      tensors: tensors.map(write),
      inputs,
      outputs,
      operators: operators.map((o, i) => ({
        opcode_index: i, inputs: o.inputs, outputs: o.outputs,
        ...(o.options ? {builtin_options_type: o.options[0], builtin_options: o.options[1]} : {}),
      })),
    }],
    buffers,
  };
  const json = file.replace(/\.tflite$/, '.json');
  fs.writeFileSync(json, JSON.stringify(model));
  execFileSync('flatc', ['-b', '-o', path.dirname(file), schema, json]);
}

module.exports = {tensor, writeModel};
