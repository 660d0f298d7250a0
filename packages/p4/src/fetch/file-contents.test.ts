import { Buffer } from 'node:buffer';
import { CriticizerError } from '@criticizer/core/ports';
import { describe, expect, it } from 'vitest';
import type { P4Client } from '../client/p4-client.js';
import type { P4Fields } from '../client/p4-output.js';
import { createPageSize } from '../client/server-limits.js';
import { fetchContents } from './file-contents.js';

const [a, b] = ['//depot/main/a#1', '//depot/main/b#1'];

function fileRecord(operand: string): P4Fields {
  const [path = '', rev = ''] = operand.split('#');
  const values = new Map(Object.entries({ depotFile: path, rev, type: 'text+k' }));
  const text = (key: string): string | null => values.get(key) ?? null;
  return { text, keys: () => values.keys(), has: (key) => values.has(key), get: (key) => Buffer.from(text(key) ?? '') };
}

/** Prints each file in two pieces; the first time it is refused after one piece of the second file. */
function createRefusingClient() {
  const asked: (readonly string[])[] = [];
  const client: P4Client = {
    async run({ operands, operandsPerBatch }, { onOutput }) {
      asked.push([String(operandsPerBatch), ...operands]);
      for (const operand of operands) {
        onOutput({ kind: 'stat', fields: fileRecord(operand) });
        onOutput({ kind: 'text', data: Buffer.from(`${operand} `) });
        if (asked.length === 1 && operand === b)
          throw new CriticizerError('P4_SERVER_LIMIT', 'over', {
            category: 'policy',
            details: { limit: 'maxscanrows' },
          });
        onOutput({ kind: 'text', data: Buffer.from('end') });
      }
    },
  };
  return { client, asked };
}

describe('fetchContents', () => {
  it('asks again for the file that a refusal cut off, and keeps those before it', async () => {
    const { client, asked } = createRefusingClient();
    const seen: [string, string][] = [];
    await fetchContents(client, [a, b], {
      limits: { maxFileBytes: 100, maxTotalBytes: 1_000 },
      gate: { admit: () => undefined, isSamePath: (left, right) => left === right },
      signal: new AbortController().signal,
      batchSize: createPageSize(256),
      onContent: (operand, content) =>
        void seen.push([operand, content.kind === 'content' ? content.bytes.toString() : content.kind]),
    });
    expect(seen).toEqual([
      [a, `${a} end`],
      [b, `${b} end`],
    ]);
    expect(asked).toEqual([
      ['256', a, b],
      ['1', b],
    ]);
  });
});
