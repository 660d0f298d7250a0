import type { JsonObject } from '../foundation/json.js';
import type { Settings } from '../settings/settings.js';
import type { SecurityEvent } from '../telemetry/security-events.js';
import type { OutageFields } from '../worker/retry/outages.js';
import type { AlertCondition } from './alert-condition.js';

/** Facts of a failure that name a part of the configuration, as a place without what is absent. */
function toPlace(facts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(facts).filter((entry): entry is [string, string] => !!entry[1]));
}

/** Codes of errors have this form; anything else is a bug's. */
export function toCode(code: string): string {
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : 'UNEXPECTED';
}

/** Work is parked: a refused credential, an open breaker, the kill switch, a mail server out of reach (INT-4). */
export function describeOutage(outage: OutageFields, { outageForMs, keepMs }: Settings['alerts']): AlertCondition {
  const { code, stage, serverId, provider, sink, mailer, secret } = outage;
  return {
    kind: 'stage.parked',
    code: toCode(code),
    severity: 'error',
    place: toPlace({ stage, serverId, provider, sink, mailer, secret }),
    text: 'Work is parked, spends no attempt and goes on by itself once the outage is over.',
    forMs: outageForMs,
    keepMs,
  };
}

/** Something that the kill switch has stopped for one reminder's time or more. */
export interface LongStop {
  /** Null: everything. */
  destinations: readonly string[] | null;
  since: Date;
  /** The last reminder's age, in milliseconds: a multiple of the setting. */
  lastsMs: number;
}

/**
 * A reminder of the kill switch. Each has a place of its own, so that the one before is resolved and
 * the pager, which pages once a cause, pages again.
 */
export function describeLongStop({ destinations, since, lastsMs }: LongStop): AlertCondition {
  const [first, ...others] = destinations ?? ['all'];
  return {
    ...{ kind: 'kill_switch.on', code: 'EGRESS_KILLED', severity: 'error' },
    place: toPlace({
      destination: others.length === 0 ? first : undefined,
      lasts: `${Math.round(lastsMs / 60_000)}m`,
      since: since.toISOString(),
    }),
    count: destinations?.length ?? 1,
    text: 'The kill switch is on for long, and only a person releases it.',
  };
}

const hourMs = 60 * 60_000;

/** An alert for a security event, and how long it lasts; null for events that wake nobody. */
export function describeSecurityEvent({
  type,
  details,
}: SecurityEvent): { condition: AlertCondition; lastsMs: number } | null {
  switch (type) {
    case 'llm.budget_spent':
      return {
        lastsMs: hourMs,
        condition: {
          ...{ kind: 'llm.budget_spent', code: 'LLM_BUDGET_SPENT', severity: 'warning' },
          place: toPlace({ budget: readText(details, 'budget') }),
          text: 'A budget is spent, and what it keeps back is not reviewed.',
        },
      };
    case 'secret.ageing':
    case 'secret.expired':
      return {
        lastsMs: 24 * hourMs,
        condition: {
          ...{ kind: 'secret.age', code: 'SECRET_AGE', severity: type === 'secret.expired' ? 'error' : 'warning' },
          place: toPlace({ secret: readText(details, 'secret') }),
          text: 'A credential is due for rotation or past its age.',
        },
      };
    case 'artifact.tampered':
      return {
        lastsMs: hourMs,
        condition: {
          ...{ kind: 'artifact.tampered', code: 'ARTIFACT_TAMPERED', severity: 'critical' },
          text: 'A stored artifact is not what was written.',
        },
      };
    case 'p4.trust_mismatch':
      return {
        lastsMs: hourMs,
        condition: {
          ...{ kind: 'p4.trust_mismatch', code: 'P4_TRUST_MISMATCH', severity: 'critical' },
          place: toPlace({ serverId: readText(details, 'serverId') }),
          text: 'A Perforce server shows another key than the pinned one.',
        },
      };
    default:
      return null;
  }
}

function readText(details: JsonObject, name: string): string | undefined {
  const value = details[name];
  return typeof value === 'string' ? value : undefined;
}

/** An admin action whose audit event could not be stored (AUD-3). */
export function describeDegradedAudit(errorCode: string): { condition: AlertCondition; lastsMs: number } {
  return {
    lastsMs: hourMs / 4,
    condition: {
      ...{ kind: 'audit.degraded', code: toCode(errorCode), severity: 'critical' },
      text: 'Audit events could not be stored, and only the platform log has their fingerprints.',
    },
  };
}

/** A mail that is marked sent, and of which the provider has no record (NOT-8). */
export const reopenedMail: { condition: AlertCondition; lastsMs: number } = {
  lastsMs: hourMs,
  condition: {
    ...{ kind: 'mail.reopened', code: 'MAIL_DISCREPANCY', severity: 'error' },
    text: 'Mails that were marked sent are not at the provider, and are sent again.',
  },
};
