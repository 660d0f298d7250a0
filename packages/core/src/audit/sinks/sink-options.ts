import type { OptionCheck } from '../../foundation/check-options.js';
import { nested, optional, withMethods } from '../../foundation/option-checks.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { HttpClient } from '../../http/http-client.js';
import type { SecretSource } from '../../secrets/secret-source.js';

/** Where a credential comes from: read before every use, so that a rotation needs no restart. */
export interface SinkSecret {
  source: SecretSource;
  /** Its name there. */
  name: string;
}

/** What every sink over HTTP needs. */
export interface HttpSinkOptions {
  /** The destination's name in the outbox and in keys: letters, digits, `_` and `-`, 1 to 64. */
  id: string;
  /** Of `createHttpClient`. */
  http: HttpClient;
  clock?: Pick<Clock, 'nowMs'> | undefined;
}

const idForm = /^[A-Za-z0-9_-]{1,64}$/;

/** No dot: it joins the parts of a signed webhook. No colon: it joins the parts of a key. */
export const checkSinkId: OptionCheck = (option, value) => {
  if (typeof value !== 'string' || !idForm.test(value))
    throw new TypeError(`${option}: expected 1 to 64 letters, digits, _ and -`);
};

/** An absolute address of http or https without user, password and fragment. */
const checkSinkUrl: OptionCheck = (option, value) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.hash === '';
  if (!isPlain) throw new TypeError(`${option}: expected an https address without user, password and fragment`);
};

export const checkSinkSecret: OptionCheck = nested<SinkSecret>({
  source: withMethods('read'),
  name: (option, value) => {
    if (typeof value !== 'string' || value === '') throw new TypeError(`${option}: expected a name`);
  },
});

/** The checks of `HttpSinkOptions` and of the address, which each sink describes itself. */
export const httpSinkShape = {
  id: checkSinkId,
  http: withMethods('exchange'),
  url: checkSinkUrl,
  clock: optional(withMethods('nowMs')),
} as const;
