import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { checkBoolean, nested, optional, withMethods } from '../../foundation/option-checks.js';
import { checkMs } from '../../foundation/store-input.js';
import type { Clock } from '../../foundation/time/clock.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import { type Logger, silentLogger } from '../../telemetry/logger.js';
import { isShadowDestination } from '../shadow-destination.js';

/** The names of the flags: two as the specification has them (AUD-17), and that of the shadow (AUD-19). */
export const auditFlagNames = {
  write: 'audit_guardrails_write_enabled',
  shadow: 'audit_guardrails_shadow_enabled',
  worker: 'audit_guardrails_worker_enabled',
} as const;

/** One of the names. */
export type AuditFlagName = (typeof auditFlagNames)[keyof typeof auditFlagNames];

/** Whom a flag is evaluated for. A type, not an interface: OpenFeature's context has an index signature. */
export type AuditFlagSubject = {
  /** The tenant; `(none)` for an event without one. The same key always gets the same answer of the same rule. */
  targetingKey: string;
  /** The tenant again, under its own name for rules; empty for an event without one. */
  tenantId: string;
};

/**
 * What evaluates flags: `createPercentageFlags`, `createStoredFlags`, or a client of
 * `@openfeature/server-sdk`, which fits as it is.
 */
export interface AuditFlagProvider {
  getBooleanValue(flag: string, defaultValue: boolean, subject: AuditFlagSubject): Promise<boolean>;
}

/** A flag whose value for a tenant is not what this process saw before. */
export interface AuditFlagFlip {
  flag: AuditFlagName;
  tenantId: string | null;
  from: boolean;
  to: boolean;
}

/** The flags, for one tenant at a time. */
export interface AuditFlags {
  /** Whether the trail records events of this tenant; null: events without a tenant. Never rejects. */
  isWriteEnabled(tenantId: string | null): Promise<boolean>;
  /** Whether this tenant's events get a delivery for each `shadow:` destination of the trail. Never rejects. */
  isShadowEnabled(tenantId: string | null): Promise<boolean>;
  /** Whether deliveries of this tenant's events are sent now; those that are not wait. Never rejects. */
  isWorkerEnabled(tenantId: string | null): Promise<boolean>;
  /**
   * `mayDeliver` of `createAuditDelivery`: the worker's flag of the event's tenant. Deliveries of a shadow,
   * which exist only where its flag was on, are always sent. Never rejects.
   */
  mayDeliver(event: { tenantId: string | null }, destination: string): Promise<boolean>;
  /** The flips seen since the last call, at most 100, for the trail to record. */
  takeFlips(): readonly AuditFlagFlip[];
}

/** What evaluates the flags, and what counts while it does not answer. */
export interface AuditFlagsOptions {
  provider: AuditFlagProvider;
  /**
   * The value while the provider is down or gives none. No default but for `shadow`, which is false: choose
   * what a rollout may lose.
   */
  defaults: { write: boolean; worker: boolean; shadow?: boolean | undefined };
  /** Milliseconds that one evaluation may take; default 100. It runs inside the host's transaction. */
  deadlineMs?: number | undefined;
  /** Gets one line when the provider fails, and one when it answers again. Default: none. */
  logger?: Pick<Logger, 'warn' | 'info'> | undefined;
  clock?: Pick<Clock, 'monotonicMs'> | undefined;
}

const shape: OptionShape<AuditFlagsOptions> = {
  provider: withMethods('getBooleanValue'),
  defaults: nested<AuditFlagsOptions['defaults']>({
    write: checkBoolean,
    worker: checkBoolean,
    shadow: optional(checkBoolean),
  }),
  deadlineMs: optional((option, value) => checkMs(option, value as number, 1)),
  logger: optional(withMethods('warn', 'info')),
  clock: optional(withMethods('monotonicMs')),
};

/** After a failure the provider is left alone for so long: each evaluation would cost its deadline. */
const PAUSE_MS = 5_000;
/** Tenants whose last value is remembered, to see a flip. */
const MAX_REMEMBERED = 10_000;
const MAX_FLIPS = 100;

/** Rejects where `work` takes longer than `ms`. */
async function within(ms: number, work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), ms);
  });
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}

/** The last value of each flag and tenant, and what changed. */
class FlipLog {
  private readonly last = new Map<string, boolean>();
  private flips: AuditFlagFlip[] = [];

  see(flag: AuditFlagName, tenantId: string | null, to: boolean): void {
    const key = JSON.stringify([flag, tenantId]);
    const from = this.last.get(key);
    this.last.delete(key);
    this.last.set(key, to);
    if (this.last.size > MAX_REMEMBERED) this.last.delete(this.last.keys().next().value ?? '');
    if (from !== undefined && from !== to && this.flips.length < MAX_FLIPS)
      this.flips.push({ flag, tenantId, from, to });
  }

  take(): readonly AuditFlagFlip[] {
    const taken = this.flips;
    this.flips = [];
    return taken;
  }
}

/**
 * Evaluates the flags by a provider (AUD-17). An answer that is late, fails or is no boolean
 * gives the default, and the next evaluation calls the provider 5 seconds later. Throws `TypeError` for a
 * missing or unknown option.
 */
export function createAuditFlags(options: AuditFlagsOptions): AuditFlags {
  checkOptions('createAuditFlags', options, shape);
  const { provider, defaults, deadlineMs = 100, logger = silentLogger, clock = systemClock } = options;
  const flips = new FlipLog();
  let downUntilMs: number | undefined;

  async function evaluate(flag: AuditFlagName, fallback: boolean, tenantId: string | null): Promise<boolean> {
    if (downUntilMs !== undefined && clock.monotonicMs() < downUntilMs) return fallback;
    try {
      const subject = { targetingKey: tenantId ?? '(none)', tenantId: tenantId ?? '' };
      const value = await within(deadlineMs, provider.getBooleanValue(flag, fallback, subject));
      if (typeof value !== 'boolean') throw new TypeError('expected true or false');
      if (downUntilMs !== undefined)
        logger.info({ event: 'audit.flags_answer', flag }, 'the flag provider answers again');
      downUntilMs = undefined;
      flips.see(flag, tenantId, value);
      return value;
    } catch {
      // What a provider throws may quote its configuration: the log names the flag alone.
      if (downUntilMs === undefined)
        logger.warn({ event: 'audit.flags_silent', flag, fallback }, 'the flag provider gives no answer');
      downUntilMs = clock.monotonicMs() + PAUSE_MS;
      return fallback;
    }
  }

  const isWorkerEnabled = (tenantId: string | null): Promise<boolean> =>
    evaluate(auditFlagNames.worker, defaults.worker, tenantId);
  return {
    isWriteEnabled: (tenantId) => evaluate(auditFlagNames.write, defaults.write, tenantId),
    isShadowEnabled: (tenantId) => evaluate(auditFlagNames.shadow, defaults.shadow ?? false, tenantId),
    isWorkerEnabled,
    mayDeliver: async ({ tenantId }, destination) =>
      isShadowDestination(destination) || (await isWorkerEnabled(tenantId)),
    takeFlips: () => flips.take(),
  };
}
