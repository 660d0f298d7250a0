import type { Buffer } from 'node:buffer';

/** What a server sends, before a client renders it. */
export type ServerEvent =
  | { kind: 'stat'; fields: readonly (readonly [string, string | number])[] }
  | { kind: 'info'; level: number; text: string }
  | { kind: 'text' | 'binary'; data: Buffer }
  | { kind: 'message'; severity: number; generic: number; text: string }
  /** What the client prints of itself, whatever the mode: a prompt. */
  | { kind: 'raw'; data: Buffer }
  | { kind: 'dropped' };

type Message = Extract<ServerEvent, { kind: 'message' }>;
const warning = (text: string): Message => ({ kind: 'message', severity: 2, generic: 17, text });
const failed = (generic: number, text: string): Message => ({ kind: 'message', severity: 3, generic, text });

const osTexts: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EROFS: 'Read-only file system',
  ENOTDIR: 'Not a directory',
};

/** The catalogue: texts, severities and classes as servers send them. */
export const serverMessages = {
  noSuchChange: (number: string) => warning(`${number} - no such changelist.`),
  invalidChange: (number: string) => failed(1, `Invalid changelist number '${number}'.`),
  noSuchFile: (spec: string) => warning(`${spec} - no such file(s).`),
  noFileAtChange: (spec: string) => warning(`${spec} - no file(s) at that changelist number.`),
  noFileAtRevision: (spec: string) => warning(`${spec} - no file(s) at that revision.`),
  archiveUnreadable: (path: string) =>
    failed(
      33,
      `Librarian checkout ${path.slice(2)} failed.\nopen for read: ${path.slice(2)},v: No such file or directory`,
    ),
  noSuchUser: (user: string) => warning(`${user} - no such user(s).`),
  noPermissionOnFile: (spec: string) => warning(`${spec} - no permission for operation on file(s).`),
  notInView: (spec: string) => warning(`${spec} - file(s) not in client view.`),
  noPermission: () => failed(6, "You don't have permission for this operation."),
  unknownDepot: (depot: string) => failed(2, `Depot '${depot}' unknown - use 'depot' to create it.`),
  passwordInvalid: () => failed(36, 'Perforce password (P4PASSWD) invalid or unset.'),
  sessionExpired: () => failed(4, 'Your session has expired, please login again.'),
  ticketOnly: () => failed(1, "Password not allowed at this server security level, use 'p4 login'."),
  secondFactor: () => failed(36, "Multi factor authentication required! Run 'p4 login2'."),
  clientNotUnicode: () => failed(36, 'Unicode server permits only unicode enabled clients.'),
  serverNotUnicode: () => failed(36, 'Unicode clients require a unicode enabled server.'),
  maxResults: (over: number) => failed(35, `Request too large (over ${over}); see 'p4 help maxresults'.`),
  maxScanRows: (over: number) => failed(35, `Too many rows scanned (over ${over}); see 'p4 help maxscanrows'.`),
  maxLockTime: (over: number) =>
    failed(35, `Operation took too long (over ${over} seconds); see 'p4 help maxlocktime'.`),
  grepMaxRevisions: (over: number) => failed(1, `Grep revision limit exceeded (over ${over}).`),
  grepLineTooLong: ({ path, rev }: { path: string; rev: number | string }, line: number, over: number): Message => ({
    kind: 'message',
    severity: 2,
    generic: 0,
    text: `${path}#${rev} - line ${line}: maximum line length of ${over} exceeded`,
  }),
  protectionsEmpty: () => failed(35, 'Protections table is empty.'),
  unknownCommand: () => failed(1, "Unknown command.  Try 'p4 help' for info."),
  invalidOption: (option: string) => failed(1, `Invalid option: ${option}.`),
  usage: (text: string) => failed(1, `Usage: ${text}`),
  dropped: () => failed(38, 'Partner exited unexpectedly.'),
  waitedTooLong: (seconds: number) =>
    failed(38, `TCP receive exceeded maximum configured duration of ${seconds} seconds.`),
  noDifferingFiles: (spec: string) => warning(`${spec} - no differing files.`),
  endOfTerminal: () => failed(38, 'EOF reading terminal.'),
  outsideClientPath: (path: string, permitted: string) =>
    failed(2, `File ${path} is not inside permitted filesystem path ${permitted}`),
  /** What the client says of a URL that the server has it open. */
  navigateTo: (url: string): Message => ({ kind: 'message', severity: 1, generic: 0, text: `Navigate to URL: ${url}` }),
  noSignOn: () => failed(2, "Single sign-on on client failed: 'P4LOGINSSO' not set."),
  badInputData: () => failed(34, 'Invalid marshalled data supplied as input.'),
  unregistered: (name: string): Message => ({
    kind: 'message',
    severity: 4,
    generic: 38,
    text: `Internal function '${name}' unregistered!`,
  }),
  osFailed: (operation: string, path: string, code: string) =>
    failed(33, `${operation}: ${path}: ${osTexts[code] ?? 'Input/output error'}`),
} as const;
