import { readFileSync } from 'node:fs';

/** What keeps a host from containing the client. Stable. */
export type Obstacle =
  | 'platform'
  | 'script'
  | 'tools-missing'
  | 'tools-too-old'
  | 'user-namespaces-limit'
  | 'user-namespaces-off'
  | 'apparmor'
  | 'root-without-capabilities'
  | 'namespaces-forbidden'
  | 'not-executable'
  | 'not-proved'
  | 'unknown';

/** What to do about each: names the setting of the kernel or of the distribution. */
export const obstacleTexts: Readonly<Record<Obstacle, string>> = {
  platform: 'This platform has no namespaces: run p4 in a container of its own (createP4RunnerServer).',
  script: 'The executable is a script: configure the p4 client itself, not a wrapper of it.',
  'tools-missing': 'Install bubblewrap, or util-linux with setpriv and unshare.',
  'tools-too-old': 'Install bubblewrap, or util-linux 2.36 or later (setpriv with Landlock needs 2.40).',
  'user-namespaces-limit': 'Set user.max_user_namespaces (sysctl) above 0.',
  'user-namespaces-off': 'Set kernel.unprivileged_userns_clone (sysctl) to 1.',
  apparmor:
    'kernel.apparmor_restrict_unprivileged_userns is 1: install bubblewrap and an AppArmor profile with "userns," for /usr/bin/bwrap.',
  'root-without-capabilities': 'Root without CAP_SETFCAP cannot map users: run as another user.',
  'namespaces-forbidden':
    'Seccomp or RestrictNamespaces forbids namespaces: permit them, or run p4 as root with SYS_CHROOT, SETUID and SETGID in a container of its own.',
  'not-executable':
    'The copy of the client does not start: set TMPDIR to a directory that is not mounted noexec, and check its libraries.',
  'not-proved':
    'The client still reads a file of the host, or the probe could not show that it would without containment.',
  unknown: 'See the message of the tool.',
};

/** What a tool said that could not start the client, as far as it is needed to name the cause. */
export interface ToolFailure {
  exitCode: number | null;
  /** `ENOENT` and the like, where it was not started at all. */
  errorCode: string | null;
  stderr: string;
}

function readSetting(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Names the setting that made a tool fail. `settings` gives a sysctl by its path below /proc/sys. */
export function explainFailure(
  { errorCode, stderr }: ToolFailure,
  settings: (path: string) => string | null = (path) => readSetting(`/proc/sys/${path}`),
): Obstacle {
  if (errorCode === 'ENOENT') return 'tools-missing';
  if (/unrecognized option|unknown option|invalid option|Unknown option|unsupported/.test(stderr))
    return 'tools-too-old';
  if (/No space left on device/.test(stderr)) return 'user-namespaces-limit';
  if (/uid[ _]map/.test(stderr) && /Operation not permitted|Permission denied/.test(stderr))
    return settings('kernel/apparmor_restrict_unprivileged_userns') === '1' ? 'apparmor' : 'root-without-capabilities';
  if (/(?:failed to execute|execvp|(?:failed to|cannot) run command).*\/p4/.test(stderr)) return 'not-executable';
  if (/Operation not permitted|Permission denied/.test(stderr)) {
    if (settings('kernel/unprivileged_userns_clone') === '0') return 'user-namespaces-off';
    if (settings('user/max_user_namespaces') === '0') return 'user-namespaces-limit';
    return 'namespaces-forbidden';
  }
  return 'unknown';
}

/**
 * True where a run ended because the tool could not start the client: its status with nothing on
 * standard output and its own name on standard error.
 */
export function isToolFailure(result: { exitCode: number | null; outputBytes: number; stderr: string }): boolean {
  const { exitCode, outputBytes, stderr } = result;
  if (outputBytes > 0 || exitCode === null || ![1, 32, 125, 126, 127].includes(exitCode)) return false;
  return /^(?:\/[a-z/]*\/)?(?:bwrap|setpriv|unshare|mount|chroot|sh): /.test(stderr);
}
