export {
  type Conviction,
  checkRedactor,
  describeRedactorProperties,
  type RedactorPropertyOptions,
} from './check-redactor.js';
export { type SecretInContext, secretInContext } from './contexts.js';
export { hostileText } from './hostile-texts.js';
export { jsonDocument } from './json-documents.js';
export { type InnocentText, innocentText } from './negative-corpora.js';
export type { RedactorUnderTest, TestableRedactor } from './redactor-properties.js';
export type { Runner } from './runner.js';
export {
  accountKey,
  basicCredentials,
  connectionUri,
  type GeneratedSecret,
  jsonWebToken,
  opaqueToken,
  password,
  perforceTicket,
  privateKey,
  randomText,
  tokenList,
  vendorToken,
} from './secret-generators.js';
