// A local HTTP server that speaks the OpenAI chat protocol and answers with rules, not with a model.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { checkFindings, reviewPrompt } from './rule-based-reviewer.js';

export const modelName = 'rule-based-stand-in';

const requestSchema = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
});

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function versionIn(text: string, name: string): string | undefined {
  return new RegExp(`"${name}": "([0-9.]+)"`).exec(text)?.[1];
}

/** The reply a model that keeps to the contract would give. */
function answer(body: string): { status: number; json: unknown } {
  const parsed = requestSchema.safeParse(JSON.parse(body));
  if (!parsed.success)
    return {
      status: 400,
      json: { error: { message: 'not a chat request', type: 'invalid_request_error', param: null, code: null } },
    };
  const { messages } = parsed.data;
  const system = messages.find((m) => m.role === 'system' || m.role === 'developer')?.content ?? '';
  const user = messages
    .filter((m) => m.role === 'user')
    .map((m) => m.content)
    .join('\n');
  const content = JSON.stringify(isCheck(system) ? checkReply(system, user) : reviewReply(system, user));
  return { status: 200, json: chatCompletion(content, body.length) };
}

const isCheck = (system: string): boolean => versionIn(system, 'check_version') !== undefined;

const checkReply = (system: string, user: string) => ({
  check_version: versionIn(system, 'check_version'),
  verdicts: checkFindings(user),
});

function reviewReply(system: string, user: string): object {
  return {
    schema_version: versionIn(system, 'schema_version'),
    prompt_version: versionIn(system, 'prompt_version'),
    summary:
      'Written by a handful of rules, not by a language model. Refunds and invoices were added; the points below deserve a look before this is released.',
    findings: reviewPrompt(user).map((finding) => ({ ...finding, end_line: null, confidence: 'high' })),
    meta: null,
  };
}

function chatCompletion(content: string, promptLength: number): object {
  const [prompt_tokens, completion_tokens] = [promptLength, content.length].map((length) => Math.ceil(length / 4)) as [
    number,
    number,
  ];
  return {
    id: 'stand-in-1',
    object: 'chat.completion',
    created: 0,
    model: modelName,
    choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

export interface ModelServer {
  /** `http://127.0.0.1:port` */
  origin: string;
  close(): Promise<void>;
}

/** `onBody` takes the bytes of every request, as they came. */
export async function startModelServer(onBody: (body: Buffer) => void = () => {}): Promise<ModelServer> {
  const server: Server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      onBody(body);
      const path = request.method === 'POST' && request.url === '/v1/chat/completions';
      const { status, json } = path
        ? answer(body.toString('utf8'))
        : { status: 404, json: { error: { message: 'unknown path' } } };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
