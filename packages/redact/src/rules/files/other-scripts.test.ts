import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../../testing/redact-line.js';

describe('passwords told in other scripts', () => {
  it('RED-3: in Chinese, Japanese, Korean, Russian, Polish and Turkish, in notes, comments and settings', () => {
    const places = [
      ['a.md', (v: string) => `服务器密码：${v}`],
      ['a.txt', (v: string) => `口令是 ${v}。`],
      ['a.java', (v: string) => `// 密碼: "${v}"`],
      ['a.txt', (v: string) => `パスワード：${v}`],
      ['a.txt', (v: string) => `계정: admin / 비번: ${v}`],
      ['a.md', (v: string) => `비밀번호는 ${v} 입니다`],
      ['a.yml', (v: string) => `# Пароль: ${v}`],
      ['a.txt', (v: string) => `Hasło: ${v}`],
      ['a.txt', (v: string) => `şifre: ${v}`],
      ['a.json', (v: string) => `{"пароль": "${v}"}`],
      ['a.php', (v: string) => `'密码' => '${v}',`],
    ] as const;
    for (const value of [madeUp(9), 'meadow75!', '1q2w3e4r']) expect(notHidden(places, value)).toEqual([]);
  });

  it('RED-8: rules for passwords, algorithms, formats and words beside them stay', () => {
    expect(
      notKept([
        ['a.properties', 'password.hint=密码：6-20位'],
        ['a.md', '密码：SHA256加密'],
        ['a.json', '"password": "密码: {0}"'],
        ['a.ts', `'密码：\${password1}'`],
        ['a.md', '비밀번호: 8자 이상'],
        ['a.md', 'пароль: строка'],
        ['a.md', 'パスワード: password'],
        ['a.txt', '密码'.repeat(50)],
      ]),
    ).toEqual([]);
  });
});
