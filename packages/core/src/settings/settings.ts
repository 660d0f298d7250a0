import { z } from 'zod';
import { alerts } from './alert-settings.js';
import { audit } from './audit-settings.js';
import { fetch, intake, watch } from './intake-settings.js';
import { egress, llm } from './model-settings.js';
import { prompts } from './prompt-settings.js';
import { artifacts, retention } from './retention-settings.js';
import { mail, review } from './review-settings.js';
import { clock, retry, telemetry, worker } from './worker-settings.js';

/** Every setting, with default, bounds and description: the one source of types, checks and the reference page. */
export const settingsSchema = z.strictObject({
  worker,
  retry,
  intake,
  watch,
  fetch,
  llm,
  prompts,
  egress,
  review,
  mail,
  audit,
  alerts,
  artifacts,
  retention,
  clock,
  telemetry,
});

/** What a host writes: everything optional. */
export type SettingsInput = z.input<typeof settingsSchema>;
/** Complete and frozen. */
export type Settings = z.output<typeof settingsSchema>;

function knownKeys(path: readonly PropertyKey[]): string[] {
  let at: z.core.$ZodType = settingsSchema;
  for (const key of path) {
    while (at instanceof z.ZodDefault || at instanceof z.ZodPrefault || at instanceof z.ZodNullable) at = at.unwrap();
    at = at instanceof z.ZodArray ? at.element : at instanceof z.ZodObject ? (at.shape[String(key)] ?? at) : at;
  }
  while (at instanceof z.ZodDefault || at instanceof z.ZodPrefault || at instanceof z.ZodNullable) at = at.unwrap();
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function explain(issue: z.core.$ZodIssue): string {
  const where = ['settings', ...issue.path.map(String)].join('.');
  if (issue.code !== 'unrecognized_keys') return `${where}: ${issue.message}`;
  const unknown = issue.keys.map((key) => JSON.stringify(key)).join(', ');
  return `${where}: unknown key ${unknown}; known keys are ${knownKeys(issue.path).join(', ')}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}

/**
 * Fills in defaults and checks bounds. Throws one `TypeError` that names every wrong setting, what
 * was expected and, for an unknown key, the known ones.
 */
export function resolveSettings(input: SettingsInput = {}): Settings {
  const parsed = settingsSchema.safeParse(input);
  if (!parsed.success) throw new TypeError(parsed.error.issues.map(explain).join('\n'));
  const settings = parsed.data;
  if (settings.worker.pollMaxMs < settings.worker.pollMinMs)
    throw new TypeError('settings.worker: pollMaxMs must not be below pollMinMs');
  return deepFreeze(settings);
}
