// Measures, prints the table on standard output, writes the JSON. Started by redact-json.mjs, which
// installs what this imports.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { machine, versionOf } from '../machine.ts';
import { sectionJson, sectionText, targetsText } from '../report.ts';
import { jsonRedaction } from './json-redaction.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    json: { type: 'string' },
    check: { type: 'boolean', default: false },
    prepared: { type: 'boolean', default: false }, // the launcher's
  },
});
const config = { quick: values.quick, rounds: Number(values.rounds ?? (values.quick ? 1 : 7)) };
const versions = {
  node: process.version,
  ...Object.fromEntries(['@criticizer/redact', 'fast-redact', '@pinojs/redact'].map((name) => [name, versionOf(name)])),
};
console.log([JSON.stringify(machine()), JSON.stringify(versions)].join('\n'));
const section = { name: 'json', title: 'Redaction of JSON objects, JSON.stringify included', ...jsonRedaction(config) };
console.log(sectionText(section));
console.log(targetsText(section.targets));
if (values.json !== undefined) {
  const report = { name: 'redact-json', date: new Date().toISOString(), machine: machine(), versions, config };
  writeFileSync(
    values.json,
    `${JSON.stringify({ ...report, results: [sectionJson(section)], targets: section.targets }, null, 2)}\n`,
  );
}
if (values.check && section.targets.some(({ pass }) => pass !== true)) process.exitCode = 1;
