import type { HostTools } from './host-tools.js';

/** A way to keep a process from the host's files, strongest first. */
export type RungName = 'bubblewrap' | 'namespaces' | 'chroot' | 'landlock';

/** A program and its arguments. */
export interface CommandLine {
  file: string;
  argv: readonly string[];
}

/** Files that a restricted process may open, where it stays on the host's file system. Real paths. */
export interface OpenableFiles {
  client: string;
  /** Read and mapped as code. */
  libraries: readonly string[];
  readable: readonly string[];
}

/**
 * `root`: the process sees the files of a prepared root and nothing else. `rules`: it stays on the
 * host's file system and opens only what is named, while it still learns which paths exist.
 */
export type Rung =
  | { name: Exclude<RungName, 'landlock'>; kind: 'root'; enter(root: string, argv: readonly string[]): CommandLine }
  | { name: 'landlock'; kind: 'rules'; restrict(files: OpenableFiles, argv: readonly string[]): CommandLine };

/** The user `nobody`: it owns nothing of a prepared root. */
const nobody = '65534';

/** No mounts of the client's making, no processes, queues or names but its own. */
const namespaces = ['--pid', '--fork', '--kill-child=KILL', '--ipc', '--uts'];

/**
 * Mounts the root read-only onto itself in a mount namespace of its own, then enters it as nobody in
 * a further user namespace, by which exec drops every capability. The text is constant: root and
 * arguments come as arguments. A shell would export a PWD of its own.
 */
export const enterScript =
  'r=$1; shift; PATH=/usr/sbin:/usr/bin:/sbin:/bin; mount -n --bind -o ro,nosuid,nodev "$r" "$r" && PWD=/home && ' +
  'unset PATH && exec /usr/bin/unshare --user --map-user=65534 --map-group=65534 --root="$r" --wd=/home -- /p4 "$@"';

/** The rungs whose programs the host has, strongest first. None of them is proved yet. */
export function listRungs({ bwrap, setpriv, unshare, chroot }: HostTools, { isRoot }: { isRoot: boolean }): Rung[] {
  const rungs: Rung[] = [];
  if (bwrap !== null) rungs.push({ name: 'bubblewrap', kind: 'root', enter: enterByBubblewrap(bwrap) });
  if (setpriv === null) return rungs;
  if (unshare !== null) {
    const enter = isRoot ? enterAsNobody(setpriv, unshare) : enterByMount(setpriv, unshare);
    rungs.push({ name: 'namespaces', kind: 'root', enter });
  }
  if (chroot !== null && isRoot) rungs.push({ name: 'chroot', kind: 'root', enter: enterByChroot(setpriv, chroot) });
  rungs.push({ name: 'landlock', kind: 'rules', restrict: restrictByLandlock(setpriv) });
  return rungs;
}

type Enter = (root: string, argv: readonly string[]) => CommandLine;

const enterByBubblewrap =
  (bwrap: string): Enter =>
  (root, argv) => ({
    file: bwrap,
    argv: [
      ...['--unshare-user', '--uid', nobody, '--gid', nobody, '--unshare-ipc', '--unshare-pid', '--unshare-uts'],
      ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--ro-bind', root, '/', '--chdir', '/home'],
      ...['--', '/p4', ...argv],
    ],
  });

const enterByMount =
  (setpriv: string, unshare: string): Enter =>
  (root, argv) => ({
    file: setpriv,
    argv: [
      ...['--no-new-privs', '--pdeathsig', 'KILL', unshare, '--user', '--map-root-user'],
      ...['--mount', '--propagation', 'private', ...namespaces],
      ...['--', '/bin/sh', '-c', enterScript, 'sh', root, ...argv],
    ],
  });

/** The files of the root are root's, so that the client cannot change them and nothing has to be mounted. */
const enterAsNobody =
  (setpriv: string, unshare: string): Enter =>
  (root, argv) => ({
    file: setpriv,
    argv: [
      ...['--no-new-privs', '--pdeathsig', 'KILL', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'],
      ...[unshare, '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--mount', ...namespaces],
      ...[`--root=${root}`, '--wd=/home', '--', '/p4', ...argv],
    ],
  });

/** Needs SYS_CHROOT, SETUID and SETGID, no namespace. */
const enterByChroot =
  (setpriv: string, chroot: string): Enter =>
  (root, argv) => ({
    file: setpriv,
    argv: ['--no-new-privs', chroot, `--userspec=${nobody}:${nobody}`, `--groups=${nobody}`, root, '/p4', ...argv],
  });

const restrictByLandlock =
  (setpriv: string) =>
  ({ client, libraries, readable }: OpenableFiles, argv: readonly string[]): CommandLine => {
    const rule = (rights: string) => (path: string) => ['--landlock-rule', `path-beneath:${rights}:${path}`];
    return {
      file: setpriv,
      argv: [
        ...['--no-new-privs', '--pdeathsig', 'KILL', '--landlock-access', 'fs'],
        ...[client, ...libraries].flatMap(rule('read-file,execute')),
        ...readable.flatMap(rule('read-file')),
        client,
        ...argv,
      ],
    };
  };
