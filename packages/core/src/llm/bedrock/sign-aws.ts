import { createHash, createHmac } from 'node:crypto';

/** Credentials of AWS in the shape that the vendor's own client takes. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** For temporary credentials. */
  sessionToken?: string | undefined;
  /** When temporary credentials end. */
  expiration?: Date | undefined;
}

/** A request to sign: all of it goes into the signature. */
export interface UnsignedAwsRequest {
  method: string;
  /** Without a query. */
  url: string;
  /** Headers to sign beside `host` and the signature's own. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Where, for what and when a signature holds. */
export interface AwsScope {
  region: string;
  service: string;
  now: Date;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Signature Version 4 encodes each segment of the path once more. */
function canonicalPath(url: string): string {
  const encode = (segment: string): string =>
    encodeURIComponent(segment).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return new URL(url).pathname.split('/').map(encode).join('/');
}

/**
 * The headers that Signature Version 4 adds: date, digest of the body, session token and
 * `authorization`. Pure; the same as the vendor's client makes of the same headers (a parity test
 * holds it).
 */
export function signAwsRequest(
  { method, url, headers, body }: UnsignedAwsRequest,
  credentials: AwsCredentials,
  { region, service, now }: AwsScope,
): Record<string, string> {
  const date = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const digest = sha256(body);
  const added: Record<string, string> = {
    'x-amz-content-sha256': digest,
    'x-amz-date': date,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  };
  const all: Record<string, string> = { ...headers, ...added, host: new URL(url).host };
  const names = Object.keys(all).sort();
  const lines = names.map((name) => `${name}:${(all[name] ?? '').trim().replace(/ +/g, ' ')}\n`).join('');
  const canonical = [method, canonicalPath(url), '', lines, names.join(';'), digest].join('\n');
  const scope = [date.slice(0, 8), region, service, 'aws4_request'].join('/');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...added, authorization };
}
