import { describe, expect, it } from 'vitest';
import { enterScript, listRungs } from './rungs.js';

const tools = {
  bwrap: '/usr/bin/bwrap',
  setpriv: '/usr/bin/setpriv',
  unshare: '/usr/bin/unshare',
  chroot: '/usr/sbin/chroot',
  ldd: null,
};
const names = (given: Partial<typeof tools> | Record<string, null>, isRoot: boolean): string[] =>
  listRungs({ ...tools, ...given }, { isRoot }).map(({ name }) => name);

describe('listRungs', () => {
  it('P4-7: has the strongest first, and chroot for root alone', () => {
    expect(names({}, true)).toEqual(['bubblewrap', 'namespaces', 'chroot', 'landlock']);
    expect(names({}, false)).toEqual(['bubblewrap', 'namespaces', 'landlock']);
    expect(names({ bwrap: null }, false)).toEqual(['namespaces', 'landlock']);
    expect(names({ bwrap: null, unshare: null }, true)).toEqual(['chroot', 'landlock']);
    expect(names({ bwrap: null, setpriv: null }, true)).toEqual([]);
  });

  it.each([true, false])('P4-7: passes root and operands as arguments that nothing interprets (root: %j)', (isRoot) => {
    const root = '/tmp/a b\n$(touch x);"';
    const argv = ['-p', 'h:1', 'print', '//depot/$(id);x'];
    for (const rung of listRungs(tools, { isRoot })) {
      if (rung.kind === 'rules') continue;
      const line = rung.enter(root, argv);
      expect(line.argv.slice(-argv.length)).toEqual(argv);
      expect(line.argv.filter((word) => word === root || word === `--root=${root}`)).toHaveLength(1);
      for (const word of line.argv.filter((one) => one.includes('exec'))) expect(word).toBe(enterScript);
    }
  });

  it('P4-7: landlock names each file, and only the client and its libraries as code', () => {
    const [landlock] = listRungs({ ...tools, bwrap: null, unshare: null }, { isRoot: false });
    if (landlock?.kind !== 'rules') throw new Error('expected landlock');
    const files = { client: '/opt/p4', libraries: ['/lib/libc.so.6'], readable: ['/etc/hosts', '/run/ticket'] };
    expect(landlock.restrict(files, ['info'])).toEqual({
      file: '/usr/bin/setpriv',
      argv: [
        ...['--no-new-privs', '--pdeathsig', 'KILL', '--landlock-access', 'fs'],
        ...['--landlock-rule', 'path-beneath:read-file,execute:/opt/p4'],
        ...['--landlock-rule', 'path-beneath:read-file,execute:/lib/libc.so.6'],
        ...['--landlock-rule', 'path-beneath:read-file:/etc/hosts'],
        ...['--landlock-rule', 'path-beneath:read-file:/run/ticket', '/opt/p4', 'info'],
      ],
    });
  });
});
