import { commonPath, dateText, timeText, visibleDescription } from '../change-text.js';
import { covers, type StoredChange } from '../model-store.js';
import { type ServerEvent, serverMessages } from '../server-events.js';
import type { ServerRequest } from '../server-request.js';
import { findUser, type P4SimulatorModel } from '../simulator-model.js';
import { describeCommand } from './describe-command.js';
import { diff2Command, filelogCommand, filesCommand, fstatCommand } from './file-commands.js';
import { grepCommand } from './grep-command.js';
import { printCommand } from './print-command.js';
import { groupsCommand, reviewsCommand, userCommand, usersCommand } from './user-commands.js';

interface ServerCommand {
  /** Letters of options that stand alone, and of those that take a value. */
  options: string;
  optionsWithValue: string;
  run(request: ServerRequest): Iterable<ServerEvent>;
}

const commands: Readonly<Record<string, ServerCommand>> = {
  info: { options: 's', optionsWithValue: '', run: infoCommand },
  login: { options: 's', optionsWithValue: '', run: loginCommand },
  describe: { options: 'sSaf', optionsWithValue: 'md', run: describeCommand },
  print: { options: 'qkKa', optionsWithValue: 'mo', run: printCommand },
  files: { options: 'ea', optionsWithValue: 'm', run: filesCommand },
  fstat: { options: '', optionsWithValue: 'OmRe', run: fstatCommand },
  grep: { options: 'ainstvlLFG', optionsWithValue: 'eABC', run: grepCommand },
  filelog: { options: '', optionsWithValue: 'm', run: filelogCommand },
  diff2: { options: 'q', optionsWithValue: 'd', run: diff2Command },
  counter: { options: '', optionsWithValue: '', run: counterCommand },
  jobs: { options: '', optionsWithValue: 'm', run: jobsCommand },
  user: { options: 'o', optionsWithValue: '', run: userCommand },
  users: { options: 'a', optionsWithValue: 'm', run: usersCommand },
  groups: { options: 'iv', optionsWithValue: '', run: groupsCommand },
  reviews: { options: '', optionsWithValue: 'c', run: reviewsCommand },
  changes: { options: 'lLtr', optionsWithValue: 'mseu', run: changesCommand },
  fixes: { options: '', optionsWithValue: 'cjm', run: fixesCommand },
  protects: { options: 'm', optionsWithValue: '', run: protectsCommand },
};

/** They would change what others see, or never leave the client and show what it keeps. */
const forbidden = new Set(
  'add attribute change client copy delete edit integrate lock login2 logout merge move obliterate passwd reconcile resolve revert shelve submit sync tag unlock unshelve clone extension init merge3 replicate set tickets trust'.split(
    ' ',
  ),
);

/** Runs one command of the model's server. A command it does not have is answered as a server answers it. */
export function* runServerCommand(
  name: string,
  args: readonly string[],
  request: Omit<ServerRequest, 'options' | 'operands'>,
): Generator<ServerEvent> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (forbidden.has(name)) request.violate(`ran p4 ${name}`);
  if (command === undefined) return yield serverMessages.unknownCommand();
  const options = new Map<string, string>();
  let at = 0;
  for (; at < args.length && /^-./.test(args[at] ?? ''); at += 1) {
    const word = args[at] ?? '';
    const letter = word.charAt(1);
    if (command.optionsWithValue.includes(letter))
      options.set(letter, word.length > 2 ? word.slice(2) : (args[++at] ?? ''));
    else if ([...word.slice(1)].every((flag) => command.options.includes(flag)))
      for (const flag of word.slice(1)) options.set(flag, '');
    else return yield serverMessages.invalidOption(word);
  }
  if (name === 'print' && options.has('o')) request.violate(`wrote ${options.get('o')}`);
  yield* limited(command.run({ ...request, options, operands: args.slice(at) }), request.model.limits ?? {});
}

/** A server counts before it answers. What counts as a row is its own affair: here it is a record, or a file of one. */
function* limited(
  events: Iterable<ServerEvent>,
  { maxResults, maxScanRows }: NonNullable<P4SimulatorModel['limits']>,
): Generator<ServerEvent> {
  if (maxResults === undefined && maxScanRows === undefined) return yield* events;
  const all = [...events];
  const rows = all.reduce((count, event) => count + rowsOf(event), 0);
  if (maxResults !== undefined && rows > maxResults) yield serverMessages.maxResults(maxResults);
  else if (maxScanRows !== undefined && rows > maxScanRows) yield serverMessages.maxScanRows(maxScanRows);
  else yield* all;
}

function rowsOf(event: ServerEvent): number {
  if (event.kind !== 'stat') return event.kind === 'info' ? 1 : 0;
  return Math.max(1, event.fields.filter(([key]) => /^depotFile[0-9]/.test(key)).length);
}

function* infoCommand({ model, user, client, tagged }: ServerRequest): Generator<ServerEvent> {
  const caseHandling = model.caseHandling ?? 'sensitive';
  const nowS = Math.floor(Date.now() / 1000);
  const fields = new Map<string, string>([
    ['userName', user],
    ['clientName', client],
    ['serverAddress', (model.port ?? '').replace(/^[a-z0-9]+:(?=.*:)/, '')],
    ['serverDate', `${dateText(nowS)} ${timeText(nowS)} +0000 UTC`],
    ['serverVersion', 'P4D/LINUX26X86_64/2023.2/2535420 (2023/12/19)'],
    ['serverServices', 'standard'],
    ['caseHandling', caseHandling],
  ]);
  for (const [key, value] of Object.entries(model.info ?? {})) {
    // The model's fields come in its order.
    fields.delete(key);
    fields.set(key, value);
  }
  if (model.unicode === true) fields.set('unicode', 'enabled');
  if (tagged) return yield { kind: 'stat', fields: [...fields] };
  yield { kind: 'info', level: 0, text: `User name: ${user}` };
  yield { kind: 'info', level: 0, text: `Case Handling: ${fields.get('caseHandling')}` };
}

function* loginCommand({ model, user, tagged }: ServerRequest): Generator<ServerEvent> {
  const left = findUser(model, user)?.ticketExpiresInS ?? 43_140;
  if (!tagged) {
    const text = `User ${user} ticket expires in ${Math.floor(left / 3600)} hours ${Math.floor((left % 3600) / 60)} minutes.`;
    return yield { kind: 'info', level: 0, text };
  }
  yield {
    kind: 'stat',
    fields: [
      ['User', user],
      ['TicketExpiration', left],
      ['AuthedBy', 'ticket'],
    ],
  };
}

function* fixesCommand({ store, options, tagged }: ServerRequest): Generator<ServerEvent> {
  const change = store.change(Number(options.get('c')));
  for (const job of change?.jobs ?? []) {
    if (change === null) return;
    if (!tagged) {
      const text = `${job.job} fixed by Change ${change.number} on ${dateText(change.time)} by ${change.user}@${change.client} (${job.status})`;
      yield { kind: 'info', level: 0, text };
      continue;
    }
    yield {
      kind: 'stat',
      fields: [
        ['Job', job.job],
        ['Change', change.number],
        ['Date', change.time],
        ['User', change.user],
        ['Client', change.client],
        ['Status', job.status],
      ],
    };
  }
}

function* changesCommand({ store, options, operands, tagged, user }: ServerRequest): Generator<ServerEvent> {
  const wanted = options.get('s');
  const inScope = (change: StoredChange): boolean =>
    operands.length === 0 || operands.some((operand) => touches(change, operand, store.fold));
  const matches = store
    .changes()
    .filter(
      (change) => wanted === undefined || (wanted === 'shelved' ? change.shelved === true : change.status === wanted),
    )
    .filter((change) => change.number >= Number(options.get('e') ?? 0) && inScope(change))
    .slice(0, Number(options.get('m') ?? Number.POSITIVE_INFINITY));
  for (const change of matches) {
    const whole = visibleDescription(change, { store, user, shelf: wanted === 'shelved' });
    const short = whole.slice(0, 31);
    if (tagged) yield { kind: 'stat', fields: [...changeFields(change), ['desc', options.has('l') ? whole : short]] };
    else {
      const pending = change.status === 'pending' ? '*pending* ' : '';
      const text = `Change ${change.number} on ${dateText(change.time)} by ${change.user}@${change.client} ${pending}'${short.replace(/\n/g, ' ')}'`;
      yield { kind: 'info', level: 0, text };
    }
  }
}

/**
 * `//depot/dir/...`, `//depot/dir/file`, either with a range `@12,@34`. With paths a server lists
 * submitted changes alone.
 */
function touches(change: StoredChange, operand: string, fold: (path: string) => string): boolean {
  const [, scope = '', from, to] = /^([^@]*)(?:@([0-9]+),@([0-9]+))?$/.exec(operand) ?? [];
  if (change.status !== 'submitted' || change.number < Number(from ?? 0) || change.number > Number(to ?? change.number))
    return false;
  return change.files.some((file) => covers(fold(scope), fold(file.path)));
}

function* protectsCommand({ model, user }: ServerRequest): Generator<ServerEvent> {
  const access = findUser(model, user)?.maxAccess;
  if (access === null) return yield serverMessages.protectionsEmpty();
  yield { kind: 'stat', fields: [['permMax', access ?? 'read']] };
}

function changeFields(change: StoredChange): (readonly [string, string | number])[] {
  return [
    ['change', change.number],
    ['time', change.time],
    ['user', change.user],
    ['client', change.client],
    ['status', change.status],
    ['changeType', change.restricted === true ? 'restricted' : 'public'],
    ['path', commonPath(change)],
    ...(change.oldChange === undefined ? [] : [['oldChange', change.oldChange] as const]),
    ...(change.shelved === true ? [['shelved', ''] as const] : []),
  ];
}

function* counterCommand({ model, store, operands, tagged, violate }: ServerRequest): Generator<ServerEvent> {
  const [name = '', ...more] = operands;
  if (more.length > 0) violate('set a counter');
  const latest = store.changes()[0]?.number ?? 0;
  const value = model.counters?.[name] ?? (name === 'change' ? String(latest) : '0');
  if (!tagged) return yield { kind: 'info', level: 0, text: value };
  yield {
    kind: 'stat',
    fields: [
      ['counter', name],
      ['value', value],
    ],
  };
}

function* jobsCommand({ store, tagged }: ServerRequest): Generator<ServerEvent> {
  for (const change of store.changes()) {
    for (const { job, status } of change.jobs ?? []) {
      if (!tagged)
        yield { kind: 'info', level: 0, text: `${job} on ${dateText(change.time)} by ${change.user} *${status}*` };
      else {
        yield {
          kind: 'stat',
          fields: [
            ['Job', job],
            ['Status', status],
            ['User', change.user],
            ['Date', change.time],
          ],
        };
      }
    }
  }
}
