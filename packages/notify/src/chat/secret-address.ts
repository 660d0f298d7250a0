import { CriticizerError, revealSecret } from '@criticizer/core/ports';
import { isSafeScheme } from '../loopback.js';
import type { ChatSecret } from './post-answer.js';

/** `hooks.slack.com`, or `*.logic.azure.com` for any name below. */
const hostForm = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/** The check of an option that lists hosts; each in lower case, `*.` before it for those below. */
export function checkHosts(option: string, value: unknown): void {
  const fits =
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && hostForm.test(one));
  if (!fits)
    throw new TypeError(
      `${option}: expected a list of one or more hosts such as "hooks.example.com" or "*.example.com"`,
    );
}

function isAllowed(host: string, allowed: readonly string[]): boolean {
  return allowed.some((one) => (one.startsWith('*.') ? host.endsWith(one.slice(1)) : host === one));
}

/**
 * True for an address that a secret URL may have: https to an allowed host, without user, password and
 * fragment; to this machine plain http too.
 */
export function isAddressAllowed(text: string, allowed: readonly string[]): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username + url.password + url.hash !== '' || !isAllowed(url.hostname, allowed)) return false;
  return isSafeScheme(url);
}

/**
 * Reads a URL that is a secret. Throws what the source throws, and `CHANNEL_ADDRESS_INVALID` (parks), without
 * the URL, for one that is none or leads to a host that is not allowed.
 */
export async function readSecretAddress(
  channelId: string,
  { source, name }: ChatSecret,
  allowed: readonly string[],
  signal: AbortSignal,
): Promise<URL> {
  const { current } = await source.read(name, { signal });
  const text = revealSecret(current.secret).trim();
  if (isAddressAllowed(text, allowed)) return new URL(text);
  throw new CriticizerError(
    'CHANNEL_ADDRESS_INVALID',
    `The address of the channel "${channelId}" is no https address of an allowed host (${allowed.join(', ')}).`,
    { category: 'policy', parks: true, details: { channel: channelId, secret: name } },
  );
}
