import type { CriticizerError } from '@criticizer/core/ports';

/** Before any byte of a request left. */
const neverSent: ReadonlySet<string> = new Set([
  'HTTP_BLOCKED',
  'HTTP_CLIENT_FAILED',
  'NETWORK_DNS',
  'NETWORK_REFUSED',
  'NETWORK_TLS',
  'NETWORK_UNREACHABLE',
]);

/** True for a failed exchange that surely took nothing: no connection was made. Any other may have been taken. */
export function isUnsent({ code, details }: CriticizerError): boolean {
  return neverSent.has(code) || (code === 'NETWORK_TIMEOUT' && details?.['phase'] === 'connect');
}
