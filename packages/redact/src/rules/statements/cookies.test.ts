import { describe, expect, it } from 'vitest';
import { madeUp, redactLine } from '../../testing/redact-line.js';

describe('cookies', () => {
  it('RED-2: values of cookies go, names and attributes stay', () => {
    const v = madeUp(24);
    expect(redactLine(`Cookie: sid=${v}; theme=dark`).text).toBe('Cookie: sid=[REDACTED:cookie:1]; theme=dark');
    expect(redactLine(`Set-Cookie: app=${v}; Path=/; HttpOnly`).text).toBe(
      'Set-Cookie: app=[REDACTED:cookie:1]; Path=/; HttpOnly',
    );
    expect(redactLine(`https://x.example/a;JSESSIONID=${v}`).text).not.toContain(v.slice(0, 8));
  });

  it("RED-2: cookies in Netscape's file", () => {
    const write = (v: string): string => `.a.example\tTRUE\t/\tFALSE\t1796602590\tsid\t${v}\n`;
    expect(redactLine(write(madeUp(32)), 'cookies.txt').text).toBe(write('[REDACTED:cookie:1]'));
    expect(redactLine(write('dark'), 'cookies.txt').text).toBe(write('dark'));
  });

  it('RED-8: code and attributes that speak of cookies stay', () => {
    for (const text of [
      'const cookie = req.headers.cookie;',
      'Set-Cookie: theme=dark; Path=/',
      `cookie: \`sid=\${sid}\``,
      'session_id=processor.GetSessionId(job),',
      'x(){this._session=null}dispose(){this._endSession(),super.dispose()}',
    ])
      expect(redactLine(text, 'a.ts').text).toBe(text);
  });
});
