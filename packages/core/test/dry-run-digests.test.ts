import { describe, expect, it } from 'vitest';
import { change, file, harness, reply, scriptedProvider } from './criticizer-harness.js';

const several = change({
  files: Array.from({ length: 6 }, (_, n) =>
    file(
      `//depot/part-${n}.ts`,
      Array.from({ length: 120 }, (_, line) => `const value${n}x${line} = compute(${line}, ${n});`),
    ),
  ),
});

describe('dry run and review', () => {
  it.each([
    ['one chunk', change(), 100_000],
    ['several chunks', several, 12_000],
  ])(
    'EGR-3 EGR-1: the digests of a dry run are those of the records that the review commits: %s',
    async (_, given, contextTokens) => {
      const { provider } = scriptedProvider([reply([])]);
      const small = { ...provider, limits: { contextTokens, maxOutputTokens: 1_000 } };
      const t = harness({ change: given, more: { llm: small } });
      const dry = await t.criticizer.dryRun({ serverId: 'main', number: 7 });
      if (dry.kind !== 'planned') throw new Error('skipped');
      expect(dry.requests.length > 1).toBe(given === several);
      await t.run();
      const rows = await t.stores.egress.list({ destination: 'llm', limit: 100 });
      const digests = (list: readonly { bodySha256: string }[]) => list.map(({ bodySha256 }) => bodySha256).sort();
      expect(digests(rows)).toEqual(digests(dry.requests));
      expect(new Set(digests(rows)).size).toBe(dry.requests.length);
      // And again: nothing of a request is drawn.
      const again = await t.criticizer.dryRun({ serverId: 'main', number: 7 });
      expect(again).toEqual(dry);
      await t.criticizer.stop();
    },
  );
});
