import { describe, expect, it } from 'vitest';
import { explainFailure, isToolFailure, type Obstacle, obstacleTexts } from './obstacles.js';

const none = (): null => null;
const set =
  (path: string, value: string) =>
  (asked: string): string | null =>
    asked === path ? value : null;

describe('obstacles', () => {
  it.each<[string, (path: string) => string | null, Obstacle]>([
    ['unshare: unshare failed: No space left on device', none, 'user-namespaces-limit'],
    ['unshare: unshare failed: Operation not permitted', none, 'namespaces-forbidden'],
    [
      'unshare: unshare failed: Operation not permitted',
      set('kernel/unprivileged_userns_clone', '0'),
      'user-namespaces-off',
    ],
    [
      'bwrap: No permissions to create new namespace: Operation not permitted',
      set('user/max_user_namespaces', '0'),
      'user-namespaces-limit',
    ],
    [
      'unshare: write failed /proc/self/uid_map: Operation not permitted',
      set('kernel/apparmor_restrict_unprivileged_userns', '1'),
      'apparmor',
    ],
    ['unshare: write failed /proc/self/uid_map: Operation not permitted', none, 'root-without-capabilities'],
    [
      'bwrap: setting up uid map: Permission denied',
      set('kernel/apparmor_restrict_unprivileged_userns', '1'),
      'apparmor',
    ],
    ["unshare: unrecognized option '--map-user=65534'", none, 'tools-too-old'],
    ["setpriv: unrecognized option '--landlock-access'", none, 'tools-too-old'],
    ['unshare: failed to execute /p4: Permission denied', none, 'not-executable'],
    ['bwrap: execvp /p4: No such file or directory', none, 'not-executable'],
    ['chroot: failed to run command ‘/p4’: Permission denied', none, 'not-executable'],
    ['something else', none, 'unknown'],
  ])('names the cause of %j', (stderr, settings, obstacle) => {
    expect(explainFailure({ exitCode: 1, errorCode: null, stderr }, settings)).toBe(obstacle);
    expect(obstacleTexts[obstacle]).toMatch(/^[A-Zk].*\.$/);
  });

  it('names a tool that is not there', () => {
    expect(explainFailure({ exitCode: null, errorCode: 'ENOENT', stderr: '' }, none)).toBe('tools-missing');
  });

  it.each<[number | null, number, string, boolean]>([
    [1, 0, 'unshare: unshare failed: Operation not permitted\n', true],
    [1, 0, 'bwrap: setting up uid map: Permission denied\n', true],
    [32, 0, 'mount: /tmp/x: permission denied.\n', true],
    [126, 0, 'setpriv: /usr/bin/unshare: Permission denied\n', true],
    [127, 0, '/usr/bin/setpriv: error while loading\n', true],
    [1, 10, 'unshare: said by a client that printed before\n', false],
    [1, 0, 'Perforce client error:\n\tConnect to server failed; check $P4PORT.\n', false],
    [0, 0, 'unshare: a warning\n', false],
    [null, 0, 'unshare: killed\n', false],
  ])('P4-7: tells a tool that failed from a client that failed: %j', (exitCode, outputBytes, stderr, expected) => {
    expect(isToolFailure({ exitCode, outputBytes, stderr })).toBe(expected);
  });
});
