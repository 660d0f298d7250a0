import type { Change, ChangedFile, ChangeFetcher } from '@criticizer/core/ports';

/** The size of a change. */
export interface ChangeShape {
  files: number;
  /** Lines of the new side of a file; the third of every four is edited. */
  lines: number;
}

const depot = '//depot/game/src';

/** The path of a file; the same in every change, so that a model can name it without reading. */
export const benchPath = (file: number): string => `${depot}/area${file % 3}/module-${file}.ts`;

/** The first edited line; every fourth after it is edited too, to another text in every change. */
export const editedLine = 3;

function sourceLine(file: number, line: number, seed: number): string {
  const name = `${['ticket', 'player', 'session', 'inventory'][line % 4]}${file}x${line}`;
  switch (line % 6) {
    case 0:
      return `export function ${name}(input: readonly number[], scale = ${seed}): number {`;
    case 1:
      return `  const ${name} = input.filter((value) => value > ${seed + line}).map((value) => value * ${line});`;
    case 2:
      return `  // The server counts from one, the client from nothing; see the table of ${name}.`;
    case 3:
      return `  if (${name}.length > ${line}) throw new RangeError(\`too many: \${${name}.length} of ${seed}\`);`;
    case 4:
      return `  log.info({ count: ${name}.length, user: state.user }, 'counted ${name}');`;
    default:
      return '}';
  }
}

function changedFile(file: number, number: number, { lines }: ChangeShape): ChangedFile {
  const isEdited = (line: number): boolean => line % 4 === editedLine;
  const newSide = Array.from({ length: lines }, (_, at) => sourceLine(file, at + 1, isEdited(at + 1) ? number : file));
  const hunkLines = newSide.flatMap((text, at) =>
    isEdited(at + 1) ? [`-${sourceLine(file, at + 1, file)}`, `+${text}`] : [` ${text}`],
  );
  const edited = hunkLines.filter((line) => line.startsWith('+')).length;
  const newText = `${newSide.join('\n')}\n`;
  return {
    path: benchPath(file),
    oldPath: null,
    action: 'edit',
    fileType: 'text',
    revision: 2,
    bytes: newText.length,
    skipped: null,
    hunks: [{ oldStart: 1, oldLines: lines, newStart: 1, newLines: lines, lines: hunkLines }],
    newText,
    addedLines: edited,
    removedLines: edited,
    encoding: 'utf8',
  };
}

/** Change `number` of the server `main`, by one of 40 people. */
function benchChange(number: number, shape: ChangeShape): Change {
  return {
    serverId: 'main',
    number,
    changelistId: `main/${number}`,
    kind: 'submitted',
    user: `user${number % 40}`,
    description: `Count from one in the modules of step ${number}.`,
    changedAt: new Date(),
    userMail: `user${number % 40}@studio.example`,
    reviewerMails: [],
    jobs: [],
    files: Array.from({ length: shape.files }, (_, file) => changedFile(file, number, shape)),
    visibility: 'complete',
    deniedFiles: 0,
    contentDigest: number.toString(16).padStart(64, '0'),
  };
}

/** A server that has every change and answers at once. Each is made as it is read. */
export function createBenchFetcher(shape: ChangeShape): ChangeFetcher {
  return {
    contract: 1,
    serverId: 'main',
    fetch: async (number) => ({ kind: 'change', change: benchChange(number, shape) }),
  };
}
