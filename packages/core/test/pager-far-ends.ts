import { randomBytes, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { HttpClient } from '../src/http/http-client.js';
import { createHttpClient } from '../src/http/undici-http-client.js';
import { createJiraPager } from '../src/pager/jira-pager.js';
import type { Pager } from '../src/pager/pager.js';
import { createPagerDutyPager } from '../src/pager/pagerduty-pager.js';
import { createWebhookPager } from '../src/pager/webhook-pager.js';
import { Secret } from '../src/secrets/secret.js';
import type { SecretSource } from '../src/secrets/secret-source.js';
import type { PagerScene, PagerUnderTest, ReceivedPage } from '../src/testing/ports/delivery/pager-scenes.js';
import { type FarRequest, playCommon, reply, startFarEnd } from './sink-far-end.js';

/** How one far end reads a message; null where it refused it by itself. */
type Take = (request: FarRequest, response: ServerResponse, scene: PagerScene) => Omit<ReceivedPage, 'bytes'> | null;

/** One secret under any name. */
export function secretNamed(name: string, text: string): { source: SecretSource; name: string } {
  const current = { secret: new Secret(text), version: '1' };
  return { source: { contract: 1, read: async () => ({ current }) }, name };
}

async function openPager(
  take: Take,
  answer: (response: ServerResponse, page: ReceivedPage) => void,
  create: (origin: string, http: HttpClient) => Pager,
): Promise<PagerUnderTest & { requests: readonly FarRequest[] }> {
  const taken: ReceivedPage[] = [];
  let scene: PagerScene = 'takes';
  const far = await startFarEnd((request, response) => {
    if (playCommon({ scene }, response)) return;
    const read = take(request, response, scene);
    if (read === null) return;
    const page = { ...read, bytes: Buffer.from(request.body) };
    taken.push(page);
    if (scene === 'loses-reply') return void response.destroy();
    answer(response, page);
  });
  const http = createHttpClient({ allowPrivateOrigins: [far.origin] });
  return {
    pager: create(far.origin, http),
    requests: far.requests,
    received: async () => taken,
    play(next) {
      scene = next;
      far.play(next === 'stalls' ? 'stalls' : 'takes');
    },
    stalled: () => far.stalled,
    async dispose() {
      await far.close();
      await http.close();
    },
  };
}

/** PagerDuty's Events API v2, as its reference describes it. */
export function openPagerDuty() {
  const key = randomBytes(16).toString('hex');
  const invalid = (response: ServerResponse, ...errors: string[]): null => {
    reply(response, 400, { status: 'invalid event', message: 'Event object is invalid', errors });
    return null;
  };
  const take: Take = ({ method, path, body }, response, scene) => {
    const event = JSON.parse(body);
    if (method !== 'POST' || path !== '/v2/enqueue') return invalid(response, 'no such address');
    if (scene === 'refuses') return invalid(response, "'payload' is missing or blank");
    if (scene === 'denies' || event.routing_key !== key) return invalid(response, 'Invalid routing key');
    if (typeof event.dedup_key !== 'string' || event.dedup_key.length > 255) return invalid(response, 'dedup_key');
    if (event.event_action !== 'trigger' && event.event_action !== 'resolve') return invalid(response, 'event_action');
    if (event.event_action === 'trigger') {
      const { summary = '', source = '', severity, timestamp } = event.payload ?? {};
      if (summary === '' || summary.length > 1_024) return invalid(response, 'summary');
      if (source === '') return invalid(response, 'source');
      if (!['critical', 'error', 'warning', 'info'].includes(severity)) return invalid(response, 'severity');
      if (Number.isNaN(Date.parse(timestamp))) return invalid(response, 'timestamp');
    }
    return { action: event.event_action, key: event.dedup_key };
  };
  return openPager(
    take,
    (response, page) => reply(response, 202, { status: 'success', message: 'Event processed', dedup_key: page.key }),
    (origin, http) =>
      createPagerDutyPager({ id: 'pd', http, url: `${origin}/v2/enqueue`, routingKey: secretNamed('PD', key) }),
  );
}

/** The alert API of Jira Service Management, which is Opsgenie's. */
export function openJira() {
  const apiKey = randomUUID();
  const base = '/jsm/ops/integration/v2/alerts';
  const answer = (response: ServerResponse, status: number, message: string): null => {
    reply(response, status, { message, took: 0.01, requestId: randomUUID() });
    return null;
  };
  const take: Take = ({ headers, path, body }, response, scene) => {
    if (scene === 'denies' || headers.authorization !== `GenieKey ${apiKey}`)
      return answer(response, 401, 'Could not authenticate');
    if (scene === 'refuses') return answer(response, 422, 'Request body is not processable.');
    const fields = JSON.parse(body);
    const closed = /^\/(.+)\/close\?identifierType=alias$/.exec(path.startsWith(base) ? path.slice(base.length) : '');
    if (closed !== null) return { action: 'resolve', key: decodeURIComponent(closed[1] ?? '') };
    const { message = '', alias = '', details, priority } = fields;
    if (path !== base || message === '' || message.length > 130) return answer(response, 422, 'message');
    if (alias === '' || alias.length > 512) return answer(response, 422, 'alias');
    if (!/^P[1-5]$/.test(priority)) return answer(response, 422, 'priority');
    if (!Object.values(details).every((value) => typeof value === 'string')) return answer(response, 422, 'details');
    return { action: 'trigger', key: alias };
  };
  return openPager(
    take,
    (response) => reply(response, 202, { result: 'Request will be processed', took: 0.02, requestId: randomUUID() }),
    (origin, http) =>
      createJiraPager({ id: 'jsm', http, url: `${origin}${base}`, apiKey: secretNamed('JSM', apiKey), tags: ['ci'] }),
  );
}

/** A receiver of webhooks that verifies by the public package, as a host would. */
export function openWebhook() {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const take: Take = ({ headers, body }, response, scene) => {
    if (scene === 'denies' || scene === 'refuses') {
      reply(response, scene === 'denies' ? 401 : 422, undefined);
      return null;
    }
    const { type, data } = new Webhook(secret).verify(body, headers as Record<string, string>) as {
      type: string;
      data: { key: string };
    };
    return { action: type === 'alert.firing' ? 'trigger' : 'resolve', key: data.key };
  };
  return openPager(
    take,
    (response) => reply(response, 204, undefined),
    (origin, http) =>
      createWebhookPager({ id: 'hook', http, url: `${origin}/alerts`, secret: secretNamed('H', secret) }),
  );
}
