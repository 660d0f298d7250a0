import type { FrozenMail } from '@criticizer/core/ports';

export const sampleKey = '0123456789abcdef0123456789abcdef';
export const sampleMail: FrozenMail = {
  messageId: `<${sampleKey}@example.test>`,
  from: { address: 'criticizer@example.test', name: 'Criticizer' },
  envelopeFrom: 'bounces@example.test',
  to: { address: 'dev@example.test' },
  subject: '[Criticizer] 12345: Grüße',
  date: new Date('2026-01-02T03:04:05.000Z'),
  text: 'text\n',
  html: '<p>html</p>',
  headers: [{ name: 'X-Criticizer-Change', value: 'p4/12345' }],
};
