import { createPayloadRedactor, createRedactor } from '@criticizer/redact';
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import type { Configured } from '../measurement.ts';
import type { SourceFile } from './ordinary-source.ts';

/** One pass over the files. */
export interface Pass {
  megabytesPerSecond: number;
  /** What was reported: a pass that finds nothing measures nothing. */
  findings: number;
}

export interface Contender extends Configured {
  pass(files: readonly SourceFile[]): Promise<Pass>;
}

const fingerprintKey = 'fingerprint key of the bench';
const preset = '@secretlint/secretlint-rule-preset-recommend';

async function timed(files: readonly SourceFile[], run: (file: SourceFile) => Promise<number> | number): Promise<Pass> {
  const megabytes = files.reduce((sum, { text }) => sum + text.length, 0) / 1e6;
  let findings = 0;
  const from = performance.now();
  for (const file of files) findings += await run(file);
  return { megabytesPerSecond: (megabytes * 1000) / (performance.now() - from), findings };
}

const redactor = createRedactor({ fingerprintKey });

/** Our redactor, built once, and a session a file as for a change of one file. */
export const ours: Contender = {
  name: 'criticizer',
  library: '@criticizer/redact',
  settings: { policy: 'default', session: 'one a file', path: 'given', does: 'finds and replaces' },
  pass: (files) => timed(files, ({ path, text }) => redactor.session().redact(text, { path }).findings.length),
};

const config = { rules: [{ id: preset, rule: creator, options: {} }] };

/** What its command runs for every file, without the disk and the formatter. The preset is loaded once. */
export const secretlint: Contender = {
  name: 'secretlint',
  library: '@secretlint/core',
  settings: { rules: preset, options: {}, path: 'given', noPhysicFilePath: false, does: 'finds' },
  pass: (files) =>
    timed(files, async ({ path, text }) => {
      const source = { filePath: path, content: text, ext: path.slice(path.lastIndexOf('.')), contentType: 'text' as const };
      const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: false } });
      return messages.length;
    }),
};

/** What plain JavaScript reads on this machine in the same run: tells a slow machine from slow code. */
export const bareLoop: Contender = {
  name: 'charCodeAt loop',
  library: undefined,
  settings: { does: 'counts line breaks' },
  pass: (files) => timed(files, ({ text }) => countBreaks(text)),
};

function countBreaks(text: string): number {
  let breaks = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === 10) breaks += 1;
  return breaks;
}

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
