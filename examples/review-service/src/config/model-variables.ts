// The variables of a model, and what they make.
import { llmProtocols } from '@criticizer/core/llm';
import { z } from 'zod';
import { applyRules, parseEnvironment, readAll } from './read-environment.js';
import { UsageError } from './usage-error.js';
import { absolutePath, endpoint, isLoopbackHost, price, whole } from './values.js';

/** The value of `LLM_PROTOCOL` for no model: files and withheld secrets are counted, and nothing is sent. */
const noModel = 'none';

const protocols: readonly string[] = [...llmProtocols, noModel];

/** Protocols that sign or name every request, so that there is none without a key, on this machine either. */
const alwaysKeyed: readonly string[] = ['azure-openai', 'bedrock'];

/** Values of `LLM_TOKENIZER`. */
export const tokenizers = ['auto', 'none', 'o200k_base', 'o200k_harmony', 'cl100k_base'] as const;

const fields = {
  PROTOCOL: z
    .string()
    .refine((name) => protocols.includes(name), `expected one of ${protocols.join(', ')}`)
    .describe(`One of ${protocols.join(', ')}.`),
  BASE_URL: endpoint.optional().describe('As the SDK of the vendor takes it.'),
  MODEL: z.string().min(1).optional().describe('As the vendor names it.'),
  KEY_FILE: absolutePath
    .optional()
    .describe('The API key; required but on this machine, with azure-openai and bedrock there too.'),
  CONTEXT_TOKENS: whole(1_000, 100_000_000).default(128_000).describe('Its window; default 128000.'),
  MAX_OUTPUT_TOKENS: whole(256, 1_000_000).default(8_192).describe('Its longest reply; default 8192.'),
  TOKENIZER: z
    .enum(tokenizers)
    .default('auto')
    .describe(
      'What counts the tokens of a prompt. auto (default): gpt-tokenizer, where it is installed and knows LLM_MODEL by its name; none: two bytes a token until replies tell more; or an encoding of gpt-tokenizer.',
    ),
  PRICE_INPUT: price.optional().describe('Per million tokens.'),
  PRICE_OUTPUT: price.optional().describe('Per million tokens.'),
} as const;

const schema = applyRules(z.object(fields), [
  ...(['BASE_URL', 'MODEL'] as const).map(
    (name) =>
      [
        name,
        (given: Partial<ModelFields>) =>
          given.PROTOCOL === undefined || given.PROTOCOL === noModel || given[name] !== undefined,
        'is missing',
      ] as const,
  ),
  [
    'KEY_FILE',
    ({ PROTOCOL: protocol, BASE_URL: url, KEY_FILE: file }) =>
      file !== undefined ||
      (protocol !== undefined && alwaysKeyed.includes(protocol)
        ? url === undefined
        : url === undefined || isLoopbackHost(new URL(url).hostname)),
    'is missing: name a file of mode 0600 that holds the API key',
  ],
  [
    'MAX_OUTPUT_TOKENS',
    ({ CONTEXT_TOKENS: window, MAX_OUTPUT_TOKENS: output }) =>
      window === undefined || output === undefined || output < window,
    'expected less than the context tokens: the window holds the prompt too',
  ],
  [
    'PRICE_OUTPUT',
    ({ PRICE_INPUT: input, PRICE_OUTPUT: output }) => (input === undefined) === (output === undefined),
    'and the price of input belong together: set both or neither',
  ],
]);
type ModelFields = z.output<z.ZodObject<typeof fields>>;

/** One model of the service. */
export interface ModelConfiguration {
  /** Names the endpoint in policies, prices and records: `openai-chat.llm.example.com`. */
  id: string;
  /** What its variables begin with: `LLM_`. */
  prefix: string;
  protocol: string;
  baseUrl: string;
  /** `llm.example.com:8443` */
  host: string;
  model: string;
  keyFile: string | undefined;
  limits: { contextTokens: number; maxOutputTokens: number };
  tokenizer: (typeof tokenizers)[number];
  /** Per million tokens; null where it is not configured. */
  price: { input: number; output: number } | null;
}

/** What the variables of the first, second and third model begin with. */
const prefixes = ['LLM_', 'LLM_2_', 'LLM_3_'] as const;

/** Name of every variable of a model. */
export const modelVariables: ReadonlySet<string> = new Set(
  prefixes.flatMap((prefix) => Object.keys(fields).map((name) => `${prefix}${name}`)),
);

/** Name and meaning of every variable of a model, for `--help`. */
export function describeModelVariables(): { name: string; text: string }[] {
  const [first, ...more] = prefixes;
  const own = Object.entries(fields).map(([name, field]) => ({
    name: `${first}${name}`,
    text: field.description ?? '',
  }));
  const same = more.map((prefix) => `${prefix}…`).join(', ');
  return [...own, { name: same, text: 'The same for models that stand in where those before are out.' }];
}

function nameModel(protocol: string, host: string): string {
  return `${protocol}.${host.toLowerCase().replace(/[^a-z0-9.-]+/g, '-')}`.slice(0, 62);
}

function readModel(env: NodeJS.ProcessEnv, prefix: string): ModelConfiguration | null {
  const read = parseEnvironment(schema, env, { prefix });
  const { PROTOCOL: protocol, BASE_URL: baseUrl, MODEL: model, PRICE_INPUT: input, PRICE_OUTPUT: output } = read;
  if (protocol === noModel || baseUrl === undefined || model === undefined) return null;
  const { host } = new URL(baseUrl);
  return {
    ...{ id: nameModel(protocol, host), prefix, protocol, baseUrl, host, model },
    keyFile: read.KEY_FILE,
    limits: { contextTokens: read.CONTEXT_TOKENS, maxOutputTokens: read.MAX_OUTPUT_TOKENS },
    tokenizer: read.TOKENIZER,
    price: input === undefined || output === undefined ? null : { input, output },
  };
}

/** Whether a model is named: the first one always. */
function isNamed(env: NodeJS.ProcessEnv, prefix: string): boolean {
  return prefix === prefixes[0] || Object.keys(fields).some((name) => (env[`${prefix}${name}`] ?? '') !== '');
}

/** Models of one endpoint have its name and a number. */
function withOwnNames(models: readonly ModelConfiguration[]): readonly ModelConfiguration[] {
  return models.map((model, at) => {
    const isTaken = models.slice(0, at).some(({ id }) => id === model.id);
    return isTaken ? { ...model, id: `${model.id}-${at + 1}` } : model;
  });
}

/**
 * The models of an environment, each standing in for those before it; none with
 * `LLM_PROTOCOL=none`. Throws one `UsageError` with a line for each mistake.
 */
export function readModels(env: NodeJS.ProcessEnv): readonly ModelConfiguration[] {
  const named = prefixes.filter((prefix) => isNamed(env, prefix));
  const gap = prefixes.find((prefix, at) => at < named.length && !named.includes(prefix));
  if (gap !== undefined) throw new UsageError([`${gap}PROTOCOL: is missing: ${named.at(-1)}PROTOCOL is set`]);
  const found = readAll(Object.fromEntries(named.map((prefix) => [prefix, () => readModel(env, prefix)])));
  const none = named.filter((prefix) => found[prefix] === null);
  if (named.length > 1 && none.length > 0)
    throw new UsageError(
      none.map((prefix) => `${prefix}PROTOCOL: expected no ${noModel} where several models are set`),
    );
  return withOwnNames(named.flatMap((prefix) => found[prefix] ?? []));
}
