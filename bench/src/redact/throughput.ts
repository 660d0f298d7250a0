import { createPayloadRedactor, createRedactor } from '@criticizer/redact';
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import type { SourceFile } from './ordinary-source.ts';

/** MB/s of one pass over the files. */
export type Pass = (files: readonly SourceFile[]) => Promise<number>;

const fingerprintKey = 'fingerprint key of the bench';

async function megabytesPerSecond(files: readonly SourceFile[], run: () => Promise<void> | void): Promise<number> {
  const megabytes = files.reduce((sum, { text }) => sum + text.length, 0) / 1e6;
  const from = performance.now();
  await run();
  return (megabytes * 1000) / (performance.now() - from);
}

/** Our redactor, a session a file as for a change of one file. */
export const ours: Pass = (files) => {
  const redactor = createRedactor({ fingerprintKey });
  return megabytesPerSecond(files, () => {
    for (const { path, text } of files) redactor.session().redact(text, { path });
  });
};

/** secretlint's recommended preset through its Node API, which reports and does not replace. */
export const secretlint: Pass = (files) => {
  const rule = '@secretlint/secretlint-rule-preset-recommend';
  const config = { rules: [{ id: rule, rule: creator, options: {} }] };
  return megabytesPerSecond(files, async () => {
    for (const { path, text } of files) {
      const source = { filePath: path, content: text, ext: path.slice(path.lastIndexOf('.')), contentType: 'text' as const };
      await lintSource({ source, options: { config, noPhysicFilePath: true } });
    }
  });
};

/** MB/s of objects of 20 fields through key redaction with paths and JSON.stringify. */
export function jsonKeyRedaction(objects: number): number {
  const redactor = createPayloadRedactor();
  const list = Array.from({ length: objects }, (_, index) => payload(index));
  const bytes = list.reduce((sum, one) => sum + JSON.stringify(one).length, 0);
  const from = performance.now();
  let length = 0;
  for (const one of list) length += JSON.stringify(redactor.redact(one).value).length;
  if (length === 0) throw new Error('nothing was written');
  return bytes / 1000 / (performance.now() - from);
}

function payload(index: number): Record<string, unknown> {
  const request = {
    method: 'POST',
    path: `/v1/orders/${index}`,
    status: 200,
    durationMs: index % 97,
    agent: 'svc/1.4 (linux; x64)',
    apiKey: `k${index}`.repeat(6),
  };
  const user = { id: index, name: 'Ann Example', role: 'reviewer', team: 'tools', locale: 'en-GB', password: `p${index}`.repeat(5) };
  return {
    id: `order-${index}`,
    kind: 'review',
    at: '2024-05-01T12:00:00.000Z',
    request,
    user,
    tags: ['a', 'b', 'c'],
    note: 'processed without remarks',
    retries: 0,
    ok: true,
  };
}
