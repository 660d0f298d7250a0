import type { HttpClient } from '@criticizer/core/http';
import { createOpenAiChatProvider, type LlmProvider } from '@criticizer/core/llm';
import { benchPath, editedLine } from './bench-changes.js';

const versionIn = (text: string, name: string): string | undefined =>
  new RegExp(`\\\\"${name}\\\\": \\\\"([0-9.]+)`).exec(text)?.[1];

const finding = (at: number): object => ({
  ...{ id: `f${at}`, severity: 'medium', category: 'correctness', title: `The limit of module ${at} moved` },
  ...{ file: benchPath(at), line: editedLine + 4 * at, end_line: null },
  ...{ message: 'The limit was a constant; callers rely on it.', suggestion: 'Keep the old limit.' },
  ...{ confidence: 'high', rule_id: null },
});

/** An OpenAI-compatible server inside this process: it answers at once, with three findings. */
function createInstantServer(): HttpClient {
  let answer: Uint8Array | undefined;
  return {
    async exchange({ body }) {
      answer ??= Buffer.from(JSON.stringify(completion(String(body))));
      return { status: 200, headers: { 'content-type': 'application/json' }, body: answer };
    },
    async close() {},
  };
}

function completion(request: string): object {
  const review = {
    schema_version: versionIn(request, 'schema_version'),
    prompt_version: versionIn(request, 'prompt_version'),
    ...{ summary: 'Three limits moved.', findings: [0, 1, 2].map(finding), meta: null },
  };
  const message = { role: 'assistant', content: JSON.stringify(review), refusal: null };
  return {
    ...{ id: '1', object: 'chat.completion', created: 0, model: 'instant' },
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9_000, completion_tokens: 300, total_tokens: 9_300 },
  };
}

/** The real provider over the instant server. */
export function createInstantModel(): LlmProvider {
  return createOpenAiChatProvider({
    id: 'instant',
    model: 'instant',
    baseUrl: 'https://models.studio.example/v1',
    http: createInstantServer(),
    limits: { contextTokens: 128_000, maxOutputTokens: 8_192 },
  });
}
