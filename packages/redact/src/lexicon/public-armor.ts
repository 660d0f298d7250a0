const BEGIN = '-----BEGIN ';
/** Longest body between two markers. */
const LONGEST = 16_384;

/**
 * Tells whether a position stands in armor that is public: a certificate, a public key, a
 * signature, on lines of its own or escaped on one. Ask with ascending positions: the text is
 * searched once.
 */
export class PublicArmor {
  private from = 0;
  private to = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  holds(at: number): boolean {
    while (this.to <= at) {
      const begin = this.text.indexOf(BEGIN, this.to);
      if (begin < 0) {
        this.from = this.text.length;
        this.to = this.text.length + 1;
        return false;
      }
      const label = begin + BEGIN.length;
      const body = this.text.slice(label, label + 80).indexOf('-----');
      const isPublic = body >= 0 && !this.text.slice(label, label + body).includes('PRIVATE');
      const end = isPublic ? this.text.slice(label + body + 5, label + LONGEST).indexOf('-----') : -1;
      this.from = begin;
      this.to = end < 0 ? label : label + body + 5 + end;
    }
    return at >= this.from;
  }
}

/** The head of a DER public key in base64: RSA, P-256, P-384, Ed25519, X25519. */
export const PUBLIC_KEY_HEAD =
  /^M(?:CowBQYDK2|FkwEwYHKoZIzj0|HYwEAYHKoZIzj0|II[A-D][A-Za-z0-9]{2}ANBgkqhkiG9w0B|IG[bf]MA0GCSqGSIb3)/;

/** How pictures, archives and fonts begin in base64, and public keys of SSH. */
export const DATA_HEAD =
  /^(?:sha(?:256|384|512)-|iVBORw0KGgo|R0lGOD|UklGR|UEsDB|H4sIA|JVBERi0|PHN2Zy|d09GR|rO0AB|AAAA(?:B3NzaC1|C3NzaC1|E2VjZHNh))/;
