// What a real service has outside of it, on this machine: a Perforce server as data, and a model
// endpoint that finds nothing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { P4SimulatorChange, P4SimulatorModel } from '@criticizer/p4/testing';

const path = '//depot/orders/src/total.js';
const fingerprint = Array.from({ length: 20 }, (_, at) => (at * 11 + 16).toString(16).toUpperCase()).join(':');

/** A server behind TLS, with one file. The ticket lasts four days. */
export function makeServer(
  ticket: string,
): P4SimulatorModel & { port: string; fingerprint: string; changes: P4SimulatorChange[] } {
  const person = (user: string) => ({
    user,
    email: `${user}@example.test`,
    fullName: user,
    ticket,
    ticketExpiresInS: 96 * 3_600,
  });
  return {
    port: 'ssl:perforce.example.test:1666',
    fingerprint,
    users: [person('ada'), person('reviewbot')],
    changes: [
      { ...submitted(10, 'const total = 0;\n'), files: [{ path, action: 'add', content: 'const total = 0;\n' }] },
    ],
  };
}

/** A change that edits the file. */
export function submitted(number: number, content: string): P4SimulatorChange {
  return {
    number,
    user: 'ada',
    status: 'submitted',
    description: `Change ${number}`,
    files: [{ path, action: 'edit', content }],
  };
}

/** The same as a shelf that asks for a review. */
export function shelved(number: number, content: string): P4SimulatorChange {
  return { ...submitted(number, content), description: `Change ${number} #review`, status: 'pending', shelved: true };
}

const versionIn = (text: string, name: string): string | undefined =>
  new RegExp(`\\\\"${name}\\\\": \\\\"([0-9.]+)`).exec(text)?.[1];

/** An HTTP server on this machine that answers every body with another one. */
async function startServer(answer: (body: string) => object): Promise<{ origin: string; close(): void }> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Takes the results of test runs, as P4 Code Review does. */
export async function startSwarm(): Promise<{ origin: string; posted: unknown[]; close(): void }> {
  const posted: unknown[] = [];
  const server = await startServer((body) => {
    posted.push(JSON.parse(body));
    return { error: null, messages: [] };
  });
  return { ...server, posted };
}

/** What a stand-in model says of a question: its reply's `findings` and `meta`. */
export type StandInReply = (question: string) => { findings: readonly object[]; meta: object | null };

const nothing: StandInReply = () => ({ findings: [], meta: null });

/** Speaks the OpenAI chat protocol; without `reply` it has nothing to say. */
export function startModel(reply: StandInReply = nothing): Promise<{ origin: string; close(): void }> {
  return startServer((body) => {
    const versions = {
      schema_version: versionIn(body, 'schema_version'),
      prompt_version: versionIn(body, 'prompt_version'),
    };
    const said = reply(body);
    const summary = said.findings.length === 0 ? 'Nothing found.' : 'Something found.';
    const content = JSON.stringify({ ...versions, summary, ...said });
    const choices = [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return { id: '1', object: 'chat.completion', created: 0, model: 'stand-in', choices, usage };
  });
}
