import type { z as Zod } from 'zod';
import { unknownOption } from '../check-options.js';

/**
 * One sentence for what is wrong with a policy: where, what, and for an unknown option the nearest
 * known one and all of them. Shows no value.
 */
export function explainPolicy(issues: readonly Zod.core.$ZodIssue[], schema: Zod.ZodType, z: typeof Zod): string {
  return issues.map((issue) => explainIssue(issue, schema, z)).join('; ');
}

function explainIssue(issue: Zod.core.$ZodIssue, schema: Zod.ZodType, z: typeof Zod): string {
  const at = issue.path.reduce<string>(
    (path, step) => path + (typeof step === 'number' ? `[${step}]` : `.${String(step)}`),
    'policy',
  );
  if (issue.code !== 'unrecognized_keys') return `${at}: ${issue.message}`;
  const known = optionsAt(issue.path, schema, z);
  return issue.keys.map((key) => unknownOption(`${at}.${key}`, key, known)).join('; ');
}

function optionsAt(path: readonly PropertyKey[], root: Zod.ZodType, z: typeof Zod): string[] {
  let schema = root;
  for (const step of path) {
    const within = unwrapped(schema, z);
    if (within instanceof z.ZodObject) schema = (within.shape as Record<PropertyKey, Zod.ZodType>)[step] ?? schema;
    else if (within instanceof z.ZodArray) schema = within.element as Zod.ZodType;
  }
  const last = unwrapped(schema, z);
  return last instanceof z.ZodObject ? Object.keys(last.shape) : [];
}

function unwrapped(schema: Zod.ZodType, z: typeof Zod): Zod.ZodType {
  return schema instanceof z.ZodOptional ? (schema.unwrap() as Zod.ZodType) : schema;
}
