// SPDX-License-Identifier: Apache-2.0
// seeds.js SCHEMA FOLDER: the single operators as TensorFlow Lite files in FOLDER, for the importer's fuzzer.
'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');
const {openSchema, writeModel} = require('./model.js');

const [schema, folder] = process.argv.slice(2);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'cosim-seeds-'));
const opened = openSchema(schema, scratch);
for (const [name, {model}] of Object.entries({...require('./types_operators.js'), ...require('./operators.js')})) {
  const file = path.join(scratch, `${name}.tflite`);
  writeModel(opened, file, model.tensors, model.operators, model.inputs, model.outputs);
  fs.copyFileSync(file, path.join(folder, `${name}.tflite`));
}
fs.rmSync(scratch, {recursive: true});
