import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { partWith } from '../foundation/contract.js';
import { CriticizerError } from '../foundation/errors.js';
import { checkFunction, observerShape, oneOf, optional } from '../foundation/option-checks.js';
import { checkWhole } from '../foundation/store-input.js';
import type { Clock } from '../foundation/time/clock.js';
import { systemClock } from '../foundation/time/system-clock.js';
import { attribute, metric } from '../telemetry/names.js';
import { raiseSecurityEvent } from '../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { SecretSource, SecretVersion } from './secret-source.js';

/** How old the current version of a credential is. */
export interface SecretAge {
  /** `ageing`: from the warning on. `expired`: from the limit on. `unknown`: its source gives no date. */
  state: 'fresh' | 'ageing' | 'expired' | 'unknown';
  /** Whole days; null where the source does not say when it was made. */
  days: number | null;
}

/** A source and the ages at which its credentials warn and expire. */
export interface ExpiringSecretsOptions {
  source: SecretSource;
  /** `park`: `read` rejects with `SECRET_EXPIRED`, so that the stage that needs it parks. Default `warn`. */
  onExpiry?: 'warn' | 'park' | undefined;
  /** Age of the warning, in days. Default 80. */
  warnAfterDays?: number | undefined;
  /** Age at which a credential expires, in days. Default 90 (SEC-5), or the provider's policy. */
  maxAgeDays?: number | undefined;
  /** What metrics, events and errors call a secret. Default: its name. */
  label?: ((name: string) => string) | undefined;
  /** Receives `secret.ageing` and `secret.expired`, once for each version. Default: nothing. */
  securityEvents?: SecurityEvents | undefined;
  /** Gets `criticizer.secret.age` at each read. Default: nothing. */
  telemetry?: Telemetry | undefined;
  /** Default: the system's. */
  clock?: Clock | undefined;
}

/** A source that looks at the age of what it reads. */
export interface ExpiringSecrets extends SecretSource {
  /** The age of a credential, whatever `onExpiry` says. Rejects as `read` of the source does. */
  readAge(name: string): Promise<SecretAge>;
}

const dayMs = 86_400_000;
const days = (option: string, value: unknown): void => checkWhole(option, value, 1);

const optionShape: OptionShape<ExpiringSecretsOptions> = {
  source: partWith('read'),
  onExpiry: optional(oneOf('warn', 'park')),
  warnAfterDays: optional(days),
  maxAgeDays: optional(days),
  label: optional(checkFunction),
  securityEvents: observerShape.securityEvents,
  telemetry: observerShape.telemetry,
  clock: observerShape.clock,
};

/**
 * Wraps a source so that old credentials are noticed (SEC-5): a gauge of each one's age, a security
 * event from 80 days and another at 90, and with `onExpiry: 'park'` no use of one that is expired. The
 * age is that of the current version, by `createdAt` of the source; a version before it may still be
 * used during a rotation. Throws `TypeError` for wrong options.
 */
export function createExpiringSecrets(options: ExpiringSecretsOptions): ExpiringSecrets {
  checkOptions('createExpiringSecrets', options, optionShape);
  const { source, onExpiry = 'warn', warnAfterDays = 80, maxAgeDays = 90, telemetry, clock = systemClock } = options;
  const { label = (name: string) => name, securityEvents } = options;
  if (warnAfterDays > maxAgeDays)
    throw new TypeError('createExpiringSecrets: warnAfterDays must not be above maxAgeDays');
  /** The version and state that was announced last, by name. */
  const announced = new Map<string, string>();

  function computeAge({ createdAt }: SecretVersion): SecretAge & { ms: number | null } {
    if (createdAt === undefined) return { state: 'unknown', days: null, ms: null };
    const ms = Math.max(0, clock.nowMs() - createdAt.getTime());
    const whole = Math.floor(ms / dayMs);
    return { state: whole >= maxAgeDays ? 'expired' : whole >= warnAfterDays ? 'ageing' : 'fresh', days: whole, ms };
  }

  function announce(
    name: string,
    version: SecretVersion,
    { state, days: old, ms }: ReturnType<typeof computeAge>,
  ): void {
    const secret = label(name);
    if (ms !== null) telemetry?.gauge(metric.secretAge, ms / 1_000, { [attribute.secret]: secret });
    const known = `${version.version} ${state}`;
    if (announced.get(name) === known) return;
    announced.set(name, known);
    if (state !== 'ageing' && state !== 'expired') return;
    raiseSecurityEvent(securityEvents, {
      type: state === 'expired' ? 'secret.expired' : 'secret.ageing',
      reason: state === 'expired' ? 'a credential is past its age: rotate it' : 'a credential is due for rotation',
      details: { secret, days: old, maxAgeDays, parks: state === 'expired' && onExpiry === 'park' },
    });
  }

  async function look(name: string, reading?: { signal?: AbortSignal | undefined }) {
    const versions = await source.read(name, reading);
    const age = computeAge(versions.current);
    announce(name, versions.current, age);
    return { versions, age };
  }

  return {
    contract: 1,
    async read(name, reading) {
      const { versions, age } = await look(name, reading);
      if (age.state === 'expired' && onExpiry === 'park')
        throw new CriticizerError('SECRET_EXPIRED', 'a credential is past its age and may not be used', {
          category: 'auth',
          parks: true,
          details: { secret: label(name), days: age.days, maxAgeDays },
        });
      return versions;
    },
    async readAge(name) {
      const { state, days: old } = (await look(name)).age;
      return { state, days: old };
    },
  };
}
