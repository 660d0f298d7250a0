import { describe, expect, it } from 'vitest';
import { judgeWindowsAccess } from './windows-access.js';

const user = 'S-1-5-21-1004336348-1177238915-682003330-1001';
const other = 'S-1-5-21-1004336348-1177238915-682003330-1002';
const judge = (sddl: string, of: 'file' | 'directory' = 'file') => judgeWindowsAccess({ sddl, userSid: user }, of);
const own = `O:${user}G:${user}D:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;${user})`;

describe('who may read a secret on Windows', () => {
  it('SEC-1: this user, the system and its administrators, whoever of them owns the file', () => {
    expect(judge(own)).toBeUndefined();
    expect(judge(`O:BAG:SYD:(A;;FA;;;S-1-5-18)(A;ID;0x1200a9;;;${user})(A;;FA;;;OW)S:AI`)).toBeUndefined();
    expect(judge(`${own}(D;;FA;;;WD)(A;OICIIO;FA;;;BU)`)).toBeUndefined();
  });

  it.each([
    ['the users of the machine', '(A;ID;0x1200a9;;;BU)'],
    ['everybody', '(A;;FR;;;WD)'],
    ['somebody else', `(A;;FR;;;${other})`],
    ['whoever an object entry names', `(OA;;FR;;;${other})`],
  ])('SEC-1: not %s', (_, entry) => {
    expect(judge(`${own}${entry}`)).toBe('mode');
  });

  it('SEC-1: no file of another owner, without a list, or of which nothing is known', () => {
    expect(judge(own.replace(`O:${user}`, `O:${other}`))).toBe('owner');
    expect(judge(`O:${user}G:${user}D:NO_ACCESS_CONTROL`)).toBe('mode');
    expect(judge(`O:${user}G:${user}`)).toBe('mode');
    expect(judge('')).toBe('owner');
    expect(judgeWindowsAccess({ sddl: 'O:G:D:', userSid: '' }, 'file')).toBe('owner');
  });

  it('SEC-1: a directory may be read by others, and changed by none', () => {
    expect(judge(`${own}(A;;0x1200a9;;;BU)(A;;FRFX;;;WD)`, 'directory')).toBeUndefined();
    for (const rights of ['FA', 'FW', '0x1301bf', '0x100116', 'GA', 'WD', 'DC'])
      expect(judge(`${own}(A;;${rights};;;BU)`, 'directory'), rights).toBe('mode');
  });
});
