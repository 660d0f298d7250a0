// Schemas of single values of the environment, shared by the tables that read it.
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { isCriticizerError } from '@criticizer/core';
import { parseRecipient } from '@criticizer/core/ports';
import { z } from 'zod';

/** True for a host that cannot be another machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

export const absolutePath = z.string().refine(isAbsolute, 'expected an absolute path');

/** Text of digits as a whole number of a range. */
export const whole = (low: number, high: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, `expected a whole number from ${low} to ${high}`)
    .transform(Number)
    .pipe(z.int().min(low).max(high));

/** An amount of money. */
export const price = z
  .string()
  .regex(/^[0-9]{1,6}(?:\.[0-9]{1,6})?$/, 'expected an amount such as 1.25')
  .transform(Number);

/** A list with commas between. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** An http or https URL without credentials, query or fragment, of any host: the doctor warns of plain http. */
export const anyEndpoint = z.string().refine((text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '';
}, 'expected an address such as https://llm.example.com/v1, without credentials, query or fragment');

/** True where what is sent there can be read on its way: plain http to another machine. */
export function isSentInTheClear(address: string): boolean {
  const { hostname, protocol } = new URL(address);
  return protocol === 'http:' && !isLoopbackHost(hostname);
}

/** As `anyEndpoint`, with plain http for this machine alone. */
export const endpoint = anyEndpoint.refine((text) => !URL.canParse(text) || !isSentInTheClear(text), {
  message: 'expected https: plain http to another machine would carry keys and code in the clear',
});

/** One mail address. */
export const address = z.string().superRefine((text, context) => {
  try {
    parseRecipient(text);
  } catch (error) {
    if (!isCriticizerError(error)) throw error;
    context.addIssue({ code: 'custom', message: 'expected one address, such as ann@example.com' });
  }
});

/** A domain in lower case. */
export const domain = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.string().regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, 'expected domains such as studio.example'));
