// `audit prune` and `audit erase`: the trail holds what was taken from it, and by whom.
import { UsageError } from '../config/usage-error.js';
import { type ExitCode, print, readActor, type Terminal } from './command-line.js';
import { withOperator } from './operate.js';

const DAY_MS = 86_400_000;

export const keepArguments = {
  'older-than': { type: 'string', description: 'prune: age of an event in days.', valueHint: 'DAYS' },
  'include-dead-letters': { type: 'boolean', description: 'prune: events whose dead letters are ended, too.' },
  'target-types': {
    type: 'string',
    description: 'erase: types of targets that are persons; default every target of that id.',
    valueHint: 'NAMES',
  },
} as const;

interface KeepArguments {
  subject?: string | undefined;
  'older-than'?: string | undefined;
  'include-dead-letters'?: boolean | undefined;
  'target-types'?: string | undefined;
  reason?: string | undefined;
  actor?: string | undefined;
  json?: boolean | undefined;
}

function readWho(args: KeepArguments): { actor: ReturnType<typeof readActor>; reason: string } {
  if (args.reason === undefined) throw new UsageError(['--reason: is required']);
  return { actor: readActor(args), reason: args.reason };
}

/** Deletes old events. */
export async function pruneTrail(terminal: Terminal, args: KeepArguments): Promise<ExitCode> {
  const who = readWho(args);
  const days = Number(args['older-than'] ?? '');
  if (!Number.isSafeInteger(days) || days < 1) throw new UsageError(['--older-than: expected a whole number of days']);
  const request = { olderThanMs: days * DAY_MS, includeDeadLetters: args['include-dead-letters'] === true, ...who };
  const done = await withOperator(terminal, (operator) => operator.pruneAudit(request));
  const { events, deliveries, deadLetters, occurredFrom, occurredUntil } = done;
  const text =
    occurredFrom === null || occurredUntil === null
      ? `Nothing older than ${days} days may go. (audit: ${done.audit})`
      : `Deleted ${events} events from ${occurredFrom.toISOString()} to ${occurredUntil.toISOString()}, ${deliveries} deliveries, ${deadLetters} dead letters. (audit: ${done.audit})`;
  print(terminal, args, done, text);
  return done.outcome === 'pruned' ? 0 : 3;
}

/** Blanks a person, and prints the keys of what sinks may hold. */
export async function eraseFromTrail(terminal: Terminal, args: KeepArguments): Promise<ExitCode> {
  const { subject: id } = args;
  if (id === undefined) throw new UsageError(['ID: expected the id of the person']);
  const targetTypes = args['target-types']?.split(',').map((name) => name.trim());
  const request = { id, targetTypes, ...readWho(args) };
  const done = await withOperator(terminal, (operator) => operator.eraseSubject(request));
  const keys = Object.entries(done.sent).flatMap(([destination, sent]) => [
    `${destination} may hold ${sent.length} of them; erase there by key:`,
    ...sent.map((key) => `  ${key}`),
  ]);
  const blanked = `Blanked ${done.events} events and ${done.deadLetters} dead letters. (audit: ${done.audit})`;
  const more = done.hasMore ? ['There are more: run it again.'] : [];
  print(terminal, args, done, [blanked, ...keys, ...more].join('\n'));
  return done.outcome === 'erased' ? 0 : 3;
}
