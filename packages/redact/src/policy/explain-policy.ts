import type { z as Zod } from 'zod';

/** One sentence for what is wrong with a policy: where, what, and for an unknown option the nearest known one and all of them. Shows no value. */
export function explainPolicy(issues: readonly Zod.core.$ZodIssue[], schema: Zod.ZodType, z: typeof Zod): string {
  return issues.map((issue) => explainIssue(issue, schema, z)).join('; ');
}

function explainIssue(issue: Zod.core.$ZodIssue, schema: Zod.ZodType, z: typeof Zod): string {
  const at = issue.path.reduce<string>((path, step) => path + (typeof step === 'number' ? `[${step}]` : `.${String(step)}`), 'policy');
  if (issue.code !== 'unrecognized_keys') return `${at}: ${issue.message}`;
  const known = optionsAt(issue.path, schema, z);
  const near = issue.keys.map((key) => nearest(key, known)).filter((key) => key !== undefined);
  const hint = near.length > 0 ? `; did you mean ${near.map((key) => JSON.stringify(key)).join(', ')}?` : ';';
  return `${at} has no option ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}${hint} known: ${known.join(', ')}`;
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

/** The known option that shares its first three letters, or holds the wrong one, or is held by it. */
function nearest(wrong: string, known: readonly string[]): string | undefined {
  const folded = wrong.toLowerCase();
  return known.find((key) => {
    const name = key.toLowerCase();
    return name.includes(folded) || folded.includes(name) || name.slice(0, 3) === folded.slice(0, 3);
  });
}
