import { describe, expect, it } from 'vitest';
import { createMemoryContextReader } from '../../src/changes/memory-context-reader.js';
import { systemClock } from '../../src/foundation/time/system-clock.js';
import { resolveSettings } from '../../src/settings/settings.js';
import { gatherContext } from '../../src/stages/fetch/context/gather-context.js';
import { createPathFilter } from '../../src/stages/job/path-filter.js';
import { type EvidenceCase, readCases } from './read-cases.js';

/** The lines of evidence that no piece of the gathered context shows. */
async function findMissing({ change, files, evidence }: EvidenceCase): Promise<readonly string[]> {
  const { context } = await gatherContext(change, {
    reader: createMemoryContextReader({ serverId: change.serverId, files }),
    settings: resolveSettings({}).review.context,
    filter: createPathFilter([]),
    clock: systemClock,
    signal: new AbortController().signal,
  });
  const shown = (context?.pieces ?? []).map(({ file, startLine, endLine }) => {
    const { path = '', text = '' } = context?.files[file] ?? {};
    return {
      path,
      text: text
        .split('\n')
        .slice(startLine - 1, endLine)
        .join('\n'),
    };
  });
  return evidence.flatMap(({ path, text }) =>
    shown.some((piece) => piece.path === path && piece.text.includes(text)) ? [] : [`${path}: ${text}`],
  );
}

describe('evidence outside a change', () => {
  const cases = readCases();

  it.each(cases.map((one) => [one.title, one] as const))('GRD-4: shows it: %s', async (_title, one) => {
    expect(await findMissing(one)).toEqual([]);
  });
});
