import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { JsonObject } from '@criticizer/core/ports';
import { contractReplyText, contractSecondText, type LlmPeerScene } from '@criticizer/core/testing';
import { makeAnthropicScenes } from '../../../tools/testing/model-scenes/anthropic-scenes.js';
import { makeBedrockScenes } from '../../../tools/testing/model-scenes/bedrock-scenes.js';
import { makeGeminiScenes } from '../../../tools/testing/model-scenes/gemini-scenes.js';
import { makeOpenAiChatScenes } from '../../../tools/testing/model-scenes/openai-chat-scenes.js';
import { makeOpenAiResponsesScenes } from '../../../tools/testing/model-scenes/openai-responses-scenes.js';
import type { Scenes } from '../../../tools/testing/model-scenes/scenes.js';
import type { AiSdkModel, ModelFetch } from '../src/index.js';

/** Where a model sends, with which key, through which fetch; undefined for the one of its own. */
export interface ModelPlace {
  origin: string;
  credential: string;
  fetch?: ModelFetch | undefined;
}

/** One model of the AI SDK, and how its vendor's server answers. */
export interface ModelSetup {
  name: string;
  build(place: ModelPlace): AiSdkModel;
  scenes: Scenes;
  unplayable?: readonly LlmPeerScene[];
  providerOptions?: JsonObject;
  /** Of the usage that the scenes count: what the AI SDK does not give. */
  reasoningTokens?: null;
}

/** The credential that Bedrock signs with. */
export const readAwsKeys = (credential: string) => ({
  accessKeyId: credential,
  secretAccessKey: credential.split('').reverse().join(''),
  sessionToken: credential.repeat(2),
});

const texts = { reply: contractReplyText, second: contractSecondText };

/** Every provider package, once for each protocol that it speaks. */
export const setups: readonly ModelSetup[] = [
  {
    name: 'openai-compatible',
    build: ({ origin, credential, fetch }) =>
      createOpenAICompatible({
        name: 'house',
        baseURL: `${origin}/v1`,
        apiKey: credential,
        supportsStructuredOutputs: true,
        ...(fetch && { fetch }),
      })('m-1'),
    scenes: makeOpenAiChatScenes(texts),
  },
  {
    name: 'openai, Responses',
    build: ({ origin, credential, fetch }) =>
      createOpenAI({ baseURL: `${origin}/v1`, apiKey: credential, ...(fetch && { fetch }) })('m-1'),
    scenes: makeOpenAiResponsesScenes(texts),
    providerOptions: { openai: { store: false } },
  },
  {
    name: 'openai, chat',
    build: ({ origin, credential, fetch }) =>
      createOpenAI({ baseURL: `${origin}/v1`, apiKey: credential, ...(fetch && { fetch }) }).chat('m-1'),
    scenes: makeOpenAiChatScenes(texts),
  },
  {
    name: 'azure',
    build: ({ origin, credential, fetch }) =>
      createAzure({ baseURL: `${origin}/openai`, apiKey: credential, ...(fetch && { fetch }) })('m-1'),
    scenes: makeOpenAiResponsesScenes(texts),
    providerOptions: { azure: { store: false } },
  },
  {
    name: 'anthropic',
    build: ({ origin, credential, fetch }) =>
      createAnthropic({ baseURL: `${origin}/v1`, apiKey: credential, ...(fetch && { fetch }) })('claude-sonnet-4-5'),
    scenes: makeAnthropicScenes(texts),
    unplayable: ['filtered'],
  },
  {
    name: 'google',
    build: ({ origin, credential, fetch }) =>
      createGoogleGenerativeAI({ baseURL: `${origin}/v1beta`, apiKey: credential, ...(fetch && { fetch }) })('m-1'),
    scenes: makeGeminiScenes(texts),
    unplayable: ['refused'],
  },
  {
    name: 'amazon-bedrock, signed',
    build: ({ origin, credential, fetch }) =>
      createAmazonBedrock({
        region: 'eu-central-1',
        baseURL: origin,
        apiKey: '', // else AWS_BEARER_TOKEN_BEDROCK of the environment would be used
        credentialProvider: async () => readAwsKeys(credential),
        ...(fetch && { fetch }),
      })('eu.vendor.model-1:0'),
    scenes: makeBedrockScenes(texts),
    reasoningTokens: null,
  },
];
