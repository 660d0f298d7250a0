// #region provider
import { CriticizerError, revealSecret, type SecretSource } from '@criticizer/core';
import { type HttpClient, httpFailure, isSuccess } from '@criticizer/core/http';
import {
  type LlmProvider,
  noUsage,
  type ReplyEnd,
  readRedactedText,
  readUnknownStop,
  type StopState,
} from '@criticizer/core/llm';

const stops: Readonly<Record<string, StopState>> = {
  done: 'complete',
  length: 'truncated_output',
  too_long: 'context_overflow',
  declined: 'refused',
  filtered: 'content_filtered',
};

/** A house gateway that takes `{prompt, schema, maxTokens}` and answers `{text, stop}`. */
export function createGatewayProvider(options: {
  url: string;
  http: HttpClient;
  key: { source: SecretSource; name: string };
}): LlmProvider {
  const { url, http, key } = options;
  return {
    contract: 1,
    id: 'gateway',
    model: 'house-1',
    host: new URL(url).host,
    limits: { contextTokens: 32_000, maxOutputTokens: 4_000 },
    modes: ['prompt'],
    prepare({ system, turns, schema, maxOutputTokens, mode }) {
      if (mode !== 'prompt') throw new TypeError(`gateway: mode ${mode} is not offered`);
      const said = turns.map(({ role, text }) => `${role}:\n${readRedactedText(text).text}`).join('\n\n');
      const prompt = `${system}\nAnswer with one JSON object that conforms to the schema.\n\n${said}`;
      const body = JSON.stringify({ prompt, schema, maxTokens: maxOutputTokens });
      return { method: 'POST', url, headers: { 'content-type': 'application/json' }, body, model: 'house-1' };
    },
    async send(prepared, { signal, timeoutMs }) {
      const { secret } = (await key.source.read(key.name, { signal })).current;
      const headers = { ...prepared.headers, authorization: `Bearer ${revealSecret(secret)}` }; // joined here, for one call
      const response = await http.exchange(
        { method: 'POST', url, headers, body: prepared.body },
        { signal, timeoutMs },
      );
      if (!isSuccess(response.status)) {
        const failure = httpFailure(response, { host: new URL(url).host, nowMs: Date.now() });
        if (response.status !== 401) throw failure;
        // A new key cures it: wait, spend nothing.
        throw new CriticizerError(failure.code, failure.message, { category: 'auth', parks: true });
      }
      return readReply(response.body);
    },
  };
}

function readReply(body: Uint8Array) {
  let reply: unknown;
  try {
    reply = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    reply = null;
  }
  if (typeof reply !== 'object' || reply === null || !('text' in reply) || !('stop' in reply))
    throw new CriticizerError('GATEWAY_REPLY_UNREADABLE', 'the gateway sent no reply of its format', {
      category: 'upstream',
    });
  const text = String(reply.text);
  const known = stops[String(reply.stop)];
  const { stop, notes = [] }: ReplyEnd = known === undefined ? readUnknownStop([text]) : { stop: known };
  return {
    stop: stop === 'complete' && text === '' ? 'empty' : stop,
    text,
    notes,
    usage: noUsage,
    requestId: null,
    providerStop: String(reply.stop),
  } as const;
}
// #endregion
