import { messageIdFor, outboxKey } from '../../../outbox/outbox-key.js';
import type { FrozenMail, SendContext, WireMessage } from '../../../outbox/senders/mailer.js';

/** The contract's n-th mail: the same for the same number, with what is hard to carry in a message. */
export function mailNumber(n: number): { mail: FrozenMail; key: string } {
  const key = outboxKey({ changelistId: `contract/${n}`, recipientKey: 'dev@example.test', reviewVersion: 1 });
  const mail: FrozenMail = {
    messageId: messageIdFor(key, 'example.test'),
    from: { address: 'criticizer@example.test', name: 'Criticizer, the reviewer' },
    envelopeFrom: `bounces+${key}@example.test`,
    replyTo: { address: 'replies@example.test', name: 'The team' },
    to: { address: 'dev@example.test', name: 'Dev "D" Ëloper' },
    subject: `[Criticizer] ${n}: Größe <b> & a rather long title that has to be folded somewhere before it reaches its end`,
    date: new Date('2026-01-02T03:04:05.000Z'),
    text: `Line one\n.leading dot\nFrom the start\n${'x'.repeat(3_000)}\n`,
    html: `<p>Größe ${'y'.repeat(3_000)}</p>`,
    headers: [
      { name: 'Auto-Submitted', value: 'auto-generated' },
      { name: 'X-Criticizer-Change', value: `contract/${n}` },
      { name: 'List-Unsubscribe', value: '<https://reviews.example.test/off>' },
    ],
  };
  return { mail, key };
}

/** A send's context that notes the phases, and rejects one of them where asked. */
export function recording(key: string, stopAt?: { phase: 'envelope' | 'data'; reason: Error }) {
  const phases: string[] = [];
  const announced: WireMessage[] = [];
  const context: SendContext = {
    key,
    signal: new AbortController().signal,
    async onPhase(phase, wire) {
      phases.push(phase);
      if (wire !== undefined) announced.push(wire);
      if (stopAt?.phase === phase) throw stopAt.reason;
    },
  };
  return { phases, announced, context };
}
