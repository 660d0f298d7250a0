import { findOverdueAuditLetters } from '../audit/delivery/overdue-letters.js';
import type { Stores } from '../stores/stores.js';
import type { AlertCondition } from './alert-condition.js';
import type { AlertSource } from './alert-source.js';
import { toCode } from './conditions.js';

type Read = Pick<Stores<never>, 'deadLetters' | 'outbox' | 'audit' | 'modules' | 'now'>;

/** Rows that are counted at most: an alert says that there are many. */
const mostCounted = 1_000;

/** Open dead letters that page or escalate (ERR-7, ERR-10), by stage and error class. */
function createDeadLetterSource({ deadLetters }: Pick<Read, 'deadLetters'>): AlertSource {
  return {
    name: 'dead-letters',
    async read() {
      const groups = (await deadLetters.stats()).filter(({ escalation }) => escalation !== 'none');
      return groups.map(({ stage, errorClass, escalation, open }): AlertCondition => {
        const isPage = escalation === 'page';
        return {
          kind: isPage ? 'dead_letter.page' : 'dead_letter.operator',
          code: toCode(errorClass),
          severity: isPage ? 'critical' : 'warning',
          place: { stage },
          count: open,
          text: isPage ? 'Dead letters of a bug are open.' : 'Dead letters wait for an operator.',
        };
      });
    },
  };
}

/** How long a mail that failed for good is an alert: only a person, or the day, ends it. */
const failedMailMs = 86_400_000;

/**
 * Mails of which nobody can tell whether they were sent (NOT-7): held until an operator decides. And
 * those of the last day that failed for good: somebody waits for them.
 */
function createMailSource({ outbox, now }: Pick<Read, 'outbox' | 'now'>): AlertSource {
  return {
    name: 'mails',
    async read() {
      const since = new Date((await now()).getTime() - failedMailMs);
      const held = await outbox.list({ status: 'unknown', limit: mostCounted });
      const failed = await outbox.list({ status: 'failed', since, limit: mostCounted });
      const conditions: AlertCondition[] = [
        {
          ...{ kind: 'mail.unknown', code: 'MAIL_UNKNOWN', severity: 'error', count: held.length },
          text: 'Mails may have been sent or not, and wait for an operator.',
        },
        {
          ...{ kind: 'mail.failed', code: 'MAIL_FAILED', severity: 'warning', count: failed.length },
          text: 'Mails of the last day failed for good: reopen them once their cause is cured.',
        },
      ];
      return conditions.filter(({ count }) => count !== 0);
    },
  };
}

/** Dead letters of audit events that nobody has looked at for 5 minutes (AUD-16), by destination. */
function createAuditSource({ audit, now }: Pick<Read, 'audit' | 'now'>): AlertSource {
  return {
    name: 'audit-letters',
    async read() {
      const overdue = await findOverdueAuditLetters({ store: audit, now });
      return overdue.map(
        ({ destination, count }): AlertCondition => ({
          ...{ kind: 'audit.letters_overdue', code: 'AUDIT_LETTERS_OVERDUE', severity: 'error' },
          ...{ place: { destination }, count },
          text: 'Audit events were not delivered, and nobody has looked at their dead letters.',
        }),
      );
    },
  };
}

/** What is wrong by the stores alone: every process would find the same. */
export function createStoreSources(stores: Read): readonly AlertSource[] {
  const hasAudit = stores.modules.includes('audit');
  return [
    createDeadLetterSource(stores),
    createMailSource({ outbox: stores.outbox, now: () => stores.now() }),
    ...(hasAudit ? [createAuditSource({ audit: stores.audit, now: () => stores.now() })] : []),
  ];
}
