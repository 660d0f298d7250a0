// Reads what the server and the client say as typed failures.
import { CriticizerError } from '@criticizer/core/ports';
import { type Row, rows } from './message-rows.js';

/** A message of the server or the client, as `-G` carries it. */
export interface P4Message {
  /** 2 warning, 3 failed, 4 fatal; null where the client gave none. */
  severity: number | null;
  /** The class of the message; one class holds many meanings. */
  generic: number | null;
  /** Untrusted: it may quote paths and names. Never logged, never put into an error. */
  text: string;
}

/**
 * True for warnings about the server's licence, as administrators get them with any command: they say
 * nothing of its answer. Nothing with a slash is taken for one, as it may be about a path.
 */
export function isLicenceWarning({ severity, text }: P4Message): boolean {
  return severity === 2 && /^[^/\\]{0,300}\blicen[cs]e\b[^/\\]{0,300}$/i.test(text.trim());
}

/**
 * The typed failure a message stands for. An unknown warning fails closed as
 * `P4_UNCLASSIFIED_WARNING`, an unknown error as `P4_FAILED`.
 */
export function p4MessageError(message: P4Message): CriticizerError {
  const details = {
    severity: message.severity,
    generic: message.generic,
    ...shownKey(message.text),
    ...shownLimit(message.text),
  };
  const known = findRow(message.text);
  if (known !== undefined) {
    const { code, says, category } = known;
    return new CriticizerError(code, says, { category, parks: known.parks ?? false, details });
  }
  if (message.severity === 2) {
    const says = 'The Perforce server sent a warning this version does not know; the result is not trusted.';
    return new CriticizerError('P4_UNCLASSIFIED_WARNING', says, { category: 'policy', details });
  }
  return new CriticizerError('P4_FAILED', 'The Perforce server reported an error this version does not know.', {
    category: 'upstream',
    details,
  });
}

/**
 * The same for what the client writes on standard error when it cannot connect or dislikes an
 * option: several lines, one failure.
 */
export function p4ClientError(stderr: string): CriticizerError {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'Perforce client error:');
  const known = rows.find((candidate) => lines.some((line) => candidate.pattern.test(line)));
  if (known === undefined)
    return new CriticizerError('P4_FAILED', 'The p4 client failed without a known message.', { category: 'upstream' });
  return new CriticizerError(known.code, known.says, {
    category: known.category,
    parks: known.parks ?? false,
    details: shownKey(stderr),
  });
}

/**
 * The fingerprint that a message about trust names: what the server shows, for whoever has to
 * compare it. Nothing of the rest is kept.
 */
function shownKey(text: string): { fingerprint?: string } {
  const fingerprint = /P4PORT IDENTIFICATION HAS CHANGED|^\s*The authenticity of '/m.test(text)
    ? fingerprintIn.exec(text)?.[0]
    : undefined;
  return fingerprint === undefined ? {} : { fingerprint };
}

/** Which limit a command is over, and its number. */
function shownLimit(text: string): { limit?: string; over?: number } {
  const [, over, limit] = /\(over (\d{1,15})(?: seconds)?\); see 'p4 help (max[a-z]+)'\.$/.exec(text.trim()) ?? [];
  return over === undefined || limit === undefined ? {} : { limit, over: Number(over) };
}

/** SHA-256 or SHA-1, as `p4 trust` prints it. */
const fingerprintIn = /\b[0-9A-F]{2}(?:(?::[0-9A-F]{2}){31}|(?::[0-9A-F]{2}){19})\b/;

function findRow(text: string): Row | undefined {
  const trimmed = text.trim();
  const byWhole = rows.find((candidate) => candidate.pattern.test(trimmed));
  if (byWhole !== undefined) return byWhole;
  // Some messages carry several lines; the first one says what happened.
  const [first, ...more] = trimmed.split('\n');
  return more.length === 0 ? undefined : rows.find((candidate) => candidate.pattern.test((first ?? '').trim()));
}
