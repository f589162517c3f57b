// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite files of a few operators, from JSON and the importer's schema by flatc.
'use strict';

const {execFileSync} = require('child_process');
const fs = require('fs');
const path = require('path');

const TYPES = {FLOAT32: Float32Array, INT32: Int32Array, INT64: BigInt64Array, UINT8: Uint8Array, INT8: Int8Array,
               INT16: Int16Array, BOOL: Uint8Array};

// A tensor: `scale` one number or one for each index of dimension `axis`, `data` of a constant; `variable`: it is kept from
// run to run.
function tensor(type, shape, {scale, zero = 0, axis = 0, data, variable = false} = {}) {
  return {type, shape, scale, zero, axis, data, variable};
}

// Numbers for weights and biases that are the same in every run.
function numbers(count, range, seed) {
  let state = seed >>> 0;
  return Array.from({length: count}, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * (2 * range + 1)) - range;
  });
}

const size = shape => shape.reduce((a, b) => a * b, 1);

// One operator of several results, all of them the model's, that at `which` first.
function several(op, operands, results, options, which = 0) {
  return {
    tensors: [...operands, ...results],
    operators: [{op, inputs: operands.map((_, i) => i), outputs: results.map((_, i) => operands.length + i), options}],
    inputs: operands.flatMap((t, i) => t.data ? [] : [i]),
    outputs: results.map((_, i) => operands.length + (i + which) % results.length),
  };
}

// One operator: its tensors are the inputs, then the constants, then the output.
function one(op, inputs, constants, output, options) {
  return several(op, [...inputs, ...constants], [output], options);
}

// Options that the importer does not read, since tensors say the same, but TensorFlow Lite does.
const MORE_OPTIONS = {
  ArgMaxOptions: [40, '{ output_type: TensorType; }'],
  ShapeOptions: [55, '{ out_type: TensorType; }'],
  ArgMinOptions: [57, '{ output_type: TensorType; }'],
};

// The importer's schema, with what it leaves out, as a file in `folder`; and the numbers of operators.
function openSchema(importers, folder) {
  const text = fs.readFileSync(importers, 'utf8');
  const codes = {};
  const operators = text.match(/enum BuiltinOperator[^}]*}/)[0];
  for (const [, name, number] of operators.matchAll(/(\w+) = (\d+)/g)) codes[name] = Number(number);
  const union = text.match(/union BuiltinOptions {([^}]*)}/);
  const options = [...union[1].matchAll(/(\w+) = (\d+)/g)].map(([, name, number]) => [name, Number(number)]);
  const added = Object.entries(MORE_OPTIONS);
  options.push(...added.map(([name, [number]]) => [name, number]));
  options.sort((a, b) => a[1] - b[1]);
  const file = path.join(folder, 'schema.fbs');
  // Tensors that integer kernels with a state read scales of, two fields behind the last one.
  const wider = text.replace('custom_options: [ubyte];', `custom_options: [ubyte];
    custom_options_format: byte; mutating_variable_inputs: [bool]; intermediates: [int];`);
  fs.writeFileSync(file, wider.replace(union[0], added.map(([name, [, fields]]) => `table ${name} ${fields}\n`).join('') +
      `union BuiltinOptions { ${options.map(([name, number]) => `${name} = ${number}`).join(', ')} }`));
  return {file, codes};
}

// `operators`: [{op, inputs, outputs, options: [table, fields]}]; tensors by index. Writes `file` (*.tflite). `schema`: of
// openSchema.
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
    operator_codes: operators.map(o => ({
      deprecated_builtin_code: Math.min(schema.codes[o.op], 127), builtin_code: o.op, version: 1,
    })),
    subgraphs: [{
      tensors: tensors.map(write),
      inputs,
      outputs,
      operators: operators.map((o, i) => ({
        opcode_index: i, inputs: o.inputs, outputs: o.outputs,
        ...(o.options ? {builtin_options_type: o.options[0], builtin_options: o.options[1]} : {}),
        ...(o.intermediates ? {intermediates: o.intermediates} : {}),
      })),
    }],
    buffers,
  };
  const json = file.replace(/\.tflite$/, '.json');
  fs.writeFileSync(json, JSON.stringify(model));
  execFileSync('flatc', ['-b', '-o', path.dirname(file), schema.file, json]);
}

module.exports = {numbers, one, openSchema, several, size, tensor, writeModel};
