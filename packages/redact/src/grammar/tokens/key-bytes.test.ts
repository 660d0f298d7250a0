import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notKept, redactLine } from '../../testing/redact-line.js';

const pairs = (count: number, seed = 3): string[] => madeUp(count * 2, HEX, seed).match(/../g) as string[];
const hex = (count: number, seed?: number): string =>
  pairs(count, seed)
    .map((pair) => `0x${pair}`)
    .join(', ');
const decimal = (count: number): number[] => pairs(count).map((pair) => Number.parseInt(pair, 16));
const KEY = '[REDACTED:key:1]';

describe('keys written as numbers', () => {
  it('RED-3: lists of bytes under the name of a key, in the languages that firmware, games and tools are written in', () => {
    const long = madeUp(32, HEX, 3);
    for (const [path, write] of [
      ['a.c', (v: string) => `static const uint8_t aes_key[16] = { ${v} };`],
      ['a.h', (v: string) => `#define AES_KEY { ${v} }`],
      ['a.ino', (v: string) => `static const u1_t PROGMEM APPKEY[16] = { ${v} };`],
      ['a.cs', (v: string) => `private static readonly byte[] EncryptionKey = new byte[] { ${v} };`],
      ['a.py', (v: string) => `AES_KEY = bytes([${v}])`],
      ['a.go', (v: string) => `var hmacKey = []byte{${v}}`],
      ['a.rs', (v: string) => `const AES_KEY: [u8; 16] = [${v}];`],
      ['a.ts', (v: string) => `const secretKey = new Uint8Array([${v}]);`],
      ['a.s', (v: string) => `aes_key: .byte ${v}`],
    ] as const)
      for (const value of [hex(16), decimal(16).join(', '), `(byte)${hex(16).replaceAll(', 0', ', (byte) 0')}`])
        expect(redactLine(write(value), path).text.replace(/secret(?=:1)/, 'key')).toBe(write(KEY));
    for (const [path, write] of [
      ['a.v', (v: string) => `parameter [127:0] AES_KEY = 128'h${v};`],
      ['a.vhd', (v: string) => `constant AES_KEY : std_logic_vector(127 downto 0) := x"${v}";`],
      ['a.h', (v: string) => `#define SIGNING_KEY 0x${v}`],
    ] as const)
      expect(redactLine(write(long), path).text).toBe(write(KEY));
  });

  it('RED-3: pairs of digits with a space or a mark between them; under the name of a fingerprint they stay', () => {
    const spaced = pairs(16).join(' ');
    expect(redactLine(`app-key = [${spaced}];`, 'board.dts').text).toBe(`app-key = [${KEY}];`);
    expect(redactLine(`AppKey: ${spaced.toUpperCase()}`, 'device.cfg').text).toBe(`AppKey: ${KEY}`);
    for (const mark of [' ', ':', '-'])
      expect(redactLine(`nwk_key = "${pairs(16).join(mark)}"`, 'device.ini').text).toBe(`nwk_key = "${KEY}"`);
    expect(redactLine(`static const uint8_t aes_key[16u] = { ${hex(16)} };`, 'a.c').text).toBe(
      `static const uint8_t aes_key[16u] = { ${KEY} };`,
    );
    expect(redactLine(`static const uint8_t aes_key[KEY_SIZE] = { ${hex(16)} };`, 'a.c').text).toBe(
      `static const uint8_t aes_key[KEY_SIZE] = { ${KEY} };`,
    );
    expect(
      notKept([
        ['a.cfg', `ssh_host_key = "${pairs(16).join(':')}"`],
        ['a.dts', `key-map = [${spaced}];`],
        ['a.cfg', 'AppKey: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: words of a key in hardware description, the arguments of a macro, a column of a table', () => {
    const words = (write: (word: string) => string): string =>
      (madeUp(32, HEX, 9).match(/.{8}/g) as string[]).map(write).join(', ');
    for (const [path, text] of [
      ['a.sv', `localparam logic [31:0] ROOT_KEY [0:3] = '{\n  ${words((word) => `32'h${word}`)}\n};`],
      ['a.vhd', `constant C_AES_KEY : key_array_t := (\n  ${words((word) => `x"${word}"`)}\n);`],
      ['a.h', `UE_REGISTER_ENCRYPTION_KEY(${hex(32)});`],
      ['fuses.csv', `OEM_AES_KEY,0x040,256,0x${madeUp(64, HEX)}`],
      ['a.tcl', `set_property BITSTREAM.ENCRYPTION.KEY0 256'h${madeUp(64, HEX)} [current_design]`],
      ['component.xml', `<ipxact:name>AES_KEY</ipxact:name>\n    <ipxact:value>'h${madeUp(32, HEX)}</ipxact:value>`],
      ['top.nky', `Key 0        ${madeUp(64, HEX).toUpperCase()};`],
    ] as const)
      expect([path, redactLine(text, path).text.match(/\[REDACTED|[\da-f]{8}/gi)]).toEqual([path, ['[REDACTED']]);
  });

  it('RED-3: under a name that says little as many bytes as a cipher takes, where ciphers are', () => {
    for (const write of [
      (v: string) => `// encrypts saves\nstatic readonly byte[] Key =\n{\n  ${v}\n};`,
      (v: string) => `const uint8_t device_key[] = {${v}};`,
      (v: string) => `from Crypto.Cipher import AES\nKEY = bytes([${v}])`,
    ])
      expect(redactLine(write(hex(32)), 'a.cs').text).toMatch(/\[REDACTED:secret:1\]/);
    const digits = madeUp(32, HEX).toUpperCase();
    for (const write of [
      (v: string) => `default_key = 128'h${v};`,
      (v: string) => `constant CHIP_KEY : std_logic_vector(127 downto 0) := X"${v}";`,
      (v: string) => `from Crypto.Cipher import AES\nKEY = binascii.unhexlify('${v}')`,
      (v: string) => `from Crypto.Cipher import AES\nKEY = b"${v.replace(/../g, '\\x$&')}"`,
    ])
      expect(redactLine(write(digits), 'a.vhd').text).toMatch(/\[REDACTED:(?:key|secret):1\]/);
    expect(
      notKept([
        ['a.c', `static const uint8_t key[] = {${hex(32)}};`],
        ['a.c', `// encrypts\nstatic const uint8_t key[] = {${hex(20)}};`],
        ['a.c', `// encrypts\nstatic const uint8_t iv[] = {${hex(16)}};`],
      ]),
    ).toEqual([]);
  });

  it('RED-3: each line of a list goes and its comma stays, in a diff and beside comments, too', () => {
    const write = (first: string, second: string): string =>
      `+uint8_t aes_key[] = {\n+  ${first}, // low\n+  ${second}\n+};`;
    expect(redactLine(write(hex(8), hex(8, 4)), 'a.c', true).text).toBe(write(KEY, KEY));
  });

  it('RED-8: in JSON a mark in the place of numbers is a string', () => {
    for (const indent of [0, 1]) {
      const { text } = redactLine(JSON.stringify({ secretKey: decimal(32), port: 80 }, null, indent), 'a.json');
      expect(new Set((JSON.parse(text) as { secretKey: string[] }).secretKey)).toEqual(new Set(['[REDACTED:key:1]']));
    }
  });

  it('RED-8: tables, sequences, lists of ids, lengths and colours stay', () => {
    expect(
      notKept([
        ['a.c', `static const uint8_t sbox[16] = { ${hex(16)} };`],
        ['a.c', 'static const uint8_t aes_key[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };'],
        [
          'a.c',
          `static const uint8_t aes_key[16] = { ${Array.from({ length: 16 }, (_, i) => `0x${i.toString(16).repeat(2)}`).join(', ')} };`,
        ],
        ['a.c', 'static const uint8_t aes_key[8] = { 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11 };'],
        ['a.c', 'static const uint8_t aes_key[4] = { 0x9b, 0x11, 0xc3, 0x57 };'],
        ['a.ts', 'const apiKeys = [1024, 2048, 90, 177, 3, 4, 250, 99, 41];'],
        ['a.ts', 'const secretKey = [a, b, c];'],
        ['a.v', "parameter AES_KEY = 128'h0;"],
        ['a.h', '#define MASTER_KEY 0x80000000'],
      ]),
    ).toEqual([]);
  });

  it('RED-8: a table or a file in the code is no key, however it is called; one in DER is', () => {
    const list = (bytes: string): string => `static const unsigned char secret_key[] = { ${bytes} };`;
    expect(redactLine(list(hex(252)), 'a.h').rules).toEqual([]);
    expect(redactLine(list(hex(32)), 'a.h').rules).toEqual(['key:low']);
    expect(redactLine(list(`0x30, 0x82, ${hex(252)}`), 'a.h').rules).toEqual(['key:low']);
  });
});
