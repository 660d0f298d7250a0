// #region pino
import { createPayloadRedactor } from '@criticizer/redact';
import { type DestinationStream, type Logger, pino } from 'pino';

const redactor = createPayloadRedactor({
  attachMeta: false,
  policy: { keys: { hide: ['badgeNumber'], keep: ['ticket'] } },
});

/**
 * The line as JSON once more, redacted by key and by pattern. A line that cannot be read is
 * withheld: it must not be let through raw.
 */
export function redactLine(line: string): string {
  try {
    return `${JSON.stringify(redactor.redact(JSON.parse(line)).value)}\n`;
  } catch {
    return `${JSON.stringify({ level: 50, msg: '[withheld: a log line that is no JSON]' })}\n`;
  }
}

/** A pino logger whose every line is redacted last, after bindings, serializers and the message are in it. */
export function createRedactedLogger(destination: DestinationStream): Logger {
  return pino({ hooks: { streamWrite: redactLine } }, destination);
}
// #endregion
