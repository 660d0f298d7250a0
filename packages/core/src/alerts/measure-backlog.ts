import type { Stores } from '../stores/stores.js';
import { attribute, metric } from '../telemetry/names.js';
import type { Telemetry } from '../telemetry/telemetry.js';

/** A gauge by its attributes, whose series go to 0 once they are not measured any more. */
export function createGroupGauge(telemetry: Telemetry, name: string) {
  const known = new Map<string, Record<string, string>>();
  return (groups: readonly { labels: Record<string, string>; value: number }[]): void => {
    const values = new Map(groups.map(({ labels, value }) => [JSON.stringify(labels), value]));
    for (const { labels } of groups) known.set(JSON.stringify(labels), labels);
    for (const [key, labels] of known) telemetry.gauge(name, values.get(key) ?? 0, labels);
  };
}

/** Measures open dead letters, and the mails that are not done with (OPS-6). Rejects with the store's error. */
export function createBacklogMeasure(
  { deadLetters, outbox }: Pick<Stores<never>, 'deadLetters' | 'outbox'>,
  telemetry: Telemetry,
): () => Promise<void> {
  const lettersOpen = createGroupGauge(telemetry, metric.lettersOpen);
  const mailBacklog = createGroupGauge(telemetry, metric.mailBacklog);
  const mailOldest = createGroupGauge(telemetry, metric.mailOldest);
  return async () => {
    const open = new Map<string, number>();
    for (const { stage, errorClass, open: more } of await deadLetters.stats()) {
      const key = JSON.stringify([stage, errorClass]);
      open.set(key, (open.get(key) ?? 0) + more);
    }
    lettersOpen(
      [...open].map(([key, value]) => {
        const [stage = '', code = ''] = JSON.parse(key) as string[];
        return { labels: { [attribute.stage]: stage, [attribute.errorType]: code }, value };
      }),
    );
    const mails = (await outbox.backlog()).map(({ status, waitingFor, count, oldestMs }) => ({
      labels: { [attribute.status]: status, [attribute.reason]: waitingFor ?? 'none' },
      ...{ count, oldestMs },
    }));
    mailBacklog(mails.map(({ labels, count }) => ({ labels, value: count })));
    mailOldest(mails.map(({ labels, oldestMs }) => ({ labels, value: oldestMs / 1_000 })));
  };
}
