import { setImmediate as turn } from 'node:timers/promises';
import type { Configured } from '../measurement.ts';
import type { SourceFile } from './ordinary-source.ts';

/** One turn of a contender. */
export interface Pass {
  megabytesPerSecond: number;
  /** What one pass reported: one that finds nothing measures nothing. */
  findings: number;
}

/** What a pass goes over. */
export type Measured = 'every file' | 'small files' | 'names of objects' | 'names and texts of objects';

/** Reads one file; gives the number of findings. */
type Reader = (file: SourceFile) => Promise<number> | number;

export interface Contender extends Configured {
  /** Loads its library, in the process that is to measure it. */
  open(): Promise<Reader>;
}

const fingerprintKey = 'fingerprint key of the bench';
const preset = '@secretlint/secretlint-rule-preset-recommend';

/** Our redactor, built once, and a session a file as for a change of one file. */
export const ours: Contender = {
  name: 'criticizer',
  library: '@criticizer/redact',
  settings: { policy: 'default', session: 'one a file', path: 'given', does: 'finds and replaces' },
  async open() {
    const { createRedactor } = await import('@criticizer/redact');
    const redactor = createRedactor({ fingerprintKey });
    return ({ path, text }) => redactor.session().redact(text, { path }).findings.length;
  },
};

/** What its command runs for every file, without the disk and the formatter. The preset is loaded once. */
async function openSecretlint(): Promise<(file: SourceFile) => Promise<number>> {
  const { lintSource } = await import('@secretlint/core');
  const { creator } = await import('@secretlint/secretlint-rule-preset-recommend');
  const config = { rules: [{ id: preset, rule: creator, options: {} }] };
  return async ({ path, text }) => {
    const source = {
      filePath: path,
      content: text,
      ext: path.slice(path.lastIndexOf('.')),
      contentType: 'text' as const,
    };
    const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: false } });
    return messages.length;
  };
}

const library = '@secretlint/core';
const itsSettings = { rules: preset, options: {}, path: 'given', noPhysicFilePath: false, does: 'finds' };

/** At its fastest: its profiler, which takes the time of every rule, is off. */
export const secretlint: Contender = {
  library,
  name: 'secretlint',
  settings: { ...itsSettings, profiler: 'off' },
  async open() {
    const { secretLintProfiler } = await import('@secretlint/profiler');
    secretLintProfiler.setEnabled(false);
    return openSecretlint();
  },
};

/**
 * As it ships, its profiler on, in a host that waits between files, as for a disk: what it observed
 * is gone through then.
 */
export const secretlintAsShipped: Contender = {
  library,
  name: 'secretlint as shipped',
  settings: { ...itsSettings, profiler: 'on', waits: 'a turn of the event loop a file' },
  async open() {
    const read = await openSecretlint();
    return async (file) => {
      const found = await read(file);
      await turn();
      return found;
    };
  },
};

/** What plain JavaScript reads on this machine in the same run: tells a slow machine from slow code. */
export const bareLoop: Contender = {
  name: 'charCodeAt loop',
  library: undefined,
  settings: { does: 'counts line breaks' },
  open: async () => countBreaks,
};

function countBreaks({ text }: SourceFile): number {
  let breaks = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === 10) breaks += 1;
  return breaks;
}

/**
 * As long as a turn of a contender takes at least: what has waited for its turn is slow at first,
 * and a quick one would be measured by nothing else.
 */
const TURN_MS = 1000;

/** Passes over the files, one after the other, for a turn. */
export async function passOver(files: readonly SourceFile[], read: Reader): Promise<Pass> {
  const megabytes = files.reduce((sum, { text }) => sum + text.length, 0) / 1e6;
  let passes = 0;
  let findings = 0;
  let ms = 0;
  const from = performance.now();
  while (ms < TURN_MS) {
    findings = 0;
    for (const file of files) {
      const found = read(file);
      findings += typeof found === 'number' ? found : await found;
    }
    passes += 1;
    ms = performance.now() - from;
  }
  performance.clearMarks(); // secretlint's, which nobody else takes away
  performance.clearMeasures();
  return { megabytesPerSecond: (megabytes * passes * 1000) / ms, findings };
}

/**
 * Passes of objects of 20 fields through the redaction of names with recorded paths, of texts too
 * where asked, and JSON.stringify.
 */
export async function openJsonRedaction(objects: number, texts: boolean): Promise<() => Pass> {
  const { createPayloadRedactor } = await import('@criticizer/redact');
  const redactor = createPayloadRedactor({ texts, attachMeta: texts });
  const list = Array.from({ length: objects }, (_, index) => payload(index));
  const bytes = list.reduce((sum, one) => sum + JSON.stringify(one).length, 0);
  return () => {
    let findings = 0;
    let length = 0;
    const from = performance.now();
    for (const one of list) {
      const { value, meta } = redactor.redact(one);
      length += JSON.stringify(value).length;
      findings += meta.fields_redacted_count;
    }
    const ms = performance.now() - from;
    if (length === 0) throw new Error('nothing was written');
    return { megabytesPerSecond: bytes / 1000 / ms, findings };
  };
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
  const user = {
    id: index,
    name: 'Ann Example',
    role: 'reviewer',
    team: 'tools',
    locale: 'en-GB',
    password: `p${index}`.repeat(5),
  };
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
