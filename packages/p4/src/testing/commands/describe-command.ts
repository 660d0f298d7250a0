import { Buffer } from 'node:buffer';
import { type ChangeReader, commonPath, dateText, isHidden, timeText, visibleDescription } from '../change-text.js';
import { textDifferences } from '../differences.js';
import { isGone, type StoredChange, type StoredFile } from '../model-store.js';
import { type ServerEvent, serverMessages } from '../server-events.js';
import type { ServerRequest } from '../server-request.js';
import { isBinary } from './print-command.js';

/** `describe [-s] [-S] [-m max] [-du]`. Only files the user may list are shown. */
export function* describeCommand(request: ServerRequest): Generator<ServerEvent> {
  const { store, options, operands, tagged, user } = request;
  for (const operand of operands) {
    if (!/^[0-9]+$/.test(operand)) {
      yield serverMessages.invalidChange(operand);
      continue;
    }
    const change = store.change(Number(operand));
    if (change === null) {
      yield serverMessages.noSuchChange(operand);
      continue;
    }
    const shelf = options.has('S');
    const shown = shelf === (change.shelved === true) || change.status === 'submitted' ? change.files : [];
    const max = options.has('m') ? Number(options.get('m')) : shown.length;
    const reader = { store, user, shelf };
    const files = isHidden(change, reader)
      ? []
      : shown.filter((file) => store.access(user, file.path) !== 'none').slice(0, max);
    if (tagged) yield { kind: 'stat', fields: describeFields(change, files, reader) };
    else yield* describeText(change, files, reader);
    if (!options.has('s')) yield* differences(request, files);
    else if (!tagged) yield { kind: 'info', level: 0, text: '' };
  }
}

function describeFields(
  change: StoredChange,
  files: readonly StoredFile[],
  reader: ChangeReader,
): (readonly [string, string | number])[] {
  return [
    ['change', change.number],
    ['user', change.user],
    ['client', change.client],
    ['time', change.time],
    ['desc', visibleDescription(change, reader)],
    ['status', change.status],
    ['changeType', change.restricted === true ? 'restricted' : 'public'],
    ['path', commonPath(change)],
    ...(change.oldChange === undefined ? [] : [['oldChange', change.oldChange] as const]),
    ...(change.shelved === true ? [['shelved', ''] as const] : []),
    ...(change.jobs ?? []).flatMap((job, at) => [
      [`job${at}`, job.job] as const,
      [`jobstat${at}`, job.status] as const,
    ]),
    ...files.flatMap(fileFields),
  ];
}

function fileFields(file: StoredFile, at: number): (readonly [string, string | number])[] {
  return [
    [`depotFile${at}`, file.path],
    [`action${at}`, file.action],
    [`type${at}`, file.type],
    [`rev${at}`, file.rev],
    ...(isGone(file) ? [] : [[`fileSize${at}`, file.fileSize] as const, [`digest${at}`, file.digest] as const]),
    ...(file.from === null
      ? []
      : [[`fromFile${at}`, file.from.path] as const, [`fromRev${at}`, `#${file.from.rev}`] as const]),
  ];
}

function* describeText(
  change: StoredChange,
  files: readonly StoredFile[],
  reader: ChangeReader,
): Generator<ServerEvent> {
  const line = (text: string, level = 0): ServerEvent => ({ kind: 'info', level, text });
  const who = `${change.user}@${change.client}`;
  const description = visibleDescription(change, reader).trimEnd().split('\n');
  const heading = `Change ${change.number} by ${who} on ${dateText(change.time)} ${timeText(change.time)}`;
  const pending = change.status === 'pending' ? ' *pending*' : '';
  yield line(`${heading}${pending}\n\n${description.map((text) => `\t${text}\n`).join('')}`);
  if (change.jobs !== undefined && change.jobs.length > 0) {
    yield line('Jobs fixed ...\n');
    for (const job of change.jobs)
      yield line(`${job.job} fixed by Change ${change.number} on ${dateText(change.time)} by ${who} (${job.status})`);
    yield line('');
  }
  yield line(reader.shelf ? 'Shelved files ...\n' : 'Affected files ...\n');
  for (const file of files) yield line(`${file.path}#${file.rev} ${file.action}`, 1);
}

/** Untagged whatever the client asks for; of added and moved files a server sends none. */
function* differences({ store, options }: ServerRequest, files: readonly StoredFile[]): Generator<ServerEvent> {
  yield { kind: 'info', level: 0, text: '\nDifferences ...' };
  for (const file of files.filter(({ action }) => action === 'edit' || action === 'integrate')) {
    const base = store.revision(file.path, `#${file.change.shelved === true ? file.rev : Number(file.rev) - 1}`);
    if (base === null || isBinary(file)) continue;
    yield { kind: 'info', level: 0, text: `\n==== ${file.path}#${file.rev} (${file.type}) ====\n` };
    yield { kind: 'text', data: textDifferences(base.content(), file.content(), options.get('d') ?? '') };
    yield { kind: 'text', data: Buffer.from('\n') };
  }
}
