import { containmentText } from './doctor-containment.js';
import type { DoctorReport } from './doctor-report.js';

/** The report as text for a terminal: what was seen, what is wrong, what to do. Lines end with `\n`. */
export function renderDoctorReport(report: DoctorReport): string {
  const facts = factsOf(report).map(([name, text]) => `  ${name.padEnd(11)} ${text}`);
  const findings = report.findings.flatMap(({ code, severity, says, todo, details }) => [
    `  ${severity.padEnd(8)} ${code}`,
    `           ${says}${detailsText(details)}`,
    `           To do: ${todo}`,
  ]);
  const skipped = report.notChecked.map(({ check, because }) => `  ${check}: ${because} is in the way`);
  const errors = report.findings.filter(({ severity }) => severity === 'error').length;
  const notChecked = skipped.length === 0 ? '' : `, ${skipped.length} not checked`;
  const verdict = `${counted(errors, 'error')}, ${counted(report.findings.length - errors, 'warning')}${notChecked}`;
  return [
    `Perforce server "${report.serverId}" at ${report.port}, as user ${report.user}`,
    ...facts,
    ...(findings.length === 0 ? [] : ['', 'Found', ...findings]),
    ...(skipped.length === 0 ? [] : ['', 'Not checked', ...skipped]),
    '',
    verdict,
    '',
  ].join('\n');
}

function factsOf({ server, trust, clockSkewMs, ticket, rights, ...report }: DoctorReport): [string, string][] {
  const facts: [string, string][] = [];
  const { containment, serviceUser, seats, lastChangeAgeMs, allowList } = report;
  if (server !== null) {
    facts.push(['server', server.version ?? 'of an unnamed version']);
    if (server.services !== null && server.services !== 'standard') facts.push(['kind', server.services]);
    facts.push(['paths', `case-${server.caseHandling}${server.unicode ? ', Unicode mode' : ''}`]);
  }
  if (containment !== null) facts.push(['containment', containmentText(containment)]);
  if (trust.pinned !== null) facts.push(['pinned key', trust.pinned]);
  if (trust.shown !== null) facts.push(['shown key', trust.shown]);
  if (clockSkewMs !== null) facts.push(['clock', `${Math.round(clockSkewMs / 1_000)} s off the server's`]);
  if (ticket !== null) facts.push(['ticket', ticketText(ticket)]);
  if (rights !== null) facts.push(['rights', rights]);
  if (serviceUser !== null || seats !== null) facts.push(['seat', seatText(serviceUser, seats)]);
  if (serviceUser !== null) facts.push(['limits', limitsText(serviceUser)]);
  if (lastChangeAgeMs !== null) facts.push(['last change', `${Math.floor(lastChangeAgeMs / 3_600_000)} hours ago`]);
  if (allowList !== null) {
    const { judged, inside, mixed, outside, unlisted } = allowList;
    facts.push(['allow-list', `of the ${judged} newest changes ${inside} inside, ${mixed} mixed, ${outside} outside`]);
    if (unlisted > 0) facts.push(['', `${counted(unlisted, 'more change')} listed no file`]);
    for (const { rule, files } of allowList.rules) facts.push(['', `${rule}  ${counted(files, 'file')}`]);
  }
  return facts;
}

function seatText(user: DoctorReport['serviceUser'], seats: DoctorReport['seats']): string {
  const has = user?.hasSeat ?? null;
  const own = has === null ? 'not known' : has ? 'has one' : 'none';
  if (seats === null) return own;
  const { limit, taken } = seats;
  return `${own}; ${taken > limit ? `more than ${limit}` : taken} of ${limit} are taken`;
}

function limitsText({ maxResults, maxScanRows }: NonNullable<DoctorReport['serviceUser']>): string {
  return `MaxResults ${maxResults ?? 'unlimited'}, MaxScanRows ${maxScanRows ?? 'unlimited'}`;
}

function ticketText(ticket: NonNullable<DoctorReport['ticket']>): string {
  if (!ticket.accepted) return `refused (${ticket.code})`;
  return ticket.remainingMs === null
    ? 'accepted, without an end'
    : `good for ${Math.floor(ticket.remainingMs / 3_600_000)} hours`;
}

function detailsText(details: DoctorReport['findings'][number]['details']): string {
  const shown = Object.entries(details).filter(([, value]) => value !== null);
  return shown.length === 0 ? '' : ` (${shown.map(([name, value]) => `${name}: ${String(value)}`).join(', ')})`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
