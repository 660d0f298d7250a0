import assert from 'node:assert/strict';
import { encodeFrozenMail } from '../../notify/frozen-mail.js';
import type { MailComposer, ReviewMailContent } from '../../notify/mail-composer.js';
import type { Runner } from '../runner.js';

const key = 'ab'.repeat(16);
const envelope = {
  recipient: { address: 'ada@example.test', name: 'Ada', required: true },
  key,
  date: new Date(Date.UTC(2026, 0, 2, 3, 4, 5)),
};

const content = (more: Partial<ReviewMailContent> = {}): ReviewMailContent => ({
  change: { serverId: 'main', number: 7, changelistId: 'main/7', user: 'ada', description: 'Fix the totals', kind: 'submitted' },
  reviewVersion: 1,
  result: {
    summary: 'One thing.',
    findings: [
      {
        id: 'f',
        severity: 'high',
        category: 'correctness',
        title: 'Off by one',
        file: '//depot/a.ts',
        line: 3,
        message: 'Reads past the end.',
      },
    ],
  },
  conclusive: true,
  coverage: { files: [{ path: '//depot/a.ts', state: 'reviewed' }] },
  withheldSecrets: 0,
  warnings: [],
  ...more,
});

/** What every MailComposer must do: one frozen mail that tells the truth, from the same arguments always the same (NOT-5, OUT-9). */
export function describeMailComposerContract({ describe, it }: Runner, harness: { create(): MailComposer }): void {
  describe('MailComposer contract', () => {
    it('NOT-5: the same arguments give the same bytes', () => {
      const bytes = () => encodeFrozenMail(harness.create().compose(content(), envelope)).sha256;
      assert.equal(bytes(), bytes());
    });

    it('NOT-5: freezes the key, the date and one recipient', () => {
      const mail = harness.create().compose(content(), envelope);
      assert.equal(mail.to.address, envelope.recipient.address);
      assert.equal(mail.date.getTime(), envelope.date.getTime());
      assert.ok(mail.messageId.includes(key));
      assert.notEqual(mail.envelopeFrom, '');
    });

    it('says every finding in the text part, and what was not reviewed', () => {
      const skipped = { path: '//depot/big.bin', state: 'skipped' as const, reason: 'binary' };
      const { text } = harness.create().compose(content({ coverage: { files: [...content().coverage.files, skipped] } }), envelope);
      for (const said of ['Off by one', '//depot/a.ts', 'Reads past the end.', '//depot/big.bin'])
        assert.ok(text.includes(said), `the text lacks ${said}`);
    });

    it('makes no markup, no link and no header of what the change or the model wrote', () => {
      const hostile = '</p><script>alert(1)</script><img src="https://track.example/x.png">\r\nBcc: eve@example.test';
      const mail = harness.create().compose(
        content({
          change: { ...content().change, description: hostile, user: hostile },
          result: {
            summary: hostile,
            findings: [{ ...content().result.findings[0], title: hostile, message: hostile, file: hostile } as never],
          },
        }),
        envelope,
      );
      assert.doesNotMatch(mail.html, /<script|<img/i);
      for (const value of [mail.subject, ...mail.headers.map((header) => header.value)]) assert.doesNotMatch(value, /[\r\n\0]/);
      assert.doesNotThrow(() => encodeFrozenMail(mail));
    });
  });
}
