import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { attribute } from './attributes.js';
import { instruments } from './instruments.js';

const reference = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../docs/reference/${file}`, import.meta.url)), 'utf8');
const ofPerson = /author|user|person|people|recipient|reviewer|owner|mail_?addr|address|actor|login|committer/i;
const labels: readonly string[] = Object.values(attribute);

describe('nothing counts people', () => {
  it('NOT-10: no attribute of a metric or span is one of a person', () => {
    expect(labels.filter((label) => ofPerson.test(label))).toEqual([]);
    const used = Object.values(instruments).flatMap(({ attributes }) => attributes);
    expect(used.filter((label) => !labels.includes(label))).toEqual([]);
  });

  it('NOT-10: no dashboard and no alert groups by a person', () => {
    for (const file of ['dashboard.json', 'audit-dashboard.json', 'alerts.rules.yml', 'audit-alerts.rules.yml']) {
      const groups = [...reference(file).matchAll(/\b(?:by|without|on|group_left)\s*\(([^)]*)\)/g)].map(
        ([, names]) => names,
      );
      expect(groups.filter((names) => ofPerson.test(names ?? ''))).toEqual([]);
    }
  });
});
