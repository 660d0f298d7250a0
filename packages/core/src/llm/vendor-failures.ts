import type { HttpResponse } from '../http/http-client.js';
import { readAnthropicFailure } from './anthropic/anthropic-provider.js';
import { isAwsDenied, readBedrockFailure } from './bedrock/bedrock-failure.js';
import { isGeminiDenied, readGeminiFailure } from './gemini/gemini-provider.js';
import type { AnswerContext } from './http-provider/http-provider.js';
import { credentialDenied, isUnauthorized } from './http-provider/keyed-exchange.js';
import type { LlmReply } from './llm-provider.js';
import { readOpenAiFailure } from './openai/openai-failure.js';

/** Whose words an endpoint fails in. `openai` also for the many that copy them. */
export type VendorFormat = 'openai' | 'anthropic' | 'gemini' | 'bedrock';

const formats = {
  openai: { isDenied: isUnauthorized, read: readOpenAiFailure },
  anthropic: { isDenied: isUnauthorized, read: readAnthropicFailure },
  gemini: { isDenied: isGeminiDenied, read: readGeminiFailure },
  bedrock: { isDenied: isAwsDenied, read: readBedrockFailure },
} as const;

/**
 * What an answer that is no success means, read from its own bytes: a reply with a stop state, or a
 * thrown `CriticizerError` of the failure table. A denied credential is `AUTH_DENIED` with `parks`
 * (INT-4). The vendor's messages are read and dropped: they may quote the prompt.
 */
export function readVendorFailure(format: VendorFormat, response: HttpResponse, context: AnswerContext): LlmReply {
  const { isDenied, read } = formats[format];
  if (isDenied(response)) throw credentialDenied(response, context.host);
  return read(response, context);
}
