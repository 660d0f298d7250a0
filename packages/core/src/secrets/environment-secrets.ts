import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { CriticizerError } from '../foundation/errors.js';
import { checkBoolean, checkedElsewhere, checkObject, optional } from '../foundation/option-checks.js';
import { Secret } from './secret.js';
import { readCreatedAt, type SecretSource, type SecretVersion } from './secret-source.js';
import { createVersionTag } from './version-tag.js';

export interface EnvironmentSecretsOptions {
  /** Default `process.env`. */
  env?: NodeJS.ProcessEnv | undefined;
  /** Put before every name: with `CRITICIZER_`, `read('LLM_KEY')` reads `CRITICIZER_LLM_KEY`. Default none. */
  prefix?: string | undefined;
  /**
   * Take a value out of `env` once it is read, so that child processes and diagnostic reports do
   * not carry it (SEC-4). Default false.
   */
  removeFromEnv?: boolean | undefined;
}

const optionShape: OptionShape<EnvironmentSecretsOptions> = {
  env: optional(checkObject),
  prefix: checkedElsewhere,
  removeFromEnv: optional(checkBoolean),
};

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Credentials from environment variables (SEC-1): `NAME` is the current version and
 * `NAME_PREVIOUS`, where set, the one before (SEC-5); `NAME_CREATED_AT`, where it holds an ISO 8601
 * date, says when the current one was made. The variable is looked at on every read, so a
 * value the host sets anew counts at once. Throws `TypeError` for a name that is no variable name;
 * `read` rejects with `SECRET_MISSING`, which parks (INT-4).
 */
export function createEnvironmentSecrets(options: EnvironmentSecretsOptions = {}): SecretSource {
  checkOptions('createEnvironmentSecrets', options, optionShape);
  const env = options.env ?? process.env;
  const prefix = options.prefix ?? '';
  if (prefix !== '' && !variableName.test(prefix))
    throw new TypeError('createEnvironmentSecrets: prefix expects letters, digits and underscores');
  const versionTag = createVersionTag();
  const taken = new Map<string, SecretVersion>();

  const take = (variable: string): SecretVersion | undefined => {
    const value = env[variable];
    if (value === undefined || value === '') return options.removeFromEnv === true ? taken.get(variable) : undefined;
    const found: SecretVersion = { secret: new Secret(value), version: versionTag(value) };
    if (options.removeFromEnv === true) {
      taken.set(variable, found);
      delete env[variable];
    }
    return found;
  };

  return {
    contract: 1,
    async read(name, { signal } = {}) {
      signal?.throwIfAborted();
      const variable = `${prefix}${name}`;
      if (!variableName.test(variable))
        throw new TypeError('createEnvironmentSecrets: read expects the name of an environment variable');
      const current = take(variable);
      if (current === undefined)
        throw new CriticizerError('SECRET_MISSING', 'the environment variable of a credential is not set', {
          category: 'auth',
          parks: true,
          details: { variable },
        });
      const created = env[`${variable}_CREATED_AT`];
      const dated = created === undefined ? current : { ...current, createdAt: readCreatedAt(created) };
      return { current: dated, previous: take(`${variable}_PREVIOUS`) };
    },
  };
}
