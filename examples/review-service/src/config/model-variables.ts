// The variables of a model, and what they make.
import { llmProtocols } from '@criticizer/core/llm';
import { z } from 'zod';
import { applyRules, parseEnvironment } from './read-environment.js';
import { absolutePath, endpoint, isLoopbackHost, price, whole } from './values.js';

/** The value of `LLM_PROTOCOL` for no model: files and withheld secrets are counted, and nothing is sent. */
const noModel = 'none';

const protocols: readonly string[] = [...llmProtocols, noModel];

const fields = {
  PROTOCOL: z
    .string()
    .refine((name) => protocols.includes(name), `expected one of ${protocols.join(', ')}`)
    .describe(`One of ${protocols.join(', ')}.`),
  BASE_URL: endpoint.optional().describe('As the SDK of the vendor takes it.'),
  MODEL: z.string().min(1).optional().describe('As the vendor names it.'),
  KEY_FILE: absolutePath.optional().describe('The API key; required but on this machine.'),
  CONTEXT_TOKENS: whole(1_000, 100_000_000).default(128_000),
  MAX_OUTPUT_TOKENS: whole(256, 1_000_000).default(8_192),
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
    ({ BASE_URL: url, KEY_FILE: file }) =>
      url === undefined || file !== undefined || isLoopbackHost(new URL(url).hostname),
    'is missing: name a file of mode 0600 that holds the API key',
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
  /** Per million tokens; null where it is not configured. */
  price: { input: number; output: number } | null;
}

const prefix = 'LLM_';

/** Name of every variable of a model. */
export const modelVariables: ReadonlySet<string> = new Set(Object.keys(fields).map((name) => `${prefix}${name}`));

/** Name and meaning of every variable of a model, for `--help`. */
export function describeModelVariables(): { name: string; text: string }[] {
  return Object.entries(fields).map(([name, field]) => ({ name: `${prefix}${name}`, text: field.description ?? '' }));
}

function nameModel(protocol: string, host: string): string {
  return `${protocol}.${host.toLowerCase().replace(/[^a-z0-9.-]+/g, '-')}`.slice(0, 64);
}

/** The models of an environment, the first one first; none with `LLM_PROTOCOL=none`. Throws `UsageError`. */
export function readModels(env: NodeJS.ProcessEnv): readonly ModelConfiguration[] {
  const read = parseEnvironment(schema, env, { prefix });
  const { PROTOCOL: protocol, BASE_URL: baseUrl, MODEL: model, PRICE_INPUT: input, PRICE_OUTPUT: output } = read;
  if (protocol === noModel || baseUrl === undefined || model === undefined) return [];
  const { host } = new URL(baseUrl);
  return [
    {
      ...{ id: nameModel(protocol, host), prefix, protocol, baseUrl, host, model },
      keyFile: read.KEY_FILE,
      limits: { contextTokens: read.CONTEXT_TOKENS, maxOutputTokens: read.MAX_OUTPUT_TOKENS },
      price: input === undefined || output === undefined ? null : { input, output },
    },
  ];
}
