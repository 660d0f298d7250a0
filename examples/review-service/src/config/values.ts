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

/** An http or https URL without credentials, query or fragment; plain http for this machine alone. */
export const endpoint = z.string().superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '')
    refuse('expected an address such as https://llm.example.com/v1, without credentials, query or fragment');
  else if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    refuse('expected https: plain http to another machine would carry keys and code in the clear');
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
