import type { Change } from '../src/changes/change.js';

/** The file that the model has a finding in. */
export const path = '//d/a.c';

/** What holds the payloads: the change, a file outside it, or what the model says. */
export interface Given {
  change?: Partial<Change>;
  /** Lines of a file outside the change. */
  beside?: readonly string[];
  /** In the message of the finding. */
  reply?: string;
  /** The model's verdict on the finding. */
  verdict?: { id?: string; reason?: string; verdict?: string; summary?: string };
}

/** Places of payloads. */
export const places: Readonly<Record<string, (payloads: readonly string[]) => Given>> = {
  'added lines': (payloads) => ({ change: { files: [fileWith({ added: payloads })] } }),
  'lines round a hunk': (payloads) => ({ change: { files: [fileWith({ beside: payloads })] } }),
  'lines elsewhere in the file': (payloads) => ({ change: { files: [fileWith({ below: payloads })] } }),
  'paths of other files': (payloads) => ({
    change: {
      files: [fileWith({}), ...payloads.map((payload, at) => ({ ...fileWith({}), path: asPath(payload, at) }))],
    },
  }),
  'paths that files came from': (payloads) => ({
    change: {
      files: [
        fileWith({}),
        ...payloads.map((payload, at) => ({ ...fileWith({}), path: `//d/b${at}.c`, oldPath: asPath(payload, at) })),
      ],
    },
  }),
  'headings of hunks': (payloads) => ({
    change: {
      files: [
        fileWith({}),
        ...payloads.map((section, at) => ({ ...fileWith({ section: oneLine(section) }), path: `//d/b${at}.c` })),
      ],
    },
  }),
  'the description': (payloads) => ({ change: { description: payloads.join('\n') } }),
  'names of jobs': (payloads) => ({ change: { jobs: payloads } }),
  'the name of the user': (payloads) => ({ change: { user: payloads.join(' ') } }),
  'the message of a finding, which goes back to be checked': (payloads) => ({ reply: payloads.join('\n') }),
  'code that only a check shows': (payloads) => ({ change: { files: [fileWith({ far: payloads })] } }),
  'a file beside the change': (payloads) => ({ beside: payloads }),
  'the reason of a verdict': (payloads) => ({ verdict: { reason: payloads.join('\n') } }),
  'the id of a verdict, and words beside it': (payloads) => ({
    verdict: { id: payloads[0] ?? '', summary: payloads.join('\n') },
  }),
  'a verdict': (payloads) => ({ verdict: { verdict: payloads.join(' ') } }),
};

/** As Perforce stores it: no empty folder, no control character, some characters encoded. No model gets other paths. */
const asPath = (text: string, at: number): string => {
  const coded = text.replaceAll(/[%@#*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return `//d/${at}${coded
    .replaceAll(/\p{Cc}/gu, '')
    .replaceAll(/\/+/g, '/')
    .replaceAll('...', '..')}.c`;
};
/** No file has a line with a line break. */
export const oneLine = (text: string): string => text.replaceAll(/[\n\r]/g, ' ');

/** A file of one hunk that holds these lines. */
export function fileWith(given: {
  added?: readonly string[];
  beside?: readonly string[];
  below?: readonly string[];
  /** In the function of the hunk, out of sight of a review's request. */
  far?: readonly string[];
  section?: string;
}): Change['files'][number] {
  const { far: distant } = given;
  const [added = ['let b;'], beside = ['let a;'], below = []] = [given.added, given.beside, given.below].map((lines) =>
    lines?.map(oneLine),
  );
  const newSide = ['free(p);', ...added, ...beside];
  const rest = Array.from({ length: 20 }, () => 'next();');
  if (distant !== undefined) return longFunction(distant.map(oneLine));
  const lines = ['+free(p);', ...added.map((line) => `+${line}`), ...beside.map((line) => ` ${line}`)];
  const newText = [...newSide, ...rest, ...below, ''].join('\n');
  const { section } = given;
  const hunk = { oldStart: 1, oldLines: beside.length, newStart: 1, newLines: lines.length, lines };
  return {
    ...{ path, oldPath: null, action: 'edit', fileType: 'text', revision: 2, bytes: 1, skipped: null, newText },
    hunks: [{ ...hunk, ...(section === undefined ? {} : { section }) }],
    ...{ addedLines: 1 + added.length, removedLines: 0, encoding: 'utf8' },
  };
}

/** A function of 400 lines whose first changed, with these in its middle. */
export function longFunction(middle: readonly string[]): Change['files'][number] {
  const body = Array.from({ length: 400 }, () => '  next();');
  body.splice(200, middle.length, ...middle);
  const lines = ['-int drain(char *q) {', '+int drain(char *p) {', '+  free(p);'];
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines };
  const newText = ['int drain(char *p) {', '  free(p);', ...body, '}', ''].join('\n');
  return { ...fileWith({}), newText, hunks: [hunk], addedLines: 2, removedLines: 1 };
}
