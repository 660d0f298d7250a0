import { attribute as a } from './attributes.js';
import { type Instrument, instruments } from './instruments.js';
import type { SpanKind } from './telemetry.js';

export { attribute } from './attributes.js';

/**
 * Names of all metrics. The names of OpenTelemetry's semantic conventions are in this folder
 * alone, because those conventions still move.
 */
export const metric = Object.fromEntries(Object.entries(instruments).map(([key, { name }]) => [key, name])) as Readonly<
  Record<keyof typeof instruments, string>
>;

const byName: ReadonlyMap<string, Instrument> = new Map(
  Object.values(instruments).map((instrument): [string, Instrument] => [instrument.name, instrument]),
);

/** The instrument of this name; undefined for a name that is not the packages' own. */
export function findInstrument(name: string): Instrument | undefined {
  return byName.get(name);
}

/** The counter of each number in a reply's usage. */
export const tokenCounter = {
  inputTokens: metric.llmInputTokens,
  outputTokens: metric.llmOutputTokens,
  cachedInputTokens: metric.llmCachedInputTokens,
  reasoningTokens: metric.llmReasoningTokens,
} as const;

/** The span attribute of each number in a reply's usage. */
export const tokenAttribute = {
  inputTokens: a.llmInputTokens,
  outputTokens: a.llmOutputTokens,
  cachedInputTokens: a.llmCachedInputTokens,
  reasoningTokens: a.llmReasoningTokens,
} as const;

/** A span as the reference page describes it. */
export interface SpanDescription {
  /** `{…}` is replaced by what the span's attributes say. */
  name: string;
  kind: SpanKind;
  attributes: readonly string[];
  /** What it is a child of, and what it links to. */
  relation: string;
  description: string;
}

const messaging = [a.messagingSystem, a.messagingOperation, a.messagingOperationType, a.messagingDestination];

/** Every span that the packages start. A span ends with the code of the failure, if there was one. */
export const spans = {
  produce: {
    name: '{submit|enqueue} {kind}',
    kind: 'producer',
    attributes: [...messaging, a.messagingMessageId, a.messagingBatchCount, a.errorType],
    relation: 'Child of the span that is active where the host calls.',
    description: 'One call of `submit` or `enqueue`. The jobs that it stores keep its `traceparent`.',
  },
  process: {
    name: 'process {kind}',
    kind: 'consumer',
    attributes: [...messaging, a.messagingMessageId, a.outcome, a.attempt, a.errorType],
    relation: 'Links to the span that stored the job; with `telemetry.oneTrace` its child as well.',
    description: 'One job under one lease, from its claim to its settlement.',
  },
  stage: {
    name: 'criticizer.stage',
    kind: 'internal',
    attributes: [a.kind, a.stage, a.outcome, a.attempt, a.errorType],
    relation: 'Child of `process {kind}`.',
    description: 'One run of a stage, its settlement included. One that waits for an outage ends as failed.',
  },
  chat: {
    name: 'chat {model}',
    kind: 'client',
    attributes: [
      ...[a.llmOperation, a.llmProvider, a.llmModel, a.llmMaxTokens, a.llmPromptName, a.llmPromptVersion],
      ...Object.values(tokenAttribute),
      a.errorType,
    ],
    relation: 'Child of its stage.',
    description: 'One request to a model, guard and record included.',
  },
  mail: {
    name: 'send {mailer}',
    kind: 'producer',
    attributes: [...messaging, a.messagingMessageId, a.outcome, a.attempt, a.errorType],
    relation: 'Links to the span that stored the job; with `telemetry.oneTrace` its child as well.',
    description: 'One attempt to deliver a mail, the decision whether to send it included.',
  },
} as const satisfies Readonly<Record<string, SpanDescription>>;

/** The name of the span of one run of a stage. */
export const stageSpan = spans.stage.name;

/** The name of the span of one request to a model. */
export function nameChatSpan(model: string): string {
  return `chat ${model}`;
}

/** `{operation} {destination}`, as the messaging conventions have it. */
export function nameMessagingSpan(operation: MessagingOperation, destination: string | undefined): string {
  return destination === undefined ? operation : `${operation} ${destination}`;
}

/** What is done with a job or a mail. */
export type MessagingOperation = 'submit' | 'enqueue' | 'process' | 'send';

/** The attributes that spans and durations of the messaging conventions share. */
export function messagingAttributes(
  system: 'criticizer' | 'criticizer_mail' | 'criticizer_audit',
  operation: MessagingOperation,
  destination: string | undefined,
): Record<string, string> {
  const named = destination === undefined ? {} : { [a.messagingDestination]: destination };
  return { [a.messagingSystem]: system, [a.messagingOperation]: operation, ...named };
}
