import type { Change } from '../../changes/change.js';
import { type RedactedChange, readRedactedChange } from '../../changes/redacted-change.js';
import { type RedactedText, readRedactedText } from '../../foundation/redacted-text.js';
import type { Redactor } from '../../foundation/redactor.js';
import type { StageContext } from '../../worker/run/stage.js';
import { readChange, redactedSnapshot } from './change-snapshot.js';
import { redactFetched } from './redact-fetched.js';
import type { RunOutputs } from './run-outputs.js';

/** Stores the redacted form of a change, `pending` until a settlement names it. */
export async function writeRedactedSnapshot(
  redactor: Redactor,
  change: Change,
  outputs: RunOutputs,
): Promise<{ id: string; redacted: RedactedChange }> {
  const redacted = redactFetched(redactor, change);
  const bytes = Buffer.from(JSON.stringify(redacted), 'utf8');
  const about = { namespace: 'redacted', purpose: 'change', redaction: redactor.rules } as const;
  return { id: await outputs.write(about, bytes), redacted };
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
    const { id } = await writeRedactedSnapshot(redactor, await readChange(outputs), outputs);
    await context.checkpoint({ outputs: { [redactedSnapshot]: id }, publish: [id] });
    snapshot = await outputs.readRedacted(redactedSnapshot);
  }
  return { snapshot, change: readRedactedChange(JSON.parse(readRedactedText(snapshot).text)) };
}
