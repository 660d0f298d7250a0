/** One file of a change. Its content is that of `path#rev`, or of the shelf. */
export interface P4SimulatorFile {
  /** A lone `\uDCFC` represents the byte FC, which is no UTF-8. */
  path: string;
  action:
    | 'add'
    | 'edit'
    | 'delete'
    | 'branch'
    | 'integrate'
    | 'move/add'
    | 'move/delete'
    | 'import'
    | 'purge'
    | 'archive';
  /** Default `text`. */
  type?: string | undefined;
  /**
   * Default: the next revision after earlier submitted changes; in a shelf the latest of them,
   * `none` for a new file.
   */
  rev?: number | 'none' | undefined;
  /** UTF-8 text, bytes, or a part of a file of this machine. Default: empty. */
  content?: string | { base64: string } | { file: string; at: number; bytes: number } | undefined;
  /** Default: of the content. */
  fileSize?: number | undefined;
  /** Default: MD5 of the content, upper-case hex. */
  digest?: string | undefined;
  from?: { path: string; rev: number } | undefined;
  /**
   * What it was integrated from, as `filelog` says it of a submitted file and `fstat -Or` of a shelved
   * one; `describe` says `from` alone. `how` is by default `copy from`.
   */
  integratedFrom?: P4SimulatorIntegration | readonly P4SimulatorIntegration[] | undefined;
  /** The server lists the revision and cannot read its archive. Default false. */
  isArchiveMissing?: boolean | undefined;
}

/** One integration record of a file. */
export interface P4SimulatorIntegration {
  path: string;
  rev: number;
  how?: string | undefined;
}

/** A change of the simulated server. */
export interface P4SimulatorChange {
  number: number;
  user: string;
  /** Default `<user>-ws`. */
  client?: string | undefined;
  /** Seconds since the epoch. Default 1700000000. */
  time?: number | undefined;
  /** As typed, without the final line break. */
  description: string;
  status: 'submitted' | 'pending';
  /** A pending change whose `files` are shelved; else they are only opened. */
  shelved?: boolean | undefined;
  /** The number it had before it was submitted, where submitting gave it another. */
  oldChange?: number | undefined;
  /** Visible to its user, and to those who may list one of its submitted or shelved files. */
  restricted?: boolean | undefined;
  /** What `path` says. Default: the directory of the first file. */
  path?: string | undefined;
  jobs?: readonly { job: string; status: string }[] | undefined;
  /** What `reviews -c` answers. */
  reviewers?: readonly { user: string; email: string; name: string }[] | undefined;
  files: readonly P4SimulatorFile[];
}

/** A user of the simulated server. */
export interface P4SimulatorUser {
  user: string;
  email: string;
  fullName: string;
  /** Seconds since the epoch, of `Update` and `Access`. Default 1700000000. */
  time?: number | undefined;
  /** The ticket the server wants of this user. Default: none is asked for. */
  ticket?: string | undefined;
  ticketExpired?: boolean | undefined;
  /** Seconds `login -s` says are left. Default 43140. */
  ticketExpiresInS?: number | undefined;
  /** Default `standard`. */
  type?: 'standard' | 'service' | 'operator' | undefined;
  /** What `groups -i -v` says of them; a limit that is left out is unset. */
  groups?: readonly { group: string; maxResults?: number | undefined; maxScanRows?: number | undefined }[] | undefined;
  /** What `protects -m` says. Default `read`; null: there is no protections table. */
  maxAccess?: string | null | undefined;
}

/** What goes wrong, in place of the answer or in it. */
export type P4SimulatorFault =
  /** Connects and never answers; ignores SIGTERM where `stubborn`. */
  | { kind: 'silent'; stubborn?: boolean | undefined }
  /** Never answers, having started another process that holds the output and ignores SIGTERM, as an editor would. */
  | { kind: 'hangs-with-child' }
  /**
   * Is silent for so long before it answers, which takes no time: the client gives up where its
   * `net.maxwait` is shorter.
   */
  | { kind: 'answers-after'; seconds: number }
  /** Sends its output at this pace. */
  | { kind: 'slow'; bytesPerSecond: number }
  /** Sends bytes that are no output of `-G`. */
  | { kind: 'garbage' }
  /** Sends the first bytes of its output; then the connection breaks. */
  | { kind: 'drop'; afterBytes: number }
  /** Says something before it answers. */
  | { kind: 'says'; severity: number; generic: number; text: string }
  /** Answers with a message of the catalogue. */
  | { kind: 'message'; severity: number; generic: number; text: string }
  /** Sends a file nobody asked for before the rest of `print`. */
  | { kind: 'foreign-file'; path: string }
  /** The server makes use of the client before it answers. */
  | {
      kind: 'drive-client';
      attack: P4SimulatorAttack;
      /**
       * The path that the server names. Below a directory whose name begins with
       * `criticizer-canary-` the attack is really carried out; elsewhere files are listed and
       * digested at most. Default: a path where nothing is.
       */
      target?: string | undefined;
    };

/** What a server can ask of any client that is not contained, whatever command it runs. */
export type P4SimulatorAttack =
  /** The client refuses these outside P4CLIENTPATH. */
  | 'write-file'
  | 'delete-file'
  | 'chmod-file'
  | 'read-file'
  /** Names and digests of all files below `target`, or of that file; no setting stops it. */
  | 'list-directory'
  | 'digest-file'
  /** What older clients, such as 2021.1, let through as well. */
  | 'scan-directory'
  | 'compare-file'
  | 'match-file'
  /** Programs that P4EDITOR, P4LOGINSSO and P4ALTSYNC name. */
  | 'run-editor'
  | 'run-sso'
  | 'run-alt-sync'
  | 'input-data'
  | 'prompt'
  | 'open-url';

/** What a driven client sent of its machine. */
export interface P4SimulatorUpload {
  path: string;
  /** Upper-case hex, where the attack asks for it. */
  md5?: string;
  content?: string;
}

/** What a server sends, before the client prints it in one of its modes. JSON: bytes stand as text or as base64. */
export type P4SimulatorEvent =
  | { kind: 'stat'; fields: readonly (readonly [string, string | number])[] }
  | { kind: 'info'; level: number; text: string }
  | { kind: 'text' | 'binary'; data: string | { base64: string } }
  | { kind: 'message'; severity: number; generic: number; text: string }
  /** The connection breaks. */
  | { kind: 'dropped' };

/** An answer given word for word. */
export interface P4SimulatorAnswer {
  /** The sub-command and all after it. */
  command: readonly string[];
  /** True: records come only where the client asks for tagged output; others get nothing. Default: to all alike. */
  tagged?: boolean | undefined;
  events: readonly P4SimulatorEvent[];
}

/** A Perforce server as data: JSON, no functions. */
export interface P4SimulatorModel {
  /** The address that answers, with protocol; any other is unreachable. Default `sim.invalid:1666`. */
  port?: string | undefined;
  /** Version of the client, `2021.1`. Before 2021.2 it finds pins by address alone. Default `2023.2`. */
  clientVersion?: string | undefined;
  /** Fingerprint of the server's public key where the port begins with `ssl:`. */
  fingerprint?: string | undefined;
  caseHandling?: 'sensitive' | 'insensitive' | undefined;
  unicode?: boolean | undefined;
  /** More fields of `info`, or other values for known ones. */
  info?: Readonly<Record<string, string>> | undefined;
  users?: readonly P4SimulatorUser[] | undefined;
  changes: readonly P4SimulatorChange[];
  /** The last rule that matches decides; `path` ends in `/...` or names a file. Default: all may read. */
  protections?: readonly { user?: string | undefined; path: string; access: 'none' | 'list' | 'read' }[] | undefined;
  /** The server's limits for this user; beyond one of them it refuses the command. Default: none. */
  limits?:
    | {
        maxResults?: number | undefined;
        maxScanRows?: number | undefined;
        /** Most revisions of one `grep`. Default 10 000. */
        maxGrepRevisions?: number | undefined;
      }
    | undefined;
  /** Text is sent in chunks of this many bytes, as servers differ. Default 4096. */
  textChunkBytes?: 4096 | 65536 | undefined;
  /** What `counter` says, beside `change`. */
  counters?: Readonly<Record<string, string>> | undefined;
  /** Command lines that the server answers with just these events: what was seen of a real one. */
  answers?: readonly P4SimulatorAnswer[] | undefined;
  /** Holds for every command, or for one. */
  fault?: (P4SimulatorFault & { command?: string | undefined }) | undefined;
}

export const defaultPort = 'sim.invalid:1666';
export const defaultTime = 1_700_000_000;

/** The user of that name, whatever its case. */
export function findUser(model: P4SimulatorModel, name: string): P4SimulatorUser | null {
  return model.users?.find((candidate) => candidate.user.toLowerCase() === name.toLowerCase()) ?? null;
}
