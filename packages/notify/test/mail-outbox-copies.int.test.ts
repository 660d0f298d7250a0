import { createMemoryMailer, createMemoryStores } from '@criticizer/core';
import { decodeFrozenMail, encodeFrozenMail } from '@criticizer/core/ports';
import { createManualClock } from '@criticizer/core/testing';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { createMailOutbox } from '../src/outbox/mail-outbox.js';
import type { OutgoingMail } from '../src/outbox/outgoing-mail.js';
import { composeMessage } from '../src/smtp/compose-message.js';
import { sampleKey, sampleMail } from './sample-mail.js';

const pdf = Uint8Array.from([0, 13, 10, 46, 255]);
const mail: OutgoingMail = {
  dedupeKey: 'invoice/42',
  to: { address: 'ada@example.test', name: 'Ada' },
  cc: [{ address: 'bob@example.test' }, { address: 'Ada@EXAMPLE.test' }, { address: 'ada@example.TEST' }],
  subject: 'Invoice 42',
  text: 'Attached.',
  attachments: [{ name: 'Rechnung über 42.pdf', contentType: 'application/pdf', content: pdf }],
};

function setUp() {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const mailer = createMemoryMailer();
  const outbox = createMailOutbox({ stores, mailer, from: { address: 'app@example.test' }, clock });
  return { clock, stores, mailer, outbox };
}

describe('mails of a host', () => {
  it('NOT-3: a mail with cc is one copy for each reader, and each shows all of them', async () => {
    const { outbox, mailer, stores } = setUp();
    const intent = await outbox.send(mail);
    expect([intent.outcome, intent.copies?.map(({ outcome }) => outcome)]).toEqual(['added', ['added', 'added']]);
    await outbox.deliverDue();
    expect(mailer.accepted().map((sent) => sent.mail.to.address)).toEqual([
      'ada@example.test',
      'bob@example.test',
      'Ada@example.test', // only its own host may say that it is the same person
    ]);
    expect(new Set(mailer.accepted().map((sent) => sent.mail.messageId)).size).toBe(3);
    for (const { mail: sent } of mailer.accepted()) {
      expect(sent.shown?.to).toEqual({ address: 'ada@example.test', name: 'Ada' });
      expect(sent.shown?.cc.map(({ address }) => address)).toEqual(['bob@example.test', 'Ada@example.test']);
    }
    const again = await outbox.send(mail);
    expect([again, ...(again.copies ?? [])]).toMatchObject(Array(3).fill({ outcome: 'existing', differs: false }));
    expect((await stores.outbox.stats()).sent).toBe(3);
  });

  it('NOT-5: a message shows To, Cc and its files, and is the same bytes each time', async () => {
    const [frozen] = [encodeFrozenMail({ ...sampleMail, ...shownAndFiles })];
    const read = decodeFrozenMail(frozen.bytes, frozen.sha256);
    const message = await composeMessage(read, sampleKey);
    expect(message.equals(await composeMessage(read, sampleKey))).toBe(true);
    const parsed = await PostalMime.parse(message);
    expect(parsed.to?.map(({ address }) => address)).toEqual(['ada@example.test']);
    expect(parsed.cc?.map(({ address }) => address)).toEqual(['dev@example.test', 'bob@example.test']);
    const [file] = parsed.attachments;
    expect([file?.filename, file?.mimeType, file?.disposition]).toEqual([
      'Rechnung über 42.pdf',
      'application/pdf',
      'attachment',
    ]);
    expect(new Uint8Array(file?.content as ArrayBuffer)).toEqual(pdf);
  });

  it.each([
    ['a path', { name: '../x.pdf' }],
    ['a header in its name', { name: 'x.pdf\r\nBcc: eve@example.test' }],
    ['a hidden end', { name: 'x\u202Efdp.exe' }],
    ['parameters in its type', { contentType: 'text/html; charset=x' }],
    ['a message inside', { contentType: 'message/rfc822' }],
    ['no bytes', { content: 'text' as never }],
  ])('EGR-1: refuses a file with %s', async (_what, change) => {
    const { outbox, stores } = setUp();
    const [file] = mail.attachments ?? [];
    const attachments = [{ ...file, ...change } as NonNullable<OutgoingMail['attachments']>[number]];
    await expect(outbox.send({ ...mail, attachments })).rejects.toThrow(TypeError);
    expect(await stores.outbox.list({})).toEqual([]);
  });

  it('EGR-1: refuses files of more than 10 MB together', async () => {
    const file = { name: 'a.bin', contentType: 'application/octet-stream', content: new Uint8Array(5_000_001) };
    await expect(setUp().outbox.send({ ...mail, attachments: [file, file] })).rejects.toThrow(/10000000 bytes/);
  });

  it('NOT-3: many mails are stored together or not at all', async () => {
    const { outbox, stores } = setUp();
    const many = Array.from({ length: 30 }, (_, n) => ({ ...mail, cc: [], dedupeKey: `invoice/${n}` }));
    await expect(outbox.sendMany([...many, { ...mail, subject: 'a\r\nb' }])).rejects.toThrow(TypeError);
    const lost = stores.transaction(async (tx) => {
      await outbox.sendMany(many, { tx });
      throw new Error('no');
    });
    await expect(lost).rejects.toThrow('no');
    expect(await stores.outbox.list({})).toEqual([]);
    expect((await outbox.sendMany(many)).map(({ outcome }) => outcome)).toEqual(Array(30).fill('added'));
    const again = await outbox.sendMany([...many, many[0] as OutgoingMail]);
    expect(again).toMatchObject(Array(31).fill({ outcome: 'existing', differs: false }));
    await expect(outbox.sendMany([])).rejects.toThrow(TypeError);
  });

  it('NOT-3: its bytes go with the transaction, and are removed a month after it was sent', async () => {
    const { clock, outbox, stores } = setUp();
    const { row } = await stores.transaction((tx) => outbox.send({ ...mail, cc: [] }, { tx }));
    expect(await stores.messages.load(row.messageArtifactId)).not.toBeNull();
    await outbox.start({ pollMs: 3_600_000 });
    await clock.advance(2 * 3_600_000);
    expect(await stores.messages.load(row.messageArtifactId)).not.toBeNull();
    await clock.advance(30 * 86_400_000);
    expect(await stores.messages.load(row.messageArtifactId)).toBeNull();
    await outbox.stop();
    await clock.advance(1);
    expect(clock.sleepers()).toBe(0);
  });

  it('NOT-5: a mail that waits for its time leaves then, dated so, and start delivers it', async () => {
    const { clock, outbox, mailer, stores } = setUp();
    const sendAt = new Date((await stores.now()).getTime() + 60_000);
    await outbox.start();
    await outbox.send({ ...mail, cc: [], sendAt });
    await clock.advance(59_000);
    expect(mailer.accepted()).toEqual([]);
    await clock.advance(6_001);
    expect(mailer.accepted().map((sent) => sent.mail.date)).toEqual([sendAt]);
    await outbox.stop();
    await outbox.send({ ...mail, cc: [], version: 2 });
    await clock.advance(60_000);
    expect(mailer.accepted()).toHaveLength(1);
    await outbox.start();
    await clock.advance(1_000);
    expect(mailer.accepted()).toHaveLength(2);
    await outbox.stop();
  });
});

const shownAndFiles = {
  shown: { to: { address: 'ada@example.test' }, cc: [sampleMail.to, { address: 'bob@example.test' }] },
  attachments: mail.attachments,
};
