// A postfix and a dovecot of their own in a private folder, on loopback: nothing of the system's
// configuration is read, and nothing is sent anywhere else.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
const nobody = 65_534;

/** Ports of one postfix: as it should be, and with each kind of refusal. */
export interface MailPorts {
  plain: number;
  relayDenied: number;
  greylisted: number;
  full: number;
  lmtp: number;
  imap: number;
}

/** Both servers, running. */
export interface MailServers {
  ports: MailPorts;
  /** Stops and starts the delivery into mailboxes; postfix accepts and defers meanwhile. */
  stopDelivery(): Promise<void>;
  startDelivery(): Promise<void>;
  /** Tries all deferred mails now. */
  flush(): void;
  /** Mails that wait in postfix. */
  queued(): number;
  log(): string;
  stop(): Promise<void>;
}

/** What is missing; undefined where both can run. */
export function findMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'postfix has to be started as root';
  for (const [program, version] of [
    ['postconf', 'mail_version'],
    ['dovecot', '--version'],
  ] as const)
    if (spawnSync(program, [version], { env }).status !== 0) return `${program} is not installed`;
  return undefined;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

const mainConfiguration = (top: string, { lmtp }: MailPorts): string => `compatibility_level = 3.6
queue_directory = ${top}/queue
data_directory = ${top}/data
mail_owner = postfix
setgid_group = postdrop
maillog_file = ${top}/mail.log
maillog_file_prefixes = /var, /tmp, ${tmpdir()}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.example.test
mydestination =
mynetworks = 127.0.0.0/8
virtual_mailbox_domains = example.test
virtual_mailbox_maps = static:all
virtual_transport = lmtp:inet:127.0.0.1:${lmtp}
default_transport = error:5.1.2 nothing leaves this machine
always_bcc = journal@example.test
smtpd_recipient_restrictions = permit_mynetworks, reject
smtpd_tls_cert_file = ${top}/server.crt
smtpd_tls_key_file = ${top}/server.key
smtpd_tls_security_level = may
minimal_backoff_time = 1s
queue_run_delay = 1s
`;

const refusal = (port: number, restriction: string): string =>
  `127.0.0.1:${port} inet n - n - - smtpd\n  -o { smtpd_recipient_restrictions = ${restriction} }\n  -o { mynetworks = }\n`;

const masterConfiguration = (ports: MailPorts): string => `127.0.0.1:${ports.plain} inet n - n - - smtpd
${refusal(ports.relayDenied, 'reject_unauth_destination, reject')}
${refusal(ports.greylisted, 'check_client_access static:{450 4.2.0 Greylisted, try again later}')}
${refusal(ports.full, 'check_client_access static:{452 4.2.2 Mailbox full}')}
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
lmtp unix - - n - - lmtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
flush unix n - n 1000? 0 flush
postlog unix-dgram n - n - 1 postlogd
`;

const dovecotConfiguration = (top: string, { lmtp, imap }: MailPorts): string => `base_dir = ${top}/run
state_dir = ${top}/state
log_path = ${top}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
ssl = required
ssl_cert = <${top}/server.crt
ssl_key = <${top}/server.key
mail_location = maildir:${top}/mail/%u
first_valid_uid = ${nobody}
auth_mechanisms = plain login
passdb {
  driver = static
  args = password=${'word'}
}
userdb {
  driver = static
  args = uid=${nobody} gid=${nobody} home=${top}/mail/%u allow_all_users=yes
}
service imap-login {
  chroot =
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = ${imap}
    ssl = yes
  }
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${lmtp}
  }
}
service stats {
  unix_listener stats-writer {
    mode = 0666
  }
}
`;

async function untilOpen(port: number, isOpen: boolean): Promise<void> {
  const { connect } = await import('node:net');
  for (let tries = 0; tries < 200; tries++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
    });
    if (open === isOpen) return;
    await delay(50);
  }
  throw new Error(`port ${port} is ${isOpen ? 'not open' : 'still open'}`);
}

// long: two servers, from their files to their end
/** Starts both. The user of every mailbox is its address, and the password `word`. */
export async function startMailServers(certificate: { cert: string; key: string }): Promise<MailServers> {
  const top = mkdtempSync(join(tmpdir(), 'criticizer-mail-'));
  chmodSync(top, 0o755);
  const [plain = 0, relayDenied = 0, greylisted = 0, full = 0, lmtp = 0, imap = 0] = await freePorts(6);
  const ports = { plain, relayDenied, greylisted, full, lmtp, imap };
  for (const folder of ['postfix', 'queue', 'data', 'mail', 'run', 'state']) mkdirSync(join(top, folder));
  const [owner = 0] = execFileSync('id', ['-u', 'postfix'], { encoding: 'utf8' }).split('\n').map(Number);
  chownSync(join(top, 'data'), owner, owner);
  chownSync(join(top, 'mail'), nobody, nobody);
  writeFileSync(join(top, 'server.crt'), certificate.cert);
  writeFileSync(join(top, 'server.key'), certificate.key, { mode: 0o600 });
  writeFileSync(join(top, 'postfix/main.cf'), mainConfiguration(top, ports));
  writeFileSync(join(top, 'postfix/master.cf'), masterConfiguration(ports));
  writeFileSync(join(top, 'dovecot.conf'), dovecotConfiguration(top, ports));
  const postfix = (...args: string[]) =>
    execFileSync('postfix', ['-c', join(top, 'postfix'), ...args], { env, stdio: 'pipe' });
  const startDovecot = () => spawn('dovecot', ['-F', '-c', join(top, 'dovecot.conf')], { env, stdio: 'ignore' });
  let dovecot = startDovecot();
  const stopDovecot = async (): Promise<void> => {
    dovecot.kill('SIGTERM');
    if (dovecot.exitCode === null) await new Promise((resolve) => dovecot.once('exit', resolve));
  };
  const log = (): string =>
    ['mail.log', 'dovecot.log']
      .map((file) => {
        try {
          return readFileSync(join(top, file), 'utf8');
        } catch {
          return '';
        }
      })
      .join('\n');
  postfix('start');
  await Promise.all([plain, lmtp, imap].map((port) => untilOpen(port, true))).catch((error: unknown) => {
    throw new Error(log(), { cause: error });
  });
  const queue = (): string =>
    execFileSync('postqueue', ['-c', join(top, 'postfix'), '-j'], { env, encoding: 'utf8' }).trim();
  return {
    ports,
    async stopDelivery() {
      await stopDovecot();
      await untilOpen(lmtp, false);
    },
    async startDelivery() {
      dovecot = startDovecot();
      await Promise.all([lmtp, imap].map((port) => untilOpen(port, true)));
    },
    flush: () => void postfix('flush'),
    queued: () =>
      queue()
        .split('\n')
        .filter((line) => line !== '').length,
    log,
    async stop() {
      postfix('stop');
      await stopDovecot();
      rmSync(top, { recursive: true, force: true });
    },
  };
}
