import type { Change } from '../changes/change.js';
import type { ContentPolicy } from '../egress/content-policy.js';
import type { EgressPlan } from '../egress/guarded-exchange.js';
import type { KillSwitch } from '../egress/kill-switch.js';
import type { ProviderPolicy } from '../egress/provider-policy.js';
import { telemetryDestination } from '../egress/stoppable-telemetry.js';
import {
  type ContentLevel,
  type Destination,
  type DestinationKind,
  isWithinLevel,
  nameDestination,
} from '../foundation/outbound.js';
import type { Clock } from '../foundation/time/clock.js';
import type { LlmProvider } from '../llm/llm-provider.js';
import type { Mailers } from '../outbox/senders/mailers.js';
import type { PostSender } from '../outbox/senders/post-sender.js';
import type { Settings } from '../settings/settings.js';
import { bothPaths } from '../stages/job/true-paths.js';
import { mergeRecipients, parseRecipients } from '../stages/recipients/merge-recipients.js';
import type { RecipientResolver } from '../stages/recipients/recipient-resolver.js';
import { resolveRecipients } from '../stages/recipients/resolve-recipients.js';
import type { DeclaredDestination } from '../worker/run/stage.js';

/** One place that a review would send bytes to, and what holds them back. */
export interface PlannedDestination {
  /** As the kill switch names it. */
  name: string;
  kind: DestinationKind;
  /** Host and port; null where the part does not say it before it sends. */
  host: string | null;
  /** Whether the host is inside the house (`egress.internalHosts`); null without a host. */
  isInternal: boolean | null;
  /** The most of a review that would go there. */
  content: ContentLevel;
  /** The most that the policy allows. */
  highest: ContentLevel;
  /** Whether the policy lets this review send there what it would. */
  isAllowed: boolean;
  /** Whether the kill switch stops it now, or cannot be read. */
  isStopped: boolean;
  /** What would be sent, in a sentence. Mails are not composed: they need findings. */
  sends: string;
  /** Who would be mailed, and how much each gets; empty for what is no mail. */
  recipients: readonly { address: string; required: boolean; content: ContentLevel }[];
}

/** What knows where bytes may go. */
export interface DestinationParts {
  providers: readonly LlmProvider[];
  policy: ProviderPolicy;
  contentPolicy: ContentPolicy;
  mailers: Mailers;
  channels: readonly PostSender[];
  recipients: RecipientResolver;
  /** Of the host's kinds of job: P4 Code Review, for instance. */
  declared: readonly DeclaredDestination[];
  hasTelemetry: boolean;
  /** Whether a check may follow each request to a model. */
  hasCheck: boolean;
  /** Whether a question about earlier findings may follow each, where the change was reviewed before. */
  hasFollowUps: boolean;
  killSwitch: KillSwitch;
  isInternal(host: string): boolean;
  settings: Pick<Settings, 'mail'>;
  clock: Clock;
}

type Planned = Omit<PlannedDestination, 'name' | 'kind' | 'isInternal' | 'isStopped' | 'recipients'> & {
  destination: Destination;
  recipients?: PlannedDestination['recipients'];
};

function describeRequests(
  count: number,
  bytes: number,
  { hasCheck, hasFollowUps }: Pick<DestinationParts, 'hasCheck' | 'hasFollowUps'>,
): string {
  const check = hasCheck ? `; then at most ${count} more, to check findings with more of the code round them` : '';
  const again = `; where the change was reviewed before, at most ${count} more about its earlier findings`;
  return `${count} requests of ${bytes} bytes in all${check}${hasFollowUps ? again : ''}`;
}

function planModel(
  parts: DestinationParts,
  provider: LlmProvider,
  change: Change,
  all: readonly EgressPlan[],
): Planned {
  const requests = all.filter((request) => request.provider === provider.id);
  const bytes = requests.reduce((sum, request) => sum + request.bytes, 0);
  const isPermitted = change.files.some((file) => parts.policy.permitted([provider.id], bothPaths(file)).length > 0);
  return {
    destination: { kind: 'llm', id: provider.id },
    host: requests[0]?.host ?? provider.host ?? null,
    content: 'code',
    highest: 'code',
    isAllowed: isPermitted,
    sends: requests.length === 0 ? 'nothing of this change' : describeRequests(requests.length, bytes, parts),
  };
}

const someOfEach = { critical: 1, high: 1, medium: 1, low: 1, info: 1 } as const;

/** By mailer, those who would get a review that has something to say. */
async function resolvePeople(parts: DestinationParts, change: Change, signal: AbortSignal) {
  if (parts.mailers.ids.length === 0) return [];
  const { files, ...summary } = change;
  const paths = [...new Set(files.flatMap(bothPaths))];
  const resolved = await resolveRecipients(
    { resolver: parts.recipients, clock: parts.clock, timeoutMs: parts.settings.mail.recipientsTimeoutMs, signal },
    {
      change: summary,
      paths,
      verdict: 'findings',
      counts: someOfEach,
      findings: paths.map((path) => ({ severity: 'critical', path })),
      version: 1,
    },
  );
  return mergeRecipients(parseRecipients(resolved), parts.mailers);
}

/** The level that a mail is composed for. */
function mailLevel(highest: ContentLevel): 'counts' | 'findings' | 'code' {
  if (isWithinLevel('code', highest)) return 'code';
  return isWithinLevel('findings', highest) ? 'findings' : 'counts';
}

function planMailer(parts: DestinationParts, id: string, people: Awaited<ReturnType<typeof resolvePeople>>): Planned {
  const destination = parts.mailers.get(id).destination;
  const highest = (recipient: string | null): ContentLevel => parts.contentPolicy.highest({ destination, recipient });
  const recipients = people
    .filter(({ via }) => via === id)
    .map(({ address, required, recipientKey }) => ({
      address,
      required,
      content: mailLevel(highest(recipientKey)),
    }));
  const content =
    (['code', 'findings'] as const).find((level) => recipients.some((one) => one.content === level)) ?? 'counts';
  return {
    destination,
    host: parts.mailers.get(id).host ?? null,
    content,
    highest: content === 'counts' ? highest(null) : content,
    // The composer is given no more than each address may have.
    isAllowed: true,
    sends:
      recipients.length === 0
        ? 'nothing: nobody is mailed'
        : `${recipients.length} mails of subject, text and HTML, one for each recipient, if there is something to say`,
    recipients,
  };
}

function planChannel(parts: DestinationParts, { destination, host }: PostSender): Planned {
  const highest = parts.contentPolicy.highest({ destination, recipient: null });
  const content = mailLevel(highest);
  const sends = 'the posts that the channel plans, if there is something to say';
  return { destination, host: host ?? null, content, highest, sends, isAllowed: isWithinLevel(content, highest) };
}

function planDeclared(parts: DestinationParts, { destination, host, content, sends }: DeclaredDestination): Planned {
  const highest = parts.contentPolicy.highest({ destination, recipient: null });
  return { destination, host, content, highest, isAllowed: isWithinLevel(content, highest), sends };
}

/**
 * Every destination of a review of this change: models, mailers, what the host's kinds of job
 * declare, telemetry. Nothing is sent; the recipient resolver is asked, and the kill switch is read.
 * Rejects with what the resolver rejects with.
 */
export async function planDestinations(
  parts: DestinationParts,
  change: Change,
  requests: readonly EgressPlan[],
  signal: AbortSignal,
): Promise<readonly PlannedDestination[]> {
  const people = await resolvePeople(parts, change, signal);
  const telemetry: DeclaredDestination = {
    destination: telemetryDestination,
    host: null,
    content: 'none',
    sends: 'metrics and spans: counts, durations, codes and ids, by the exporter of the host',
  };
  const planned = [
    ...parts.providers.map((provider) => planModel(parts, provider, change, requests)),
    ...parts.mailers.ids.map((id) => planMailer(parts, id, people)),
    ...parts.channels.map((channel) => planChannel(parts, channel)),
    ...[...parts.declared, ...(parts.hasTelemetry ? [telemetry] : [])].map((one) => planDeclared(parts, one)),
  ];
  return Promise.all(
    planned.map(async ({ destination, recipients = [], ...plan }) => ({
      name: nameDestination(destination),
      kind: destination.kind,
      ...plan,
      isInternal: plan.host === null ? null : parts.isInternal(plan.host),
      isStopped: await isStopped(parts.killSwitch, destination),
      recipients,
    })),
  );
}

async function isStopped(killSwitch: KillSwitch, destination: Destination): Promise<boolean> {
  try {
    await killSwitch.check(nameDestination(destination));
    return false;
  } catch {
    return true;
  }
}
