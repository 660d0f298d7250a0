// The verbs of a person over findings that nobody is to be shown again. Each is audited.
import { type Actor, type Operator, resolveSettings } from '@criticizer/core';
import type { Suppression } from '@criticizer/core/ports';
import { UsageError } from '../config/usage-error.js';
import { readChangelistId } from './changes.js';
import {
  type Command,
  changeArguments,
  createCommand,
  type ExitCode,
  jsonArgument,
  print,
  readActor,
  reasonArguments,
  type Terminal,
} from './command-line.js';
import { limitArgument, readLimit, table, tryConfiguration, withOperator } from './operate.js';

const dayMs = 86_400_000;

type Suppressed = Awaited<ReturnType<Operator['suppressFinding']>>;

const reasons = ['false_positive', 'wont_fix', 'acknowledged'] as const;
const asArgument = {
  as: { type: 'string', description: reasons.join(', '), default: 'false_positive', valueHint: 'WHY' },
} as const;

/** Throws `UsageError`. */
function readDisposition(text: string): (typeof reasons)[number] {
  const found = reasons.find((one) => one === text);
  if (found === undefined) throw new UsageError([`--as: expected one of ${reasons.join(', ')}`]);
  return found;
}

/** Throws `UsageError`. */
function readDays(text: string): number {
  const days = Number(text);
  if (!Number.isSafeInteger(days) || days < 1 || days > 3_650)
    throw new UsageError(['--days: expected a whole number from 1 to 3650']);
  return days * dayMs;
}

/**
 * Hides findings by the policy of the settings, or the default one where something in the configuration
 * is wrong. Whoever may start these commands reads the database and its secrets: such a person has
 * every role.
 */
function hide(
  terminal: Terminal,
  args: { actor?: string | undefined },
  work: (operator: Operator, actor: Actor) => Promise<Suppressed>,
): Promise<Suppressed> {
  const { suppressions } = resolveSettings(tryConfiguration(terminal)?.settings).review;
  const actor = { ...readActor(args), roles: suppressions.roles };
  return withOperator(terminal, (operator) => work(operator, actor), { suppressions });
}

const dayOf = (date: Date | null): string => (date === null ? 'withdrawn' : date.toISOString().slice(0, 10));

function describeScope({ scope }: Suppression): string {
  if (scope.kind === 'finding') {
    const secret = scope.coversSecret ? ', a credential too' : '';
    return `${scope.changelistId} ${scope.findingId}${secret}`;
  }
  const { ruleId, paths, category, severity, confidence } = scope;
  const named = { rule: ruleId, paths, category, severity, confidence };
  return Object.entries(named)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]))
    .join(' ');
}

/** Hides one finding of one change. */
export const suppress = (terminal: Terminal): Command =>
  createCommand(
    { name: 'suppress', description: 'Hides one finding in the reviews of all later versions of its change.' },
    {
      ...changeArguments,
      change: { ...changeArguments.change, description: 'Number of the change, or SERVER/NUMBER.' },
      finding: { type: 'positional', description: 'Id of the finding: review --format json.', required: true },
      ...asArgument,
      days: { type: 'string', description: 'For how long; default until it is withdrawn.', valueHint: 'N' },
      'covers-secret': { type: 'boolean', description: 'Hides it although it is a withheld credential.' },
      ...reasonArguments,
      ...jsonArgument,
    },
    async (args): Promise<ExitCode> => {
      const request = {
        changelistId: readChangelistId(terminal, args),
        findingId: args.finding,
        disposition: readDisposition(args.as),
        coversSecret: args['covers-secret'] === true,
        ...(args.days === undefined ? {} : { expiresInMs: readDays(args.days) }),
      };
      const done = await hide(terminal, args, (operator, actor) =>
        operator.suppressFinding({ ...request, actor, reason: args.reason }),
      );
      const { id, expiresAt } = done.suppression;
      const known = 'was hidden before, and nothing was changed (unsuppress it to hide it in another way)';
      const what = done.outcome === 'added' ? 'is hidden from the next version on' : known;
      print(
        terminal,
        args,
        done,
        `Finding ${args.finding} of ${request.changelistId} ${what}, until ${dayOf(expiresAt)}: ${id} (audit: ${done.audit})`,
      );
      return 0;
    },
  );

/** Hides every finding that fits. */
export const suppressRule = (terminal: Terminal): Command =>
  createCommand(
    {
      name: 'suppress-rule',
      description: 'Hides every finding that fits all conditions given, in every change; never a withheld credential.',
    },
    {
      rule: { type: 'string', description: 'rule_id of the findings.', valueHint: 'ID' },
      paths: { type: 'string', description: '//depot/dir/... or a preset.', valueHint: 'PATTERN' },
      category: { type: 'string', description: 'Their category.', valueHint: 'NAME' },
      severity: { type: 'string', description: 'This severity and less severe ones.', valueHint: 'NAME' },
      confidence: { type: 'string', description: 'This confidence and less sure ones.', valueHint: 'NAME' },
      ...asArgument,
      days: { type: 'string', description: 'For how long.', required: true, valueHint: 'N' },
      ...reasonArguments,
      ...jsonArgument,
    },
    async (args): Promise<ExitCode> => {
      const request = {
        ...{ ruleId: args.rule, paths: args.paths },
        // The verb checks these words, and says which there are.
        ...({ category: args.category, severity: args.severity, confidence: args.confidence } as object),
        ...{ disposition: readDisposition(args.as), expiresInMs: readDays(args.days) },
      };
      const done = await hide(terminal, args, (operator, actor) =>
        operator.suppressMatching({ ...request, actor, reason: args.reason }),
      );
      const { id, expiresAt } = done.suppression;
      const text = `Hidden until ${dayOf(expiresAt)}, in every change: ${describeScope(done.suppression)}: ${id} (audit: ${done.audit})`;
      print(terminal, args, done, text);
      return 0;
    },
  );

function stateOf({ withdrawnAt, withdrawnBy, expiresAt }: Suppression): string {
  if (withdrawnAt !== null) return `withdrawn by ${withdrawnBy?.id ?? '?'}`;
  return expiresAt === null ? 'until withdrawn' : `until ${dayOf(expiresAt)}`;
}

/** Lists what is hidden, by whom, why and until when. */
export const suppressions = (terminal: Terminal): Command =>
  createCommand(
    { name: 'suppressions', description: 'Lists what is hidden: which findings, by whom, why and until when.' },
    {
      all: { type: 'boolean', description: 'Expired and withdrawn ones too.' },
      ...limitArgument,
      ...jsonArgument,
    },
    async (args) => {
      const filter = { limit: readLimit(args.limit), ...(args.all === true ? {} : { inForce: true }) };
      const rows = await withOperator(terminal, (operator) => operator.listSuppressions(filter));
      const lines = rows.map((row) => [
        ...[row.id, row.createdAt.toISOString(), describeScope(row), row.disposition, stateOf(row)],
        `${row.actor.id}: ${row.reason}`,
      ]);
      print(terminal, args, rows, table(lines));
      return 0;
    },
  );

/** Ends a suppression. */
export const unsuppress = (terminal: Terminal): Command =>
  createCommand(
    { name: 'unsuppress', description: 'Ends a suppression: the next review shows again what it hid.' },
    {
      id: { type: 'positional', description: 'Of suppressions.', required: true },
      ...reasonArguments,
      ...jsonArgument,
    },
    async (args): Promise<ExitCode> => {
      const request = { suppressionId: args.id, actor: readActor(args), reason: args.reason };
      const done = await withOperator(terminal, (operator) => operator.withdrawSuppression(request));
      const texts = {
        withdrawn: `${args.id} hides nothing any more, from the next review on.`,
        ended: `${args.id} had ended before.`,
        'not-found': `There is no suppression ${args.id}.`,
      } as const;
      print(terminal, args, done, `${texts[done.outcome]} (audit: ${done.audit})`);
      return done.outcome === 'withdrawn' ? 0 : 3;
    },
  );
