import assert from 'node:assert/strict';
import { isWithinLevel } from '../../../foundation/outbound.js';
import { encodeFrozenMail } from '../../../outbox/frozen/frozen-mail.js';
import type { PlacedFinding } from '../../../review/merge/place-findings.js';
import type { MailComposer, ReviewMailContent, ReviewMailCounts } from '../../../stages/notify/mail-composer.js';
import type { Runner } from '../../support/runner.js';

const key = 'ab'.repeat(16);
const envelope = {
  recipient: { address: 'ada@example.test', name: 'Ada', required: true },
  key,
  date: new Date(Date.UTC(2026, 0, 2, 3, 4, 5)),
};

/** Line numbers here are ones that nothing else in a mail has. */
const finding = (more: Partial<PlacedFinding> = {}): PlacedFinding => ({
  id: 'f',
  severity: 'high',
  category: 'correctness',
  title: 'Off by one',
  file: '//depot/a.ts',
  place: { line: 7101, endLine: null, status: 'exact' },
  model: { severity: 'high', line: 7101, endLine: null },
  message: 'Reads past the end.',
  ...more,
});

const content = (more: Partial<ReviewMailContent> = {}): ReviewMailContent => ({
  change: {
    serverId: 'main',
    number: 7,
    changelistId: 'main/7',
    user: 'ada',
    description: 'Fix the totals',
    kind: 'submitted',
  },
  reviewVersion: 1,
  result: {
    summary: 'One thing.',
    findings: [finding()],
  },
  notShown: { belowFloor: 0, floor: 'info', overCap: 0 },
  conclusive: true,
  coverage: { files: [{ path: '//depot/a.ts', state: 'reviewed' }] },
  withheldSecrets: 0,
  warnings: [],
  ...more,
});

/** Numbers here are ones that nothing else in a mail has. */
const counts = (more: Partial<ReviewMailCounts> = {}): ReviewMailCounts => ({
  change: { serverId: 'main', number: 7, changelistId: 'main/7', kind: 'submitted' },
  reviewVersion: 1,
  findings: { critical: 0, high: 4711, medium: 0, low: 0, info: 0 },
  belowFloor: 0,
  floor: 'info',
  conclusive: true,
  files: { reviewed: 1, partial: 0, skipped: 0, total: 1 },
  withheldSecrets: 0,
  ...more,
});

/**
 * What every MailComposer must do: one frozen mail that tells the truth, from the same arguments
 * always the same (NOT-5, OUT-9, GRD-2).
 */
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
      const { text } = harness
        .create()
        .compose(content({ coverage: { files: [...content().coverage.files, skipped] } }), envelope);
      for (const said of ['Off by one', '//depot/a.ts', '7101', 'Reads past the end.', '//depot/big.bin'])
        assert.ok(text.includes(said), `the text lacks ${said}`);
    });

    it('GRD-2: shows where a finding was resolved to, never the line that the model claimed', () => {
      const moved = finding({
        place: { line: 7101, endLine: 7104, status: 'moved' },
        model: { severity: 'high', line: 8802, endLine: 8805 },
      });
      const inFile = finding({
        title: 'Twice',
        place: { line: null, endLine: null, status: 'file' },
        model: { severity: 'high', line: 8803, endLine: null },
      });
      const mail = harness.create().compose(content({ result: { findings: [moved, inFile] } }), envelope);
      assert.ok(mail.text.includes('7101'), 'the text lacks the resolved line');
      if (mail.html.includes(moved.title)) assert.ok(mail.html.includes('7101'), 'the HTML lacks the resolved line');
      for (const [part, said] of Object.entries({ text: mail.text, html: mail.html, subject: mail.subject }))
        for (const claimed of ['8802', '8803', '8805'])
          assert.ok(!said.includes(claimed), `the ${part} has the model's line ${claimed}`);
    });

    it('GRD-2: says when nothing confirms the place of a finding', () => {
      const compose = (status: PlacedFinding['place']['status']) => {
        const placed = finding({
          severity: 'medium',
          place: { line: null, endLine: null, status },
          model: { severity: 'medium', line: 8802, endLine: null },
        });
        return harness.create().compose(content({ result: { findings: [placed] } }), envelope);
      };
      const [confirmed, unverified] = [compose('file'), compose('unverified')];
      assert.notEqual(
        unverified.text,
        confirmed.text,
        'the text does not tell an unverified place from a confirmed one',
      );
      if (unverified.html.includes(finding().title))
        assert.notEqual(
          unverified.html,
          confirmed.html,
          'the HTML does not tell an unverified place from a confirmed one',
        );
      for (const said of [unverified.text, unverified.html, unverified.subject])
        assert.ok(!said.includes('8802'), "an unverified finding shows the model's line");
    });

    it('OUT-9 INT-3: with findings below the floor alone the text has their number, and nothing says "no findings"', () => {
      const compose = (belowFloor: number) =>
        harness
          .create()
          .compose(
            content({ result: { findings: [] }, notShown: { belowFloor, floor: 'medium', overCap: 0 } }),
            envelope,
          );
      const mail = compose(93);
      assert.ok(mail.text.includes('93'), 'the text lacks the number of findings below the floor');
      for (const said of [mail.subject, mail.text, mail.html]) assert.doesNotMatch(said, /no findings/i);
    });

    it('GRD-5 OUT-9: with findings that the check dropped both kinds of mail have their number, and nothing says "no findings"', () => {
      const composer = harness.create();
      const check = { dropped: 94, notChecked: 0 };
      const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
      const mails = [
        composer.compose(content({ result: { findings: [] }, check }), envelope),
        composer.composeCounts(counts({ findings: none, check }), envelope),
      ];
      for (const mail of mails) {
        assert.ok(mail.text.includes('94'), 'the text lacks the number of findings that the check dropped');
        for (const said of [mail.subject, mail.text, mail.html]) assert.doesNotMatch(said, /no findings/i);
      }
    });

    it('GRD-8: with findings that suppressions hide both kinds of mail have their number, and nothing says "no findings"', () => {
      const composer = harness.create();
      const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
      const mails = [
        composer.compose(content({ result: { findings: [] }, suppressed: 94 }), envelope),
        composer.composeCounts(counts({ findings: none, suppressed: 94 }), envelope),
      ];
      for (const mail of mails) {
        assert.ok(mail.text.includes('94'), 'the text lacks the number of findings that suppressions hide');
        for (const said of [mail.subject, mail.text, mail.html]) assert.doesNotMatch(said, /no findings/i);
      }
    });

    it('GRD-6: with earlier findings that are not settled both kinds of mail have their numbers, and nothing says "no findings"', () => {
      const composer = harness.create();
      const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
      const since = { reviewVersion: 1, new: 0, reportedAgain: 0, open: 93, resolved: 0, notVerifiable: 94 };
      const mails = [
        composer.compose(content({ result: { findings: [] }, sinceVersion: { ...since, notReported: [] } }), envelope),
        composer.composeCounts(counts({ findings: none, sinceVersion: since }), envelope),
      ];
      for (const mail of mails) {
        for (const number of ['93', '94'])
          assert.ok(mail.text.includes(number), 'the text lacks the number of earlier findings that are not settled');
        for (const said of [mail.subject, mail.text, mail.html]) assert.doesNotMatch(said, /no findings/i);
      }
    });

    it('gives every version of a change one subject, whatever its verdict', () => {
      const compose = (more: Partial<ReviewMailContent>) => harness.create().compose(content(more), envelope);
      const { subject, ...first } = compose({});
      const clean = compose({ reviewVersion: 2, result: { findings: [] } });
      const incomplete = compose({ reviewVersion: 3, conclusive: false, warnings: ['A reply was cut short.'] });
      assert.deepEqual([clean.subject, incomplete.subject], [subject, subject], 'the subject follows the verdict');
      // An edited description is no new thread where the earlier mail holds as much of its review.
      const edited = { change: { ...content().change, description: 'Another title' } };
      const thread = { subject: 'The subject of version 1', content: first.content };
      const later = harness.create().compose(content(edited), { ...envelope, thread });
      assert.equal(later.subject, thread.subject, 'the subject follows the description');
      const other = {
        subject: 'More than this mail may hold',
        content: first.content === 'code' ? 'none' : 'code',
      } as const;
      assert.notEqual(harness.create().compose(content(), { ...envelope, thread: other }).subject, other.subject);
    });

    it('leaves no encoded word of the change or a name in subject, names or headers', () => {
      const word = '=?utf-8?Q?=E2=80=AEclean?=';
      const mail = harness
        .create()
        .compose(content({ change: { ...content().change, description: word, user: word } }), {
          ...envelope,
          recipient: { ...envelope.recipient, name: word },
        });
      // A reader of mail decodes one wherever it stands: an override would turn the words around it.
      for (const value of [mail.subject, mail.to.name ?? '', ...mail.headers.map((header) => header.value)])
        assert.ok(!value.includes('=?'), 'a header holds what a reader decodes');
    });

    it('EGR-1: a mail declares how much of the review it holds, and one of counts holds no more', () => {
      const composer = harness.create();
      const whole = composer.compose(content(), envelope);
      assert.ok(whole.content !== undefined, 'a mail with findings does not say what it holds');
      assert.ok(!isWithinLevel(whole.content, 'counts'), 'a mail with findings says that it holds less');
      const mail = composer.composeCounts(counts(), envelope);
      assert.ok(
        mail.content !== undefined && isWithinLevel(mail.content, 'counts'),
        'a mail of counts says that it holds more',
      );
      // A composer that keeps what an earlier mail said would say it here.
      for (const said of [mail.subject, mail.text, mail.html, ...mail.headers.map(({ value }) => value)])
        for (const text of ['Off by one', 'Reads past the end', '//depot/a.ts', '7101', 'Fix the totals', 'One thing.'])
          assert.ok(!said.includes(text), `a mail of counts has ${text}`);
    });

    it('OUT-9 NOT-5: a mail of counts says the verdict, what was not reviewed and its change, the same each time', () => {
      const compose = (more: Partial<ReviewMailCounts>) => harness.create().composeCounts(counts(more), envelope);
      const mail = compose({});
      assert.ok(mail.subject.includes('7'), 'the subject lacks the change');
      assert.ok(mail.text.includes('4711'), 'the text lacks the number of findings');
      assert.ok(mail.messageId.includes(key));
      assert.equal(mail.to.address, envelope.recipient.address);
      assert.equal(encodeFrozenMail(compose({})).sha256, encodeFrozenMail(mail).sha256);
      const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
      const clean = compose({ findings: none });
      const gaps = [
        compose({ findings: none, files: { reviewed: 1, partial: 0, skipped: 8821, total: 8822 } }),
        compose({ findings: none, conclusive: false }),
        compose({ findings: none, belowFloor: 93, floor: 'medium' }),
      ];
      for (const gap of gaps) {
        assert.notEqual(gap.text, clean.text, 'a gap reads like a clean review');
        for (const said of [gap.subject, gap.text, gap.html]) assert.doesNotMatch(said, /no findings/i);
      }
      assert.ok(gaps[0]?.text.includes('8821'), 'the text lacks the files that were not reviewed');
      assert.ok(gaps[2]?.text.includes('93'), 'the text lacks the findings below the floor');
      for (const gap of gaps) assert.equal(gap.subject, clean.subject, 'the subject follows the verdict');
      const thread = { subject: 'The subject of version 1', content: mail.content };
      assert.equal(harness.create().composeCounts(counts(), { ...envelope, thread }).subject, thread.subject);
      const whole = { subject: 'More than this mail may hold', content: 'findings' as const };
      assert.notEqual(harness.create().composeCounts(counts(), { ...envelope, thread: whole }).subject, whole.subject);
    });

    it('begins no line of the text part with what the change or the model wrote', () => {
      const forged = ['COVERAGE', '--------', 'Reviewed in full: 9009', '-- '];
      const hostile = `Fine.\n\n${forged.join('\n')}`;
      const { text } = harness.create().compose(
        content({
          change: { ...content().change, description: hostile, user: hostile },
          result: { summary: hostile, findings: [finding({ title: hostile, message: hostile, suggestion: hostile })] },
          warnings: [hostile],
        }),
        envelope,
      );
      // A section of the mail begins a line; text of others that does could be taken for one.
      const lines = text.split(/\r?\n/);
      assert.ok(!lines.some((line) => line.startsWith('Reviewed in full: 9009')), 'the text has a forged section');
      assert.ok(!lines.includes('-- '), 'the text has a forged signature');
    });

    it('makes no markup, no link and no header of what the change or the model wrote', () => {
      const hostile = '</p><script>alert(1)</script><img src="https://track.example/x.png">\r\nBcc: eve@example.test';
      const mail = harness.create().compose(
        content({
          change: { ...content().change, description: hostile, user: hostile },
          result: {
            summary: hostile,
            findings: [finding({ title: hostile, message: hostile, file: hostile })],
          },
        }),
        envelope,
      );
      assert.doesNotMatch(mail.html, /<script|<img/i);
      for (const value of [mail.subject, ...mail.headers.map((header) => header.value)])
        assert.doesNotMatch(value, /[\r\n\0]/);
      assert.doesNotThrow(() => encodeFrozenMail(mail));
    });
  });
}
