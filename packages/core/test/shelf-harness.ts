import type { Change, ChangedFile } from '../src/changes/change.js';
import type { LlmProvider, LlmReply, PreparedLlmRequest } from '../src/llm/llm-provider.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import type { SettingsInput } from '../src/settings/settings.js';
import { change, file, finding, harness, reply, scriptedProvider, sharedArtifacts } from './criticizer-harness.js';

/** What the requests of one version were. */
interface Sent {
  reviews: string[];
  checks: string[];
}

/** A model that reports a finding for each `BUG n` that a request shows, and drops what it is asked about. */
export function createModel(
  id = 'one',
  more: readonly object[] = [],
  without: 'nothing' | 'verdicts' | 'findings' = 'nothing',
): { provider: LlmProvider; sent: Sent } {
  const sent: Sent = { reviews: [], checks: [] };
  const provider: LlmProvider = {
    ...scriptedProvider([], id).provider,
    async send({ body }: PreparedLlmRequest): Promise<LlmReply> {
      const text: string = JSON.parse(body).turns[0].text;
      if (body.includes('You check findings')) {
        sent.checks.push(text);
        const ids = [...text.matchAll(/^finding: ([0-9a-f]{16})$/gm)].map(([, one]) => one);
        const said = without === 'verdicts' ? [] : ids;
        const verdicts = said.map((one) => ({ id: one, reason: 'The line is gone.', verdict: 'drop' }));
        return reply([], { text: JSON.stringify({ check_version: '1.0', verdicts }) });
      }
      sent.reviews.push(text);
      const bugs = new Set([...text.matchAll(/^\+?\s*\d*\s*.*bug(\d+)\(\);/gm)].map(([, n]) => n));
      const found = (without === 'findings' ? [] : [...bugs]).map((n) =>
        finding({
          ...{ file: `//depot/${n}.ts`, line: 1, title: `Bug ${n}`, message: `The call bug${n} fails.` },
          severity: 'medium',
        }),
      );
      return reply([...found, ...more]);
    },
  };
  return { provider, sent };
}

export const one = file('//depot/1.ts', ['bug1();', 'ok();']);
export const two = file('//depot/2.ts', ['bug2();', 'ok();']);
export const mended = file('//depot/2.ts', ['fine();', 'ok();']);

/** One shelf over several versions, on the same stores. */
export function openShelf(settings: SettingsInput = {}, kind: Change['kind'] = 'shelved') {
  const kept = { stores: createMemoryStores(), artifacts: sharedArtifacts() };
  return async (
    version: number,
    files: readonly ChangedFile[],
    { model = createModel(), readAll = false, now = settings } = {},
  ) => {
    const t = harness({
      change: change({ files, kind }),
      more: { ...kept, llm: model.provider, settings: now },
    });
    const dry = await t.criticizer.dryRun({ serverId: 'main', number: 7 });
    const review = await t.criticizer.review(await t.run(version, { readAll }));
    const mails = t.mailer.accepted().map(({ mail }) => JSON.parse(mail.text));
    await t.criticizer.stop();
    return { review, mails, dry, ...model.sent };
  };
}

/** Lines that were added at one place. */
export const hunkAt = (newStart: number, ...lines: string[]) => ({
  ...{ oldStart: newStart, oldLines: 0, newStart, newLines: lines.length },
  lines: lines.map((line) => `+${line}`),
});
