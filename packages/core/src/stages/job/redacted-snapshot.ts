import { type RedactedChange, readRedactedChange } from '../../changes/redacted-change.js';
import { type RedactedText, readRedactedText } from '../../foundation/redacted-text.js';
import type { Redactor } from '../../foundation/redactor.js';
import type { StageContext } from '../../worker/run/stage.js';
import { readChange, redactedSnapshot } from './change-snapshot.js';
import { redactFetched } from './redact-fetched.js';
import type { RunOutputs } from './run-outputs.js';

/** Stores the redacted form of a change, `pending` until a settlement names it. Resolves to the artifact's id. */
export function writeRedactedSnapshot(
  rules: Redactor['rules'],
  redacted: RedactedChange,
  outputs: RunOutputs,
): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(redacted), 'utf8');
  return outputs.write({ namespace: 'redacted', purpose: 'change', redaction: rules }, bytes);
}

/**
 * The snapshot a prompt may be made from. One made by other rules than those in force is made anew
 * from the raw change: rules that were strengthened between two stages must hold, and an upgrade
 * must not fail what is under way.
 */
export async function openRedactedSnapshot(
  redactor: Redactor,
  outputs: RunOutputs,
  context: Pick<StageContext<unknown>, 'checkpoint'>,
): Promise<{ snapshot: RedactedText; change: RedactedChange }> {
  let snapshot = await outputs.readRedacted(redactedSnapshot);
  const made = readRedactedText(snapshot);
  if (made.rulesVersion !== redactor.rules.version || made.policyHash !== redactor.rules.policyHash) {
    const redacted = redactFetched(redactor, await readChange(outputs));
    const id = await writeRedactedSnapshot(redactor.rules, redacted, outputs);
    await context.checkpoint({ outputs: { [redactedSnapshot]: id }, publish: [id] });
    snapshot = await outputs.readRedacted(redactedSnapshot);
  }
  return { snapshot, change: readRedactedChange(JSON.parse(readRedactedText(snapshot).text)) };
}
