export { type SecretInContext, secretInContext } from './contexts.js';
export { hostileText } from './hostile-texts.js';
export { type InnocentText, innocentText } from './negative-corpora.js';
export { describeRedactorProperties, type RedactorPropertyOptions } from './redactor-properties.js';
export type { Runner } from './runner.js';
export {
  connectionUri,
  type GeneratedSecret,
  jsonWebToken,
  opaqueToken,
  password,
  privateKey,
  randomText,
  vendorToken,
} from './secret-generators.js';
