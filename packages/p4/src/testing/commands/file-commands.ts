import { isHidden } from '../change-text.js';
import { textDifferences } from '../differences.js';
import { fileFields, fileLine } from '../file-record.js';
import { isGone, type StoredFile } from '../model-store.js';
import { type ServerEvent, serverMessages } from '../server-events.js';
import type { ServerRequest } from '../server-request.js';
import { isBinary } from './print-command.js';

/** `files [-e -m max] path[#n|@n|@=n]…`, where a path may hold wildcards. */
export function* filesCommand(request: ServerRequest): Generator<ServerEvent> {
  let left = Number(request.options.get('m') ?? Number.POSITIVE_INFINITY);
  for (const spec of request.operands) {
    const found = listed(request, spec).filter((file) => !request.options.has('e') || !isGone(file));
    if (found.length === 0) yield serverMessages.noSuchFile(spec);
    for (const file of found) {
      left -= 1;
      if (left < 0) return;
      if (request.tagged) yield { kind: 'stat', fields: fileFields(file) };
      else yield { kind: 'info', level: 0, text: fileLine(file) };
    }
  }
}

/**
 * `fstat [-Ol] path…`, or `fstat -e change -Rs [-Or] path…` of a shelf: records even
 * without tags.
 */
export function* fstatCommand(request: ServerRequest): Generator<ServerEvent> {
  if (request.options.get('R') === 's') return yield* shelvedFstat(request);
  for (const spec of request.operands) {
    const found = listed(request, spec);
    if (found.length === 0) yield serverMessages.noSuchFile(spec);
    for (const file of found) yield { kind: 'stat', fields: headFields(file, request.options.has('O')) };
  }
}

/** The files of one shelf; `-Or` adds what each was resolved with. */
function* shelvedFstat({ store, user, options, operands }: ServerRequest): Generator<ServerEvent> {
  const change = store.change(Number(options.get('e')));
  const isShown = change?.shelved === true && !isHidden(change, { store, user, shelf: true });
  for (const path of operands) {
    const file = isShown ? change.files.find((one) => store.fold(one.path) === store.fold(path)) : undefined;
    if (file === undefined || store.access(user, file.path) === 'none') yield serverMessages.noSuchFile(path);
    else
      yield {
        kind: 'stat',
        fields: [
          ['depotFile', file.path],
          ['shelved', ''],
          ...Object.entries({ headAction: file.action, headType: file.type, headChange: file.change.number }),
          ...(options.get('O') === 'r' ? resolveFields(file) : []),
        ],
      };
  }
}

/** As an integration of the whole history of its source: nothing but its last revision is read. */
function resolveFields({ path, integratedFrom }: StoredFile): (readonly [string, string | number])[] {
  return integratedFrom.flatMap((source, at) =>
    Object.entries({
      [`resolveAction${at}`]: source.how ?? 'copy from',
      [`resolveBaseFile${at}`]: path,
      [`resolveBaseRev${at}`]: 1,
      [`resolveFromFile${at}`]: source.path,
      [`resolveStartFromRev${at}`]: 1,
      [`resolveEndFromRev${at}`]: source.rev,
    }),
  );
}

/** `filelog -m 1 path#rev…`, in tags: the revision, and what it was integrated from. */
export function* filelogCommand(request: ServerRequest): Generator<ServerEvent> {
  for (const spec of request.operands) {
    const found = listed(request, spec);
    if (found.length === 0) yield serverMessages.noSuchFile(spec);
    for (const { path, rev, change, action, type, integratedFrom } of found) {
      const revision = [
        ['depotFile', path] as const,
        ...Object.entries({ rev0: rev, change0: change.number, action0: action, type0: type, time0: change.time }),
      ];
      const records = integratedFrom.flatMap((one, at) =>
        Object.entries({
          [`how0,${at}`]: one.how ?? 'copy from',
          [`file0,${at}`]: one.path,
          [`srev0,${at}`]: '#none',
          [`erev0,${at}`]: `#${one.rev}`,
        }),
      );
      yield { kind: 'stat', fields: [...revision, ...records] };
    }
  }
}

/** `diff2 [-q] [-du] left right`: two revisions, or two directories file by file. */
export function* diff2Command(request: ServerRequest): Generator<ServerEvent> {
  const [leftSpec = '', rightSpec = ''] = request.operands;
  const sides = [leftSpec, rightSpec].map(
    (spec) => new Map(listed(request, spec).map((file) => [relative(spec, file), file])),
  );
  const [left, right] = sides;
  const names = [...new Set(sides.flatMap((side) => [...side.keys()]))].sort();
  const differing = names.flatMap((name) => {
    const pair = { before: left?.get(name), after: right?.get(name) };
    return pair.before?.digest === pair.after?.digest ? [] : [pair];
  });
  if (differing.length === 0) return yield serverMessages.noDifferingFiles(leftSpec);
  for (const { before, after } of differing) {
    const heading = `==== ${described(before)} - ${described(after)} ===${after === undefined ? '' : '= content'}`;
    yield {
      kind: 'info',
      level: 0,
      text: before === undefined ? `==== <none> - ${after?.path}#${after?.rev} ====` : heading,
    };
    if (before !== undefined && after !== undefined && !request.options.has('q')) {
      if (isBinary(before) || isBinary(after)) yield { kind: 'info', level: 0, text: '(... files differ ...)' };
      else
        yield {
          kind: 'text',
          data: textDifferences(before.content(), after.content(), request.options.get('d') ?? ''),
        };
    }
  }
}

function described(file: StoredFile | undefined): string {
  return file === undefined ? '<none>' : `${file.path}#${file.rev} (${file.type})`;
}

function relative(spec: string, file: StoredFile): string {
  const scope = pathOf(spec);
  return scope.endsWith('/...') ? file.path.slice(scope.length - 3) : '';
}

function listed({ store, user }: ServerRequest, spec: string): StoredFile[] {
  const path = pathOf(spec);
  return store.latest(path, spec.slice(path.length)).filter((file) => store.access(user, file.path) !== 'none');
}

function pathOf(spec: string): string {
  return spec.replace(/[#@].*$/, '');
}

function headFields(file: StoredFile, withSizes: boolean): (readonly [string, string | number])[] {
  const { path, action, type, rev, change } = file;
  const sizes = [['fileSize', file.fileSize] as const, ['digest', file.digest] as const];
  return [
    ['depotFile', path],
    ['headAction', action],
    ['headType', type],
    ['headTime', change.time],
    ['headRev', rev],
    ['headChange', change.number],
    ['headModTime', change.time],
    ...(withSizes && !isGone(file) ? sizes : []),
  ];
}
