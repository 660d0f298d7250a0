// The AI SDK's `LanguageModelV3` and `LanguageModelV4` as far as this package reads them. By shape,
// so that a host's own version of the AI SDK fits and none is installed for it.

/** A model of the AI SDK: what `createOpenAI(...)('model')` and its like give. */
export interface AiSdkModel {
  /** `v3` or `v4`; others are refused. */
  readonly specificationVersion: string;
  /** The AI SDK's name for the vendor and the protocol: `anthropic.messages`. */
  readonly provider: string;
  readonly modelId: string;
  // A method, so that the SDK's narrower options fit.
  doGenerate(options: GenerateOptions): PromiseLike<unknown>;
}

/** What a call of the model says. */
export interface GenerateOptions {
  prompt: (
    | { role: 'system'; content: string }
    | { role: 'user' | 'assistant'; content: { type: 'text'; text: string }[] }
  )[];
  maxOutputTokens: number;
  responseFormat?: { type: 'json'; schema: object; name: string };
  providerOptions?: Record<string, Record<string, never>>;
  abortSignal?: AbortSignal;
}

/** Throws `TypeError` for what is no model of V3 or V4. A bare string would be sent to a vendor's gateway. */
export function checkModel(option: string, value: unknown): void {
  const model = value as Partial<AiSdkModel> | null | undefined;
  const fits =
    typeof model === 'object' &&
    model !== null &&
    (model.specificationVersion === 'v3' || model.specificationVersion === 'v4') &&
    typeof model.doGenerate === 'function' &&
    typeof model.provider === 'string' &&
    typeof model.modelId === 'string';
  if (!fits)
    throw new TypeError(`${option}: expected to build a model of the AI SDK with specificationVersion v3 or v4`);
}
