import { describe, expect, it } from 'vitest';
import type { RecipientRequest } from '../src/stages/recipients/recipient-resolver.js';
import { change, file, finding, harness, reply } from './criticizer-harness.js';

describe('a recipient resolver', () => {
  it('INT-3: is given the change, its true paths, the verdict, all findings by severity and the version', async () => {
    const asked: RecipientRequest[] = [];
    const moved = file('//depot/new.ts', ['use(a);'], { oldPath: '//depot/old.ts' });
    const given = change({ files: [file('//depot/a.ts', ['const a = 1;']), moved] });
    const t = harness({
      change: given,
      script: [
        reply([finding(), finding({ id: 'f2', severity: 'info', title: 'Another', message: 'Something else.' })]),
      ],
      more: {
        settings: { review: { severityFloor: 'high' } },
        recipients: {
          async resolve(request) {
            asked.push(request);
            return [];
          },
        },
      },
    });
    await t.run(3);
    await t.criticizer.stop();
    const { files: _files, visibility: _visibility, deniedFiles: _denied, contentDigest: _digest, ...summary } = given;
    expect(asked).toEqual([
      {
        change: summary,
        paths: ['//depot/a.ts', '//depot/new.ts', '//depot/old.ts'],
        verdict: 'findings',
        counts: { critical: 0, high: 1, medium: 0, low: 0, info: 1 },
        findings: [
          { severity: 'high', path: '//depot/a.ts' },
          { severity: 'info', path: '//depot/a.ts' },
        ],
        version: 3,
      },
    ]);
  });

  it('a declared mailer that is not wired is refused before anything runs', () => {
    const recipients = { vias: ['chat'], resolve: async () => [] };
    expect(() => harness({ more: { recipients } })).toThrow('createCriticizer: recipients: no mailer chat');
  });
});
