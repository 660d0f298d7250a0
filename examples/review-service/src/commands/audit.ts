// `audit ACTION`: dead letters of audit events, whether their sink answers, the rollout, what may go, and the seals.
import type { Operator } from '@criticizer/core';
import { codeOfLetter, rootCauseOf } from '@criticizer/core/audit-delivery';
import { createAuditSinks } from '../compose/audit-sinks.js';
import { readAudit } from '../config/configuration.js';
import { UsageError } from '../config/usage-error.js';
import { eraseFromTrail, keepArguments, pruneTrail } from './audit-keep.js';
import { compareWithLog, rolloutArguments, setFlag, showFlags } from './audit-rollout.js';
import { exportSeals, sealArguments, verifySeals } from './audit-seal.js';
import {
  type Command,
  createCommand,
  type ExitCode,
  jsonArgument,
  print,
  readActor,
  reasonArguments,
  type Terminal,
} from './command-line.js';
import { limitArgument, readLimit, readStatus, table, withOperator, withStores } from './operate.js';

const statuses = ['open', 'requeued', 'ignored', 'resolved', 'all'] as const;
const actions = [
  ...(['letters', 'requeue', 'ignore', 'resolve', 'test', 'flags', 'flag', 'compare'] as const),
  ...(['prune', 'erase', 'seal-export', 'verify'] as const),
] as const;

interface AuditArguments {
  subject?: string | undefined;
  status: string;
  limit: string;
  reason?: string | undefined;
  actor?: string | undefined;
  json?: boolean | undefined;
}

async function listLetters(terminal: Terminal, args: AuditArguments): Promise<ExitCode> {
  const filter = { operatorStatus: readStatus(statuses, args.status), limit: readLimit(args.limit) };
  const found = await withStores(terminal, (stores) => stores.audit.listDeadLetters(filter));
  const rows = found.map((letter) => ({ ...letter, rootCause: rootCauseOf(codeOfLetter(letter)) }));
  const lines = rows.map((row) => [
    row.id,
    row.operatorStatus,
    row.destination,
    `${row.rootCause} ${codeOfLetter(row) ?? ''}`,
    row.deadLetteredAt.toISOString(),
    row.errorSummary,
  ]);
  print(terminal, args, rows, table(lines));
  return 0;
}

async function operateLetter(
  terminal: Terminal,
  args: AuditArguments,
  work: (
    operator: Operator,
    request: { auditDeadLetterId: string; actor: ReturnType<typeof readActor>; reason: string },
  ) => Promise<{ outcome: string; audit: string }>,
): Promise<ExitCode> {
  const { subject: auditDeadLetterId, reason } = args;
  if (auditDeadLetterId === undefined) throw new UsageError(['LETTER: expected the id that audit letters shows']);
  if (reason === undefined) throw new UsageError(['--reason: is required']);
  const request = { auditDeadLetterId, actor: readActor(args), reason };
  const done = await withOperator(terminal, (operator) => work(operator, request));
  print(terminal, args, done, `${done.outcome} (audit: ${done.audit})`);
  return done.outcome === 'requeued' || done.outcome === 'closed' ? 0 : 3;
}

async function testSinks(terminal: Terminal, args: AuditArguments): Promise<ExitCode> {
  const sinks = createAuditSinks(readAudit(terminal.env));
  const tests = await Promise.all(
    sinks.map(async ({ id, testConnection }) => {
      const test = await testConnection?.({ signal: terminal.signal });
      return { id, ...(test ?? { ok: true as const }) };
    }),
  );
  for (const sink of sinks) await sink.close?.();
  const lines = tests.map((test) => [test.id, test.ok ? 'ok' : `${test.failure.code}: ${test.failure.message}`]);
  print(terminal, args, tests, lines.length === 0 ? 'No sink: AUDIT_WEBHOOK_URL is not set.' : table(lines));
  return tests.length === 0 ? 3 : tests.every(({ ok }) => ok) ? 0 : 1;
}

/** Dead letters of audit events and the test of their sink; the rollout; what may go of the trail, and its seals. */
export const audit = (terminal: Terminal): Command =>
  createCommand(
    {
      name: 'audit',
      description:
        'Audit events that could not be delivered: letters, requeue, ignore, resolve; test; the rollout: flags, flag, compare; the trail: prune, erase, seal-export, verify.',
    },
    {
      action: { type: 'positional', description: actions.join(', '), required: true },
      subject: {
        type: 'positional',
        description:
          'Id of the dead letter, as audit letters shows it; flag: write, shadow or worker; compare and seal-export: a file; erase: the person.',
        required: false,
      },
      status: { type: 'string', description: statuses.join(', '), default: 'open', valueHint: 'STATUS' },
      ...limitArgument,
      ...keepArguments,
      ...reasonArguments,
      reason: {
        ...reasonArguments.reason,
        required: false,
        description: 'Why; for ignore it begins with a ticket, as OPS-12: the loss is accepted.',
      },
      ...rolloutArguments,
      ...sealArguments,
      ...jsonArgument,
    },
    async (args) => {
      switch (args.action) {
        case 'flags':
          return showFlags(terminal, args);
        case 'flag':
          return setFlag(terminal, args);
        case 'compare':
          return compareWithLog(terminal, args);
        case 'letters':
          return listLetters(terminal, args);
        case 'requeue':
          return operateLetter(terminal, args, (operator, request) => operator.requeueAuditDelivery(request));
        case 'ignore':
          return operateLetter(terminal, args, (operator, request) =>
            operator.closeAuditDeadLetter({ ...request, status: 'ignored' }),
          );
        case 'resolve':
          return operateLetter(terminal, args, (operator, request) =>
            operator.closeAuditDeadLetter({ ...request, status: 'resolved' }),
          );
        case 'test':
          return testSinks(terminal, args);
        case 'prune':
          return pruneTrail(terminal, args);
        case 'erase':
          return eraseFromTrail(terminal, args);
        case 'seal-export':
          return exportSeals(terminal, args);
        case 'verify':
          return verifySeals(terminal, args);
        default:
          throw new UsageError([`ACTION: expected one of ${actions.join(', ')}`]);
      }
    },
  );
