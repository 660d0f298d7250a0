// #region redact
import { createPayloadRedactor, createRedactor } from '@criticizer/redact';

/** Text before it goes to a ticket, a chat or a model. `key` is yours: 32 random bytes, the same in every process. */
export function redactText(text: string, key: Uint8Array): string {
  const redactor = createRedactor({ fingerprintKey: key });
  const { text: clean, counts } = redactor.session().redact(text, { path: 'settings.env' });
  const left = redactor.scan(clean).filter((finding) => finding.confidence === 'high');
  if (left.length > 0) throw new Error(`not safe to send: ${left.map((finding) => finding.rule).join(', ')}`);
  return `${clean}\n${Object.values(counts).reduce((sum, n) => sum + n, 0)} withheld`;
}

/** A JSON value before it is logged or stored. */
export function redactJson(value: unknown): string {
  return JSON.stringify(createPayloadRedactor().redact(value).value);
}
// #endregion
