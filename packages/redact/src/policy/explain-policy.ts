import { z } from 'zod';
import { redactionPolicySchema } from './policy-schema.js';

/** One sentence for what is wrong with a policy: where, what, and for an unknown option the nearest known one and all of them. Shows no value. */
export function explainPolicy(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map(explainIssue).join('; ');
}

function explainIssue(issue: z.core.$ZodIssue): string {
  const at = issue.path.reduce<string>((path, step) => path + (typeof step === 'number' ? `[${step}]` : `.${String(step)}`), 'policy');
  if (issue.code !== 'unrecognized_keys') return `${at}: ${issue.message}`;
  const known = optionsAt(issue.path);
  const near = issue.keys.map((key) => nearest(key, known)).filter((key) => key !== undefined);
  const hint = near.length > 0 ? `; did you mean ${near.map((key) => JSON.stringify(key)).join(', ')}?` : ';';
  return `${at} has no option ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}${hint} known: ${known.join(', ')}`;
}

function optionsAt(path: readonly PropertyKey[]): string[] {
  let schema: z.ZodType = redactionPolicySchema;
  for (const step of path) {
    const within = unwrapped(schema);
    if (within instanceof z.ZodObject) schema = (within.shape as Record<PropertyKey, z.ZodType>)[step] ?? schema;
    else if (within instanceof z.ZodArray) schema = within.element as z.ZodType;
  }
  const last = unwrapped(schema);
  return last instanceof z.ZodObject ? Object.keys(last.shape) : [];
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
}

/** The known option that shares its first three letters, or holds the wrong one, or is held by it. */
function nearest(wrong: string, known: readonly string[]): string | undefined {
  const folded = wrong.toLowerCase();
  return known.find((key) => {
    const name = key.toLowerCase();
    return name.includes(folded) || folded.includes(name) || name.slice(0, 3) === folded.slice(0, 3);
  });
}
