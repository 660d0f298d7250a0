import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resolveSettings, settingsSchema } from './settings.js';

const page = fileURLToPath(new URL('../../../../docs/reference/settings.md', import.meta.url));
const stale =
  'docs/reference/settings.md is stale; write it with: npx vitest run packages/core/src/settings/settings-reference.test.ts -u';

interface Described {
  type?: string | string[];
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  enum?: readonly unknown[];
  items?: Described;
  properties?: Readonly<Record<string, Described>>;
  anyOf?: readonly Described[];
  required?: readonly string[];
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

/** What may stand there, in one cell. */
function accepts(field: Described): string {
  if (field.anyOf !== undefined) return field.anyOf.map(accepts).join(' or ');
  if (field.enum !== undefined) return field.enum.map(code).join(', ');
  if (field.type === 'array') return `list of ${accepts(field.items ?? {})}`;
  if (field.type === 'object') return `{ ${Object.keys(field.properties ?? {}).join(', ')} }`;
  if (field.type === 'null') return '`null`';
  if (field.minimum === undefined || field.maximum === undefined) return String(field.type);
  const kind = field.type === 'integer' ? 'whole number' : 'number';
  return field.maximum >= Number.MAX_SAFE_INTEGER
    ? `${kind} from ${number(field.minimum)}`
    : `${kind}, ${number(field.minimum)} to ${number(field.maximum)}`;
}

const number = (value: number): string => value.toLocaleString('en-US');
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function rows(prefix: string, fields: Readonly<Record<string, Described>>, required: readonly string[] = []): string[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const unset = required.includes(key) ? 'required' : 'none';
    const byDefault = field.default === undefined ? unset : code(field.default);
    const row = `| \`${path}\` | ${accepts(field)} | ${byDefault} | ${cell(field.description ?? '')} |`;
    if (field.properties !== undefined) return [row, ...rows(path, field.properties, field.required)];
    const rule = field.anyOf?.find((one) => one.type === 'array')?.items ?? field.items;
    return rule?.properties === undefined ? [row] : [row, ...rows(`${path}[]`, rule.properties, rule.required)];
  });
}

function referencePage(): string {
  const { properties = {} } = z.toJSONSchema(settingsSchema, { io: 'input' }) as Described;
  const groups = Object.entries(properties).map(([group, { description = '', properties: fields = {} }]) =>
    [
      `## ${group}`,
      '',
      description,
      '',
      '| setting | accepts | default | what it does |',
      '| --- | --- | --- | --- |',
      ...rows(group, fields),
    ].join('\n'),
  );
  return `# Settings

<!-- Generated from packages/core/src/settings. Do not edit: npx vitest run packages/core/src/settings/settings-reference.test.ts -u -->

\`createCriticizer({ settings })\` takes these. Every one is optional. An unknown key or a value out of bounds is a \`TypeError\` that names it before anything
runs. Names say their unit: \`…Ms\` is milliseconds, \`…Bytes\` is bytes.

${groups.join('\n\n')}
`;
}

describe('docs/reference/settings.md', () => {
  it('is what the schema says', async () => {
    await expect(referencePage(), stale).toMatchFileSnapshot(page);
  });

  it('describes every setting, and each default lies within its own bounds', () => {
    const lines = referencePage()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const leaves = Object.entries(resolveSettings()).flatMap(([group, values]) =>
      Object.keys(values).map((key) => `${group}.${key}`),
    );
    for (const leaf of leaves) expect(lines.some((line) => line.startsWith(`| \`${leaf}\` |`))).toBe(true);
    for (const line of lines) expect(line.split(' | ').at(-1)).toMatch(/^\S.{9,} \|$/);
    expect(resolveSettings({})).toEqual(resolveSettings(JSON.parse(JSON.stringify(resolveSettings()))));
  });
});
