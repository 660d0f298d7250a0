import type { Artifacts } from '../artifacts/artifacts.js';
import type { Change } from '../changes/change.js';
import { type RedactedChange, readRedactedChange } from '../changes/redacted-change.js';
import { type RedactedText, readRedactedText } from '../foundation/redacted-text.js';
import type { Redactor } from '../foundation/redactor.js';
import type { Job } from '../stores/job.js';
import type { StageContext } from '../worker/stage.js';
import { decodeChange, outputOf, rawSnapshot, redactedSnapshot } from './change-snapshot.js';
import { redactFetched } from './redact-fetched.js';

/** Stores the redacted form of a change, `pending` until a settlement names it. */
export async function writeRedactedSnapshot(
  { artifacts, redactor }: { artifacts: Artifacts; redactor: Redactor },
  change: Change,
  job: Pick<Job, 'id' | 'changelistId'>,
): Promise<{ id: string; redacted: RedactedChange }> {
  const redacted = redactFetched(redactor, change);
  const about = {
    namespace: 'redacted',
    purpose: 'change',
    contentType: 'application/json',
    redaction: redactor.rules,
  } as const;
  const bytes = Buffer.from(JSON.stringify(redacted), 'utf8');
  return { id: await artifacts.write({ ...about, changelistId: job.changelistId, jobId: job.id }, bytes), redacted };
}

/**
 * The snapshot a prompt may be made from. One made by other rules than those in force is made anew
 * from the raw change: rules that were strengthened between two stages must hold, and an upgrade
 * must not fail what is under way.
 */
export async function openRedactedSnapshot(
  parts: { artifacts: Artifacts; redactor: Redactor },
  context: StageContext<unknown>,
): Promise<{ snapshot: RedactedText; change: RedactedChange }> {
  const { artifacts, redactor } = parts;
  const read = async () => artifacts.readRedacted(outputOf(context.outputs(), redactedSnapshot));
  let snapshot = await read();
  const made = readRedactedText(snapshot);
  if (made.rulesVersion !== redactor.rules.version || made.policyHash !== redactor.rules.policyHash) {
    const { body } = await artifacts.read(outputOf(context.outputs(), rawSnapshot));
    const { id } = await writeRedactedSnapshot(parts, decodeChange(body), context.job);
    await context.checkpoint({ outputs: { [redactedSnapshot]: id }, publish: [id] });
    snapshot = await read();
  }
  return { snapshot, change: readRedactedChange(JSON.parse(readRedactedText(snapshot).text)) };
}
