// `audit flags`, `audit flag` and `audit compare`: the phases of the audit's rollout.
import type { Stores } from '@criticizer/core';
import {
  type AuditComparison,
  type AuditFlagName,
  type AuditFlagRule,
  auditFlagNames,
  compareAuditTrails,
  readAuditFlagRules,
} from '@criticizer/core/audit';
import { createPayloadRedactor } from '@criticizer/redact';
import { openAuditFlags } from '../compose/audit-flags.js';
import { UsageError } from '../config/usage-error.js';
import { type ExitCode, print, readActor, type Terminal } from './command-line.js';
import { table, withOperator, withStores } from './operate.js';
import { readHostLog } from './read-host-log.js';

/** Arguments of the rollout's actions, in addition to those of every action of `audit`. */
export const rolloutArguments = {
  percentage: { type: 'string', description: 'flag: percent of the tenants, 0 to 100.', valueHint: 'N' },
  tenants: { type: 'string', description: 'flag: on for these whatever the percentage.', valueHint: 'A,B' },
  excluded: { type: 'string', description: 'flag: off for these whatever the percentage.', valueHint: 'A,B' },
  since: { type: 'string', description: 'compare: from, ISO 8601; default a day before until.', valueHint: 'TIME' },
  until: { type: 'string', description: 'compare: to, ISO 8601; default now.', valueHint: 'TIME' },
  actions: { type: 'string', description: 'compare: only actions that begin so.', valueHint: 'A,B' },
} as const;

/** What these actions read of the command line. */
export interface RolloutArguments {
  subject?: string | undefined;
  percentage?: string | undefined;
  tenants?: string | undefined;
  excluded?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  actions?: string | undefined;
  reason?: string | undefined;
  actor?: string | undefined;
  json?: boolean | undefined;
}

type ShortName = keyof typeof auditFlagNames;
const shortNames = Object.keys(auditFlagNames) as ShortName[];

/** A flag by its short or its whole name. Throws `UsageError`. */
function readFlagName(given: string | undefined): AuditFlagName {
  const name = shortNames.find((short) => given === short || given === auditFlagNames[short]);
  if (name === undefined) throw new UsageError([`FLAG: expected one of ${shortNames.join(', ')}`]);
  return auditFlagNames[name];
}

function readList(text: string | undefined): string[] | undefined {
  const names = text?.split(',').map((name) => name.trim());
  return names?.filter((name) => name !== '');
}

function describeRule(rule: AuditFlagRule | undefined, short: ShortName): string {
  if (rule === undefined) return `${short === 'shadow' ? 'off' : 'on'} for everybody: nobody set it`;
  const { percentage, tenants = [], excludedTenants = [] } = rule;
  const more = tenants.length === 0 ? '' : `, and for ${tenants.join(', ')}`;
  const less = excludedTenants.length === 0 ? '' : `, never for ${excludedTenants.join(', ')}`;
  return `${percentage} % of the tenants${more}${less}`;
}

/** Shows the rule of each flag. */
export async function showFlags(terminal: Terminal, args: RolloutArguments): Promise<ExitCode> {
  const rules = await withStores(terminal, (stores) => readAuditFlagRules(stores));
  const lines = shortNames.map((short) => [short.padEnd(6), describeRule(rules[auditFlagNames[short]], short)]);
  print(terminal, args, rules, table(lines));
  return 0;
}

/** Sets the rule of one flag. */
export async function setFlag(terminal: Terminal, args: RolloutArguments): Promise<ExitCode> {
  const { reason, percentage } = args;
  const flag = readFlagName(args.subject);
  if (percentage === undefined || percentage.trim() === '') throw new UsageError(['--percentage: is required']);
  if (reason === undefined) throw new UsageError(['--reason: is required']);
  const rule = {
    ...{ percentage: Number(percentage), tenants: readList(args.tenants), excludedTenants: readList(args.excluded) },
  };
  const request = { flag, ...rule, actor: readActor(args), reason };
  const done = await withOperator(terminal, (operator) => operator.setAuditFlag(request));
  const within = done.outcome === 'set' ? ' Every process follows within 2 seconds.' : '';
  print(terminal, args, done, `${done.outcome}: ${flag}, ${percentage} %.${within} (audit: ${done.audit})`);
  return 0;
}

function readTime(option: string, text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new UsageError([`--${option}: expected a time such as 2026-01-31T12:00:00Z`]);
  return time;
}

function describeComparison(report: AuditComparison): string {
  const { verdict, primaryCount, trailCount, matchedCount, isComplete, hashes } = report;
  const rows = [
    ...report.missing.map((event) => ['missing', event.occurredAt.toISOString(), event.action, event.targetId ?? '-']),
    ...report.extra.map((event) => ['extra', event.occurredAt.toISOString(), event.action, event.auditEventId ?? '-']),
    ...report.different.map(({ trail, fields }) => [
      ...['different', trail.occurredAt.toISOString(), trail.action, `${trail.auditEventId}: ${fields.join(', ')}`],
    ]),
    ...report.invalid.map((why) => ['invalid', why]),
  ];
  const odd = isComplete
    ? `${report.missingCount} missing, ${report.extraCount} extra, ${report.differentCount} different`
    : 'too many without an equal to list them';
  return [
    `${verdict}: ${primaryCount} in the log, ${trailCount} in the trail, ${matchedCount} equal; ${odd}, ${report.invalidCount} invalid.`,
    `${report.differingCells} counts by action and time differ; distance of the payload hashes ${hashes.distance.toFixed(3)}.`,
    ...(rows.length === 0 ? [] : [table(rows)]),
  ].join('\n');
}

const exits = { same: 0, different: 1, unknown: 1, empty: 3 } as const satisfies Record<string, ExitCode>;

/** Compares the trail with the host's own log, for the tenants whose events the trail records. */
export async function compareWithLog(terminal: Terminal, args: RolloutArguments): Promise<ExitCode> {
  const { subject: file } = args;
  if (file === undefined) throw new UsageError(['FILE: expected a file of JSON lines']);
  const prefixes = readList(args.actions);
  const accepts = ({ action }: { action: unknown }): boolean =>
    prefixes === undefined || typeof action !== 'string' || prefixes.some((prefix) => action.startsWith(prefix));
  const compare = async (stores: Stores<unknown>): Promise<AuditComparison> => {
    const until = args.until === undefined ? await stores.now() : readTime('until', args.until);
    const since = args.since === undefined ? new Date(until.getTime() - 86_400_000) : readTime('since', args.since);
    const flags = openAuditFlags(stores);
    return compareAuditTrails({
      store: stores.audit,
      redactor: createPayloadRedactor(),
      primary: readHostLog(file, accepts),
      ...{ since, until, signal: terminal.signal },
      covers: async (event) => accepts(event) && (await flags.isWriteEnabled(event.tenantId)),
    });
  };
  const report = await withStores(terminal, compare);
  print(terminal, args, report, describeComparison(report));
  return exits[report.verdict];
}
