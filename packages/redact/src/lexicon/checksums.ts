const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

let crcTable: Uint32Array | undefined;

function buildCrcTable(): Uint32Array {
  const table = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    table[byte] = value >>> 0;
  }
  return table;
}

/** CRC-32 (IEEE) of ASCII text, as an unsigned number. */
function crc32(text: string): number {
  crcTable ??= buildCrcTable();
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i += 1) crc = (crcTable[(crc ^ text.charCodeAt(i)) & 255] as number) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** A CRC-32 in base 62, left-padded with zeros to six digits: how GitHub and npm end their tokens. */
export function base62Checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  while (rest > 0) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits.padStart(6, '0');
}

/** True when the last six characters are the checksum of those before: the token was issued, it is no sample. */
export function endsInBase62Checksum(body: string): boolean {
  return body.length > 6 && base62Checksum(body.slice(0, -6)) === body.slice(-6);
}

/** Luhn's check over a string of digits. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    let value = digits.charCodeAt(digits.length - 1 - i) - 48;
    if (i % 2 === 1) {
      value *= 2;
      if (value > 9) value -= 9;
    }
    sum += value;
  }
  return digits.length > 0 && sum % 10 === 0;
}
