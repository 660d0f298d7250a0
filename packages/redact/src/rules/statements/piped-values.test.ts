import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../../testing/redact-line.js';

describe('piped values', () => {
  it('RED-3: what is piped into a program that reads a password is one', () => {
    const places = [
      ['a.sh', (v: string) => `echo ${v} | p4 -u ann login`],
      ['a.sh', (v: string) => `echo "${v}" | sudo -S make install`],
      ['a.sh', (v: string) => `echo "root:${v}" | chpasswd`],
      ['a.sh', (v: string) => `printf '${v}' | docker login -u ann --password-stdin`],
      ['a.sh', (v: string) => `echo ${v} | passwd -s root`],
      ['a.sh', (v: string) => `echo ${v} | passwd ann`],
    ] as const;
    expect(notHidden(places, madeUp(16))).toEqual([]);
  });

  it('RED-8: variables and other programs stay', () => {
    expect(
      notKept([
        ['a.sh', 'echo $PASS | p4 login'],
        ['a.sh', 'echo done | sudo tee /etc/motd'],
      ]),
    ).toEqual([]);
  });
});
