// `npm run bench:redact-rules`: what each file of rules finds on the corpora of the bench, and what
// no other file finds. A zero in the last column is no reason to delete one: the corpora are ours.

import { readPath } from '../../../packages/redact/src/grammar/path-kind.js';
import { resolvePolicy } from '../../../packages/redact/src/policy/resolve-policy.js';
import { secretRules } from '../../../packages/redact/src/rules/rule-set.js';
import { createPipeline } from '../../../packages/redact/src/session/pipeline.js';
import { labelledCorpus } from './corpus/index.ts';
import { grammarCorpus } from './grammar/index.ts';

const seeds = [1, 2, 3];
const texts = seeds.flatMap((seed) => [...labelledCorpus(seed, 2), ...grammarCorpus(seed, 2)]);
const policy = resolvePolicy({});
const files = secretRules.map((make) => ({ name: make.name, find: createPipeline(make(policy)), hits: 0, alone: 0 }));

for (const { text, path, diff } of texts) {
  const { kind, layout } = readPath(path);
  const found = files.map(({ find }) => find(text, { kind, layout, diff }).map(({ spans }) => spans));
  const overlaps = (a: readonly number[], b: readonly number[]): boolean =>
    (a[0] as number) < (b.at(-1) as number) && (b[0] as number) < (a.at(-1) as number);
  found.forEach((hits, index) => {
    const file = files[index] as (typeof files)[number];
    const others = found.flatMap((one, other) => (other === index ? [] : one));
    file.hits += hits.length;
    file.alone += hits.filter((hit) => !others.some((other) => overlaps(hit, other))).length;
  });
}

console.log(`${texts.length} labelled texts, seeds ${seeds.join(', ')}\n`);
console.log('rules                      hits   no other has');
for (const { name, hits, alone } of files.sort((a, b) => b.alone - a.alone || b.hits - a.hits))
  console.log(`${name.padEnd(24)} ${String(hits).padStart(6)} ${String(alone).padStart(14)}`);
