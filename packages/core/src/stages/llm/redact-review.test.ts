import { createRedactor } from '@criticizer/redact';
import { password, vendorToken } from '@criticizer/redact/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../changes/change.js';
import { redactChange } from '../../changes/redact-change.js';
import type { RedactedChange } from '../../changes/redacted-change.js';
import { parseReview } from '../../review/read/parse-review.js';
import type { ReviewResult } from '../../review/review-result.js';
import { redactReview } from './redact-review.js';
import { createReplyRedaction } from './reply-redaction.js';

const redactor = createRedactor({ fingerprintKey: 'k'.repeat(32) });
const EXPECTED = { promptVersion: '1.0', schemaVersion: '1.0' };
const MARK = /\[REDACTED:[a-z0-9-]+:[0-9]+\]/g;

const tokens = fc.sample(vendorToken(), { numRuns: 6, seed: 7 }).map(({ text }) => text);
const words = fc.sample(password(), { numRuns: 3, seed: 7 }).map(({ text }) => text);

function changeWith(secrets: readonly string[]): RedactedChange {
  const lines = secrets.map((secret) => `+key("${secret}");`);
  const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, lines };
  const file = {
    path: '//d/a.c',
    oldPath: null,
    action: 'add',
    fileType: 'text',
    revision: 1,
    bytes: 9,
    skipped: null,
  } as const;
  const change: Change = {
    serverId: 's',
    number: 1,
    changelistId: 's/1',
    kind: 'submitted',
    user: 'u',
    description: 'd',
    changedAt: new Date(0),
    userMail: null,
    reviewerMails: [],
    jobs: [],
    files: [{ ...file, hunks: [hunk], addedLines: lines.length, removedLines: 0, encoding: 'utf8' }],
    visibility: 'complete',
    deniedFiles: 0,
    contentDigest: '00',
  };
  return redactChange(change, redactor.session(), redactor.rules);
}

function findMarks(value: unknown): readonly string[] {
  return [...new Set(JSON.stringify(value).match(MARK) ?? [])];
}

describe('redactReview', () => {
  it('RED-1: a mark that a reply quotes keeps its number, and a value that the model invents gets another', () => {
    const [first = '', second = '', invented = ''] = tokens;
    const change = changeWith([first, second]);
    const own = findMarks(change);
    expect(own).toHaveLength(2);
    const redaction = createReplyRedaction(redactor, change);
    const text = redaction.redact(`Use ${own[1]} and ${own[0]}, not ${invented} or ${first}.`);
    expect(text).not.toContain(invented);
    const [quotedSecond, quotedFirst, ...fresh] = text.match(MARK) ?? [];
    expect([quotedSecond, quotedFirst]).toEqual([own[1], own[0]]);
    expect(fresh).toHaveLength(2);
    expect(fresh.filter((mark) => own.includes(mark))).toEqual([]);
    expect(redaction.redact(`again ${invented}`)).toBe(`again ${fresh[0]}`);
    expect(redaction.redact(text)).toBe(text);
  });

  it('RED-1: a numbered mark that the change does not have loses its number', () => {
    const [first = '', invented = ''] = tokens;
    const change = changeWith([first]);
    const [mark = ''] = findMarks(change);
    const redaction = createReplyRedaction(redactor, change);
    const next = mark.replace(/\d+\]$/, '2]');
    expect(redaction.redact(`${mark} ${next} [REDACTED:x:500000001] [REDACTED]`)).toBe(
      `${mark} [REDACTED] [REDACTED] [REDACTED]`,
    );
    expect(redaction.redact(invented)).not.toBe(mark);
  });

  it('RED-1: no text of a reply keeps a secret: ids, keys, quotes, diagnostics', () => {
    const change = changeWith([tokens[0] as string]);
    fc.assert(
      fc.property(vendorToken(), ({ text: secret }) => {
        const redaction = createReplyRedaction(redactor, change);
        const found = {
          id: `f ${secret}`,
          severity: 'high',
          category: 'security',
          title: secret,
          file: '//d/a.c',
          line: 1,
          message: `m ${secret}`,
          suggestion: secret,
          rule_id: secret,
          [secret]: 1,
        };
        const reply = {
          schema_version: '1.0',
          prompt_version: '1.0',
          summary: secret,
          findings: [found, { ...found, line: 0 }, { ...found, file: secret }],
          meta: {
            quotes: { [found.id]: secret, [secret]: 'x' },
            [secret]: { [`${secret} b`]: [secret] },
            note: secret,
          },
          [secret]: secret,
        };
        const text = JSON.stringify(reply);
        const diagnostics = { redact: (value: string) => redaction.redact(value) };
        const changedFiles = [{ path: '//d/a.c', hunks: change.files[0]?.hunks ?? [] }];
        const parsed = parseReview({ text, stop: 'complete', expected: EXPECTED, changedFiles, diagnostics });
        if (parsed.outcome !== 'accepted') throw new Error('rejected');
        const stored = JSON.stringify([redactReview(parsed.result, redaction), parsed.diagnostics]);
        expect(stored).not.toContain(secret);
        expect(redactor.scan(stored).filter(({ confidence }) => confidence === 'high')).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('RED-3: a value in the meta of a model that is a secret by its key alone is redacted', () => {
    const [secret = ''] = words;
    const result: ReviewResult = {
      schema_version: '1.0',
      prompt_version: '1.0',
      findings: [],
      meta: { findings: {}, model_meta: { db_password: secret, score: 4, nested: [{ password: secret }] } },
    };
    const redacted = redactReview(result, createReplyRedaction(redactor, changeWith([])));
    expect(JSON.stringify(redacted)).not.toContain(secret);
    expect(redacted.meta?.['model_meta']).toMatchObject({ score: 4 });
  });

  it('RED-1: two keys that are redacted to one keep both values, and innocent ones stay', () => {
    const redaction = { redact: (text: string) => text.replace(/^key\d$/, '[REDACTED]') };
    const meta = { model_meta: { key1: 1, key2: { key3: 2 }, plain: 3 } };
    const { meta: redacted } = redactReview(
      { schema_version: '1.0', prompt_version: '1.0', findings: [], meta },
      redaction,
    );
    expect(redacted?.['model_meta']).toEqual({ '[REDACTED]': 1, '[REDACTED] (2)': { '[REDACTED]': 2 }, plain: 3 });
  });

  it('RED-10: a rule that throws costs the review', () => {
    const redaction = {
      redact: () => {
        throw new Error('rule');
      },
    };
    expect(() =>
      redactReview({ schema_version: '1.0', prompt_version: '1.0', summary: 's', findings: [] }, redaction),
    ).toThrow(expect.objectContaining({ code: 'REDACTION_FAILED' }));
  });
});
