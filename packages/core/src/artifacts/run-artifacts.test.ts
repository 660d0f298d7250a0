import { describe, expect, it } from 'vitest';
import { mintRedactedText, readRedactedText } from '../foundation/redacted-text.js';
import type { Artifacts, ArtifactWrite } from './artifacts.js';
import { openRunArtifacts } from './run-artifacts.js';

const raw: ArtifactWrite = {
  namespace: 'raw',
  purpose: 'change',
  contentType: 'application/json',
  changelistId: null,
  jobId: null,
  redaction: null,
};
const rules = { version: '1', policyHash: 'a' };

/** A store that names what was read from it, and gives other bytes than were written. */
function store(): { artifacts: Artifacts; reads: string[] } {
  const reads: string[] = [];
  let written = 0;
  const artifacts: Artifacts = {
    write: async () => `id-${++written}`,
    async read(id) {
      reads.push(id);
      return { row: {} as never, body: Buffer.from('stored') };
    },
    async readRedacted(id) {
      reads.push(`redacted ${id}`);
      return mintRedactedText('stored', rules);
    },
  };
  return { artifacts, reads };
}

describe('artifacts of a run', () => {
  it('reads what the run wrote or read from memory, and what another run wrote from the store', async () => {
    const { artifacts, reads } = store();
    const [first, second] = [new AbortController().signal, new AbortController().signal];
    const id = await openRunArtifacts(artifacts, first).write(raw, Buffer.from('body'));
    expect(Buffer.from(await openRunArtifacts(artifacts, first).read(id)).toString()).toBe('body');
    expect(reads).toEqual([]);
    for (const _again of [1, 2]) {
      const body = await openRunArtifacts(artifacts, second).read(id);
      expect(Buffer.from(body).toString()).toBe('stored');
    }
    expect(reads).toEqual([id]);
  });

  it('keeps no copy of what it is told to forget', async () => {
    const { artifacts, reads } = store();
    const run = openRunArtifacts(artifacts, new AbortController().signal);
    const id = await run.write(raw, Buffer.from('body'), { forget: true });
    await run.read(id, { forget: true });
    await run.read(id, { forget: true });
    expect(reads).toEqual([id, id]);
  });

  it('ART-6: mints text of the redacted namespace alone, by the rules that it was written with, and once', async () => {
    const { artifacts, reads } = store();
    const run = openRunArtifacts(artifacts, new AbortController().signal);
    const other = { version: '2', policyHash: 'b' };
    const id = await run.write({ ...raw, namespace: 'redacted', redaction: other }, Buffer.from('body'));
    expect(readRedactedText(await run.readRedacted(id))).toEqual({
      text: 'body',
      rulesVersion: '2',
      policyHash: 'b',
    });
    expect(readRedactedText(await run.readRedacted(id)).text).toBe('stored');
    const rawId = await run.write(raw, Buffer.from('raw'));
    expect(readRedactedText(await run.readRedacted(rawId)).text).toBe('stored'); // whose namespace the store checks
    expect(reads).toEqual([`redacted ${id}`, `redacted ${rawId}`]);
  });
});
