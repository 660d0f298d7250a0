import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Who may do what with a file of Windows, and the user of this process. Not run on Windows yet. */
export interface WindowsAccess {
  /** Owner and access list in the Security Descriptor Definition Language. */
  sddl: string;
  /** SID of the user of this process. */
  userSid: string;
}

const deadlineMs = 10_000;
/** The paths come by the environment: nothing is put into the text of a command. */
const script = [
  '(Get-Acl -LiteralPath $env:CRITICIZER_DIRECTORY).Sddl',
  '(Get-Acl -LiteralPath $env:CRITICIZER_FILE).Sddl',
  '[Security.Principal.WindowsIdentity]::GetCurrent().User.Value',
].join('; ');

/** Reads both by one PowerShell. Rejects where it does not answer within ten seconds. */
export async function readWindowsAccess(
  directory: string,
  file: string,
): Promise<{ directory: WindowsAccess; file: WindowsAccess }> {
  const powershell = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32/WindowsPowerShell/v1.0/powershell.exe');
  const { stdout } = await promisify(execFile)(powershell, ['-NoProfile', '-NonInteractive', '-Command', script], {
    env: { ...process.env, CRITICIZER_DIRECTORY: directory, CRITICIZER_FILE: file },
    timeout: deadlineMs,
    windowsHide: true,
  });
  const [ofDirectory = '', ofFile = '', userSid = ''] = stdout.split(/\r?\n/).map((line) => line.trim());
  return { directory: { sddl: ofDirectory, userSid }, file: { sddl: ofFile, userSid } };
}

/** The system and its administrators, who can read everything anyway: what root is elsewhere. */
const administrators = new Set(['SY', 'S-1-5-18', 'BA', 'S-1-5-32-544']);
/** Whoever owns it. */
const owners = new Set(['OW', 'S-1-3-4']);
const ofOwner = /^O:([A-Z]{2}|S-1-[\d-]+)/;
/** Behind `D:` and its flags; without one everybody may do everything. */
const accessList = /D:(?!NO_ACCESS_CONTROL)[A-Z]*((?:\([^()]*\))*)/;
/** `(A;flags;rights;object;inherited;sid)`; deny entries give nobody anything. */
const allowing = /\((?:A|OA|XA);([A-Z]*);([^;]*);[^;]*;[^;]*;([^;)]+)[^)]*\)/g;
/** Rights that change nothing in a directory. */
const readOnly = /^(?:FR|FX|GR|GX|RC|CC|SW|LO)*$/;
/** Write, append, delete, change of list or owner, generic write and all. */
const writing = 0x500d0046;

/**
 * What is wrong with the access to a file that holds a secret, or to its directory: another owner
 * than this user or an administrator, or somebody else who may read the file, or change the
 * directory. Undefined where nothing is. What cannot be read counts as open.
 */
export function judgeWindowsAccess(
  { sddl, userSid }: WindowsAccess,
  of: 'file' | 'directory',
): 'owner' | 'mode' | undefined {
  const trusted = (sid: string): boolean => administrators.has(sid) || (userSid !== '' && sid === userSid);
  const owner = ofOwner.exec(sddl)?.[1];
  if (owner === undefined || !trusted(owner)) return 'owner';
  const list = accessList.exec(sddl)?.[1];
  if (list === undefined) return 'mode';
  const others = [...list.matchAll(allowing)].filter(
    ([, flags = '', , sid = '']) => !flags.includes('IO') && !trusted(sid) && !owners.has(sid),
  );
  const harmless = ([, , rights = '']: RegExpExecArray): boolean =>
    of === 'directory' && (rights.startsWith('0x') ? (Number(rights) & writing) === 0 : readOnly.test(rights));
  return others.every(harmless) ? undefined : 'mode';
}
