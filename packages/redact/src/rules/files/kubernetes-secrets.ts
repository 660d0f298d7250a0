import { reachOf } from '../../grammar/reach.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { isStandIn } from '../../lexicon/benign-values.js';

/** How far before and behind `kind: Secret` its data are looked for. */
const BEFORE = 4096;
const BEHIND = 16_384;

/** Values under `data` and `stringData` of a Kubernetes Secret, whatever their keys. */
export function kubernetesSecretRules(): Rule[] {
  return [secretManifest];
}

const secretManifest: Rule = {
  triggers: [
    'kind: secret\n',
    'kind: secret\r',
    'kind: "secret"',
    "kind: 'secret'",
    '"kind": "secret"',
    '"kind":"secret"',
  ],
  confirm(scan, start) {
    const reach = reachOf(scan, secretManifest);
    if (start < reach.end) return;
    const { text } = scan;
    const from = documentStart(text, Math.max(reach.end, start - BEFORE), start);
    const next = text.slice(start, start + BEHIND).search(/\n[-+ ]?---/);
    reach.end = next < 0 ? Math.min(text.length, start + BEHIND) : start + next;
    confirmData(scan, from, reach.end);
  },
};

function documentStart(text: string, floor: number, start: number): number {
  const separator = text.slice(floor, start).lastIndexOf('---\n');
  return separator < 0 ? floor : floor + separator;
}

/** Line by line: an indented `key: value` below `data:` holds a value. */
function confirmData(scan: Scan, from: number, to: number): void {
  const { text } = scan;
  let depth = -1;
  for (let at = from; at < to; ) {
    const found = text.indexOf('\n', at);
    const end = found < 0 || found > to ? to : found;
    const line = text.slice(at, Math.min(end, at + 4096));
    const entry = /^([-+ ]?)(\s*)("?)([\w.-]{1,100})\3:\s*("?)([^\s"#][^"\r]*)?/.exec(line);
    if (entry !== null) {
      const indent = (entry[1] as string).length + (entry[2] as string).length;
      const value = entry[6]?.trimEnd().replace(/,$/, '') ?? '';
      if (depth >= 0 && indent > depth) reportValue(scan, at + entry[0].length - (entry[6] ?? '').length, value);
      else depth = /^(?:data|stringData)$/.test(entry[4] as string) && (value === '' || value === '{') ? indent : -1;
    }
    at = end + 1;
  }
}

function reportValue(scan: Scan, at: number, value: string): void {
  if (value.length < 4 || value.length > 4096 || isStandIn(value) || /^[|>][-+]?$/.test(value)) return;
  scan.report('kubernetes-secret', at, at + value.length, 'low');
}
