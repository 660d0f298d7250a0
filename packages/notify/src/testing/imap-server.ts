import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { checkName, checkOptions, type OptionShape, optional } from '@criticizer/core/internal';

/** What the server does wrong, from when it is set. */
export interface ImapFaults {
  /** Every login is refused. */
  refusesLogin?: boolean;
  /** Searches of headers find nothing, or all there is. */
  search?: 'misses' | 'everything' | 'refused';
  /** A command that is never answered, in capitals: `LOGIN`, `UID SEARCH`. */
  silentAt?: string;
}

/** What a server is started with. */
export interface ImapServerOptions {
  /** Default `reader`. */
  user?: string | undefined;
  /** Default: a new one. */
  password?: string | undefined;
}

const optionShape: OptionShape<ImapServerOptions> = { user: optional(checkName), password: optional(checkName) };

/** A server on loopback that speaks as much IMAP4rev1 as a look-up needs, of one mailbox. */
export interface ImapServer extends AsyncDisposable {
  /** On 127.0.0.1, without TLS. */
  port: number;
  user: string;
  password: string;
  /** Set its members at any time. */
  faults: ImapFaults;
  /** Files a mail, as of now unless said otherwise; gives its UID. */
  deliver(raw: string, date?: Date): number;
  /** Makes the mailbox anew: other UIDs, another UIDVALIDITY. */
  recreate(): void;
  /** Breaks every connection. */
  hangUp(): void;
  /** Commands by name, in order, without their words. */
  commands(): readonly string[];
  /** How many there were. */
  connections(): number;
  close(): Promise<void>;
}

interface Mail {
  uid: number;
  raw: string;
  date: Date;
}

const words = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '',
  );

const headersOf = ({ raw }: Mail): string => raw.replaceAll('\r\n', '\n').split('\n\n', 1)[0] ?? '';

const hasHeader = (mail: Mail, name: string, part: string): boolean =>
  new RegExp(`^${name}:[^\\n]*(?:\\n[ \\t][^\\n]*)*`, 'im')
    .exec(headersOf(mail))?.[0]
    .toLowerCase()
    .includes(part.toLowerCase()) ?? false;

function inRange(uid: number, range: string, last: number): boolean {
  return range.split(',').some((part) => {
    const [from = '', to = from] = part.split(':');
    const [a, b] = [from, to].map((end) => (end === '*' ? last : Number(end)));
    return uid >= Math.min(a ?? 0, b ?? 0) && uid <= Math.max(a ?? 0, b ?? 0);
  });
}

function findMails(mails: readonly Mail[], criteria: string[], { search }: ImapFaults): Mail[] {
  const last = mails.at(-1)?.uid ?? 0;
  let found = [...mails];
  for (let word = criteria.shift(); word !== undefined; word = criteria.shift()) {
    const name = word.toUpperCase();
    if (name === 'CHARSET') criteria.shift();
    else if (name === 'UID') {
      const range = criteria.shift() ?? '';
      found = found.filter(({ uid }) => inRange(uid, range, last));
    } else if (name === 'SINCE') {
      const day = Date.parse(`${criteria.shift()} 00:00 UTC`);
      found = found.filter(({ date }) => date.getTime() >= day);
    } else if (name === 'HEADER') {
      const [header = '', part = ''] = [criteria.shift(), criteria.shift()];
      if (search === 'misses') found = [];
      if (search === undefined) found = found.filter((mail) => hasHeader(mail, header, part));
    }
  }
  return found;
}

function fetched(mail: Mail, seq: number, wanted: string): string {
  const names = /HEADER\.FIELDS \(([^)]*)\)/i.exec(wanted)?.[1]?.split(' ') ?? [];
  const lines = headersOf(mail)
    .replaceAll(/\n[ \t]+/g, '\n ')
    .split(/\n(?![ \t])/);
  const kept = lines.filter((line) =>
    names.some((name) => line.toLowerCase().startsWith(`${name.toLowerCase().replaceAll('"', '')}:`)),
  );
  const block = Buffer.from(`${kept.join('\r\n').replaceAll('\n ', '\r\n ')}\r\n\r\n`, 'latin1');
  return `* ${seq} FETCH (UID ${mail.uid} BODY[HEADER.FIELDS (${names.join(' ')})] {${block.length}}\r\n${block.toString('latin1')})\r\n`;
}

// long: the commands of the protocol, one after the other
/** Starts a stand-in of a mailbox, `INBOX`, for tests of a look-up. Throws `TypeError` for wrong options. */
export async function startImapServer(options: ImapServerOptions = {}): Promise<ImapServer> {
  checkOptions('startImapServer', options, optionShape);
  const { user = 'reader', password = randomBytes(12).toString('hex') } = options;
  const faults: ImapFaults = {};
  const sockets = new Set<Socket>();
  const commands: string[] = [];
  let [mails, uidValidity, nextUid, opened]: [Mail[], number, number, number] = [[], 1, 1, 0];

  function answer(line: string): string {
    const [tag = '*', given = '', ...rest] = words(line);
    const name = given.toUpperCase() === 'UID' ? `UID ${rest.shift()?.toUpperCase()}` : given.toUpperCase();
    commands.push(name);
    if (name === faults.silentAt) return '';
    const ok = `${tag} OK done\r\n`;
    if (name === 'CAPABILITY') return `* CAPABILITY IMAP4rev1\r\n${ok}`;
    if (name === 'LOGIN') {
      const isRight = rest[0] === user && rest[1] === password && faults.refusesLogin !== true;
      return isRight ? ok : `${tag} NO [AUTHENTICATIONFAILED] no such user ${user}\r\n`;
    }
    if (name === 'LIST' || name === 'LSUB') return `* ${name} (\\HasNoChildren) "/" "INBOX"\r\n${ok}`;
    if (name === 'EXAMINE' || name === 'SELECT')
      return `* ${mails.length} EXISTS\r\n* 0 RECENT\r\n* FLAGS (\\Seen)\r\n* OK [UIDVALIDITY ${uidValidity}] ok\r\n* OK [UIDNEXT ${nextUid}] ok\r\n${tag} OK [READ-ONLY] done\r\n`;
    if (name === 'NOOP') return `* ${mails.length} EXISTS\r\n${ok}`;
    if (name === 'UID SEARCH') {
      if (faults.search === 'refused') return `${tag} NO search is off\r\n`;
      return `* SEARCH ${findMails(mails, rest, faults)
        .map(({ uid }) => uid)
        .join(' ')}\r\n${ok}`;
    }
    if (name === 'UID FETCH') {
      const last = mails.at(-1)?.uid ?? 0;
      const asked = mails.filter(({ uid }) => inRange(uid, rest[0] ?? '', last));
      return `${asked.map((mail) => fetched(mail, mails.indexOf(mail) + 1, line)).join('')}${ok}`;
    }
    return name === 'LOGOUT' ? `* BYE\r\n${ok}` : `${tag} BAD unknown\r\n`;
  }

  const server = createServer((socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let rest = '';
    socket.write('* OK ready\r\n');
    socket.on('data', (data) => {
      const lines = (rest + data.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) socket.write(answer(line), 'latin1');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    port: (server.address() as AddressInfo).port,
    user,
    password,
    faults,
    deliver(raw, date = new Date()) {
      mails = [...mails, { uid: nextUid, raw, date }];
      return nextUid++;
    },
    recreate() {
      uidValidity += 1;
      mails = [];
      nextUid = 1;
    },
    hangUp: () => {
      for (const socket of sockets) socket.destroy();
    },
    commands: () => commands,
    connections: () => opened,
    close,
    [Symbol.asyncDispose]: close,
  };
}
